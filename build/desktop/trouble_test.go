//go:build window

package desktop

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestTheWindowSaysWhatKeepsItFromStartingAndTriesAgain(t *testing.T) {
	desk, data := desk(t), t.TempDir()
	file := filepath.Join(data, "portal.db")
	if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	why := `document.querySelector('[role=alert]')?.textContent.includes(` + strconv.Quote(file+" is damaged; it was left as it is") + `)`
	focus := `document.activeElement.textContent`

	a := open(t, desk, data)
	a.page.until("the window says why", why, "true")
	a.page.until("the first button has the keyboard", focus, "Try again")
	a.press("Tab")
	a.press("Tab")
	a.page.until("the last button has the keyboard", focus, "Quit")
	a.press("Return")
	if code := a.exit(); code != 1 || !strings.Contains(a.log.String(), "is damaged") {
		t.Fatalf("it ends with code %d, want 1, and the reason on standard error", code)
	}

	a = open(t, desk, data)
	a.page.until("the window says why again", why, "true")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	a.press("Return")
	if code := a.exit(); code != 0 {
		t.Fatalf("it ends with code %d, want 0", code)
	}
	var pid int
	eventually(t, soon, func() bool {
		for _, id := range strings.Fields(a.xdotool("search", "--onlyvisible", "--name", "^Spyglass")) {
			pid, _ = strconv.Atoi(a.xdotool("getwindowpid", id))
		}
		head, _ := os.ReadFile(file)
		return pid > 0 && pid != a.cmd.Process.Pid && strings.HasPrefix(string(head), "SQLite format 3")
	}, func() string { return "no other window opened with a portal of its own" })
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(status), ") Z ") // nobody here waits for it
	}, func() string { return "the other program does not end" })
}
