package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spyglass/backend/store"
)

// samplesFile is the database of the samples.
const samplesFile = "series.db"

// workspaceFile is the database of the Explorer's workspace.
const workspaceFile = "workspace.db"

// losable lists the files that Options.Without may name.
var losable = []string{samplesFile, workspaceFile, "portal.db.key"}

// Sibling identifies a database beside the portal's.
type Sibling = store.Sibling

// WorkspaceName returns the name of the Explorer's workspace for OpenBeside.
func (o Options) WorkspaceName() string { return store.Place{Database: o.Database}.WorkspaceName() }

// OpenBeside opens a database beside the portal's. The portal stores the id of
// the file: open receives it, and returns it. If Options.Without names a lost
// file, OpenBeside creates a new one, and keeps an existing one under another
// name.
func (s *Server) OpenBeside(ctx context.Context, name string,
	open func(path string, sibling Sibling) (file string, err error)) error {
	path := filepath.Join(s.o.Data, name)
	known, err := s.db.Known(ctx, name)
	if err != nil {
		return err
	}
	file, err := open(path, Sibling{Portal: s.Setting.Instance, File: known})
	if errors.Is(err, store.ErrLost) && slices.Contains(s.o.Without, name) {
		if err := s.setAside(path); err != nil {
			return err
		}
		file, err = open(path, Sibling{Portal: s.Setting.Instance})
	}
	if err != nil || file == known {
		return err
	}
	return s.db.Know(ctx, name, file)
}

// setAside renames a database that must not be used, with its other files.
func (s *Server) setAside(path string) error {
	ext := filepath.Ext(path)
	to := strings.TrimSuffix(path, ext) + "-aside-" + s.o.Clock().UTC().Format("20060102T150405") + ext
	s.o.Log.Warn("continuing without a lost file; existing data is kept", "file", path, "kept", to)
	return renameDatabase(path, to)
}

// renameDatabase renames a database that no process has open, with its other files.
func renameDatabase(path, to string) error {
	for _, part := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(path+part, to+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// openDB opens the portal's own database, with its key.
func (s *Server) openDB(ctx context.Context, path string) (err error) {
	o := store.Options{Path: path, Database: s.o.Database, Shared: s.o.Database != "", Log: s.o.Log,
		Clock: s.o.Clock, Guard: s.guard,
		Secrets: true, Key: s.o.Key, Upgrade: s.ReportUpgrade, Twice: s.o.Twice}
	s.db, err = store.Open(ctx, o)
	if errors.Is(err, store.ErrLost) && slices.Contains(s.o.Without, filepath.Base(path)+".key") {
		o.NewKey = true
		s.o.Log.Warn("continuing without the passwords and access keys of the lost key; enter them again")
		s.db, err = store.Open(ctx, o)
	}
	return err
}
