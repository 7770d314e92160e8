//go:build window && packages

package desktop

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	yaml "github.com/oasdiff/yaml3"
)

// largest limits the size of a package in bytes. Release packages are a third smaller.
const largest = 26e6

// The folders that go run ./build test package fills: with the current version,
// with the same version again, and with an older version.
const now, again, before = "SPYGLASS_PACKAGES", "SPYGLASS_PACKAGES_AGAIN", "SPYGLASS_PACKAGES_BEFORE"

// made returns the only package of a kind in a folder.
func made(t *testing.T, folder, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv(folder), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in %s is %v (%v): run this with go run ./build test package", pattern, folder, found, err)
	}
	return found[0]
}

// finish runs a program until it exits and returns its output. It kills a program
// that takes minutes, and returns an error.
func finish(cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 5 * time.Second // a child process can keep the output open
	if err := cmd.Start(); err != nil {
		return "", err
	}
	limit := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
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

func TestPackagesAreValidAndReproducible(t *testing.T) {
	deb, red, archive := made(t, now, "*.deb"), made(t, now, "*.rpm"), made(t, now, "*-linux-*.tar.gz")
	for _, file := range []string{deb, red, archive} {
		if info, err := os.Stat(file); err != nil || info.Size() > largest {
			t.Errorf("%s has %d bytes (%v), more than %d", file, info.Size(), err, int64(largest))
		}
		first, err := os.ReadFile(file)
		second, err2 := os.ReadFile(filepath.Join(os.Getenv(again), filepath.Base(file)))
		if err != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Errorf("%s is another each time (%v, %v)", filepath.Base(file), err, err2)
		}
	}
	sums := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	sums.Dir = os.Getenv(now)
	// including those of the Mac bundle, the image, the Flatpak recipe and the list of parts
	if out := must(t, sums); strings.Count(out, ": OK\n") != 7 {
		t.Errorf("the sums are of\n%s", out)
	}
	// the test's program is not position-independent, see project.Release.Quick
	must(t, exec.Command("lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags", "hardening-no-pie",
		deb))
	must(t, exec.Command("rpm", "-K", "--nosignature", red))
	lintRPM(t, red)
	folder := t.TempDir()
	must(t, exec.Command("dpkg-deb", "-x", deb, folder))
	share := filepath.Join(folder, "usr", "share")
	must(t, exec.Command("desktop-file-validate", filepath.Join(share, "applications", "spyglass.desktop")))
	must(t, exec.Command("appstreamcli", "validate", "--no-net",
		filepath.Join(share, "metainfo", "app.spyglass.Spyglass.metainfo.xml")))
	must(t, exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", // of 100 points
		filepath.Join(folder, "usr", "lib", "systemd", "system", "spyglass.service")))
	checkFlatpak(t, archive)
	checkBundle(t, made(t, now, "*-macos-bundle.tar.gz"))
	if said := must(
		t,
		exec.Command("man", "--warnings", "-l", "-Tutf8",
			filepath.Join(share, "man", "man1", "spyglass.1.gz"))); strings.Contains(said, "warning") {
		t.Errorf("the man page is not in order:\n%s", said)
	}
}

