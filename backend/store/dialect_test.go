package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dialect matches words of SQL, names with SQLite's quotes, and placeholders for arguments.
var dialect = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|FROM|WHERE|VALUES|CREATE|DROP|ALTER|PRAGMA|VACUUM|BEGIN|` +
	`COMMIT|ROLLBACK|SAVEPOINT|RELEASE|INDEXED|COLLATE|LIKE|EXISTS|ORDER BY|GROUP BY|LIMIT|OFFSET|DESC|AND|OR|NOT|` +
	`MATCH|NULL|json_each|pragma_\w+|sqlite_\w+)\b|"(id|body|row|ref|rowid)"($|[^:])|\?`)

// TestOnlyTheEngineKnowsItsDatabase checks the strings and imports of this package and
// its subpackages except the engines. Tests may use SQL to create files of earlier
// versions, because the current version cannot create them.
func TestOnlyTheEngineKnowsItsDatabase(t *testing.T) {
	positions, files, choosing := token.NewFileSet(), 0, []string(nil)
	if err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == "sqlite" || name == "postgres" {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		files++
		file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(name, "_test.go")
		for _, spec := range file.Imports {
			switch imported, _ := strconv.Unquote(spec.Path.Value); {
			case imported == "spyglass/backend/store/sqlite" || imported == "spyglass/backend/store/postgres":
				choosing = append(choosing, name)
			case !test && (strings.HasPrefix(imported, "database/sql") || strings.Contains(imported, "sqlite") ||
				strings.Contains(imported, "pgx")):
				t.Errorf("%s imports %s, which belongs into an engine", name, imported)
			}
		}
		if !test {
			ast.Inspect(file, func(n ast.Node) bool { return checkText(t, positions, n) })
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"engine.go", "engine.go"}; files < 60 || !slices.Equal(choosing, want) {
		t.Errorf("of %d files, %v import an engine; want %v alone, two of them", files, choosing, want)
	}
}

// checkText refuses words of SQL in strings. It ignores import paths.
func checkText(t *testing.T, positions *token.FileSet, n ast.Node) bool {
	if _, ok := n.(*ast.ImportSpec); ok {
		return false
	}
	literal, ok := n.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return true
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	if found := dialect.FindString(text); found != "" {
		t.Errorf("%s: %.60q has %q, which belongs into an engine", positions.Position(n.Pos()), text, found)
	}
	return true
}
