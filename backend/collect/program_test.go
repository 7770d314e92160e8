package collect

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplacedProgramIsReadAgain(t *testing.T) {
	folder := t.TempDir()
	p := programs{folder: folder}
	of, err := systemNamed("win64")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]bool{}
	for _, text := range []string{"first", "other"} { // of equal length
		path := filepath.Join(folder, "new")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, p.pathOf(of)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			one, err := p.of(of)
			if err != nil {
				t.Fatal(err)
			}
			sums[one.SHA256] = true
		}
	}
	if len(sums) != 2 {
		t.Errorf("two programs have the digests %v", sums)
	}
	if err := os.Remove(p.pathOf(of)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.of(of); err == nil {
		t.Error("a program that was removed is handed out")
	}
}
