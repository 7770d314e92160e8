// Lint checks the Go packages that its arguments name, with the analyzers of go
// vet, staticcheck, errcheck and ineffassign, and prints what they report: a line
// for each finding, as FILE:LINE:COLUMN: MESSAGE (ANALYZER). It exits with 1 if
// there are findings, and with 2 if the packages cannot be checked.
//
// It reads dependencies as the compiler exports them. The programs analyze each of
// them from its source, which takes ten times as long as our own packages do.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gordonklaus/ineffassign/pkg/ineffassign"
	"github.com/kisielk/errcheck/errcheck"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

// sentences is the analyzer that wants errors without capitals. Ours are
// sentences, and some begin with a name.
const sentences = "ST1005"

// unchecked matches the functions whose errors may be ignored, as in
// golangci-lint: callers cannot handle them.
var unchecked = regexp.MustCompile(`^(Close|Remove|RemoveAll|Fprint|Fprintf|Fprintln|Sscan)$`)

func main() {
	tags := flag.String("tags", "", "build tags")
	flag.Parse()
	found, err := check(*tags, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if len(found) > 0 {
		fmt.Println(strings.Join(found, "\n"))
		os.Exit(1)
	}
}

// check returns the findings in packages, sorted.
func check(tags string, patterns []string) ([]string, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	pkgs, err := load(tags, patterns)
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze(analyzers(), pkgs, nil)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	report := func(at token.Position, message, by string) {
		at.Filename = strings.TrimPrefix(at.Filename, root+string(filepath.Separator))
		found[fmt.Sprintf("%v: %s (%s)", at, message, by)] = true
	}
	var failed []error
	for _, a := range graph.Roots {
		if a.Err != nil {
			failed = append(failed, fmt.Errorf("%v: %w", a, a.Err))
		}
		for _, d := range a.Diagnostics {
			report(a.Package.Fset.Position(d.Pos), d.Message, a.Analyzer.Name)
		}
		if unneeded, ok := a.Result.(unused.Result); ok {
			for _, o := range unneeded.Unused {
				report(o.DisplayPosition, fmt.Sprintf("%s %s is unused", o.Kind, o.Name), a.Analyzer.Name)
			}
		}
	}
	for _, p := range pkgs {
		for _, u := range ignored(p) {
			report(u.Pos, "the error of "+u.FuncName+" is not checked", "errcheck")
		}
	}
	return slices.Sorted(maps.Keys(found)), errors.Join(failed...)
}

// ignored returns the calls of a package, without its tests, whose error nobody
// reads.
func ignored(p *packages.Package) []errcheck.UncheckedError {
	code := *p
	code.Syntax = slices.DeleteFunc(slices.Clone(p.Syntax), func(f *ast.File) bool {
		return strings.HasSuffix(p.Fset.Position(f.Package).Filename, "_test.go")
	})
	checker := errcheck.Checker{Exclusions: errcheck.Exclusions{GeneratedFiles: true, BlankAssignments: true,
		TypeAssertions: true, Symbols: errcheck.DefaultExcludedSymbols,
		SymbolRegexpsByPackage: map[string]*regexp.Regexp{"": unchecked}}}
	return checker.CheckPackage(&code).UncheckedErrors
}

// analyzers returns those that run on every package. They are without cgocall: it
// opens the files that the output of cgo names, and with -trimpath the compiler may
// have cached that output for a checkout that no longer exists.
func analyzers() []*analysis.Analyzer {
	all := append(slices.Clone(vet.Suite), ineffassign.Analyzer, unused.Analyzer.Analyzer)
	all = slices.DeleteFunc(all, func(a *analysis.Analyzer) bool { return a.Name == "cgocall" })
	for _, a := range slices.Concat(simple.Analyzers, staticcheck.Analyzers, stylecheck.Analyzers) {
		if !a.Doc.NonDefault && a.Analyzer.Name != sentences {
			all = append(all, a.Analyzer)
		}
	}
	return all
}

// load returns the packages that patterns name, with their tests. Of a package
// with tests it returns only the variant that contains both.
func load(tags string, patterns []string) ([]*packages.Package, error) {
	all, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedForTest, Tests: true,
		BuildFlags: []string{"-tags", tags}}, patterns...)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(all) > 0 {
		return nil, errors.New("the packages do not compile")
	}
	// The variants of our packages that others are tested with have no bodies.
	tested, ours := map[string]bool{}, map[*packages.Package]bool{}
	for _, p := range all {
		ours[p] = true
		if p.ForTest != "" && p.PkgPath == p.ForTest {
			tested[p.PkgPath] = true
		}
	}
	packages.Visit(all, func(p *packages.Package) bool {
		maps.DeleteFunc(p.Imports, func(_ string, of *packages.Package) bool { return !ours[of] })
		return true
	}, nil)
	return slices.DeleteFunc(all, func(p *packages.Package) bool {
		return strings.HasSuffix(p.ID, ".test") || p.ForTest == "" && tested[p.PkgPath]
	}), nil
}
