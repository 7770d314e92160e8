package main

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

// need is something that a computer may lack.
type need struct {
	pkg string // Debian's name for it
	has func() bool
}

// forWindow lists the packages that the desktop build needs on Linux.
var forWindow = []need{
	{"build-essential", program("gcc")},
	{"pkg-config", program("pkg-config")},
	{"libgtk-3-dev", library("gtk+-3.0")},
	{"libwebkit2gtk-4.1-dev", library("webkit2gtk-4.1")},
}

// The packages that single steps of the tests need, some on top of forWindow.
var (
	forBrowser = []need{
		{"chromium-headless-shell", program("chromium-headless-shell")}, // draws no window around its pages, for a third less work
		{"fonts-dejavu-core", file("/usr/share/fonts/*/*/*")},
	}
	forPage = []need{ // what people look at pages with: its figures are theirs
		{"chromium", program("chromium")},
		{"fonts-dejavu-core", file("/usr/share/fonts/*/*/*")},
	}
	forKeyring = []need{
		{"dbus", program("dbus-daemon")},
		{"gnome-keyring", program("gnome-keyring-daemon")},
	}
	forGo = append([]need{ // the race detector, the programs that snippets run in, and an SNMP agent
		{"build-essential", program("gcc")},
		{"curl", program("curl")},
		{"snmpd", file("/usr/sbin/snmpd")}, // which is in the PATH of root only
		{"python3", program("python3")},
		{"groovy", program("groovy")},
		{"default-jre-headless", program("java")},
	}, forKeyring...)
	forScreen = append([]need{
		{"xvfb", program("Xvfb")},
		{"openbox", program("openbox")},
		{"xdotool", program("xdotool")},
		{"x11-xserver-utils", program("xrandr")},
		{"fonts-dejavu-core", file("/usr/share/fonts/*/*/*")},
	}, forKeyring...)
)

// forPackages lists the packages for making packages, on Linux.
var forPackages = slices.Concat(forWindow, []need{{"nsis", program("makensis")}, {"git", program("git")}})

// forInstalling lists the packages for testing the packages.
var forInstalling = slices.Concat(forWindow, forScreen, []need{
	{"git", program("git")},
	{"lintian", program("lintian")},
	{"desktop-file-utils", program("desktop-file-validate")},
	{"appstream", program("appstreamcli")},
	{"rpm", program("rpm")},
	{"man-db", program("man")},
	{"libgtk-3-bin", program("gtk-launch")},
})

func program(name string) func() bool {
	return func() bool {
		_, err := exec.LookPath(name)
		return err == nil
	}
}

func library(name string) func() bool {
	return func() bool { return exec.Command("pkg-config", "--exists", name).Run() == nil }
}

func file(pattern string) func() bool {
	return func() bool {
		found, err := filepath.Glob(pattern)
		return err == nil && len(found) > 0
	}
}

// missing returns the packages of the needs that are not met, each once.
func missing(needs []need) []string {
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

// install installs missing packages, or returns an error that names them.
func (p project) install(ctx context.Context, needs []need) error {
	pkgs := missing(needs)
	if len(pkgs) == 0 || runtime.GOOS != "linux" {
		return nil
	}
	names := strings.Join(pkgs, " ")
	if !program("apt-get")() {
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
		if err := p.do(ctx, words[0], words[1:]...); err != nil {
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
	if program("sudo")() {
		return []string{"sudo"}, nil
	}
	return nil, errors.New("installing packages needs root or sudo")
}

// oldestNode is the first major version of Node.js that builds the frontend.
const oldestNode = 20

// node returns an error unless Node.js is installed and new enough.
func node(ctx context.Context) error {
	const please = "please install Node.js %d or newer with npm (https://nodejs.org), and run this again"
	if !program("node")() || !program("npm")() {
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
