//go:build wine

package wine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// installed returns the Windows that go run ./build test wine has installed.
func installed(t *testing.T) Windows {
	t.Helper()
	folder := os.Getenv("SPYGLASS_WINDOWS")
	if folder == "" {
		t.Fatal("SPYGLASS_WINDOWS is not set: run this with go run ./build test wine")
	}
	return Windows{folder}
}

// made returns the only file of a kind in a folder that a variable names.
func made(t *testing.T, folder, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv(folder), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in %s is %v (%v): run this with go run ./build test wine", pattern, folder, found, err)
	}
	return found[0]
}

// program is a Spyglass on a Windows installation.
type program struct {
	t    *testing.T
	on   Windows
	path string // Windows path of the .exe
}

// execute runs a command until it exits.
func (p program) execute(stdin string, args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	cmd := p.on.Command(p.t.Context(), p.path, args...)
	var out, log bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &log
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// must runs a command, and fails the test unless it succeeds.
func (p program) must(stdin string, args ...string) (stdout string) {
	p.t.Helper()
	out, log, code := p.execute(stdin, args...)
	if code != 0 {
		p.t.Fatalf("%v ends with %d: %s%s", args, code, out, log)
	}
	return out
}

// portal is a running portal.
type portal struct {
	t      *testing.T
	cmd    *exec.Cmd
	origin string
	bearer string
	log    string // file with the output; it contains everything printed before the address when start returns
}

// start starts a command that serves, and returns when it has printed its address.
func (p program) start(args ...string) *portal {
	p.t.Helper()
	log, err := os.CreateTemp(p.t.TempDir(), "log")
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close()
	r := &portal{t: p.t, cmd: p.on.Command(p.t.Context(), p.path, args...), log: log.Name()}
	r.cmd.Stderr = log
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(r.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	match := regexp.MustCompile(`^spyglass: (https?://127\.0\.0\.1:\d+)\r?\n$`).FindStringSubmatch(line)
	if err != nil || match == nil {
		r.kill()
		p.t.Fatalf("%v prints %q (%v)\n%s", args, line, err, r.said())
	}
	r.origin = match[1]
	return r
}

// kill ends the program immediately, as a power failure does.
func (r *portal) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

// password returns the password of a user that a new portal printed.
func (r *portal) password(user string) string {
	r.t.Helper()
	match := regexp.MustCompile(user + ` password: (\S+)`).FindStringSubmatch(r.said())
	if match == nil {
		r.t.Fatalf("there is no password of %s in\n%s", user, r.said())
	}
	return match[1]
}

// send sends a request and decodes the response into out unless out is nil.
func (r *portal) send(method, path, body string, out any) (status int) {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.origin+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if r.bearer != "" {
		request.Header.Set("Authorization", "Bearer "+r.bearer)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatalf("%v\n%s", err, r.said())
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && out != nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		r.t.Fatalf("%s %s returns %s: %v\n%s", method, path, response.Status, err, text)
	}
	return response.StatusCode
}

// names returns the names of all devices in order.
func (r *portal) names() (names []string) {
	r.t.Helper()
	var page struct{ Items []struct{ Name string } }
	if status := r.send("GET", "/api/device/devices?size=1000&sort=id", "", &page); status != http.StatusOK {
		r.t.Fatalf("the devices are returned with %d", status)
	}
	for _, d := range page.Items {
		names = append(names, d.Name)
	}
	return names
}

// said returns the contents of the log so far.
func (r *portal) said() string {
	text, err := os.ReadFile(r.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
