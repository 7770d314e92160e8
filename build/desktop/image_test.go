//go:build window && packages

package desktop

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// blob refers to a file of an OCI layout.
type blob struct {
	MediaType, Digest string
	Size              int
	Annotations       map[string]string
}

// untar returns the entries of an archive, and the contents of its files.
func untar(t *testing.T, in io.Reader) (entries []*tar.Header, texts map[string][]byte) {
	t.Helper()
	texts = map[string][]byte{}
	for r := tar.NewReader(in); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if texts[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, h)
	}
}

// image is the container image: its configuration, and the files of its only layer.
type image struct {
	t      *testing.T
	files  map[string][]byte // of the layout
	config map[string]any
	layer  []*tar.Header
	texts  map[string][]byte
}

func readImage(t *testing.T) *image {
	t.Helper()
	text, err := os.ReadFile(made(t, now, "*.oci.tar"))
	if err != nil {
		t.Fatal(err)
	}
	m := &image{t: t}
	_, m.files = untar(t, bytes.NewReader(text))
	var index, manifest struct {
		Manifests, Layers []blob
		Config            blob
	}
	m.decode(m.files["index.json"], &index)
	const name = "org.opencontainers.image.ref.name"
	if len(index.Manifests) != 1 || !strings.HasPrefix(index.Manifests[0].Annotations[name], "spyglass:") {
		t.Fatalf("the index is %s", m.files["index.json"])
	}
	m.decode(m.blob(index.Manifests[0], "application/vnd.oci.image.manifest.v1+json"), &manifest)
	if len(manifest.Layers) != 1 {
		t.Fatalf("the image has %d layers, want one", len(manifest.Layers))
	}
	m.decode(m.blob(manifest.Config, "application/vnd.oci.image.config.v1+json"), &m.config)
	packed, err := gzip.NewReader(bytes.NewReader(m.blob(manifest.Layers[0],
		"application/vnd.oci.image.layer.v1.tar+gzip")))
	if err != nil {
		t.Fatal(err)
	}
	m.layer, m.texts = untar(t, packed)
	var docker []struct { // what docker load reads
		Config           string
		RepoTags, Layers []string
	}
	m.decode(m.files["manifest.json"], &docker)
	file := func(b blob) string { return "blobs/" + strings.Replace(b.Digest, ":", "/", 1) }
	if len(docker) != 1 || docker[0].Config != file(manifest.Config) || len(docker[0].Layers) != 1 ||
		docker[0].Layers[0] != file(manifest.Layers[0]) || len(docker[0].RepoTags) != 1 ||
		docker[0].RepoTags[0] != index.Manifests[0].Annotations[name] {
		t.Errorf("Docker reads %s", m.files["manifest.json"])
	}
	return m
}

func (m *image) decode(text []byte, to any) {
	m.t.Helper()
	if err := json.Unmarshal(text, to); err != nil {
		m.t.Fatalf("%v in %.200s", err, text)
	}
}

// blob returns a file of the layout, whose name is its sum.
func (m *image) blob(b blob, mediaType string) []byte {
	m.t.Helper()
	text := m.files["blobs/"+strings.Replace(b.Digest, ":", "/", 1)]
	if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(text)); sum != b.Digest || len(text) != b.Size ||
		b.MediaType != mediaType {
		m.t.Fatalf("%+v has %d bytes with the sum %s, want the type %s", b, len(text), sum, mediaType)
	}
	return text
}

func TestImageHasTheProgramAndLittleElse(t *testing.T) {
	m := readImage(t)
	first, err := os.ReadFile(made(t, now, "*.oci.tar"))
	second, err2 := os.ReadFile(made(t, again, "*.oci.tar"))
	if err != nil || err2 != nil || !bytes.Equal(first, second) {
		t.Errorf("it is another each time (%v, %v)", err, err2)
	}
	var files []string
	for _, h := range m.layer {
		files = append(files, fmt.Sprintf("%s %o %d:%d", h.Name, h.Mode, h.Uid, h.Gid))
	}
	want := []string{"etc/ 755 0:0", "etc/group 644 0:0", "etc/passwd 644 0:0", "etc/ssl/ 755 0:0",
		"etc/ssl/certs/ 755 0:0", "etc/ssl/certs/ca-certificates.crt 644 0:0", "tmp/ 1777 0:0", "usr/ 755 0:0",
		"usr/bin/ 755 0:0", "usr/bin/spyglass 755 0:0", "var/ 755 0:0", "var/lib/ 755 0:0",
		"var/lib/spyglass/ 700 65532:65532"}
	if !reflect.DeepEqual(files, want) {
		t.Errorf("the files are\n%s\nwant\n%s", strings.Join(files, "\n"), strings.Join(want, "\n"))
	}
	config := m.config["config"].(map[string]any)
	for name, want := range map[string]any{"User": "65532:65532", "Entrypoint": []any{"/usr/bin/spyglass"},
		"Cmd": []any{"serve"}, "StopSignal": "SIGTERM", "WorkingDir": "/var/lib/spyglass",
		"Volumes":      map[string]any{"/var/lib/spyglass": map[string]any{}},
		"ExposedPorts": map[string]any{"8443/tcp": map[string]any{}},
		"Env":          []any{"PATH=/usr/bin", "XDG_DATA_HOME=/var/lib"}} {
		if !reflect.DeepEqual(config[name], want) {
			t.Errorf("%s is %v, want %v", name, config[name], want)
		}
	}
	if m.config["os"] != "linux" || m.config["architecture"] != runtime.GOARCH {
		t.Errorf("it is for %v %v", m.config["os"], m.config["architecture"])
	}
	labels := config["Labels"].(map[string]any)
	if labels["org.opencontainers.image.title"] != "Spyglass" || labels["org.opencontainers.image.version"] == "" {
		t.Errorf("the labels are %v", labels)
	}
	if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(m.texts["etc/ssl/certs/ca-certificates.crt"]) {
		t.Error("it has no certificate of an authority")
	}
}

func TestImageRunsItsProgram(t *testing.T) {
	m := readImage(t)
	root := t.TempDir()
	for _, h := range m.layer {
		path := filepath.Join(root, h.Name)
		var err error
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, h.FileInfo().Mode().Perm())
		} else {
			err = os.WriteFile(path, m.texts[h.Name], h.FileInfo().Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	linked, err := elf.NewFile(bytes.NewReader(m.texts["usr/bin/spyglass"]))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range linked.Progs {
		if part.Type == elf.PT_INTERP {
			t.Fatal("the program needs the libraries of a system, and the image has none")
		}
	}
	// the environment has nothing else, as in a container
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "usr/bin/spyglass"), "serve")
	cmd.Env = []string{"PATH=/usr/bin", "XDG_DATA_HOME=" + filepath.Join(root, "var/lib"),
		"SSL_CERT_FILE=" + filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")}
	cmd.Stderr = &bytes.Buffer{}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	origin, ok := strings.CutPrefix(strings.TrimSpace(line), "spyglass: ")
	if err != nil || !ok {
		t.Fatalf("it printed %q: %v, %s", line, err, cmd.Stderr)
	}
	response, err := http.Get(origin + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if page, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK ||
		!bytes.Contains(page, []byte("<html")) {
		t.Errorf("the page: %d %.200s %v", response.StatusCode, page, err)
	}
	if _, err := os.Stat(filepath.Join(root, "var/lib/spyglass/portal.db")); err != nil {
		t.Errorf("the data folder has no portal: %v", err)
	}
}
