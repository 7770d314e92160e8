package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"spyglass/build/project"
)

func TestFailedPackageIsRetriedOnce(t *testing.T) {
	const module = "module example\n\ngo 1.26\n"
	// Each run appends a letter to the file that RUNS names.
	const counts = `package counted

import (
	"os"
	"testing"
)

func TestCounted(t *testing.T) {
	runs, err := os.ReadFile(os.Getenv("RUNS"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv("RUNS"), append(runs, 'x'), 0o600); err != nil {
		t.Fatal(err)
	}
	if fails := os.Getenv("FAILS"); len(runs) < len(fails) {
		t.Fatal("not yet")
	}
}
`
	p := project.Project{Root: t.TempDir(), Out: os.Stdout}
	for name, text := range map[string]string{
		"go.mod": module, "counted/counted_test.go": counts,
		"fine/fine_test.go": "package fine\n", "broken/broken_test.go": "package broken\n\nvar _ = nothing\n",
	} {
		path := p.Path(filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, fails string // letters of the runs that fail
		packages    []string
		runs        string
		passes      bool
	}{
		{"one that passes runs once", "", []string{"./counted", "./fine"}, "x", true},
		{"one that fails once passes", "x", []string{"./counted", "./fine"}, "xx", true},
		{"one that fails twice is broken", "xx", []string{"./counted", "./fine"}, "xx", false},
		{"what does not build is not forgotten for what does", "x", []string{"./counted", "./broken"}, "xx", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "runs")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			err := goTest(t.Context(), p, []string{"RUNS=" + file, "FAILS=" + tt.fails}, []string{"-count=1"},
				tt.packages...)
			runs, readErr := os.ReadFile(file)
			if readErr != nil || string(runs) != tt.runs || (err == nil) != tt.passes {
				t.Errorf("it ran %q (%v) and ended with %v; want %q and passing %v", runs, readErr, err,
					tt.runs, tt.passes)
			}
		})
	}
}

func TestChoiceOfNoTestFails(t *testing.T) {
	p := project.Project{Root: t.TempDir(), Out: os.Stdout}
	for name, text := range map[string]string{"go.mod": "module example\n\ngo 1.26\n",
		"some_test.go": "package some\n\nimport \"testing\"\n\nfunc TestSome(*testing.T) {}\n"} {
		if err := os.WriteFile(p.Path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for names, passes := range map[string]bool{"^TestSome": true, "^TestOther": false} {
		err := goTest(t.Context(), p, nil, choice{names: []string{names}}.flags(), ".")
		if (err == nil) != passes {
			t.Errorf("%s: %v; want passing %v", names, err, passes)
		}
	}
}

func TestEveryNameOfAChoiceMatchesATest(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, c := range []choice{onPackages, onWindows} {
		var tests []string
		for _, folder := range c.packages {
			files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range files {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				for _, test := range declared.FindAllStringSubmatch(string(text), -1) {
					tests = append(tests, test[1])
				}
			}
		}
		for _, name := range c.names {
			if !slices.ContainsFunc(tests, regexp.MustCompile(name).MatchString) {
				t.Errorf("%s matches no test in %v", name, c.packages)
			}
		}
	}
}