// lintRPM runs rpmlint. It unpacks the package with cpio, which would write to the root of
// this machine, because the package has absolute file names.
func lintRPM(t *testing.T, red string) {
	t.Helper()
	cpio, err := exec.LookPath("cpio")
	if err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	script := "#!/bin/sh\nexec " + cpio + " --no-absolute-filenames \"$@\"\n"
	if err := os.WriteFile(filepath.Join(tools, "cpio"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	lint := exec.Command("rpmlint", "--config", filepath.Join("testdata", "rpmlint.toml"), red)
	lint.Env = append(os.Environ(), "PATH="+tools+string(filepath.ListSeparator)+os.Getenv("PATH"))
	must(t, lint)
}

// checkFlatpak checks that the recipe installs the archive next to it.
func checkFlatpak(t *testing.T, archive string) {
	t.Helper()
	var recipe struct {
		ID      string
		Modules []struct {
			Sources []struct{ Path, SHA256 string }
		}
	}
	text, err := os.ReadFile(made(t, now, "*.flatpak.yml"))
	if err == nil {
		err = yaml.Unmarshal(text, &recipe)
	}
	content, err2 := os.ReadFile(archive)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if len(recipe.Modules) != 1 || len(recipe.Modules[0].Sources) != 1 || recipe.ID != "app.spyglass.Spyglass" {
		t.Fatalf("the recipe of the Flatpak is %+v", recipe)
	}
	source, sum := recipe.Modules[0].Sources[0], fmt.Sprintf("%x", sha256.Sum256(content))
	if source.Path != filepath.Base(archive) || source.SHA256 != sum {
		t.Errorf("the Flatpak is made of %+v, want %s with %s", source, archive, sum)
	}
}

// checkBundle checks the files that build-on-mac.sh completes.
func checkBundle(t *testing.T, bundle string) {
	t.Helper()
	folder := t.TempDir()
	must(t, exec.Command("tar", "-xzf", bundle, "--strip-components=1", "-C", folder))
	for _, list := range []string{"Spyglass.app/Contents/Info.plist", "entitlements.plist"} {
		must(t, exec.Command("plistutil", "-i", filepath.Join(folder, list), "-o", filepath.Join(folder, "binary")))
	}
	must(t, exec.Command("sh", "-n", filepath.Join(folder, "build-on-mac.sh")))
}

// checkUnits checks the installed units, and that systemd's socket starts the portal.
func checkUnits(t *testing.T, desk *Desktop) {
	t.Helper()
	must(t, exec.Command("systemd-analyze", "verify", "--man=no", "spyglass.socket", "spyglass.service"))
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	activator := desk.Command("systemd-socket-activate", "--listen="+address, "spyglass", "serve", "--data",
		filepath.Join(t.TempDir(), "data"), "--listen", address)
	activator.Stdout, activator.Stderr = &log, &log
	if err := activator.Start(); err != nil {
		t.Fatal(err)
	}
	var status int
	eventually(t, time.Minute, func() bool { // waits for the activator; then the first request starts the portal
		response, err := http.Get("http://" + address)
		if err == nil {
			status = response.StatusCode
			err = response.Body.Close()
		}
		return err == nil
	}, func() string { return "the socket starts no portal" })
	if err := activator.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := activator.Wait(); err != nil || status != http.StatusOK ||
		!strings.Contains(log.String(), "spyglass: http://"+address) {
		t.Errorf("the portal that systemd's socket starts says %d (%v)\n%s", status, err, &log)
	}
}

// TestDebIsInstalledOpenedUpgradedAndRemoved follows the steps of a user.
func TestDebIsInstalledOpenedUpgradedAndRemoved(t *testing.T) {
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
	checkUnits(t, desk)
	user = desk.Command("spyglass", "user", "password", "kim")
	user.Stdin = strings.NewReader("other words of kim\n")
	if out, err := finish(user); err != nil {
		t.Errorf("the upgrade has lost a user: %v\n%s", err, out)
	}

	renumber(t, filepath.Join(data, "portal.db"))
	newer := click(t, desk) // its window shows why the portal did not start
	newer.end()
	if said := newer.said(); !strings.Contains(said, "was written by a newer version of Spyglass") {
		t.Errorf("on a newer data folder it prints\n%s", said)
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

// clicked is a program that the launcher started, so that it is not a child process of the test.
type clicked struct {
	t   *testing.T
	pid int
	log string // path of a file
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
	t.Cleanup(func() { _ = syscall.Kill(c.pid, syscall.SIGKILL) }) // if the test ends early
	return c
}

// end ends the program and waits until it has exited.
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
// the process does not exist, and Z if it has exited and no parent has waited
// for it, as happens without an init.
func stateOf(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	return string(text[bytes.LastIndexByte(text, ')')+2:][:1])
}

// renumber makes a database look like a newer version's. user_version is the
// number at offset 60 (sqlite.org/fileformat.html).
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
