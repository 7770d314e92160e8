//go:build window && packages

package desktop

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// largest limits the bytes of a package.
const largest = 20 << 20

// The folders that go run ./build test package fills: with the present version,
// with the same once more, and with an older version.
const now, again, before = "SPYGLASS_PACKAGES", "SPYGLASS_PACKAGES_AGAIN", "SPYGLASS_PACKAGES_BEFORE"

// made returns the one package of a kind in a folder.
func made(t *testing.T, folder, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv(folder), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in %s is %v (%v): run this with go run ./build test package", pattern, folder, found, err)
	}
	return found[0]
}

// finish runs a program to its end, and returns its output. It stops a program
// that takes minutes, and returns an error.
func finish(cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 5 * time.Second // what it has started may hold its output open
	if err := cmd.Start(); err != nil {
		return "", err
	}
	limit := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	err := cmd.Wait()
	return out.String(), err
}

func must(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := finish(cmd)
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return out
}

func TestThePackagesAreInOrderAndTheSameEachTime(t *testing.T) {
	deb, red, archive := made(t, now, "*.deb"), made(t, now, "*.rpm"), made(t, now, "*.tar.gz")
	for _, file := range []string{deb, red, archive} {
		if info, err := os.Stat(file); err != nil || info.Size() > largest {
			t.Errorf("%s has %d bytes (%v), more than %d", file, info.Size(), err, largest)
		}
		first, err := os.ReadFile(file)
		second, err2 := os.ReadFile(filepath.Join(os.Getenv(again), filepath.Base(file)))
		if err != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Errorf("%s is another each time (%v, %v)", filepath.Base(file), err, err2)
		}
	}
	sums := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	sums.Dir = os.Getenv(now)
	if out := must(t, sums); strings.Count(out, ": OK\n") != 4 { // the list of parts has one too
		t.Errorf("the sums are of\n%s", out)
	}
	must(t, exec.Command("lintian", "--allow-root", "--fail-on", "error", deb))
	must(t, exec.Command("rpm", "-K", "--nosignature", red))
	folder := t.TempDir()
	must(t, exec.Command("dpkg-deb", "-x", deb, folder))
	share := filepath.Join(folder, "usr", "share")
	must(t, exec.Command("desktop-file-validate", filepath.Join(share, "applications", "spyglass.desktop")))
	must(t, exec.Command("appstreamcli", "validate", "--no-net",
		filepath.Join(share, "metainfo", "app.spyglass.Spyglass.metainfo.xml")))
	if said := must(
		t,
		exec.Command("man", "--warnings", "-l", "-Tutf8",
			filepath.Join(share, "man", "man1", "spyglass.1.gz"))); strings.Contains(said, "warning") {
		t.Errorf("the man page is not in order:\n%s", said)
	}
}

