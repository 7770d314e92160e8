package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// typing is a run of the program on a terminal.
type typing struct {
	t    *testing.T
	cmd  *exec.Cmd
	keys io.WriteCloser
	says *bufio.Reader
}

// onTerminal starts the program on a terminal that script creates, and waits for its
// prompt.
func onTerminal(t *testing.T, program string, args ...string) *typing {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "script", "-qec", "exec "+program+" "+strings.Join(args, " "), "/dev/null")
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &typing{t: t, cmd: cmd, keys: keys, says: bufio.NewReader(out)}
	if prompt, err := s.says.ReadString(':'); err != nil || prompt != "Enter the password (not shown):" {
		t.Fatalf("the prompt is %q (%v)", prompt, err)
	}
	return s
}

// unseen waits until the terminal stops echoing input.
func (s *typing) unseen() {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.cmd.Process.Pid))
		terminal, err := os.Readlink("/proc/" + strings.TrimSpace(string(children)) + "/fd/0")
		var state []byte
		if err == nil {
			state, err = exec.Command("stty", "-F", terminal, "-a").Output()
		}
		if strings.Contains(string(state), "-echo ") {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the terminal is %s (%v)", state, err)
		}
	}
}

// press types keys, waits for the program to exit, and returns its output and its
// exit code.
func (s *typing) press(keys string) (rest string, code int) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
	out, err := io.ReadAll(s.says)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = s.cmd.Wait() // checked by the exit code
	return strings.TrimSpace(string(out)), s.cmd.ProcessState.ExitCode()
}

func TestPasswordPromptDoesNotEcho(t *testing.T) {
	program, data := compiled(t), filepath.Join(t.TempDir(), "data")
	terminal := onTerminal(t, program, "user", "add", "ben", "--data", data)
	terminal.unseen()
	if rest, code := terminal.press("secret words of ben\r"); code != 0 || rest != "" {
		t.Errorf("it says %q and ends with %d", rest, code)
	}
	terminal = onTerminal(t, program, "user", "password", "ben", "--data", data)
	terminal.unseen()
	if rest, code := terminal.press("\x03"); code != 1 ||
		!strings.HasSuffix(rest, "spyglass: stopped before the password was entered; nothing was changed") {
		t.Errorf("Ctrl+C: it says %q and ends with %d", rest, code)
	}
}
