package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Progress reports how far the upgrade of a database to this version is.
type Progress struct {
	File  string // its name, portal.db
	Table string // whose rows are rewritten; empty while the file is copied
	Done  int    // rows, of Total
	Total int
}

// Percent returns how much of a table is done, 0 to 100.
func (p Progress) Percent() int {
	if p.Total == 0 {
		return 0
	}
	return 100 * p.Done / p.Total
}

// String describes the progress in one line: "portal.db: updating device, 40 %".
func (p Progress) String() string {
	if p.Table == "" {
		return p.File + ": making a safety copy"
	}
	return fmt.Sprintf("%s: updating %s, %d %%", p.File, p.Table, p.Percent())
}

// progressEach is the number of rows between two reports.
const progressEach = 500

// copyMark separates the name of a database in that of a safety copy from the time:
// portal-before-20260504T120000.db.
const copyMark, copyTime = "-before-", "20060102T150405"

// backupOnce makes a safety copy before the first migration since the program started.
func (db *DB) backupOnce(ctx context.Context) error {
	if db.backedUp {
		return nil
	}
	db.backedUp = true
	if db.remote {
		db.log.WarnContext(ctx, "the declarations changed: migrating without a copy, which only the database server "+
			"can make", "database", db.name)
		return nil
	}
	ext := filepath.Ext(db.path)
	path, err := unused(strings.TrimSuffix(db.path, ext)+copyMark+db.clock().UTC().Format(copyTime), ext)
	if err != nil {
		return full(err)
	}
	db.log.InfoContext(ctx, "the declarations changed: keeping a copy before migrating", "copy", path)
	db.upgrade(Progress{File: filepath.Base(db.path)})
	if err := db.Backup(ctx, path); err != nil {
		_ = os.Remove(path) // remove the incomplete copy
		return err
	}
	return nil
}

// unused creates an empty file for the engine to write a copy to. It numbers the
// name if an earlier copy has it: two starts can happen within one second.
func unused(name, ext string) (path string, err error) {
	path = name + ext
	for n := 2; ; n++ {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return path, f.Close()
		}
		if !errors.Is(err, os.ErrExist) {
			return "", err
		}
		path = fmt.Sprintf("%s-%d%s", name, n, ext)
	}
}

// RemoveCopies deletes the safety copies of databases in a folder that were made before a
// time, and returns their paths.
func RemoveCopies(folder string, before time.Time) (removed []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))
		_, made, isCopy := strings.Cut(name, copyMark)
		made, _, _ = strings.Cut(made, "-") // the number
		at, err := time.Parse(copyTime, made)
		if !isCopy || err != nil || filepath.Ext(e.Name()) != ".db" || !e.Type().IsRegular() || !at.Before(before) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if err := os.Remove(path); err == nil {
			removed = append(removed, path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return removed, errors.Join(errs...)
}
