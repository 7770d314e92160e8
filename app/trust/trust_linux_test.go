package trust_test

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/app/trust"
	"spyglass/backend/fault"
	"spyglass/backend/localca"
)

// authority creates a certificate authority in a new data folder.
func authority(t *testing.T, data string, names ...string) trust.Authority {
	t.Helper()
	_, err := localca.Open(localca.Options{Data: data, Instance: "ab12", Names: names,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	a, err := trust.Of(data)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// inOwnMounts reruns a test in a process with its own mount namespace, in which the folders of
// the system's trust store are copies, so that the trust store of this computer stays unchanged.
func inOwnMounts(t *testing.T, test string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can have mounts of its own here")
	}
	for _, program := range []string{"unshare", "mount", "update-ca-certificates"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("there is no " + program)
		}
	}
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		t.Skipf("this machine allows no mounts: %s", out)
	}
	const script = `set -e
for at in /etc/ssl/certs /usr/local/share/ca-certificates; do
	mkdir -p "$DIR$at"
	cp -a "$at/." "$DIR$at"
	mount --bind "$DIR$at" "$at"
done
exec "$@"`
	before := listed(t)
	cmd := exec.Command("unshare", "-m", "sh", "-c", script, "sh", os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), "DIR="+t.TempDir(), "SPYGLASS_TEST_OWN_MOUNTS=1")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%v\n%s", err, out)
	}
	if after := listed(t); after != before {
		t.Errorf("the store of this computer has changed: %s", after)
	}
}

func listed(t *testing.T) string {
	t.Helper()
	bundle, err := os.Stat("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("/usr/local/share/ca-certificates/*")
	if err != nil {
		t.Fatal(err)
	}
	return bundle.ModTime().String() + strings.Join(files, " ")
}

func TestSystemStoreAddsAndRemovesAnAuthority(t *testing.T) {
	if os.Getenv("SPYGLASS_TEST_OWN_MOUNTS") == "" {
		inOwnMounts(t, t.Name())
		return
	}
	t.Setenv("HOME", t.TempDir()) // a home folder without browsers
	ctx, computer, data := t.Context(), trust.Computer{}, t.TempDir()
	first := authority(t, data)
	if s := computer.States(ctx, first); len(s) != 1 || s[0].Trusted ||
		!strings.Contains(s[0].Command, "sudo install") {
		t.Errorf("at first the states are %+v", s)
	}
	for range 2 { // the second call changes nothing
		if err := computer.Add(ctx, first); err != nil {
			t.Fatal(err)
		}
	}
	if s := computer.States(ctx, first); !s[0].Trusted || s[0].Command != "" || !inBundle(t, first.Cert) {
		t.Errorf("after adding it the states are %+v", s)
	}
	second := authority(t, data, "acme.example.test") // replaces the first authority
	if s := computer.States(ctx, second); s[0].Trusted {
		t.Error("an authority is trusted for that of another one")
	}
	if err := computer.Add(ctx, second); err != nil {
		t.Fatal(err)
	}
	if !inBundle(t, second.Cert) || inBundle(t, first.Cert) {
		t.Error("the bundle has not the new authority alone")
	}
	for range 2 {
		if err := computer.Remove(ctx, second); err != nil {
			t.Fatal(err)
		}
	}
	if s := computer.States(ctx, second); s[0].Trusted || inBundle(t, second.Cert) {
		t.Errorf("after removing it the states are %+v", s)
	}
	left, err := filepath.Glob("/etc/ssl/certs/*[Ss]pyglass*")
	if err != nil || len(left) > 0 {
		t.Errorf("the folder of certificates has %q, %v", left, err)
	}
}

// inBundle reports whether the system's bundle contains a certificate.
func inBundle(t *testing.T, cert *x509.Certificate) bool {
	t.Helper()
	text, err := os.ReadFile("/etc/ssl/certs/ca-certificates.crt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(text), strings.TrimSpace(string(localca.Encode(cert))))
}

func TestBrowserStoresAddAndRemoveAnAuthority(t *testing.T) {
	certutil, err := exec.LookPath("certutil")
	if err != nil {
		t.Skip("there is no certutil: install libnss3-tools")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	profiles := []string{".pki/nssdb", ".mozilla/firefox/abc.default", ".config/mozilla/firefox/def.default"}
	for _, profile := range profiles {
		folder := filepath.Join(home, profile)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(certutil, "-N", "-d", "sql:"+folder, "--empty-password").CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	ctx, data := context.WithoutCancel(t.Context()), t.TempDir()
	first := authority(t, data)
	trusted := func(a trust.Authority) (n int) {
		for _, s := range trust.Browsers(ctx, a) {
			if s.Trusted {
				n++
			}
		}
		return n
	}
	if n := trusted(first); n != 0 {
		t.Errorf("at first %d browsers trust it", n)
	}
	trust.AddToBrowsers(ctx, t, first)
	if n := trusted(first); n != len(profiles) {
		t.Errorf("%d of %d browsers trust it", n, len(profiles))
	}
	second := authority(t, data, "acme.example.test")
	trust.AddToBrowsers(ctx, t, second)
	if trusted(first) != 0 || trusted(second) != len(profiles) {
		t.Errorf("%d browsers trust the old one, %d the new one", trusted(first), trusted(second))
	}
	out, err := exec.Command(certutil, "-L", "-d", "sql:"+filepath.Join(home, profiles[0])).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "C,,") {
		t.Errorf("it is trusted for more than servers: %v %s", err, out)
	}
	trust.RemoveFromBrowsers(ctx, t, second)
	if n := trusted(second); n != 0 {
		t.Errorf("at the end %d browsers trust it", n)
	}
}

func TestMissingAuthorityIsExplained(t *testing.T) {
	if _, err := trust.Of(t.TempDir()); !fault.Is(err, fault.Unknown) ||
		!strings.Contains(err.Error(), "serve --https") {
		t.Errorf("%v", err)
	}
}

func TestShellCommandIsQuoted(t *testing.T) {
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{"rm", "/tmp/a.crt"}, "rm /tmp/a.crt"},
		{[]string{"rm", "/home/Jo Né/it's"}, `rm '/home/Jo Né/it'\''s'`},
		{[]string{"rm", "$(x)"}, "rm '$(x)'"},
	} {
		if got := trust.Shell(tt.words...); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.words, got, tt.want)
		}
	}
}
