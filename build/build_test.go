package main

import (
	"encoding/binary"
	"image"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

func yes() bool { return true }
func no() bool  { return false }

func TestEachMissingPackageIsNamedOnce(t *testing.T) {
	got := missing([]need{{"gcc", no}, {"xvfb", yes}, {"gcc", no}, {"dbus", no}})
	if want := []string{"gcc", "dbus"}; !reflect.DeepEqual(got, want) {
		t.Errorf("missing are %q, want %q", got, want)
	}
}

func TestStepsRunInTheirOwnOrderAndUnknownOnesAreNamed(t *testing.T) {
	var names []string
	chosen, err := choose([]string{"vet", "gofmt"})
	for _, s := range chosen {
		names = append(names, s.name)
	}
	if want := []string{"gofmt", "vet"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("chosen are %q (%v), want %q", names, err, want)
	}
	_, err = choose([]string{"lint"})
	const want = "there is no step lint; there are gofmt, check, units, ui, vet, vet-desktop, go, contract, fuzz, browser, window, package"
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

func TestNewestSeesSourcesAndNotWhatIsBuilt(t *testing.T) {
	root := t.TempDir()
	old := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, name := range []string{"src/a.ts", "src/embed.go", "dist/index.html", "node_modules/b/b.ts"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old.AddDate(0, 0, i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(root, "src"), old, old.AddDate(0, 0, -9)); err != nil {
		t.Fatal(err)
	}
	got, err := newest(root, func(path string) bool { return filepath.Ext(path) == ".ts" })
	if err != nil || !got.Equal(old) {
		t.Errorf("the newest source is of %v (%v), want %v", got, err, old)
	}
}

func TestEveryFuzzFunctionIsFound(t *testing.T) {
	p := project{t.TempDir()}
	for name, source := range map[string]string{
		"backend/filter/fuzz_test.go":       "func FuzzCompile(f *testing.F) {}\n// func FuzzOld(\nfunc FuzzParse(f *testing.F) {}",
		"backend/filter/filter.go":          "func FuzzNot(f *testing.F) {}",
		"frontend/node_modules/x/x_test.go": "func FuzzForeign(f *testing.F) {}",
	} {
		path := p.path(filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := p.fuzzTargets()
	want := []target{{"./backend/filter", "FuzzCompile"}, {"./backend/filter", "FuzzParse"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the targets are %v (%v), want %v", got, err, want)
	}
}

func TestColoursOfADumpAreCountedUpToTheLimit(t *testing.T) {
	dump := make([]byte, 100+12) // a header and one colour
	for field, value := range map[int]uint32{0: 100, 4: 3, 5: 2, 12: 12, 19: 1} {
		binary.BigEndian.PutUint32(dump[4*field:], value)
	}
	for _, pixel := range []uint32{1, 1, 2, 1, 3, 2} {
		dump = binary.NativeEndian.AppendUint32(dump, pixel)
	}
	s := screenOf(dump)
	all := image.Rect(0, 0, s.width, s.height)
	if got := [3]int{s.colours(all, 10), s.colours(all, 2), s.colours(image.Rect(0, 0, 2, 2), 10)}; got != [3]int{3, 2, 2} {
		t.Errorf("counted %v, want 3 colours, 2 up to a limit of 2, and 2 in the left two columns", got)
	}
}

func TestAFuzzRunThatOnlyRanOutOfTimeIsNoFinding(t *testing.T) {
	const begin = "fuzz: elapsed: 5s, execs: 302767 (67338/sec), new interesting: 10 (total: 393)\n--- FAIL: FuzzParse (5.05s)\n"
	for _, tt := range []struct {
		said string
		want bool
	}{
		{begin + "    context deadline exceeded\nFAIL\n", true},
		{begin + "    --- FAIL: FuzzParse (0.00s)\n        parse_test.go:9: wrong\n\n    Failing input written to testdata/fuzz/FuzzParse/771e938e4458e983\nFAIL\n", false},
		{"# pkg\nparse_test.go:9:2: undefined: x\nFAIL pkg [build failed]\n", false},
	} {
		if got := outOfTime(tt.said); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.said, got, tt.want)
		}
	}
}
