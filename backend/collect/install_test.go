package collect_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

// TestInstallerRunsOnlyTheProgramOfThePortal runs an installer against portals
// that send the program, send another program, or refuse.
func TestInstallerRunsOnlyTheProgramOfThePortal(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing; go run ./build test installs it")
	}
	h := open(t)
	// The program writes its arguments and its input into files next to it.
	const program = "#!/bin/sh\necho \"$*\" >\"${0%/*}/said\"\ncat >>\"${0%/*}/said\"\n"
	if err := os.WriteFile(filepath.Join(h.folder, "spyglass-linux-amd64"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	var token string
	var sent atomic.Value // "" for a refusal
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/setting/collectors/2/installers/Linux64/program" || sent.Load() == "" ||
			r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, sent.Load().(string))
	}))
	t.Cleanup(portal.Close)
	h.base = portal.URL + "/api"
	script := h.stream(admin, "2/installers/linux64")
	token = regexp.MustCompile(`col_2_[\w-]+`).FindString(script)
	if token == "" {
		t.Fatalf("the script has no token:\n%s", script)
	}
	folder := filepath.Join(t.TempDir(), "it's here")
	said := filepath.Join(folder, "said")
	for _, tt := range []struct{ name, sent, out string }{
		{"refused", "", "401"},
		{"the program", program, "Registered. To collect, run: " + folder + "/spyglass"},
		{"another program", strings.Replace(program, "echo", "exec printf", 1), "The program did not arrive whole"},
		{"half a program", program[:len(program)/2], "The program did not arrive whole"},
	} {
		sent.Store(tt.sent)
		if err := os.RemoveAll(said); err != nil {
			t.Fatal(err)
		}
		sh := exec.CommandContext(t.Context(), "sh")
		sh.Stdin, sh.Env = strings.NewReader(script), append(os.Environ(), "SPYGLASS_FOLDER="+folder)
		out, err := sh.CombinedOutput()
		if runs := tt.sent == program; (err == nil) != runs || !strings.Contains(string(out), tt.out) {
			t.Errorf("%s: the script says %q (%v), want %q", tt.name, out, err, tt.out)
		}
		want := ""
		if tt.sent == program { // the token is not an argument, because other users could read it
			want = "collector --data " + folder + "/data --portal " + h.base + " --token - --register\n" + token
		}
		if got, err := os.ReadFile(said); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: the program was run as %q (%v), want %q", tt.name, got, err, want)
		}
	}
	kept, err := os.ReadFile(filepath.Join(folder, "spyglass"))
	if err != nil || string(kept) != program {
		t.Errorf("in the end the program is %q (%v)", kept, err)
	}
	for _, path := range []string{folder, filepath.Join(folder, "spyglass")} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s may be read by others: %v (%v)", path, info.Mode(), err)
		}
	}
}
