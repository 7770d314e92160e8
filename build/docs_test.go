package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"spyglass/build/desktop"
)

// fenced returns the code blocks of a page in a language, in order.
func fenced(t *testing.T, page, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		found = append(found, m[1])
	}
	return found
}

// reader follows the steps of a page in a new folder, with the program in the PATH.
// The test replaces the page's paths and names with its own.
type reader struct {
	t     *testing.T
	dir   string
	env   []string
	names *strings.Replacer
}

func newReader(t *testing.T, program string, names ...string) *reader {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(bin, "spyglass")); err != nil {
		t.Fatal(err)
	}
	return &reader{t: t, dir: dir, env: append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")),
		names: strings.NewReplacer(names...)}
}

// put writes a file into the reader's folder.
func (r *reader) put(name, text string, mode os.FileMode) string {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.WriteFile(path, []byte(r.names.Replace(text)), mode); err != nil {
		r.t.Fatal(err)
	}
	return path
}

// follow runs a command in the reader's folder, and fails the test unless the output matches the
// pattern.
func (r *reader) follow(want, stdin string, command ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(want).Match(out) {
		r.t.Fatalf("%v: %v, and its output is not %s:\n%s", command, err, want, out)
	}
	return string(out)
}

// shell runs a code block in a shell.
func (r *reader) shell(want, stdin, example string) string {
	r.t.Helper()
	return r.follow(want, stdin, "bash", "-euo", "pipefail", r.put("example.sh", example, 0o600))
}

func TestDocumentedTokenExamplesRun(t *testing.T) {
	program, data := compiled(t), t.TempDir()
	served := serving(t, program, "--data", data, "--listen", "127.0.0.1:0", "--demo", "--demo-devices", "150")
	stdout, stderr, _ := execute(t, "", program, "token", "create", "--data", data, "--user", "admin")
	var token struct{ Bearer, AccessID, AccessKey string }
	if err := json.Unmarshal([]byte(stdout), &token); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	r := newReader(t, program, "/var/lib/spyglass", data)
	r.env = append(r.env, "SPYGLASS_URL="+served.origin, "SPYGLASS_TOKEN="+token.Bearer, "SPYGLASS_ACCESS_ID="+
		token.AccessID, "SPYGLASS_ACCESS_KEY="+token.AccessKey)

	secrets := `"bearer": ?"[^"]+"`
	for language, wants := range map[string][]string{
		"bash": {secrets, `"note":"nightly export".*` + secrets, `"total":\d+`,
			`"total":\d+.*"displayName":"web-prod-01\.`, `^# Incident: \S+: `, `"comment":"release 4\.2"`},
		"python": {`^150 devices, the first is core-sw-01\.fra\n$`, `^\d+ groups\n$`},
		"go":     {`^\d+ alerts are open\nthe worst is \S+ \S+\n$`},
	} {
		examples := fenced(t, "tokens.md", language)
		if len(examples) != len(wants) {
			t.Fatalf("the page has %d examples in %s, and %d are known here", len(examples), language, len(wants))
		}
		for i, example := range examples {
			switch language {
			case "bash":
				r.shell(wants[i], "", example)
			case "python":
				r.follow(wants[i], "", "python3", r.put("example.py", example, 0o600))
			case "go":
				r.follow(wants[i], "", "go", "run", r.put("example.go", example, 0o600))
			}
		}
	}
	if _, code := served.end(); code != 0 {
		t.Errorf("it ended with %d\n%s", code, served.log.String())
	}
}

