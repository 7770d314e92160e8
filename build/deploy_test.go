package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	yaml "github.com/oasdiff/yaml3"

	"spyglass/backend/service"
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
	node := at(t, compose[0], "services", "node1")
	pod := at(t, cluster[0], "spec", "template", "spec")
	container := at(t, pod, "containers", 0)
	for _, d := range []struct {
		name        string
		image, args any
	}{{"compose", at(t, node, "image"), at(t, node, "command")},
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
		known := []string{"PGPASSWORD", "POSTGRES_PASSWORD", "SPYGLASS_KEY_FILE"} // of libpq, and of the image postgres
		if !slices.Contains(known, name) {
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

// listens returns the value of --listen.
func listens(args any) string {
	list, _ := args.([]any)
	for _, arg := range list {
		if value, ok := strings.CutPrefix(fmt.Sprint(arg), "--listen="); ok {
			return value
		}
	}
	return ""
}

// The nodes have the same key, and a load balancer reaches them under the name that they accept.
func TestDeploymentsHaveThreeNodes(t *testing.T) {
	compose, _ := parsed(t, "deploy/compose.yaml")
	balancer, err := os.ReadFile("deploy/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^ +server (\S+) (\S+)$`).FindAllStringSubmatch(string(balancer), -1)
	if len(named) != 3 {
		t.Fatalf("the load balancer has the servers %q", named)
	}
	for _, server := range named {
		node := at(t, compose[0], "services", server[1])
		if server[2] != server[1]+":8443" || at(t, node, "hostname") != server[1] {
			t.Errorf("the load balancer connects to %s, and %s is %v", server[2], server[1], node)
		}
		host := listens(at(t, node, "command"))
		if !bytes.Contains(balancer, []byte(" uri /readyz ver HTTP/1.1 hdr Host "+host+"\n")) {
			t.Errorf("the load balancer does not request /readyz of %q", host)
		}
		if path := at(t, node, "environment", "SPYGLASS_KEY_FILE"); path != "/run/secrets/key" ||
			at(t, node, "secrets", 0) != "key" || at(t, compose[0], "secrets", "key", "file") != "./key" {
			t.Errorf("the key of %s is in %v", server[1], path)
		}
		long, err := time.ParseDuration(fmt.Sprint(at(t, node, "stop_grace_period")))
		if err != nil || long <= service.StopWithin {
			t.Errorf("%s is killed after %v (%v), and takes %v to stop", server[1], long, err, service.StopWithin)
		}
	}

	cluster, _ := parsed(t, "deploy/kubernetes.yaml")
	spec := at(t, cluster[0], "spec")
	pod := at(t, spec, "template", "spec")
	container := at(t, pod, "containers", 0)
	host := listens(at(t, container, "args"))
	for probe, path := range map[string]string{
		"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz",
	} {
		get := at(t, container, probe, "httpGet")
		header := at(t, get, "httpHeaders", 0)
		if at(t, get, "path") != path || at(t, header, "name") != "Host" || at(t, header, "value") != host {
			t.Errorf("%s is %v, want %s with the host %s", probe, get, path, host)
		}
	}
	mount, file := at(t, container, "volumeMounts", 2), at(t, container, "env", 1)
	if at(t, file, "name") != "SPYGLASS_KEY_FILE" ||
		at(t, file, "value") != fmt.Sprint(at(t, mount, "mountPath"), "/key") ||
		at(t, mount, "name") != at(t, pod, "volumes", 2, "name") ||
		at(t, pod, "volumes", 2, "secret", "secretName") != "spyglass-key" {
		t.Errorf("the key is %v in %v", file, mount)
	}
	long, _ := at(t, pod, "terminationGracePeriodSeconds").(int)
	before, _ := at(t, container, "lifecycle", "preStop", "sleep", "seconds").(int)
	if before == 0 || time.Duration(long-before)*time.Second <= service.StopWithin {
		t.Errorf("a node is killed after %d s, waits %d s before it stops, and takes %v to stop", long, before,
			service.StopWithin)
	}
	label := at(t, spec, "template", "metadata", "labels")
	for name, one := range map[string][2]any{
		"nodes":        {at(t, spec, "replicas"), 3},
		"unavailable":  {at(t, spec, "strategy", "rollingUpdate", "maxUnavailable"), 1},
		"selected":     {at(t, spec, "selector", "matchLabels"), label},
		"apart":        {at(t, pod, "topologySpreadConstraints", 0, "labelSelector", "matchLabels"), label},
		"disruption":   {at(t, cluster[1], "kind"), "PodDisruptionBudget"},
		"disrupted":    {at(t, cluster[1], "spec", "maxUnavailable"), 1},
		"protected":    {at(t, cluster[1], "spec", "selector", "matchLabels"), label},
		"served":       {at(t, cluster[2], "spec", "selector"), label},
		"stay on one":  {at(t, cluster[2], "spec", "sessionAffinity"), "ClientIP"},
		"service port": {at(t, cluster[2], "spec", "ports", 0, "port"), 8443},
	} {
		if !reflect.DeepEqual(one[0], one[1]) {
			t.Errorf("%s: %v, want %v", name, one[0], one[1])
		}
	}
}
