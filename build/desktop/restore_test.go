//go:build window

package desktop

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// push focuses the button of that name, once it is enabled, and presses Return.
func (a *app) push(name string) {
	a.t.Helper()
	button := fmt.Sprintf("named('button', %q)", name)
	a.page.until(name+" has the keyboard", fmt.Sprintf("!!%[1]s && !%[1]s.disabled && (%[1]s.focus(), "+
		"document.activeElement === %[1]s)", button), "true")
	a.press("Return")
}

func TestRestartNowFinishesARestoreWithLogging(t *testing.T) {
	desk, data := desk(t), t.TempDir()
	backup := filepath.Join(t.TempDir(), "backup")
	for _, line := range [][]string{{"user", "add", "before"}, {"backup", backup}, {"user", "add", "after"},
		{"restore", backup}} {
		cmd := desk.Command(binary(t), append(line, "--data", data)...)
		cmd.Stdin = strings.NewReader("a password of a test\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", line, err, out)
		}
	}
	a := open(t, desk, data)
	users := func() (page struct{ Items []struct{ Username string } }) {
		t.Helper()
		a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true")
		if err := json.Unmarshal(a.send("GET", `/setting/admins?sort=username&fields=username`, ""),
			&page); err != nil {
			t.Fatal(err)
		}
		return page
	}
	if got := fmt.Sprint(users()); got != "{[{admin} {before}]}" {
		t.Fatalf("after the restore there are the users %s", got)
	}
	a.page.until("the page has the keyboard", `document.hasFocus()`, "true")
	a.press("ctrl+comma")
	a.page.until("the settings show Data", `!!named('dialog', 'Settings') && (named('tab', 'Data').click(), `+
		`!!named('button', 'Restore…'))`, "true")
	a.push("Undo restore")
	a.push("Restart now")
	if code := a.exit(); code != 0 {
		t.Fatalf("it ends with code %d, want 0", code)
	}
	said := a.log.String()
	next := a.successor(func() bool { return true })
	a.origin, a.bearer = "", "" // both belong to the first program
	if got := fmt.Sprint(users()); got != "{[{admin} {after} {before}]}" {
		t.Errorf("after its undoing there are the users %s", got)
	}
	eventually(t, soon, func() bool { return len(a.log.String()) > len(said) },
		func() string { return "the program that was started logs nowhere" })
	next.end()
}

func TestBackupIsRestoredFromTheFileDialog(t *testing.T) {
	desk, data := desk(t), t.TempDir()
	backup := filepath.Join(t.TempDir(), "mine.backup")
	for _, line := range [][]string{{"user", "add", "before"}, {"backup", backup}} {
		cmd := desk.Command(binary(t), append(line, "--data", data)...)
		cmd.Stdin = strings.NewReader("a password of a test\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", line, err, out)
		}
	}
	a := open(t, desk, data)
	a.page.until("the page has its tabs", `!!named('button', 'New tab')`, "true")
	a.page.until("the page has the keyboard", `document.hasFocus()`, "true")
	a.press("ctrl+comma")
	a.page.until("the settings show Data", `!!named('dialog', 'Settings') && (named('tab', 'Data').click(), `+
		`!!named('button', 'Restore…'))`, "true")
	a.push("Restore…")
	a.dialog("what to restore")
	var typed time.Time
	eventually(t, soon, func() bool {
		if a.xdotool("getactivewindow") == a.window {
			return true
		}
		if time.Since(typed) > 3*time.Second { // a dialog that is still reading its folder ignores the key
			a.press("ctrl+a")
			a.typeText(backup)
			a.press("Return")
			typed = time.Now()
		}
		return false
	}, func() string { return "the dialog does not take " + backup })
	a.push("Restore at the next start")
	a.page.until("the page says what waits",
		`document.body.textContent.includes('The restore takes place at the next start')`,
		"true")
}
