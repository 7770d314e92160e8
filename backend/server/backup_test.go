package server_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/server"
	"spyglass/backend/store"
)

func unheard(backup.Progress) {}

// pouch is a portal with a device that has a secret, and a backup of the portal.
type pouch struct{ folder, file string }

func (p pouch) options() server.Options {
	return server.Options{Data: p.folder, Version: "0.9.0", Twice: true}
}

const pouchSecret = "kingfisher-17"

func devicesOf(t *testing.T, folder string) []string {
	t.Helper()
	portal := startChild(t, folder)
	defer portal.kill()
	c := portal.client(t, folder)
	var list struct {
		Items []struct{ Name string }
	}
	status, response, err := c.request("GET", "/api/device/devices?fields=name", "")
	if err == nil {
		err = json.Unmarshal(response, &list)
	}
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, response, err)
	}
	var names []string
	for _, d := range list.Items {
		names = append(names, d.Name)
	}
	return names
}

func (c *child) client(t *testing.T, folder string) *client {
	t.Helper()
	token, err := server.Send(t.Context(), server.Options{Data: folder},
		server.Command{Do: server.DoCreateToken, Name: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Client{}
	t.Cleanup(web.CloseIdleConnections)
	return &client{t: t, origin: c.origin, bearer: token.Bearer, http: web}
}

// newPouch copies the prepared pouch, which the first caller creates.
func newPouch(t *testing.T) pouch {
	t.Helper()
	made := pouch{filepath.Join(prepared, "pouch"), filepath.Join(prepared, "pouch.backup")}
	pouchMade.Lock()
	defer pouchMade.Unlock()
	if _, err := os.Stat(made.file); err != nil {
		makePouch(t, made)
	}
	p := pouch{filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "portal.backup")}
	copyPortal(t, made.folder, p.folder)
	text, err := os.ReadFile(made.file)
	if err == nil {
		err = os.WriteFile(p.file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var pouchMade sync.Mutex

// makePouch backs up a running portal, and then changes the portal.
func makePouch(t *testing.T, p pouch) {
	t.Helper()
	portal := startChild(t, p.folder)
	c := portal.client(t, p.folder)
	create := func(name string) {
		body := fmt.Sprintf(`{"name":%q,"customProperties":[{"name":"snmp.community","value":%q}]}`, name, pouchSecret)
		if status, response, err := c.request("POST", "/api/device/devices", body); err != nil ||
			status != http.StatusCreated {
			t.Fatalf("%d %s %v", status, response, err)
		}
	}
	create("before")
	if err := server.Backup(t.Context(), p.options(), p.file, unheard); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(p.file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the backup is %v (%v), want -rw-------", info.Mode(), err)
	}
	create("after")
	if _, err := server.Restore(t.Context(), p.options(), p.file, false, unheard); !fault.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "another Spyglass runs on the data folder") {
		t.Errorf("beside a running portal a restore says %v", err)
	}
	portal.kill()
	if err := os.RemoveAll(filepath.Join(p.folder, "control.sock")); err != nil { // it cannot be copied
		t.Fatal(err)
	}
}

func TestBackupOfARunningPortalCanBeRestored(t *testing.T) {
	p := newPouch(t)
	for name, text := range entries(t, p.file) {
		if bytes.Contains(text, []byte(pouchSecret)) || strings.HasSuffix(name, ".key") {
			t.Errorf("%s gives a secret away", name)
		}
	}
	if err := server.Backup(t.Context(), p.options(), p.file, unheard); err == nil ||
		!strings.Contains(err.Error(), "already exists") {
		t.Errorf("a second backup to the same file says %v", err)
	}
	second := filepath.Join(filepath.Dir(p.file), "second")
	if err := server.Backup(t.Context(), p.options(), second, unheard); err != nil {
		t.Errorf("without a running portal a backup says %v", err)
	}
	if _, err := server.Restore(t.Context(), p.options(), p.file, false, unheard); err != nil {
		t.Fatal(err)
	}
	if got := devicesOf(t, p.folder); !slices.Equal(got, []string{"before"}) {
		t.Errorf("the devices are %v after the restore", got)
	}
	if _, err := server.Restore(t.Context(), p.options(), second, false, unheard); err != nil {
		t.Fatal(err)
	}
	if got := devicesOf(t, p.folder); !slices.Equal(got, []string{"before", "after"}) {
		t.Errorf("the devices are %v after the second restore", got)
	}

	elsewhere := p
	elsewhere.folder = filepath.Join(t.TempDir(), "data")
	_, err := server.Restore(t.Context(), elsewhere.options(), p.file, false, unheard)
	if err == nil || !strings.Contains(err.Error(), "put the portal.db.key of the portal that was backed up there") {
		t.Errorf("without its key a restore says %v", err)
	}
	if _, err := os.Stat(elsewhere.folder); err == nil {
		t.Error("the refused restore has left a folder")
	}
	if _, err := server.Restore(t.Context(), elsewhere.options(), p.file, true, unheard); err != nil {
		t.Fatal(err)
	}
	if got := devicesOf(t, elsewhere.folder); !slices.Equal(got, []string{"before"}) {
		t.Errorf("the devices are %v where the key is lost", got)
	}
}

func TestRestoreResumesAfterAKill(t *testing.T) {
	for _, at := range []string{"before anything was moved", "while what was there is moved away",
		"while what is restored is moved in"} {
		t.Run(at, func(t *testing.T) {
			p := newPouch(t)
			o := backup.Options{Folder: p.folder, File: p.file, Clock: time.Now, Progress: unheard,
				Databases: store.Files{}}
			if err := backup.Stage(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			work := filepath.Join(p.folder, "restore")
			move := func(from, to string) {
				t.Helper()
				if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(from, to)); err != nil {
					t.Fatal(err)
				}
			}
			moves := 0
			if at != "before anything was moved" {
				moves = 1
			}
			if at == "while what is restored is moved in" {
				moves = 3
			}
			for _, name := range []string{"portal.db", "portal.db-wal", "series.db"}[:moves] {
				if _, err := os.Stat(filepath.Join(p.folder, name)); err == nil {
					move(filepath.Join(p.folder, name), filepath.Join(work, "replaced", name))
				}
			}
			if moves == 3 {
				for _, name := range []string{"series.db-wal", "reports"} {
					if _, err := os.Stat(filepath.Join(p.folder, name)); err == nil {
						move(filepath.Join(p.folder, name), filepath.Join(work, "replaced", name))
					}
				}
				move(filepath.Join(work, "ready"), filepath.Join(work, "moving"))
				move(filepath.Join(work, "moving", "series.db"), filepath.Join(p.folder, "series.db"))
			}
			if got := devicesOf(t, p.folder); !slices.Equal(got, []string{"before"}) {
				t.Errorf("the devices are %v", got)
			}
			if _, err := os.Stat(work); err == nil {
				t.Error("the folder of the restore is still there")
			}
			if err := backup.Undo(p.folder); err != nil {
				t.Fatal(err)
			}
			if got := devicesOf(t, p.folder); !slices.Equal(got, []string{"before", "after"}) {
				t.Errorf("the devices are %v after Undo", got)
			}
		})
	}
}

func TestReplacedDataIsKeptUntilItIsDeleted(t *testing.T) {
	p := newPouch(t)
	o := backup.Options{Folder: p.folder, File: p.file, Clock: time.Now, Progress: unheard, Databases: store.Files{}}
	state := func() (out string) {
		t.Helper()
		s, err := backup.StateOf(p.folder)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("waits %t, keeps %t", s.Waits, !s.Replaced.IsZero() && s.KeptBytes > 0)
	}
	for _, step := range []struct {
		name string
		do   func() error
		says string
		want string
	}{
		{"undo of nothing", func() error { return backup.Undo(p.folder) }, "no longer kept",
			"waits false, keeps false"},
		{"nothing to take back", func() error { return backup.Unstage(p.folder) }, "no restore is pending",
			"waits false, keeps false"},
		{"a restore waits", func() error { return backup.Stage(t.Context(), o) }, "", "waits true, keeps false"},
		{"one more", func() error { return backup.Stage(t.Context(), o) }, "is already pending for the next start",
			"waits true, keeps false"},
		{"it is taken back", func() error { return backup.Unstage(p.folder) }, "", "waits false, keeps false"},
		{"it waits again", func() error { return backup.Stage(t.Context(), o) }, "", "waits true, keeps false"},
		{"it is done", func() error { return backup.Finish(p.folder) }, "", "waits false, keeps true"},
		{"it shall be undone", func() error { return backup.Undo(p.folder) }, "", "waits true, keeps false"},
		{"no, it shall not", func() error { return backup.Unstage(p.folder) }, "", "waits false, keeps true"},
		{"forgotten", func() error { return backup.DeleteReplaced(p.folder) }, "", "waits false, keeps false"},
	} {
		err := step.do()
		if (err == nil) != (step.says == "") || err != nil && !strings.Contains(err.Error(), step.says) {
			t.Errorf("%s: it says %v, want %q", step.name, err, step.says)
		}
		if got := state(); got != step.want {
			t.Errorf("%s: the folder %s, want %s", step.name, got, step.want)
		}
	}
}

func TestRestoreOfADamagedBackupChangesNothing(t *testing.T) {
	p := newPouch(t)
	whole, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, p.folder)
	const broken, newer = "is not a complete backup of Spyglass; nothing was changed",
		"was made by a newer version of Spyglass"
	for _, tt := range []struct {
		name, says string
		file       []byte
	}{
		{"empty", broken, nil},
		{"text", broken, []byte("not a backup")},
		{"cut short", broken, whole[:len(whole)/2]},
		{"a changed byte", broken, changed(whole)},
		{"wrong sum", broken,
			rewritten(t, p.file, func(m *backup.Manifest, _ map[string][]byte) {
				m.Files[0].SHA256 = strings.Repeat("0", 64)
			})},
		{"wrong size", broken,
			rewritten(t, p.file, func(m *backup.Manifest, _ map[string][]byte) { m.Files[0].Size-- })},
		{"a file missing", broken,
			rewritten(t, p.file, func(_ *backup.Manifest, files map[string][]byte) { delete(files, "series.db") })},
		{"no portal", broken, rewritten(t, p.file, func(m *backup.Manifest, _ map[string][]byte) {
			m.Files = slices.DeleteFunc(m.Files, func(f backup.File) bool { return f.Name == "portal.db" })
		})},
		{"a path out of the folder", broken, rewritten(t, p.file, func(m *backup.Manifest, _ map[string][]byte) {
			m.Files = append(m.Files, backup.File{Name: "reports/../../out"})
		})},
		{"no database", broken, rewritten(t, p.file, func(m *backup.Manifest, files map[string][]byte) {
			files["portal.db"] = bytes.Repeat([]byte("x"), 8192)
			stamp(m, "portal.db", files)
		})},
		{"a newer database", newer, rewritten(t, p.file, func(m *backup.Manifest, files map[string][]byte) {
			files["portal.db"][63] = 99 // user_version, sqlite.org/fileformat.html
			stamp(m, "portal.db", files)
		})},
		{"a newer file", newer, rewritten(t, p.file, func(m *backup.Manifest, _ map[string][]byte) { m.Layout = 2 })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "backup")
			if err := os.WriteFile(file, tt.file, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := server.Restore(t.Context(), p.options(), file, false, unheard)
			if !fault.Is(err, fault.Conflict) || !strings.Contains(fault.Of(err).Message, tt.says) {
				t.Errorf("it says %v, want %s", err, tt.says)
			}
			if after := contents(t, p.folder); after != before {
				t.Errorf("the folder was\n%s\nand is\n%s", before, after)
			}
		})
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := server.Restore(stopped, p.options(), p.file, false, unheard); err == nil ||
		fault.Of(err).Message != "stopped; nothing was changed" {
		t.Errorf("stopped, it says %v", err)
	}
	if err := server.Backup(stopped, p.options(), p.file+"2", unheard); err == nil ||
		fault.Of(err).Message != "stopped; nothing was changed" {
		t.Errorf("a backup that is stopped says %v", err)
	}
	if after := contents(t, p.folder); after != before {
		t.Error("what was stopped has changed the folder")
	}
	if got, _ := filepath.Glob(filepath.Join(filepath.Dir(p.file), "*")); len(got) != 1 {
		t.Errorf("beside the backup lies %v", got)
	}
}

// entries returns the files in a backup.
func entries(t *testing.T, file string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
		_ = in.Close()
	}
	return files
}

// rewritten returns a valid ZIP of a backup with changed contents.
func rewritten(t *testing.T, file string, change func(*backup.Manifest, map[string][]byte)) []byte {
	t.Helper()
	files := entries(t, file)
	var m backup.Manifest
	if err := json.Unmarshal(files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	change(&m, files)
	var err error
	if files["manifest.json"], err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range files {
		entry, err := z.Create(name)
		if err == nil {
			_, err = entry.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// stamp updates a file's entry in the manifest.
func stamp(m *backup.Manifest, name string, files map[string][]byte) {
	sum := sha256.Sum256(files[name])
	for i := range m.Files {
		if m.Files[i].Name == name {
			m.Files[i].Size, m.Files[i].SHA256 = int64(len(files[name])), hex.EncodeToString(sum[:])
		}
	}
}

func changed(whole []byte) []byte {
	other := bytes.Clone(whole)
	other[len(other)/3] ^= 1
	return other
}

// contents returns the names and checksums of all files in a folder.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var lines strings.Builder
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type()&os.ModeSocket != 0 {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&lines, "%s %x\n", path, sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

func TestStartWithoutARestoreChangesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file") // no file can be removed there, as on a read-only disk
	write(t, file, "x")
	if err := backup.Finish(file); err != nil {
		t.Error(err)
	}
}
