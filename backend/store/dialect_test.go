package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// dialect finds words of SQL, names as SQLite quotes them, and places for arguments.
var dialect = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|FROM|WHERE|VALUES|CREATE|DROP|ALTER|PRAGMA|VACUUM|BEGIN|` +
	`COMMIT|ROLLBACK|SAVEPOINT|RELEASE|INDEXED|COLLATE|LIKE|EXISTS|ORDER BY|GROUP BY|LIMIT|OFFSET|DESC|AND|OR|NOT|` +
	`MATCH|NULL|json_each|pragma_\w+|sqlite_\w+)\b|"(id|body|row|ref|rowid)"($|[^:])|\?`)

// TestSQLIsInThePackageOfItsEngineAlone reads the texts of this package. No other
// package can run any: see "only" of the test of the floors.
func TestSQLIsInThePackageOfItsEngineAlone(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	positions := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			if found := dialect.FindString(text); found != "" {
				t.Errorf("%s: %.60q has %q, which belongs into backend/store/sqlite", positions.Position(n.Pos()), text,
					found)
			}
			return true
		})
	}
}
