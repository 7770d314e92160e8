package server

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/private"
	"spyglass/backend/report"
	"spyglass/backend/store"
)

// Backup writes the portal of a data folder to a new file, in the process that
// has the folder open or else in this one. It calls progress at each step.
func Backup(ctx context.Context, o Options, file string, progress func(backup.Progress)) (err error) {
	if file, err = filepath.Abs(file); err != nil {
		return err
	}
	if _, err := os.Stat(o.Data); err != nil {
		return fault.New(fault.Conflict, "there is no data folder %s; name it with --data", o.Data)
	}
	options := o.backup(file, progress)
	l, err := holdFolder(o)
	if err == nil {
		return errors.Join(backup.Write(ctx, options), l.release())
	}
	if !errors.Is(err, errTaken) {
		return err
	}
	conn, dialErr := dialControl(ctx, o.Data, err)
	if errors.Is(dialErr, errNotOwner) {
		return dialErr
	}
	if dialErr != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	_, err = exchange(conn, Command{Do: doBackup, File: file}, progress)
	if ctx.Err() != nil {
		return fault.New(fault.Conflict, "stopped; nothing was changed")
	}
	return err
}

// Restore replaces the contents of a data folder by a backup. No portal may run
// on the folder. With withoutKey, it works even if the key for the secrets of the
// backup is missing; the secrets then count as not set. If the options have a database,
// the portal moves there: it has to be empty. moved then says what has moved.
func Restore(ctx context.Context, o Options, file string, withoutKey bool,
	progress func(backup.Progress)) (moved []Moved, err error) {
	_, err = os.Stat(o.Data)
	made := errors.Is(err, os.ErrNotExist)
	if err := private.MkdirAll(o.Data); err != nil {
		return nil, fault.New(fault.Conflict, "the data folder %s cannot be created (%v); choose another one with "+
			"--data", o.Data, cause(err))
	}
	l, err := holdFolder(o)
	if err != nil {
		return nil, err
	}
	options := o.files(file, progress)
	options.WithoutKey = withoutKey
	if err = backup.Finish(o.Data); err == nil && o.Database != "" {
		err = o.emptyDatabase(ctx)
	}
	if err == nil {
		err = backup.Restore(ctx, options)
	}
	if err == nil && o.Database != "" {
		moved, err = o.moveRestored(ctx, progress)
	}
	if err != nil && made {
		return nil, errors.Join(err, l.release(), os.Remove(filepath.Join(o.Data, "lock")), os.Remove(o.Data))
	}
	return moved, errors.Join(err, l.release())
}

// MovingRows is Progress.Doing while a restored portal moves into a database; its numbers
// are then rows.
const MovingRows = "moving"

// moveRestored moves a restored portal into the database. Its files are then no longer
// needed: the backup has them.
func (o Options) moveRestored(ctx context.Context, progress func(backup.Progress)) (all []Moved, err error) {
	last := time.Now()
	all, err = o.move(ctx, false, func(p MoveProgress) {
		if time.Since(last) >= time.Second {
			last = time.Now()
			progress(backup.Progress{Doing: MovingRows, File: p.Table, Done: p.Done, Total: p.Total})
		}
	})
	if err == nil && !Same(all) {
		err = fault.New(fault.Conflict, "the database differs from the backup; empty it and restore the backup again")
	}
	for _, name := range o.movedFiles() {
		for _, part := range []string{"", "-wal", "-shm"} {
			if err == nil {
				err = present(os.Remove(filepath.Join(o.Data, name+part)))
			}
		}
	}
	if err == nil {
		err = os.RemoveAll(filepath.Join(o.Data, report.Folder))
	}
	return all, err
}

// files returns the options for the files of the data folder.
func (o Options) files(file string, progress func(backup.Progress)) backup.Options {
	clock := o.Clock
	if clock == nil {
		clock = time.Now
	}
	return backup.Options{Folder: o.Data, File: file, Version: cmp.Or(o.Version, "unknown"), Clock: clock,
		Progress: progress, Databases: store.Files{Given: o.Key}}
}

// backup returns the options for a backup of the portal.
func (o Options) backup(file string, progress func(backup.Progress)) backup.Options {
	options := o.files(file, progress)
	options.Databases = o.databases(nil)
	return options
}

// databases returns the functions to copy and check the databases of the portal. files are
// those of reports, if it is open.
func (o Options) databases(files report.Files) backup.Databases {
	if o.Database == "" {
		return store.Files{Given: o.Key}
	}
	place := o.place()
	place.Database = o.Database
	return onServer{store.OnServer{Files: store.Files{Given: o.Key}, Place: place, Tables: movable,
		Beside: o.Workspace}, o, files}
}
