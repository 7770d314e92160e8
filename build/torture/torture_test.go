package torture

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNothingHostileBreaksTheProgram runs each trial for a few seconds; an hour
// of it, which limits how long each response takes, is go run ./build torture.
func TestNothingHostileBreaksTheProgram(t *testing.T) {
	t.Setenv("GOGC", "100") // as users run the program: the trials measure its memory
	program := filepath.Join(t.TempDir(), "spyglass")
	if out, err := exec.Command("go", "build", "-o", program, "spyglass").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := Run(t.Context(), Options{Program: program, For: 5 * time.Second, Trials: []string{name}, Seed: 1,
				Out: &out})
			t.Log("\n" + out.String())
			if err != nil {
				t.Error(err)
			}
		})
	}
}
