package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spyglass/build/project"
)

func TestStepsRunInOrderAndUnknownStepsAreReported(t *testing.T) {
	var names []string
	chosen, err := choose([]string{"lint", "gofmt"})
	for _, s := range chosen {
		names = append(names, s.name)
	}
	if want := []string{"gofmt", "lint"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("chosen are %q (%v), want %q", names, err, want)
	}
	all, err := choose(nil)
	if err != nil || slices.ContainsFunc(all, func(s step) bool { return s.named }) || len(all) < 5 {
		t.Errorf("without names %v are chosen (%v), want all that need not be named", all, err)
	}
	_, err = choose([]string{"spell"})
	const want = "there is no step spell; there are gofmt, ui, browser, window, package, wine, check, " +
		"page-lint, units, lint, lint-desktop, go, contract, fuzz, vet, wine-go, postgres, race"
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func TestWaitingStepsRunInParallelAndBothReportFailures(t *testing.T) {
	p := project.Project{Root: t.TempDir(), Out: os.Stdout}
	built, meet := false, make(chan bool)
	steps := []step{
		{name: "ui", run: func(context.Context, project.Project) error { built = true; return nil }},
		{name: "browser", beside: true, run: func(_ context.Context, p project.Project) error {
			if !built {
				t.Error("a step beside the others began before those above it had ended")
			}
			if p.Out == os.Stdout {
				t.Error("a step beside the others writes between their lines")
			}
			meet <- true
			return errors.New("no")
		}},
		{name: "go", run: func(context.Context, project.Project) error { <-meet; return errors.New("no") }},
	}
	if got, want := runAll(t.Context(), p, steps), []string{"browser", "go"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q failed, want %q", got, want)
	}
}

func TestIdleLaneTakesStepsOfTheOther(t *testing.T) {
	p := project.Project{Root: t.TempDir(), Out: os.Stdout}
	meet := make(chan bool) // both sides run at the same time
	send := func(context.Context, project.Project) error { meet <- true; return nil }
	receive := func(context.Context, project.Project) error { <-meet; return nil }
	pass := func(context.Context, project.Project) error { return nil }
	for name, steps := range map[string][]step{
		"two that wait":    {{beside: true, run: send}, {run: pass}, {beside: true, run: receive}},
		"two that compute": {{run: pass}, {beside: true, run: pass}, {run: send}, {run: receive}},
	} {
		if failed := runAll(t.Context(), p, steps); len(failed) > 0 {
			t.Errorf("%s: %d failed", name, len(failed))
		}
	}
}

func TestEarlyStepRunsWhileAnotherBuilds(t *testing.T) {
	p := project.Project{Root: t.TempDir(), Out: os.Stdout}
	built, meet := false, make(chan bool)
	failed := runAll(t.Context(), p, []step{
		{name: "ui", run: func(context.Context, project.Project) error { meet <- true; built = true; return nil }},
		{name: "browser", beside: true, run: func(context.Context, project.Project) error {
			if !built {
				t.Error("a step that waits began before those above it had ended")
			}
			return nil
		}},
		{name: "check", early: true, run: func(context.Context, project.Project) error { <-meet; return nil }},
	})
	if len(failed) > 0 {
		t.Errorf("%q failed", failed)
	}
}

func TestFuzzFunctionsAreListed(t *testing.T) {
	p := project.Project{Root: t.TempDir(), Out: os.Stdout}
	for name, source := range map[string]string{
		"backend/filter/fuzz_test.go": "func FuzzCompile(f *testing.F) {}\n// func FuzzOld(\n" +
			"func FuzzParse(f *testing.F) {}",
		"backend/filter/filter.go":          "func FuzzNot(f *testing.F) {}",
		"frontend/node_modules/x/x_test.go": "func FuzzForeign(f *testing.F) {}",
	} {
		path := p.Path(filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := fuzzTargets(p)
	want := []target{{"./backend/filter", "FuzzCompile"}, {"./backend/filter", "FuzzParse"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the targets are %v (%v), want %v", got, err, want)
	}
}

func TestFuzzTimeoutIsNotAFinding(t *testing.T) {
	const begin = "fuzz: elapsed: 5s, execs: 302767 (67338/sec), new interesting: 10 (total: 393)\n" +
		"--- FAIL: FuzzParse (5.05s)\n"
	for _, tt := range []struct {
		said string
		want bool
	}{
		{begin + "    context deadline exceeded\nFAIL\n", true},
		{begin + "    --- FAIL: FuzzParse (0.00s)\n        parse_test.go:9: wrong\n\n" +
			"    Failing input written to testdata/fuzz/FuzzParse/771e938e4458e983\nFAIL\n", false},
		{"# pkg\nparse_test.go:9:2: undefined: x\nFAIL pkg [build failed]\n", false},
	} {
		if got := outOfTime(tt.said); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.said, got, tt.want)
		}
	}
}
