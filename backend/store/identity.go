package store

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"spyglass/backend/fault"
	"spyglass/backend/store/engine"
)

// Sibling identifies a database that belongs to a portal. The file stores both
// values, and portal.db stores File, so that a missing file, or one of another
// portal, is never taken for a new one.
type Sibling struct {
	Portal string // the id of the portal; empty if the file belongs to none
	File   string // the id of the file in portal.db; empty if there is none
}

// ErrLost is the cause of the fault for a file that is missing, empty or belongs
// to another portal.
var ErrLost = errors.New("the file is not the one that the portal knows")

func lost(format string, args ...any) error {
	f := fault.New(fault.Conflict, format, args...)
	f.Err = ErrLost
	return f
}

// expect refuses a missing file that should exist, before the engine creates it.
func (s Sibling) expect(path string) error {
	if s.File == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	return lost("%s is missing or empty, although the portal beside it has written it; nothing was changed. Put the "+
		"file back, or restore a backup. To continue without its data, start once with --without %s", path,
		filepath.Base(path))
}

// claim returns the id of the file, and creates it if there is none.
func (s Sibling) claim(ctx context.Context, w engine.Writer, path string) (file string, err error) {
	if s.Portal == "" {
		return "", nil
	}
	if err := w.Begin(); err != nil { // nodes that start at the same time agree on one id
		return "", err
	}
	portal, file, err := s.own(ctx, w)
	if err == nil {
		err = w.Commit()
	}
	if err != nil {
		return "", errors.Join(err, w.Rollback())
	}
	if portal != s.Portal || s.File != "" && file != s.File {
		return "", lost("%s does not belong to the portal beside it; nothing was changed. Put the right file back, "+
			"or restore a backup. To continue with a new one, start once with --without %s: this file is then kept "+
			"under another name", path, filepath.Base(path))
	}
	return file, nil
}

// own returns the ids in the file. It writes them to a new file.
func (s Sibling) own(ctx context.Context, w engine.Writer) (portal, file string, err error) {
	portal, err = meta(ctx, w, engine.Identity, "portal")
	if err == nil {
		file, err = meta(ctx, w, engine.Identity, "file")
	}
	if err == nil && portal == "" && s.File == "" {
		portal, file = s.Portal, rand.Text()
		err = errors.Join(w.SetMeta(ctx, engine.Identity, "portal", portal),
			w.SetMeta(ctx, engine.Identity, "file", file))
	}
	return portal, file, err
}

// meta returns an identity value of the file; "" for none.
func meta(ctx context.Context, r engine.Reader, of engine.Meta, name string) (string, error) {
	values, err := r.Meta(ctx, of, name)
	if err != nil || len(values) == 0 {
		return "", err
	}
	return values[0], nil
}

// FileID returns the id of the database file; Options.Sibling names its owner.
func (db *DB) FileID() string { return db.file }

// FileID returns the id of the file.
func (c *Chunks) FileID() string { return c.file }

// Known returns the stored id of a file beside this database; "" for none.
func (db *DB) Known(ctx context.Context, name string) (file string, err error) {
	return meta(ctx, db.base, engine.Identity, name)
}

// Know stores the id of a file beside this database.
func (db *DB) Know(ctx context.Context, name, file string) error {
	return db.write(ctx, func(tx *tx) error { return tx.w.base.SetMeta(ctx, engine.Identity, name, file) })
}
