package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// unguarded lists the files that start goroutines without backend/service, each with the reason.
var unguarded = map[string]string{
	"backend/backup/backup.go": "runs under the guard, and passes a panic on as its error",
}

// starts reports whether a node is a go statement or a variable of sync.WaitGroup,
// whose Go method starts goroutines.
func starts(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.ValueSpec:
		of, is := n.Type.(*ast.SelectorExpr)
		if !is {
			return false
		}
		from, is := of.X.(*ast.Ident)
		return is && from.Name == "sync" && of.Sel.Name == "WaitGroup"
	}
	return false
}

// A panic in a goroutine without a guard would end the process.
func TestGoroutinesStartOnlyInTheServicePackage(t *testing.T) {
	seen := map[string]bool{}
	look := func(path string) {
		file := strings.TrimPrefix(filepath.ToSlash(path), "../")
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			return
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if starts(n) {
				if seen[file] = true; unguarded[file] == "" {
					t.Errorf("%s:%d starts a goroutine that no guard watches: use a service.Group or service.Parts, "+
						"or say in unguarded why not", file, files.Position(n.Pos()).Line)
				}
			}
			return true
		})
	}
	look("../main.go")
	service := func(folder string) bool { return filepath.ToSlash(folder) == "../backend/service" }
	for _, root := range []string{"../backend", "../app"} {
		eachGoFile(t, root, service, func(path string) {
			if !strings.HasSuffix(path, "_test.go") {
				look(path)
			}
		})
	}
	for file := range unguarded {
		if !seen[file] {
			t.Errorf("%s starts no goroutine any more: take it out of unguarded", file)
		}
	}
}
