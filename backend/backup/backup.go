// Package backup writes a whole portal to one file, and restores it.
//
// Write creates the file while the portal runs; Restore and Finish replace the
// contents of a data folder with it.
//
// # The file
//
// A ZIP with a copy of each database (samples included), the files of reports,
// and, last, manifest.json: the version that made it, and of each file its
// size, its SHA-256 and, of a database, the number of its layout. Passwords of
// devices, access keys of tokens and the like stay sealed in it: the key that
// opens them, portal.db.key, is not part of it and has to be kept apart. The
// manifest has a fingerprint of that key, so that a restore can check whether
// it is the right one. The contents of the OS keyring are not part of it
// either.
//
// # Nothing half done
//
// Write makes a hidden folder beside its file and renames the file into place at
// the end. Restore unpacks into a folder inside the data folder, checks
// everything there, and then names it "ready" in one step: from then on the
// restore is pending. Only files remain to be moved; Finish, which every start of
// a portal calls, does that, and resumes after a crash. Before that step the data
// folder is unchanged. Stage stops after that step, while a portal runs.
//
// What a restore replaces is kept in the folder "before-restore" until the next
// restore, or until DeleteReplaced. Undo makes it ready in turn.
//
// # Errors
//
// A file that is broken, foreign or from a newer version is fault.Conflict, a
// full disk fault.Full.
package backup

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/private"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// databases lists the databases, each of which is copied in one state; the
// portal's is last, so that all rows it refers to are in the other copies.
var databases = []string{"series.db", "workspace.db", "portal.db"}

const (
	portalFile = "portal.db"         // a folder with this file contains a portal
	keyFile    = portalFile + ".key" // the key of its secrets
	folderName = "reports"           // the folder of report files, which are part of a backup
	manifest   = "manifest.json"     // the last entry of the file
	layout     = 1                   // layout version of the file; a higher one was written by a newer program
	pulse      = 500 * time.Millisecond
)

// Manifest describes the contents of a backup.
type Manifest struct {
	Layout  int       `json:"layout"`
	Version string    `json:"version"` // version of the program that created it
	Made    time.Time `json:"made"`
	Key     string    `json:"key"` // fingerprint of the key for the secrets
	Files   []File    `json:"files"`
}

// File is one file of a backup.
type File struct {
	Name   string `json:"name"` // in the data folder, with /
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Layout int    `json:"layout,omitempty"` // for a database
}

// Progress is the progress of a backup or a restore with one file, in bytes.
// Total is 0 while it is unknown.
type Progress struct {
	Doing string `json:"doing" enum:"copying|packing|checking|unpacking"`
	File  string `json:"file"`
	Done  int64  `json:"done"`
	Total int64  `json:"total" doc:"0 while it is unknown"`
}

// Databases copies and checks the files of databases. The store implements it.
type Databases interface {
	// Size returns the size of a database, 0 if it is unknown. It returns
	// fs.ErrNotExist if there is none.
	Size(ctx context.Context, path string) (int64, error)
	// Copy writes the current state of a database to a new file, even while it is
	// open.
	Copy(ctx context.Context, from, to string) error
	// Check reads a whole database that no process has open, and returns its
	// layout version. It returns fault.Conflict if the file is damaged or from a
	// newer version.
	Check(ctx context.Context, path string) (layout int, err error)
	// Replaceable returns why a restore cannot replace the databases; nil if it can.
	Replaceable() error
	// Reports returns the folder of the files of reports: the given one, or work, if it
	// has copied them there.
	Reports(ctx context.Context, folder, work string) (string, error)
	// Key returns the key for the secrets if it is not in the data folder; nil if it is.
	Key() []byte
	// ReleaseKey allows a database that no process has open to use another key.
	ReleaseKey(ctx context.Context, path string) error
}

// Options configures a backup or a restore.
type Options struct {
	Folder   string // the data folder
	File     string // the backup
	Name     string // the user's name of that file; its path when empty
	Version  string // of this program
	Clock    func() time.Time
	Progress func(Progress) // called by one goroutine at a time, about twice a second

	Guard *service.Guard

	Databases Databases

	WithoutKey bool // restore even if the secrets cannot be decrypted
}

// name returns the name of the backup for messages.
func (o Options) name() string { return cmp.Or(o.Name, o.File) }

// Write backs up a data folder to a new file.
func Write(ctx context.Context, o Options) (err error) {
	if _, err := o.Databases.Size(ctx, filepath.Join(o.Folder, portalFile)); errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Conflict, "there is no portal in %s; name its folder with --data", o.Folder)
	}
	if _, err := os.Lstat(o.File); err == nil {
		return fault.New(fault.Conflict, "%s already exists; choose another name, or delete it first", o.File)
	}
	work, err := os.MkdirTemp(filepath.Dir(o.File), ".spyglass-backup-")
	if err != nil {
		return unwritten(o.File, err)
	}
	defer func() { err = unwritten(o.File, errors.Join(err, os.RemoveAll(work))) }()
	_ = private.Close(work, 0o700) // for Windows, which ignores modes; it fails on a disk without access lists
	path := filepath.Join(work, "backup")
	if err := o.pack(ctx, work, path); err != nil {
		return err
	}
	return os.Rename(path, o.File)
}

