package keychain

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"

	"github.com/godbus/dbus/v5"
)

// part is the environment variable that selects the part of a test to run in a child process.
const part = "KEYCHAIN_TEST_PART"

// again runs the calling test in another process, with another home folder and
// without the user's session bus. The D-Bus client keeps its connection for the
// lifetime of a process.
func again(t *testing.T, env []string, command ...string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), command[0], append(command[1:], self, "-test.run=^"+t.Name()+"$",
		"-test.count=1")...)
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME":
		default:
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+home+"/data")
	cmd.Env = append(cmd.Env, env...)
	out, err := os.Create(filepath.Join(home, "out")) // a file, because services of the bus keep it open
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		t.Fatalf("%v\n%s", err, said)
	}
}

func need(t *testing.T, program, debian string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("%s is missing: install the Debian package %s", program, debian)
	}
}

// open opens a keychain that logs into a buffer. The long limit allows for a busy
// machine. Tests of a keyring that does not respond set a limit of their own.
func open() (*Keychain, *bytes.Buffer) {
	var log bytes.Buffer
	k := Open("spyglass-test", slog.New(slog.NewTextHandler(&log, nil)))
	k.limit = time.Hour
	return k, &log
}

func unknown(t *testing.T, k *Keychain, account string) {
	t.Helper()
	if secret, err := k.Get(account); secret != "" || !fault.Is(err, fault.Unknown) {
		t.Errorf("%s has %q, %v", account, secret, err)
	}
}

func has(t *testing.T, k *Keychain, account, want string) {
	t.Helper()
	if secret, err := k.Get(account); secret != want || err != nil {
		t.Errorf("%s has %q, %v, want %q", account, secret, err, want)
	}
}

// withoutKeyring checks a keychain that keeps secrets only in memory.
func withoutKeyring(t *testing.T, k *Keychain) {
	t.Helper()
	if ok, why := k.Available(); ok || why != "No system keyring found: you stay signed in for this session only" {
		t.Errorf("Available is %v, %q", ok, why)
	}
	unknown(t, k, "admin")
	if k.Set("admin", "s3cret") {
		t.Error("Set says that the secret lasts")
	}
	has(t, k, "admin", "s3cret")
	has(t, k, "admin", "s3cret")
}

func TestSecretStaysInTheKeyring(t *testing.T) {
	switch os.Getenv(part) {
	case "":
		need(t, "dbus-run-session", "dbus-daemon")
		need(t, "gnome-keyring-daemon", "gnome-keyring")
		again(t, []string{part + "=keep"}, "dbus-run-session", "--", "sh", "-c",
			`echo -n pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null || exit 1
			"$@" && `+part+`=find exec "$@"`, "sh")
	case "keep":
		k, log := open()
		if ok, why := k.Available(); !ok || why != "" {
			t.Fatalf("Available is %v, %q: %s", ok, why, log)
		}
		unknown(t, k, "admin")
		if !k.Set("admin", "first") || !k.Set("admin", "s3cret ü\n'\"") || !k.Set("other", "x") {
			t.Errorf("Set did not reach the keyring: %s", log)
		}
		has(t, k, "admin", "s3cret ü\n'\"")
		if err := k.Delete("other"); err != nil {
			t.Error(err)
		}
		if err := k.Delete("other"); err != nil {
			t.Error(err)
		}
		unknown(t, k, "other")
		if len(k.memory) != 0 || log.Len() != 0 {
			t.Errorf("left in memory: %v; logged: %s", k.memory, log)
		}
	case "find":
		k, _ := open()
		has(t, k, "admin", "s3cret ü\n'\"")
		unknown(t, k, "other")
	}
}

