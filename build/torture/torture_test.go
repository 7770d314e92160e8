package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHostileInputDoesNotCrashTheProgram runs each trial for a few seconds. go run ./build torture
// runs them for an hour and limits the response times.
func TestHostileInputDoesNotCrashTheProgram(t *testing.T) {
	t.Setenv("GOGC", "100") // the default of users, because the trials measure memory
	program := filepath.Join(t.TempDir(), "spyglass")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "spyglass").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range trialNames() {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := run(t.Context(), options{program: program, long: 5 * time.Second, trials: []string{name}, seed: 1,
				out: &out})
			t.Log("\n" + out.String())
			if err != nil {
				t.Error(err)
			}
		})
	}
}