func (o Options) pack(ctx context.Context, work, path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	w := zip.NewWriter(file)
	m := Manifest{Layout: layout, Version: o.Version, Made: o.Clock().UTC().Truncate(time.Second)}
	if m.Key, err = o.fingerprint(); err != nil {
		return err
	}
	for _, name := range databases {
		f, err := o.database(ctx, w, work, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a portal without an Explorer has no workspace
		}
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	reports, err := o.Databases.Reports(ctx, filepath.Join(o.Folder, folderName), filepath.Join(work, folderName))
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(reports)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		f, err := o.add(ctx, w, folderName+"/"+e.Name(), filepath.Join(reports, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // its task was deleted meanwhile
		}
		if err != nil {
			return err
		}
		m.Files = append(m.Files, f)
	}
	if err := writeManifest(w, m); err != nil {
		return err
	}
	return errors.Join(w.Close(), file.Sync(), file.Close())
}

// database adds a copy of a database, which temporarily needs space beside the
// backup.
func (o Options) database(ctx context.Context, w *zip.Writer, work, name string) (File, error) {
	from, to := filepath.Join(o.Folder, name), filepath.Join(work, name)
	size, err := o.Databases.Size(ctx, from)
	if err != nil {
		return File{}, err
	}
	err = o.watch(Progress{Doing: "copying", File: name, Total: size}, to, func() error {
		return o.Databases.Copy(ctx, from, to)
	})
	if err != nil {
		return File{}, err
	}
	number, err := o.Databases.Check(ctx, to)
	if err != nil {
		return File{}, err
	}
	f, err := o.add(ctx, w, name, to)
	f.Layout = number
	return f, errors.Join(err, os.Remove(to))
}

// watch reports the growth of a file until do is done.
func (o Options) watch(p Progress, path string, do func() error) error {
	tick, done := time.NewTicker(pulse), make(chan error, 1)
	defer tick.Stop()
	go func() {
		var err error
		if p := o.Guard.Run("backup", func() { err = do() }); p != nil {
			err = p
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			if info, err := os.Stat(path); err == nil {
				p.Done = info.Size()
			}
			o.Progress(p)
		}
	}
}

// add packs one file.
func (o Options) add(ctx context.Context, w *zip.Writer, name, path string) (f File, err error) {
	source, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return f, err
	}
	entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: info.ModTime().UTC()})
	if err != nil {
		return f, err
	}
	sum := sha256.New()
	flow := &flow{ctx: ctx, in: source, progress: o.Progress, notifiedOn: time.Now(),
		at: Progress{Doing: "packing", File: name, Total: info.Size()}}
	size, err := io.Copy(io.MultiWriter(entry, sum), flow)
	return File{Name: name, Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}

func writeManifest(w *zip.Writer, m Manifest) error {
	entry, err := w.CreateHeader(&zip.FileHeader{Name: manifest, Method: zip.Deflate, Modified: m.Made})
	if err != nil {
		return err
	}
	e := json.NewEncoder(entry)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// flow is a Reader that ends when ctx ends, and reports its progress.
type flow struct {
	ctx        context.Context
	in         io.Reader
	progress   func(Progress)
	at         Progress
	notifiedOn time.Time
}

func (f *flow) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.in.Read(p)
	f.at.Done += int64(n)
	if now := time.Now(); now.Sub(f.notifiedOn) >= pulse {
		f.notifiedOn = now
		f.progress(f.at)
	}
	return n, err
}

// fingerprint identifies the key of the portal.
func (o Options) fingerprint() (string, error) {
	print, err := fingerprint(o.Folder)
	if key := o.Databases.Key(); err == nil && print == "" && key != nil {
		print = resource.KeyFingerprint(key)
	}
	return print, err
}

// fingerprint identifies a key without revealing anything else about it; "" for
// no key.
func fingerprint(folder string) (string, error) {
	key, err := os.ReadFile(filepath.Join(folder, keyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return resource.KeyFingerprint(key), err
}

// unwritten explains why a file could not be written.
func unwritten(path string, err error) error {
	var known *fault.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return &fault.Error{Kind: fault.Conflict, Message: "stopped; nothing was changed", Err: err}
	case fault.NoRoom(err), errors.Is(err, syscall.EFBIG):
		return &fault.Error{Kind: fault.Full, Message: "the disk is full; nothing was changed", Err: err}
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return &fault.Error{Kind: fault.Conflict, Message: path + " cannot be written: " + p.Err.Error(), Err: err}
	}
	return err
}
