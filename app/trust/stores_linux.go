package trust

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/localca"
)

func (c Computer) stores() []store {
	all := []store{&anchors{prompt: c.Prompt}}
	for _, db := range databases() {
		all = append(all, db)
	}
	return all
}

// anchors is the store of the whole computer: a folder of certificates, and a program
// that makes bundles of them.
type anchors struct{ prompt bool }

// kinds lists the folders of the distributions: Fedora and its relatives, Debian, Arch,
// openSUSE.
var kinds = []struct {
	folder, ending string
	update         []string
}{
	{"/etc/pki/ca-trust/source/anchors", ".pem", []string{"update-ca-trust", "extract"}},
	{"/usr/local/share/ca-certificates", ".crt", []string{"update-ca-certificates"}},
	{"/etc/ca-certificates/trust-source/anchors", ".crt", []string{"update-ca-trust", "extract"}},
	{"/etc/pki/trust/anchors", ".crt", []string{"update-ca-certificates"}},
}

// find returns the file of an authority, and the command that makes the bundles.
func (*anchors) find(a Authority) (file string, update []string, err error) {
	for _, k := range kinds {
		info, err := os.Stat(k.folder)
		if err != nil || !info.IsDir() {
			continue
		}
		if program, err := exec.LookPath(k.update[0]); err == nil {
			return filepath.Join(k.folder, fileName(a)+k.ending), append([]string{program}, k.update[1:]...), nil
		}
		// it is not in the PATH of most users
		for _, folder := range []string{"/usr/sbin/", "/usr/bin/", "/sbin/"} {
			if info, err := os.Stat(folder + k.update[0]); err == nil && info.Mode()&0o111 != 0 {
				return filepath.Join(k.folder, fileName(a)+k.ending), append([]string{folder + k.update[0]},
					k.update[1:]...), nil
			}
		}
	}
	return "", nil, fault.New(fault.Conflict, "this system has no store of authorities that Spyglass knows. "+
		"Install ca-certificates, or give programs the file %s", a.File)
}

// fileName returns the name of the certificate's file, without spaces, which some
// programs cannot handle.
func fileName(a Authority) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, a.name())
	return strings.ToLower(strings.ReplaceAll(name, "--", "-"))
}

func (s *anchors) state(_ context.Context, a Authority) State {
	state := State{Store: "This computer"}
	file, update, err := s.find(a)
	if err != nil {
		state.Problem = fault.Sentence(err)
		return state
	}
	text, err := os.ReadFile(file)
	state.Trusted = err == nil && bytes.Equal(bytes.TrimSpace(text), bytes.TrimSpace(localca.Encode(a.Cert)))
	if !state.Trusted {
		state.Command = adding(a, file, update)
	}
	return state
}

// adding returns the commands that add an authority as root.
func adding(a Authority, file string, update []string) string {
	return shell("sudo", "install", "-m", "644", a.File, file) + " && " + shell(append([]string{"sudo"}, update...)...)
}

func (s *anchors) add(ctx context.Context, a Authority) error {
	file, update, err := s.find(a)
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if err := os.WriteFile(file, localca.Encode(a.Cert), 0o644); err != nil {
			return refused(err)
		}
		if err := os.Chmod(file, 0o644); err != nil { // the umask may have hidden it from others
			return refused(err)
		}
		_, err := run(ctx, update[0], update[1:]...)
		return err
	}
	return s.elevated(ctx, adding(a, file, update), `install -m 644 "$1" "$2" && shift 2 && exec "$@"`,
		append([]string{a.File, file}, update...)...)
}

