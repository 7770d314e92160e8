package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	yaml "github.com/oasdiff/yaml3"

	"spyglass/build/project"
)

// parsed returns the documents of a YAML file.
func parsed(t *testing.T, path string) (all []map[string]any, text string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for in := yaml.NewDecoder(bytes.NewReader(raw)); ; {
		var one map[string]any
		err := in.Decode(&one)
		if errors.Is(err, io.EOF) {
			return all, string(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
}

// at returns a value inside documents: keys and indexes.
func at(t *testing.T, value any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			fields, _ := value.(map[string]any)
			value = fields[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				t.Fatalf("%v is missing", path)
			}
			value = list[step]
		}
	}
	return value
}

// The deployments in build/deploy run the image of this version with flags, variables and
// paths that exist.
func TestDeploymentsFitTheProgram(t *testing.T) {
	help, err := exec.Command(compiled(t), "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	version, err := project.Project{Root: ".."}.Version()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("packages/image.go")
	if err != nil {
		t.Fatal(err)
	}
	compose, composeText := parsed(t, "deploy/compose.yaml")
	cluster, clusterText := parsed(t, "deploy/kubernetes.yaml")
	service := at(t, compose[0], "services", "portal")
	pod := at(t, cluster[0], "spec", "template", "spec")
	container := at(t, pod, "containers", 0)
	for _, d := range []struct {
		name        string
		image, args any
	}{{"compose", at(t, service, "image"), at(t, service, "command")},
		{"kubernetes", at(t, container, "image"), at(t, container, "args")}} {
		if d.image != "spyglass:"+version {
			t.Errorf("%s: the image is %v, want spyglass:%s", d.name, d.image, version)
		}
		args := d.args.([]any)
		if args[0] != "serve" {
			t.Errorf("%s: the command is %v", d.name, args)
		}
		for _, arg := range args[1:] {
			flag, value, _ := strings.Cut(arg.(string), "=")
			if !regexp.MustCompile(`(?m)^ +`+flag+` `).Match(help) && !bytes.Contains(help, []byte("  "+flag+" ")) {
				t.Errorf("%s: serve has no flag %s", d.name, flag)
			}
			if flag == "--listen" && !strings.HasSuffix(value, ":8443") {
				t.Errorf("%s: it listens on %s, and the image exposes 8443", d.name, value)
			}
			if flag == "--data" && !strings.HasPrefix(value, "/var/lib/spyglass") {
				t.Errorf("%s: the data folder %s is on no volume", d.name, value)
			}
		}
	}
	user := fmt.Sprint(at(t, pod, "securityContext", "runAsUser"))
	if !bytes.Contains(source, []byte("imageUser   = "+user+"\n")) ||
		!bytes.Contains(source, []byte(`"8443/tcp"`)) || !bytes.Contains(source, []byte(`"var/lib/spyglass"`)) {
		t.Errorf("the image has another user than %s, another port or another folder", user)
	}
	for _, name := range regexp.MustCompile(`\b[A-Z]+_?[A-Z_]*PASSWORD\b|\bSPYGLASS_[A-Z_]+`).FindAllString(
		composeText+clusterText, -1) {
		if !slices.Contains([]string{"PGPASSWORD", "POSTGRES_PASSWORD"}, name) { // of libpq, and of the image postgres
			t.Errorf("the variable %s is unknown", name)
		}
	}
	portal := serving(t, compiled(t), "--data", t.TempDir())
	for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
		path := fmt.Sprint(at(t, container, probe, "httpGet", "path"))
		response, err := http.Get(portal.origin + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %s responds %s", probe, path, response.Status)
		}
	}
}
