// Package desktop starts a desktop of its own, for tests and benchmarks of the
// window: an invisible X display, a window manager, a session bus and an unlocked
// keyring, with a temporary home folder. It does not touch the user's own
// desktop.
//
// It needs Linux with Xvfb, openbox, dbus-daemon and gnome-keyring-daemon. A
// Desktop belongs to one goroutine. Close ends everything that it started; if
// this process is killed first, Linux ends them.
package desktop

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// patience limits how long a part of the desktop may take to start.
const patience = 20 * time.Second

// Options selects the parts of a desktop.
type Options struct {
	Width, Height int  // of the screen in pixels; 0 for no screen
	Manager       bool // a window manager
	Bus           bool // a session bus and an unlocked keyring
}

// Desktop is a running desktop.
type Desktop struct {
	home    string
	env     []string
	started []*exec.Cmd // in this order; Close ends them in reverse
}

// Start starts a desktop with the parts selected in o.
func Start(o Options) (*Desktop, error) {
	home, err := os.MkdirTemp("", "spyglass-desktop-")
	if err != nil {
		return nil, err
	}
	d := &Desktop{home: home}
	d.set("HOME", home)
	d.set("XDG_RUNTIME_DIR", home)
	if err := d.start(o); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Desktop) start(o Options) error {
	if o.Bus {
		if err := d.bus(); err != nil {
			return err
		}
	}
	if o.Width > 0 {
		if err := d.screen(o.Width, o.Height); err != nil {
			return err
		}
	}
	if o.Manager {
		return d.manager()
	}
	return nil
}

func (d *Desktop) set(name, value string) { d.env = append(d.env, name+"="+value) }

// personal lists the variables that lead to the user's own desktop.
var personal = []string{
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "HOME", "GTK_THEME", "DESKTOP_STARTUP_ID",
}

// Environ returns the environment of a program on this desktop.
func (d *Desktop) Environ() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "XDG_") && !slices.Contains(personal, name) {
			env = append(env, v)
		}
	}
	return append(env, d.env...)
}

// Framebuffer returns the file in which Xvfb keeps the screen's contents, as an
// X window dump.
func (d *Desktop) Framebuffer() string { return filepath.Join(d.home, "Xvfb_screen0") }

// Command returns a program on this desktop, not yet started; it ends with the
// process that starts it.
func (d *Desktop) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = d.Environ(), d.home
	own(cmd)
	return cmd
}

// run starts a program that Close ends.
func (d *Desktop) run(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s did not start: %w", filepath.Base(cmd.Path), err)
	}
	d.started = append(d.started, cmd)
	return nil
}

// screen starts Xvfb on the first free display.
func (d *Desktop) screen(width, height int) error {
	cmd := d.Command("Xvfb", "-displayfd", "1", "-nolisten", "tcp", "-noreset",
		"-screen", "0", fmt.Sprintf("%dx%dx24", width, height), "-fbdir", d.home)
	number, err := d.firstLine(cmd)
	if err != nil {
		return err
	}
	d.set("DISPLAY", ":"+number)
	return nil
}

// manager starts openbox, and waits until it manages windows.
func (d *Desktop) manager() error {
	if err := d.run(d.Command("openbox")); err != nil {
		return err
	}
	return d.until("openbox does not respond", func() bool {
		return d.Command("xdotool", "get_desktop").Run() == nil
	})
}

// bus starts a session bus, and a keyring on it.
func (d *Desktop) bus() error {
	address, err := d.firstLine(d.Command("dbus-daemon", "--session", "--nofork", "--print-address=1"))
	if err != nil {
		return err
	}
	d.set("DBUS_SESSION_BUS_ADDRESS", address)
	cmd := d.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
	cmd.Stdin = strings.NewReader("the keyring of a test")
	if err := d.run(cmd); err != nil {
		return err
	}
	return d.until("the keyring does not respond", func() bool {
		out, err := d.Command("dbus-send", "--session", "--dest=org.freedesktop.DBus", "--print-reply=literal",
			"/", "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets").Output()
		return err == nil && strings.Contains(string(out), "true")
	})
}

// until polls done, whose duration limits the rate, because it starts a program.
func (d *Desktop) until(failure string, done func() bool) error {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if done() {
			return nil
		}
	}
	return errors.New(failure)
}

// firstLine starts cmd and returns the first line that it prints.
func (d *Desktop) firstLine(cmd *exec.Cmd) (string, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := d.run(cmd); err != nil {
		return "", err
	}
	line := make(chan string, 1)
	go func() { // ends with the program
		text, _ := bufio.NewReader(out).ReadString('\n')
		line <- strings.TrimSpace(text)
		_, _ = io.Copy(io.Discard, out)
	}()
	select {
	case text := <-line:
		if text != "" {
			return text, nil
		}
	case <-time.After(patience):
	}
	return "", fmt.Errorf("%s does not say that it runs", filepath.Base(cmd.Path))
}

// Close ends the desktop and removes its home.
func (d *Desktop) Close() error {
	for i := len(d.started) - 1; i >= 0; i-- {
		_ = d.started[i].Process.Kill()
		_ = d.started[i].Wait() // "killed", as requested
	}
	d.started = nil
	return os.RemoveAll(d.home)
}
