package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1" // Apache-2.0, by Google: container images without Docker
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle" // BSD-3, by the Go project: Mozilla's list of authorities
)

// The user that runs the program in the image; distroless images use the same id.
const (
	imageUser   = 65532
	imageFolder = "var/lib/spyglass" // the data folder
)

// imageFile is a file or folder of the image.
type imageFile struct {
	path string
	mode int64
	user int
	text []byte // nil for a folder
}

// makeImage writes the container image as a tar of an OCI layout.
func (r release) makeImage() error {
	program, err := os.ReadFile(r.server)
	if err != nil {
		return err
	}
	root, err := r.imageTar(imageFiles(program))
	if err != nil {
		return err
	}
	level := gzip.BestCompression
	if r.quick {
		level = gzip.BestSpeed
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(root)), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(level))
	if err != nil {
		return err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "go run ./build package"}})
	if err != nil {
		return err
	}
	made, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config := made.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", r.arch, v1.Time{Time: r.at}
	config.Config = r.imageConfig()
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	folder := filepath.Join(r.work, "image")
	at, err := layout.Write(folder, empty.Index)
	if err == nil {
		err = at.AppendImage(image, layout.WithAnnotations(map[string]string{
			"org.opencontainers.image.ref.name": "spyglass:" + r.version,
			"io.containerd.image.name":          "docker.io/library/spyglass:" + r.version})) // of docker load
	}
	if err != nil {
		return err
	}
	if err := r.dockerManifest(image, filepath.Join(folder, "manifest.json")); err != nil {
		return err
	}
	return r.layoutTar(folder, r.name("-linux-"+r.arch+".oci.tar"))
}

// dockerManifest writes what docker load reads in place of the index, unless Docker keeps
// its images in containerd.
func (r release) dockerManifest(image v1.Image, to string) error {
	manifest, err := image.Manifest()
	if err != nil {
		return err
	}
	blob := func(d v1.Descriptor) string { return path.Join("blobs", d.Digest.Algorithm, d.Digest.Hex) }
	text, err := json.Marshal([]tarball.Descriptor{{Config: blob(manifest.Config),
		RepoTags: []string{"spyglass:" + r.version}, Layers: []string{blob(manifest.Layers[0])}}})
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

// imageConfig returns how the image runs: as serve on the data folder, which is a volume.
func (r release) imageConfig() v1.Config {
	return v1.Config{
		User: fmt.Sprintf("%d:%d", imageUser, imageUser), WorkingDir: "/" + imageFolder,
		Entrypoint: []string{"/usr/bin/spyglass"}, Cmd: []string{"serve"}, StopSignal: "SIGTERM",
		// the data folder is that of the user's data
		Env:          []string{"PATH=/usr/bin", "XDG_DATA_HOME=/" + path.Dir(imageFolder)},
		Volumes:      map[string]struct{}{"/" + imageFolder: {}},
		ExposedPorts: map[string]struct{}{"8443/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Spyglass",
			"org.opencontainers.image.description": "A monitoring portal with an API explorer",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.created":     r.at.Format(time.RFC3339),
		},
	}
}

// imageFiles returns everything in the image. The program has the time zones itself.
func imageFiles(program []byte) []imageFile {
	return []imageFile{
		{"etc", 0o755, 0, nil},
		{"etc/group", 0o644, 0, []byte("root:x:0:\nspyglass:x:65532:\n")},
		{"etc/passwd", 0o644, 0, []byte("root:x:0:0:root:/:/sbin/nologin\n" +
			"spyglass:x:65532:65532:Spyglass:/var/lib/spyglass:/sbin/nologin\n")},
		{"etc/ssl", 0o755, 0, nil},
		{"etc/ssl/certs", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, authorities()},
		{"tmp", 0o1777, 0, nil},
		{"usr", 0o755, 0, nil},
		{"usr/bin", 0o755, 0, nil},
		{"usr/bin/spyglass", 0o755, 0, program},
		{"var", 0o755, 0, nil},
		{"var/lib", 0o755, 0, nil},
		{imageFolder, 0o700, imageUser, nil},
	}
}

// authorities returns the certificates of the authorities that browsers accept, without
// those that Mozilla limits, because a file cannot express the limits.
func authorities() []byte {
	var text bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&text, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer never fails
		}
	}
	return text.Bytes()
}

// imageTar returns the files as an archive.
func (r release) imageTar(files []imageFile) ([]byte, error) {
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.path, Mode: f.mode, Uid: f.user, Gid: f.user, Size: int64(len(f.text)), ModTime: r.at,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if f.text == nil {
			h.Name, h.Typeflag = f.path+"/", tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := t.Close()
	return out.Bytes(), err
}

// layoutTar writes the folder of an OCI layout as an archive, sorted.
func (r release) layoutTar(folder, to string) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	t := tar.NewWriter(out)
	err = filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error { // in the order of names
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		err = t.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(text)),
			ModTime: r.at, Format: tar.FormatUSTAR})
		if err != nil {
			return err
		}
		_, err = t.Write(text)
		return err
	})
	return errors.Join(err, t.Close())
}