// TestTheDebIsInstalledOpenedUpgradedAndRemoved follows a user's steps with it.
func TestTheDebIsInstalledOpenedUpgradedAndRemoved(t *testing.T) {
	if version, err := installed(); err == nil {
		t.Skipf("Spyglass %s is installed on this machine, and shall stay as it is", version)
	}
	t.Cleanup(func() {
		if _, err := installed(); err == nil {
			must(t, exec.Command("dpkg", "--purge", "spyglass"))
		}
	})
	desk := desk(t)
	data := filepath.Join(desk.home, ".local", "share", "spyglass")

	must(t, exec.Command("dpkg", "--install", made(t, before, "*.deb")))
	if version, err := installed(); err != nil || version != "0.0.1-1" {
		t.Fatalf("installed is %s (%v), want 0.0.1-1", version, err)
	}
	first := click(t, desk)
	user := desk.Command("spyglass", "user", "add", "kim")
	user.Stdin = strings.NewReader("the words of kim\n")
	must(t, user)
	first.end()

	must(t, exec.Command("dpkg", "--install", made(t, now, "*.deb")))
	version, err := installed()
	if said := must(t, desk.Command("spyglass", "version")); err != nil || "spyglass "+
		version != strings.TrimSpace(said)+"-1" {
		t.Errorf("after the upgrade dpkg has %s (%v), and the program says it is %s", version, err, said)
	}
	click(t, desk).end()
	user = desk.Command("spyglass", "user", "password", "kim")
	user.Stdin = strings.NewReader("other words of kim\n")
	if out, err := finish(user); err != nil {
		t.Errorf("the upgrade has lost a user: %v\n%s", err, out)
	}

	renumber(t, filepath.Join(data, "portal.db"))
	newer := click(t, desk) // its window says why there is no portal in it
	newer.end()
	if said := newer.said(); !strings.Contains(said, "was written by a newer version of Spyglass") {
		t.Errorf("on a newer data folder it says\n%s", said)
	}

	files := strings.Fields(must(t, exec.Command("dpkg", "--listfiles", "spyglass")))
	must(t, exec.Command("dpkg", "--purge", "spyglass"))
	for _, file := range files {
		if info, err := os.Lstat(file); err == nil && (!info.IsDir() || filepath.Base(file) == "spyglass") {
			t.Errorf("%s is left", file)
		}
	}
	if _, err := os.Stat(filepath.Join(data, "portal.db")); err != nil {
		t.Errorf("the person's data has gone: %v", err)
	}
}

// installed returns the version that dpkg has installed.
func installed() (string, error) {
	out, err := exec.Command("dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", "spyglass").Output()
	version, is := strings.CutPrefix(string(out), "installed ")
	if err == nil && !is {
		err = fmt.Errorf("its state is %s", out)
	}
	return version, err
}

// clicked is a program that the launcher has started: no child of ours.
type clicked struct {
	t   *testing.T
	pid int
	log string // a file
}

// click starts the program as a click on its icon does, and waits for its window.
func click(t *testing.T, desk *Desktop) clicked {
	t.Helper()
	c := clicked{t: t, log: filepath.Join(t.TempDir(), "log")}
	log, err := os.Create(c.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	launcher := desk.Command("gtk-launch", "spyglass")
	launcher.Stdout, launcher.Stderr = log, log // a file, because the program keeps it open
	if err := launcher.Run(); err != nil {
		t.Fatalf("gtk-launch: %v\n%s", err, c.said())
	}
	var out []byte
	eventually(t, time.Minute, func() bool {
		out, err = desk.Command("xdotool", "search", "--onlyvisible", "--name", nameOfWindow, "getwindowpid").Output()
		c.pid, _ = strconv.Atoi(strings.TrimSpace(string(out)))
		return err == nil && c.pid > 0
	}, func() string { return fmt.Sprintf("the launcher opens no window: %q, %v\n%s", out, err, c.said()) })
	t.Cleanup(func() { _ = syscall.Kill(c.pid, syscall.SIGKILL) }) // where the test did not come to its end
	return c
}

// end ends the program, and waits until it has.
func (c clicked) end() {
	c.t.Helper()
	if err := syscall.Kill(c.pid, syscall.SIGTERM); err != nil {
		c.t.Fatalf("%v\n%s", err, c.said())
	}
	var state string
	eventually(c.t, time.Minute, func() bool { state = stateOf(c.pid); return state == "" || state == "Z" },
		func() string { return fmt.Sprintf("the program does not end: it is in state %s\n%s", state, c.said()) })
}

func (c clicked) said() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// stateOf returns Linux's letter for the state of a process. It is empty if
// there is none, and Z for one that has ended and that no parent has waited
// for, as happens without an init.
func stateOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return string(text[bytes.LastIndexByte(text, ')')+2:][:1])
}

// renumber makes a database look like a newer version's: user_version is the
// number at 60 (sqlite.org/fileformat.html).
func renumber(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{0, 0, 0, 99}, 60); err != nil {
		t.Fatal(err)
	}
}