func TestDocumentedServerSetupWorks(t *testing.T) {
	program := compiled(t)
	root := t.TempDir()
	data, kept := filepath.Join(root, "data"), filepath.Join(root, "kept")
	address, err := desktop.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t, program, "/var/lib/spyglass", data, "/var/backups/spyglass", kept, "/usr/local/bin/spyglass",
		program, "portal.example.net:8443", address, "%d/", root+"/")
	r.put("spyglass", "", 0o700) // the page builds this file
	for _, name := range []string{"systemctl", "journalctl", "useradd"} {
		r.put("bin/"+name, "#!/bin/sh\n", 0o700)
	}
	r.put("bin/install", "#!/bin/sh\ncase \"$1\" in -d) mkdir -p "+data+" "+kept+";; esac\n", 0o700)
	r.put("bin/sudo", "#!/bin/sh\n[ \"$1\" != -u ] || shift 2\nexec \"$@\"\n", 0o700)

	shell := fenced(t, "server.md", "bash")
	if len(shell) != 6 {
		t.Fatalf("the page has %d examples for a shell", len(shell))
	}
	const secret = "correct horse battery 9"
	r.shell("", secret+"\n", shell[0])
	for _, example := range shell[1:3] {
		r.shell("", "", example)
	}

	unit := fenced(t, "server.md", "ini")[0]
	if verify, err := exec.LookPath("systemd-analyze"); err == nil {
		r.follow(`^$`, "", verify, "verify",
			r.put("spyglass.service", strings.ReplaceAll(unit, "%d/", root+"/"), 0o600))
	}
	makeCertificate(t, root)
	start := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(r.names.Replace(unit))[1]
	service := exec.Command("bash", "-c", "exec "+start)
	out, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Process.Kill(); _ = service.Wait() })
	line := make([]byte, len("spyglass: https://"+address+"\n"))
	if _, err := io.ReadFull(out, line); err != nil || string(line) != "spyglass: https://"+address+"\n" {
		t.Fatalf("it says %q, %v", line, err)
	}

	if status, body := overTLS(t, "POST", "https://"+address+"/api/session", "", `{"username":"admin","password":"`+
		secret+`"}`); status != http.StatusOK {
		t.Errorf("the password that was set before the start is returned %d %s", status, body)
	}
	scrapes(t, r, program, data, address, shell[5])

	cron := regexp.MustCompile(`(?m)^[\d *]+ spyglass (.*)$`).FindAllStringSubmatch(
		fenced(t, "server.md", "cron")[0], -1)
	if len(cron) != 2 {
		t.Fatalf("cron runs %v", cron)
	}
	for _, line := range cron {
		r.shell("", "", strings.ReplaceAll(line[1], `\%`, "%"))
	}
	if got, _ := filepath.Glob(filepath.Join(kept, time.Now().Format(time.DateOnly)+".zip")); len(got) != 1 {
		t.Errorf("cron leaves %v", got)
	}
	r.shell("", "", shell[4])
	if err := service.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = service.Wait()
	r.shell("holds the portal of", "", strings.ReplaceAll(shell[3], "2026-11-22.zip", "before-upgrade.zip"))
}

// scrapes creates the user for Prometheus as the page describes, and sends
// requests with the page's configuration.
func scrapes(t *testing.T, r *reader, program, data, address, example string) {
	t.Helper()
	stdout, _, _ := execute(t, "", program, "token", "create", "--data", data, "--user", "admin")
	var token struct{ Bearer string }
	if err := json.Unmarshal([]byte(stdout), &token); err != nil {
		t.Fatal(err)
	}
	role := `{"name":"metrics","privileges":[{"objectType":"setting","objectId":"portal","operation":"read"}]}`
	if status, body := overTLS(t, "POST", "https://"+address+"/api/setting/roles", token.Bearer,
		role); status != http.StatusCreated {
		t.Fatalf("the role is returned %d %s", status, body)
	}
	if err := json.Unmarshal([]byte(r.shell(`"bearer"`, "", example)), &token); err != nil {
		t.Fatal(err)
	}
	config := r.names.Replace(fenced(t, "server.md", "yaml")[0])
	if promtool, err := exec.LookPath("promtool"); err == nil {
		secret := r.put("spyglass.token", token.Bearer, 0o600)
		r.follow("SUCCESS", "", promtool, "check", "config",
			r.put("prometheus.yml", strings.ReplaceAll(config, "/etc/prometheus/spyglass.token", secret), 0o600))
	}
	target := regexp.MustCompile(`targets: \["(.*)"\]`).FindStringSubmatch(config)[1]
	if status, body := overTLS(t, "GET", "https://"+target+"/metrics", token.Bearer, ""); status != http.StatusOK ||
		!strings.Contains(body, "spyglass_") {
		t.Errorf("Prometheus receives %d %.200s", status, body)
	}
}

// overTLS sends a request to the portal without verifying its certificate.
func overTLS(t *testing.T, method, url, bearer, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// makeCertificate writes cert.pem and key.pem into the folder.
func makeCertificate(t *testing.T, folder string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}}
	cert, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert},
		"key.pem": {Type: "PRIVATE KEY", Bytes: sealed}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDocumentedAgentSettingsAreJSON(t *testing.T) {
	examples := fenced(t, "mcp.md", "json")
	for _, example := range examples {
		if !json.Valid([]byte(example)) || !strings.Contains(example, `"spyglass"`) {
			t.Errorf("these settings cannot be pasted:\n%s", example)
		}
	}
	if len(examples) != 3 {
		t.Errorf("there are %d settings, want those of Claude Desktop, VS Code and Cursor", len(examples))
	}
}
