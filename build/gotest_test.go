package main

import (
	"os"
	"path/filepath"
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