func TestWithoutDBusSecretsStayInMemory(t *testing.T) {
	if os.Getenv(part) == "" {
		if _, err := os.Stat(filepath.Join("/run/user", strings.TrimSpace(userID()), "bus")); err == nil {
			t.Skip("this user has a session bus that cannot be hidden")
		}
		bin := t.TempDir()
		launched := filepath.Join(bin, "launched")
		if err := os.WriteFile(filepath.Join(bin, "dbus-launch"), []byte("#!/bin/sh\n: > '"+launched+"'\n"),
			0o700); err != nil {
			t.Fatal(err)
		}
		for _, address := range []string{"", "autolaunch:"} {
			again(t, []string{part + "=inside", "PATH=" + bin + ":" + os.Getenv("PATH"), "DBUS_SESSION_BUS_ADDRESS=" +
				address}, "env")
		}
		if _, err := os.Stat(launched); err == nil {
			t.Error("dbus-launch was run")
		}
		return
	}
	k, log := open()
	withoutKeyring(t, k)
	if err := k.Delete("admin"); err != nil {
		t.Errorf("Delete says %v though there is no keyring", err)
	}
	unknown(t, k, "admin")
	if n := strings.Count(log.String(), "no OS keyring"); n != 1 || strings.Contains(log.String(), "s3cret") {
		t.Errorf("logged: %s", log)
	}
}

func userID() string {
	out, err := exec.Command("id", "-u").Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func TestDBusWithoutASecretServiceIsNoKeyring(t *testing.T) {
	if os.Getenv(part) == "" {
		again(t, []string{part + "=inside", "DBUS_SESSION_BUS_ADDRESS=unix:path=" +
			filepath.Join(t.TempDir(), "nothing")}, "env")
		return
	}
	k, _ := open()
	withoutKeyring(t, k)
}

func TestSilentDBusCostsOneTimeout(t *testing.T) {
	if os.Getenv(part) == "" {
		socket := filepath.Join(t.TempDir(), "bus")
		l, err := net.Listen("unix", socket) // accepts connections and never responds
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		again(t, []string{part + "=inside", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + socket}, "env")
		return
	}
	slow(t)
}

func TestSilentKeyringCostsOneTimeout(t *testing.T) {
	if os.Getenv(part) == "" {
		need(t, "dbus-run-session", "dbus-daemon")
		again(t, []string{part + "=inside"}, "dbus-run-session", "--")
		return
	}
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.RequestName("org.freedesktop.secrets", 0); err != nil {
		t.Fatal(err)
	}
	conn.Eavesdrop(make(chan *dbus.Message, 100)) // receives every call and responds to none
	slow(t)
}

func slow(t *testing.T) {
	t.Helper()
	k, _ := open()
	k.limit = 200 * time.Millisecond
	if ok, _ := k.Available(); ok {
		t.Error("a keyring that never responds is available")
	}
	k.limit = time.Hour // a second wait would exceed the limit of the test
	withoutKeyring(t, k)
	if err := k.Delete("admin"); !fault.Is(err, fault.Offline) {
		t.Errorf("Delete says %v", err)
	}
}

func TestLateKeyringReceivesPendingWrites(t *testing.T) {
	if os.Getenv(part) == "" {
		need(t, "dbus-run-session", "dbus-daemon")
		need(t, "gnome-keyring-daemon", "gnome-keyring")
		again(t, []string{part + "=inside"}, "dbus-run-session", "--", "sh", "-c",
			`echo -n pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"`, "sh")
		return
	}
	k, log := open()
	if !k.Set("old", "x") {
		t.Fatalf("no keyring: %s", log)
	}
	k.limit = 50 * time.Millisecond
	unlock := make(chan struct{})
	if err := k.call(func() error { <-unlock; return nil }); !errors.Is(err, errSlow) {
		t.Fatalf("a locked keyring says %v", err)
	}
	if k.Set("admin", "s3cret") {
		t.Error("a locked keyring took a secret")
	}
	if err := k.Delete("old"); !fault.Is(err, fault.Offline) {
		t.Errorf("Delete says %v", err)
	}
	unknown(t, k, "old")
	has(t, k, "admin", "s3cret")
	close(unlock)
	k.turn <- struct{}{} // the late call has ended
	<-k.turn
	if ok, _ := k.Available(); !ok || len(k.memory) != 0 {
		t.Errorf("Available is %v; left in memory: %v; %s", ok, k.memory, log)
	}
	k, _ = open()
	has(t, k, "admin", "s3cret")
	unknown(t, k, "old")
}
