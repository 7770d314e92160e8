package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Need is software that a computer may lack.
type Need struct {
	pkg string // its package in Debian
	has func() bool
}

// ForWindow lists the packages that the desktop build needs on Linux.
var ForWindow = []Need{
	{"build-essential", HasProgram("gcc")},
	{"pkg-config", HasProgram("pkg-config")},
	{"libgtk-3-dev", hasLibrary("gtk+-3.0")},
	{"libwebkit2gtk-4.1-dev", hasLibrary("webkit2gtk-4.1")},
}

// These lists name the packages that single steps of the tests and figures of the
// bench need, some in addition to ForWindow.
var (
	ForBrowser = []Need{
		// draws no window around its pages, which saves a third of the work
		{"chromium-headless-shell", HasProgram("chromium-headless-shell")},
		{"fonts-dejavu-core", hasFile("/usr/share/fonts/*/*/*")},
	}
	ForPage = []Need{ // the browser that users have, whose figures count
		{"chromium", HasProgram("chromium")},
		{"fonts-dejavu-core", hasFile("/usr/share/fonts/*/*/*")},
	}
	forKeyring = []Need{
		{"dbus", HasProgram("dbus-daemon")},
		{"gnome-keyring", HasProgram("gnome-keyring-daemon")},
	}
	ForCurl       = []Need{{"curl", HasProgram("curl")}}
	ForPrometheus = []Need{{"prometheus", HasProgram("prometheus")}}
	ForGo         = append([]Need{ // the race detector, programs that snippets run in, an SNMP agent, databases
		{"build-essential", HasProgram("gcc")},
		{"curl", HasProgram("curl")},
		{"snmpd", hasFile("/usr/sbin/snmpd")},     // is only in the PATH of root
		{"libnss3-tools", HasProgram("certutil")}, // the browsers' lists of authorities
		{"postgresql", hasFile("/usr/lib/postgresql/*/bin/initdb")},
		ForPrometheus[0],
		{"python3", HasProgram("python3")},
		{"groovy", HasProgram("groovy")},
		{"default-jre-headless", HasProgram("java")},
	}, forKeyring...)
	ForScreen = append([]Need{
		{"xvfb", HasProgram("Xvfb")},
		{"openbox", HasProgram("openbox")},
		{"xdotool", HasProgram("xdotool")},
		{"x11-xserver-utils", HasProgram("xrandr")},
		{"fonts-dejavu-core", hasFile("/usr/share/fonts/*/*/*")},
	}, forKeyring...)
)

// ForPackages lists the packages for making packages, on Linux.
var ForPackages = slices.Concat(ForWindow, []Need{{"nsis", HasProgram("makensis")}, {"git", HasProgram("git")},
	{"xz-utils", HasProgram("xz")}})

// ForInstalling lists the packages for testing the packages.
var ForInstalling = slices.Concat(ForWindow, ForScreen, []Need{
	{"git", HasProgram("git")},
	{"lintian", HasProgram("lintian")},
	{"desktop-file-utils", HasProgram("desktop-file-validate")},
	{"appstream", HasProgram("appstreamcli")},
	{"rpm", HasProgram("rpm")},
	{"rpmlint", HasProgram("rpmlint")},
	{"cpio", HasProgram("cpio")},
	{"systemd", HasProgram("systemd-socket-activate")},
	{"libplist-utils", HasProgram("plistutil")},
	{"man-db", HasProgram("man")},
	{"libgtk-3-bin", HasProgram("gtk-launch")},
})

// ForWine lists the packages for testing the program for Windows.
var ForWine = []Need{
	{"wine", HasProgram("wine")},
	{"wine64", hasFile("/usr/lib/wine/wine64")}, // the program that wine starts
	{"gcc-mingw-w64-x86-64-win32", HasProgram("x86_64-w64-mingw32-gcc")},
	{"nsis", HasProgram("makensis")},
	{"git", HasProgram("git")},
}

// HasProgram returns a function that reports whether a program is in the PATH.
func HasProgram(name string) func() bool {
	return func() bool {
		_, err := exec.LookPath(name)
		return err == nil
	}
}

func hasLibrary(name string) func() bool {
	return func() bool { return exec.Command("pkg-config", "--exists", name).Run() == nil }
}

func hasFile(pattern string) func() bool {
	return func() bool {
		found, err := filepath.Glob(pattern)
		return err == nil && len(found) > 0
	}
}

// missing returns the packages that are not installed, each once.
func missing(needs []Need) []string {
	var pkgs []string
	seen := map[string]bool{}
	for _, n := range needs {
		if !seen[n.pkg] && !n.has() {
			pkgs = append(pkgs, n.pkg)
		}
		seen[n.pkg] = true
	}
	return pkgs
}

// CanInstall reports whether needs are installed, or Install may install them.
func CanInstall(needs []Need) bool {
	if len(missing(needs)) == 0 {
		return true
	}
	_, err := administrator()
	return err == nil && HasProgram("apt-get")()
}

// Install installs missing packages, or returns an error that names them.
func (p Project) Install(ctx context.Context, needs []Need) error {
	pkgs := missing(needs)
	if len(pkgs) == 0 || runtime.GOOS != "linux" {
		return nil
	}
	names := strings.Join(pkgs, " ")
	if !HasProgram("apt-get")() {
		return fmt.Errorf("please install what Debian calls %s, and run this again", names)
	}
	as, err := administrator()
	if err != nil {
		return fmt.Errorf("%w: run apt-get install %s, and then this again", err, names)
	}
	fmt.Printf("Installing %s\n", names)
	for _, args := range [][]string{
		{"update", "-qq"},
		append([]string{"install", "-y", "-qq", "--no-install-recommends"}, pkgs...),
	} {
		words := append(append([]string{}, as...), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get")
		words = append(words, args...)
		if err := p.Do(ctx, words[0], words[1:]...); err != nil {
			return err
		}
	}
	if still := missing(needs); len(still) > 0 {
		return fmt.Errorf("%s was installed and is still not found", strings.Join(still, " "))
	}
	return nil
}

// administrator returns the prefix of a command that installs packages.
func administrator() ([]string, error) {
	if os.Geteuid() == 0 {
		return nil, nil
	}
	if HasProgram("sudo")() {
		return []string{"sudo"}, nil
	}
	return nil, errors.New("installing packages needs root or sudo")
}

// oldestNode is the first major version of Node.js that builds the frontend.
const oldestNode = 20

// Node returns an error unless Node.js is installed and new enough.
func Node(ctx context.Context) error {
	const please = "please install Node.js %d or newer with npm (https://nodejs.org), and run this again"
	if !HasProgram("node")() || !HasProgram("npm")() {
		return fmt.Errorf("Node.js is missing: "+please, oldestNode)
	}
	out, err := exec.CommandContext(ctx, "node", "--version").Output()
	if err != nil {
		return fmt.Errorf("node --version: %w", err)
	}
	version := string(bytes.TrimSpace(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestNode {
		return fmt.Errorf("Node.js is %s: "+please, version, oldestNode)
	}
	return nil
}