func (s *anchors) remove(ctx context.Context, a Authority) error {
	file, update, err := s.find(a)
	if err != nil {
		return nil // then it is not there either
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if filepath.Base(update[0]) == "update-ca-certificates" {
		update = append(update, "--fresh") // otherwise the link to the removed file stays
	}
	if os.Geteuid() == 0 {
		if err := os.Remove(file); err != nil {
			return refused(err)
		}
		_, err := run(ctx, update[0], update[1:]...)
		return err
	}
	return s.elevated(ctx, shell("sudo", "rm", file)+" && "+shell(append([]string{"sudo"}, update...)...),
		`rm -f "$1" && shift && exec "$@"`, append([]string{file}, update...)...)
}

func refused(err error) error {
	return &fault.Error{Kind: fault.Conflict, Err: err, Message: "the store of this computer cannot be changed: " +
		err.Error()}
}

// elevated runs a script as root, if a dialog can request the password; if
// not, it returns the command for a terminal.
func (s *anchors) elevated(ctx context.Context, command, script string, args ...string) error {
	if s.prompt {
		if pkexec, err := exec.LookPath("pkexec"); err == nil {
			output, err := run(ctx, pkexec, append([]string{"/bin/sh", "-c", script, "sh"}, args...)...)
			if err == nil {
				return nil
			}
			return &fault.Error{Kind: fault.Denied, Err: errors.New(output), Message: "the store of this computer " +
				"was not changed. Try again, or run: " + command}
		}
	}
	return fault.New(fault.Denied, "only root can change the store of this computer. Run: %s", command)
}

// database is an NSS database, in which Chromium and Firefox keep authorities.
type database struct{ browser, folder string }

// databases returns the databases of the user's browsers.
func databases() []*database {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	var found []*database
	for _, at := range []struct{ browser, pattern string }{
		{"Chromium", filepath.Join(home, ".pki/nssdb")},
		{"Chromium", filepath.Join(home, ".local/share/pki/nssdb")},
		{"Chromium", filepath.Join(home, "snap/chromium/current/.pki/nssdb")},
		{"Firefox", filepath.Join(home, ".mozilla/firefox/*")},
		{"Firefox", filepath.Join(config, "mozilla/firefox/*")},
		{"Firefox", filepath.Join(home, "snap/firefox/common/.mozilla/firefox/*")},
		{"Firefox", filepath.Join(home, ".var/app/org.mozilla.firefox/.mozilla/firefox/*")},
	} {
		folders, _ := filepath.Glob(at.pattern) // the pattern is valid
		for _, folder := range folders {
			if _, err := os.Stat(filepath.Join(folder, "cert9.db")); err == nil {
				found = append(found, &database{at.browser, folder})
			}
		}
	}
	return found
}

const withoutCertutil = "certutil is missing. Install libnss3-tools (Debian, Ubuntu) or nss-tools (Fedora), and " +
	"try again"

func (d *database) state(ctx context.Context, a Authority) State {
	state := State{Store: d.browser + " (" + d.folder + ")"}
	certutil, err := exec.LookPath("certutil")
	if err != nil {
		state.Problem = withoutCertutil
		return state
	}
	text, err := run(ctx, certutil, "-L", "-d", "sql:"+d.folder, "-n", a.name(), "-a")
	want := strings.TrimSpace(string(localca.Encode(a.Cert)))
	state.Trusted = err == nil && strings.ReplaceAll(text, "\r", "") == want
	return state
}

func (d *database) add(ctx context.Context, a Authority) error {
	certutil, err := exec.LookPath("certutil")
	if err != nil {
		return nil // its state says so; the system's store matters more
	}
	if err := d.remove(ctx, a); err != nil {
		return err
	}
	_, err = run(ctx, certutil, "-A", "-d", "sql:"+d.folder, "-t", "C,,", "-n", a.name(), "-i", a.File)
	return err
}

func (d *database) remove(ctx context.Context, a Authority) error {
	certutil, err := exec.LookPath("certutil")
	if err != nil {
		return nil
	}
	for range mostReplaced { // older certificates can have the same name
		if _, err := run(ctx, certutil, "-L", "-d", "sql:"+d.folder, "-n", a.name()); err != nil {
			return nil
		}
		if _, err := run(ctx, certutil, "-D", "-d", "sql:"+d.folder, "-n", a.name()); err != nil {
			return err
		}
	}
	return nil
}

const mostReplaced = 20
