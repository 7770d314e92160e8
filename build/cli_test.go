package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// programs is the folder of the programs that compiled builds. TestMain deletes it.
var programs string

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "spyglass-cli-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(programs) // a leftover folder does no harm
	os.Exit(code)
}

// build builds the program without a window, once for all tests here, because linking
// takes longer than most tests.
var build = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(programs, "spyglass")
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "..").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return path, err
})

// compiled returns the path of the program without a window.
func compiled(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// execute runs the program until it exits.
func execute(t *testing.T, stdin, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	var out, log bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &log
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// running is a program that serves requests.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *bufio.Reader
	log    bytes.Buffer
	origin string
}

func serving(t *testing.T, program string, args ...string) *running {
	t.Helper()
	return started(t, program, append([]string{"serve"}, args...)...)
}

// started starts a command that prints its address.
func started(t *testing.T, program string, args ...string) *running {
	t.Helper()
	r := &running{t: t, cmd: exec.Command(program, args...)}
	r.cmd.Stderr = &r.log
	pipe, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	r.stdout = bufio.NewReader(pipe)
	line, err := r.stdout.ReadString('\n')
	if err != nil {
		_ = r.cmd.Wait()
		t.Fatalf("it printed no line: %v\n%s", err, r.log.String())
	}
	match := regexp.MustCompile(`^spyglass: (http://127\.0\.0\.1:\d+)\n$`).FindStringSubmatch(line)
	if match == nil {
		t.Fatalf("it printed %q", line)
	}
	r.origin = match[1]
	return r
}

// end sends SIGTERM and returns the rest of standard output, and the exit code.
func (r *running) end() (rest string, code int) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	out, err := io.ReadAll(r.stdout)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = r.cmd.Wait() // checked by the exit code
	return string(out), r.cmd.ProcessState.ExitCode()
}

func TestCommandLine(t *testing.T) {
	program, data := compiled(t), filepath.Join(t.TempDir(), "data")
	if out, _, code := execute(t, "", program, "--version"); code != 0 ||
		!regexp.MustCompile(`^spyglass \d+\.\d+\.\d+\n$`).MatchString(out) {
		t.Errorf("--version prints %q, code %d", out, code)
	}
	if out, _, code := execute(t, "", program, "version"); code != 0 ||
		!regexp.MustCompile(`^spyglass \d+\.\d+\.\d+\n$`).MatchString(out) {
		t.Errorf("version prints %q, code %d", out, code)
	}

	// Without a running portal, the commands work on the data folder directly.
	if _, log, code := execute(t, "secret words\n", program, "user", "add", "ben", "--role", "readonly", "--data",
		data); code != 0 {
		t.Fatalf("user add ends with %d: %s", code, log)
	}
	r := serving(t, program, "--data", data, "--listen", "127.0.0.1:0")
	out, log, code := execute(t, "", program, "token", "create", "--data", data, "--user", "ben")
	var token struct{ Bearer, AccessID, AccessKey string }
	if err := json.Unmarshal([]byte(out), &token); err != nil || code != 0 || token.Bearer == "" ||
		token.AccessID == "" || token.AccessKey == "" {
		t.Fatalf("token create prints %q and %q, code %d", out, log, code)
	}
	if status := r.get("/api/device/devices", token.Bearer); status != http.StatusOK {
		t.Errorf("the token gives %d", status)
	}
	if status := r.get("/api/device/devices", "wrong"); status != http.StatusUnauthorized {
		t.Errorf("a wrong token gives %d", status)
	}
	if _, log, code := execute(t, "", program, "serve", "--data", data); code != 1 ||
		log != "spyglass: another Spyglass runs on the data folder "+data+
			"; stop it, or choose another folder with --data\n" {
		t.Errorf("a second serve ends with %d: %q", code, log)
	}
	file := filepath.Join(t.TempDir(), "portal.backup")
	if out, log, code := execute(t, "", program, "backup", "--data", data, file); code != 0 || out != "" ||
		!strings.HasSuffix(log, file+" holds the portal of "+data+"\n") { // after the progress, if it takes long
		t.Errorf("a backup ends with %d and prints %q and %q", code, out, log)
	}
	if rest, code := r.end(); code != 0 || rest != "" {
		t.Errorf("SIGTERM ends it with %d and %q on standard output\n%s", code, rest, r.log.String())
	}
	if strings.Contains(r.log.String(), "secret words") || strings.Contains(r.log.String(), token.Bearer) {
		t.Error("a secret is in the log")
	}
}

func TestDemoStopsCleanlyDuringTheFill(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), compiled(t), "serve", "--data", filepath.Join(t.TempDir(), "data"),
		"--listen", "127.0.0.1:0", "--demo")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "filling the folder") {
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var rest []string
	for lines.Scan() {
		rest = append(rest, lines.Text())
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		t.Errorf("%v, after %q", err, rest)
	}
}

