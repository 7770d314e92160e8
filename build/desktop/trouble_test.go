//go:build window

package desktop

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	_ "modernc.org/sqlite" // BSD-3: the driver
)

// says waits until the window shows the reason why the portal did not start, and its first
// button.
func (a *app) says(why string) {
	a.t.Helper()
	a.page.until("the window says why", `document.querySelector('[role=alert]')?.textContent.includes(`+
		strconv.Quote(why)+`)`, "true")
	a.page.until("the first button has the keyboard", focused, "Try again")
}

const focused = `document.activeElement.textContent`

// tryAgain presses Try again, waits until the program has restarted on a repaired
// portal, and ends that program.
func (a *app) tryAgain() {
	a.t.Helper()
	a.press("Return")
	if code := a.exit(); code != 0 {
		a.t.Fatalf("it ends with code %d, want 0", code)
	}
	a.successor(func() bool {
		head, _ := os.ReadFile(filepath.Join(a.data, "workspace.db")) // the portal opens this file last
		return strings.HasPrefix(string(head), "SQLite format 3")
	}).end()
}

// successor waits for the window of the program that a started as its replacement.
func (a *app) successor(ready func() bool) successor {
	a.t.Helper()
	var pid int
	eventually(a.t, soon, func() bool {
		for _, id := range strings.Fields(a.xdotool("search", "--onlyvisible", "--name", nameOfWindow)) {
			pid, _ = strconv.Atoi(a.xdotool("getwindowpid", id))
		}
		return pid > 0 && pid != a.cmd.Process.Pid && ready()
	}, func() string { return "no other window opened with a portal of its own" })
	return successor{a.t, pid}
}

// successor is a program that another program started.
type successor struct {
	t   *testing.T
	pid int
}

func (s successor) end() {
	s.t.Helper()
	if err := syscall.Kill(s.pid, syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, soon, func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
		return err != nil || strings.Contains(string(status), ") Z ") // the test is not its parent
	}, func() string { return "the other program does not end" })
}

func damage(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestQuitButtonClosesAWindowWithoutAPortal(t *testing.T) {
	data := t.TempDir()
	damage(t, filepath.Join(data, "portal.db"))
	a := open(t, desk(t), data)
	a.says(filepath.Join(data, "portal.db") + " is damaged; it was left as it is")
	a.press("Tab")
	a.press("Tab")
	a.page.until("the last button has the keyboard", focused, "Quit")
	a.press("Return")
	if code := a.exit(); code != 1 || !strings.Contains(a.log.String(), "is damaged") {
		t.Fatalf("it ends with code %d, want 1, and the reason on standard error", code)
	}
}

func TestWindowShowsTheStartErrorAndRetries(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, data string) (why string, mend func() error){
		"damaged":      spoilDatabase,
		"newer":        spoilVersion,
		"not writable": spoilFolder,
		"full":         spoilRoom,
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			why, mend := spoil(t, data)
			a := open(t, desk(t), data)
			a.says(why)
			if err := mend(); err != nil {
				t.Fatal(err)
			}
			a.tryAgain()
		})
	}
}

func spoilDatabase(t *testing.T, data string) (string, func() error) {
	file := filepath.Join(data, "portal.db")
	damage(t, file)
	return file + " is damaged; it was left as it is", func() error { return os.Remove(file) }
}

func spoilVersion(t *testing.T, data string) (string, func() error) {
	file := filepath.Join(data, "portal.db")
	db, err := sql.Open("sqlite", file)
	if err == nil {
		_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 99")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file + " was written by a newer version of Spyglass", func() error { return os.Remove(file) }
}

// spoilFolder makes the folder read-only. For root, it mounts a read-only disk
// instead.
func spoilFolder(t *testing.T, data string) (string, func() error) {
	why := "the data folder " + data + " cannot be written"
	if os.Geteuid() != 0 {
		if err := os.Chmod(data, 0o500); err != nil {
			t.Fatal(err)
		}
		return why, func() error { return os.Chmod(data, 0o700) }
	}
	disk(t, data, syscall.MS_RDONLY, "mode=0700")
	return why, func() error {
		return syscall.Mount("tmpfs", data, "tmpfs", syscall.MS_REMOUNT, "mode=0700")
	}
}

// spoilRoom leaves too little disk space for a portal.
func spoilRoom(t *testing.T, data string) (string, func() error) {
	disk(t, data, 0, "size=300k,mode=0700")
	return "the disk that holds the data folder " + data + " is full; make room on it", func() error {
		return syscall.Mount("tmpfs", data, "tmpfs", syscall.MS_REMOUNT, "size=200m,mode=0700")
	}
}

// disk mounts a new file system at a folder.
func disk(t *testing.T, folder string, flags uintptr, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", flags, options); err != nil {
		t.Skipf("a disk of its own needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}
