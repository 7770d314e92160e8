package snippet_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"spyglass/app/snippet"
)

// arrival is a request as a listener received it.
type arrival struct {
	method, uri, body string
	header            http.Header
}

// listen responds to every request. Each path begins with a number. arrived returns
// the request with that number, without the number in its path.
func listen(t *testing.T, status int) (url string, arrived func(number int) (arrival, bool)) {
	var mu sync.Mutex
	all := map[string]arrival{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		number, rest, _ := strings.Cut(r.RequestURI[1:], "/")
		mu.Lock()
		all[number] = arrival{r.Method, "/" + rest, string(body), r.Header}
		mu.Unlock()
		w.WriteHeader(status)
		io.WriteString(w, `{"ok":true}`)
	}))
	t.Cleanup(server.Close)
	return server.URL, func(number int) (arrival, bool) {
		mu.Lock()
		defer mu.Unlock()
		a, ok := all[fmt.Sprint(number)]
		return a, ok
	}
}

// groovyDriver runs the scripts that lines of its input name, and prints a line
// after each.
const groovyDriver = `
System.in.eachLine { name ->
    try {
        new GroovyShell().evaluate(new File(name))
    } catch (Throwable e) {
        println e.message
    }
    println '~~~~'
}
`

// jvm is the process that runs the Groovy scripts of all tests, because starting it
// takes longer than most scripts. It ends when its input closes with the tests.
type jvm struct {
	lock sync.Mutex
	in   io.Writer // nil before the first script
	out  *bufio.Reader
}

var groovy jvm

// run runs a script, and returns its output.
func (j *jvm) run(t *testing.T, script string) string {
	t.Helper()
	j.lock.Lock()
	defer j.lock.Unlock()
	if j.in == nil {
		j.start(t)
	}
	if _, err := fmt.Fprintln(j.in, script); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for {
		line, err := j.out.ReadString('\n')
		if err != nil {
			t.Fatalf("groovy: %v\n%s%s", err, said.String(), line)
		}
		if before, ended := strings.CutSuffix(line, "~~~~\n"); ended {
			return said.String() + before
		}
		said.WriteString(line)
	}
}

func (j *jvm) start(t *testing.T) {
	t.Helper()
	driver := filepath.Join(t.TempDir(), "Driver.groovy")
	write(t, driver, groovyDriver)
	cmd := command(context.Background(), t, os.TempDir(), "groovy", driver)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	j.in, j.out = in, bufio.NewReader(out)
}

// run runs programs in one language with a token in their environment, and
// returns the output of each, even if it fails.
func run(t *testing.T, language string, programs []string) []string {
	t.Helper()
	dir := t.TempDir()
	l, _ := snippet.Find(language)
	files := make([]string, len(programs))
	for i, code := range programs {
		name := fmt.Sprintf("p%d.%s", i, l.Extension)
		if language == "go" {
			name = fmt.Sprintf("p%d/main.go", i)
		}
		files[i] = filepath.Join(dir, name)
		write(t, files[i], code)
	}
	out := make([]string, len(programs))
	switch language {
	case "groovy":
		for i, file := range files {
			out[i] = groovy.run(t, file)
		}
	case "go":
		write(t, filepath.Join(dir, "go.mod"), "module snippets\n\ngo 1.21\n")
		write(t, filepath.Join(dir, "bin", "none"), "")
		if said := program(t, dir, "go", "build", "-ldflags=-s -w", "-o", "bin/", "./..."); said != "" {
			t.Fatal(said)
		}
		for i := range files {
			out[i] = program(t, dir, filepath.Join(dir, "bin", fmt.Sprintf("p%d", i)))
		}
	default:
		for i, file := range files {
			out[i] = program(t, dir, map[string]string{"curl": "bash", "python": "python3",
				"javascript": "node"}[language], file)
		}
	}
	return out
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program runs a program. The test fails if it is not installed, but not if it exits with an error.
func program(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, _ := command(t.Context(), t, dir, name, args...).CombinedOutput()
	return string(out)
}

func command(ctx context.Context, t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("snippets are tested with bash, curl, python3, node, go and groovy: %v", err)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	if homes, _ := filepath.Glob("/usr/lib/jvm/java-1[17]-openjdk-*"); os.Getenv("JAVA_HOME") == "" && len(homes) > 0 {
		cmd.Env = []string{"JAVA_HOME=" + homes[0]}
	}
	cmd.Env = append(append(cmd.Env, os.Environ()...), "SPYGLASS_TOKEN=s3cret", "NO_PROXY=127.0.0.1",
		"no_proxy=127.0.0.1", "GOFLAGS=-mod=mod -trimpath", "GOWORK=off", "SPYGLASS_GIVEN=from outside",
		"JAVA_OPTS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC") // halves the startup time of a short program
	return cmd
}

// runAlone runs a program in a process of its own, with the command in its header.
func runAlone(t *testing.T, language, code string) (printed string, exit int) {
	t.Helper()
	l, _ := snippet.Find(language)
	file := filepath.Join(t.TempDir(), "script."+l.Extension)
	write(t, file, code)
	words := map[string][]string{"curl": {"bash"}, "python": {"python3"}, "javascript": {"node"}, "go": {"go", "run"},
		"groovy": {"groovy"}}[language]
	cmd := command(t.Context(), t, filepath.Dir(file), words[0], append(words[1:], file)...)
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