func (r *running) get(path, bearer string) int {
	r.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, r.origin+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func TestInvalidCommandPrintsOneSentence(t *testing.T) {
	program, folder := compiled(t), t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(folder, "data")
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"serve", "--data", file}, "cannot be created (not a directory); choose another one with --data"},
		{[]string{"serve", "--data", data, "--listen", "nowhere"}, "--listen must be an address and a port, such " +
			"as 127.0.0.1:8443, not \"nowhere\""},
		{[]string{"serve", "--data", data, "--listen", "0.0.0.0:0"}, "requires --tls-cert and --tls-key"},
		{[]string{"serve", "--data", data, "--demo-devices", "5"}, "--demo-devices requires --demo"},
		{[]string{"serve", "--data", data, "--rate-limit", "maybe"}, "--rate-limit must be on or off"},
		{[]string{"serve", "--data", data, "--database", "postgres://ann:secret@127.0.0.1:1/x"},
			"--database must not contain a password"},
		{[]string{"user", "add", "ann", "--data", data, "--database", "postgres://127.0.0.1:1/x?password=secret"},
			"--database must not contain a password"},
		{[]string{"token", "create", "--user", "ann", "--data", data, "--database", "portal.db"},
			"--database must be an address such as"},
		{[]string{"serve", "--data", data, "--key-file", file}, "--key-file requires --database"},
		{[]string{"serve", "--data", data, "--database", "postgres://127.0.0.1:1/x", "--key-file", data + "/none"},
			"the key file " + data + "/none cannot be read"},
		{[]string{"serve", "--data", data, "--samples", "http://ann:secret@127.0.0.1:1"},
			"--samples must not contain a user or a password"},
		{[]string{"serve", "--data", data, "--report-limit", "0"}, "--report-limit must be at least 1"},
		{[]string{"serve", "--data", data, "--clock", "noon"}, "--clock must be a time such as 2026-01-15T09:00:00Z, " +
			"not \"noon\""},
		{[]string{"user", "password", "nobody", "--data", data}, "write the password on standard input"},
		{[]string{"token", "create", "--data", data, "--user", "nobody"}, "there is no user nobody"},
		{[]string{"token", "create", "--data", data}, "--user is missing: the token has the permissions of that user"},
		{[]string{"backup", "--data", data + "2", file + "2"}, "there is no data folder " + data + "2"},
		{[]string{"restore", "--data", data + "2", file}, file +
			" is not a complete backup of Spyglass; nothing was changed"},
		{[]string{"restore", "--data", data + "2", file + "2"}, file + "2 cannot be read; nothing was changed"},
		{[]string{"serve", "--color"}, "unknown flag: --color; spyglass serve --help lists the flags"},
		{[]string{"serve", "--demo", "--demo-devices", "many"}, `--demo-devices must be a whole number, not "many"`},
		{[]string{"serve", "here"}, `unexpected argument "here"; usage: spyglass serve [flags]`},
		{[]string{"user", "add", "--data", data}, "NAME is missing; usage: spyglass user add NAME [flags]"},
		{[]string{"backup", "--data", data}, "FILE is missing; usage: spyglass backup FILE [flags]"},
		{[]string{"user", "ad", "ben"},
			"there is no command ad; did you mean add? spyglass user --help lists all commands"},
		{[]string{"srve", "--data", data},
			"there is no command srve; did you mean serve? spyglass --help lists all commands"},
	} {
		out, log, code := execute(t, "", program, tt.args...)
		if code != 1 || out != "" || strings.Count(log, "\n") != 1 || !strings.HasPrefix(log, "spyglass: ") ||
			!strings.Contains(log, tt.says) {
			t.Errorf("%v ends with %d, prints %q and %q; want one sentence with %q", tt.args, code, out, log, tt.says)
		}
	}
}

func TestAgentStartsTheProgramAndReadsThePortal(t *testing.T) {
	program, data := compiled(t), filepath.Join(t.TempDir(), "data")
	if _, log, code := execute(t, "", program, "mcp", "--data", data); code != 1 ||
		!strings.Contains(log, "no Spyglass runs on the data folder") {
		t.Errorf("without a portal it ends with %d: %s", code, log)
	}
	r := serving(t, program, "--data", data, "--listen", "127.0.0.1:0")
	if _, log, code := execute(t, "", program, "mcp", "--data", data); code != 1 ||
		!strings.Contains(log, "SPYGLASS_TOKEN is not set") {
		t.Errorf("without a token it ends with %d: %s", code, log)
	}
	out, _, _ := execute(t, "", program, "token", "create", "--data", data, "--user", "admin")
	var token struct{ Bearer string }
	if err := json.Unmarshal([]byte(out), &token); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"mcp", "--data", data}, {"mcp", "--portal", r.origin}} {
		cmd := exec.Command(program, args...)
		var log bytes.Buffer
		cmd.Env, cmd.Stderr = append(os.Environ(), "SPYGLASS_TOKEN="+token.Bearer), &log
		agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
			&mcp.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, log.String())
		}
		got, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "call_endpoint",
			Arguments: map[string]any{"path": "/setting/version"}})
		if err != nil || got.IsError {
			t.Errorf("%v: %v, %v", args, got, err)
		}
		if err := agent.Close(); err != nil || log.Len() > 0 {
			t.Errorf("%v ends with %v: %s", args, err, log.String())
		}
	}
	r.end()
}
