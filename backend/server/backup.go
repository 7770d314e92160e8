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
	l, err := holdFolder(o)
	if err == nil {
		return errors.Join(backup.Write(ctx, o.backup(file, progress)), l.release())
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
// backup is missing; the secrets then count as not set.
func Restore(ctx context.Context, o Options, file string, withoutKey bool, progress func(backup.Progress)) error {
	_, err := os.Stat(o.Data)
	made := errors.Is(err, os.ErrNotExist)
	if err := private.MkdirAll(o.Data); err != nil {
		return fault.New(fault.Conflict, "the data folder %s cannot be created (%v); choose another one with --data",
			o.Data, cause(err))
	}
	l, err := holdFolder(o)
	if err != nil {
		return err
	}
	options := o.backup(file, progress)
	options.WithoutKey = withoutKey
	err = errors.Join(backup.Finish(o.Data), backup.Restore(ctx, options))
	if err != nil && made {
		return errors.Join(err, l.release(), os.Remove(filepath.Join(o.Data, "lock")), os.Remove(o.Data))
	}
	return errors.Join(err, l.release())
}

// onServer is the error of what only a portal in files can do.
func onServer() error {
	return fault.New(fault.Conflict, "the portal is in a PostgreSQL database: back that up with pg_dump, and keep a "+
		"copy of portal.db.key from the data folder")
}

func (o Options) backup(file string, progress func(backup.Progress)) backup.Options {
	clock := o.Clock
	if clock == nil {
		clock = time.Now
	}
	return backup.Options{Folder: o.Data, File: file, Version: cmp.Or(o.Version, "unknown"), Clock: clock,
		Progress: progress, Databases: store.Files{}}
}
