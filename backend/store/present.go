package store

import (
	"log/slog"
	"os"
	"sync/atomic"

	"spyglass/backend/fault"
)

// presence checks that the file of a database still exists. Writes to a deleted
// or replaced file would succeed and be lost, so each commit checks that.
type presence struct {
	path string
	file os.FileInfo
	log  *slog.Logger
	gone atomic.Bool // the loss was logged
}

func present(path string, log *slog.Logger) (*presence, error) {
	file, err := os.Stat(path)
	return &presence{path: path, file: file, log: log}, err
}

// check returns fault.Busy if the file is not the one that was opened. A database
// on a server has no presence.
func (p *presence) check() error {
	if p == nil {
		return nil
	}
	now, err := os.Stat(p.path)
	if err == nil && os.SameFile(p.file, now) {
		p.gone.Store(false)
		return nil
	}
	if !p.gone.Swap(true) {
		p.log.Error("the database was deleted or replaced while Spyglass is running: nothing more is written", "file",
			p.path, "err", err)
	}
	return &fault.Error{Kind: fault.Busy, Err: err, Message: p.path + " was deleted or replaced while Spyglass is " +
		"running; nothing was written. Stop Spyglass, put the data folder back, and start it again"}
}

// Writable returns the reason why writes fail: fault.Busy if the file was deleted
// or replaced, which is logged once, or the error given to Refuse.
func (db *DB) Writable() error { return db.writer.writable() }

// Refuse fails all later writes with err, so that a damaged file does not get
// worse; reading still works. Nil allows writes again.
func (db *DB) Refuse(err error) { db.writer.refused.Store(&err) }

func (w *writer) writable() error {
	if err := w.present.check(); err != nil {
		return err
	}
	if err := w.refused.Load(); err != nil {
		return *err
	}
	return nil
}

// Present returns fault.Busy if the file was deleted or replaced, which is logged
// once.
func (c *Chunks) Present() error { return c.present.check() }
