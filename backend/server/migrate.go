package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/private"
	"spyglass/backend/report"
	"spyglass/backend/store"
)

// Aliases for the users of Migrate and Options.
type (
	// MoveProgress is the progress of a migration.
	MoveProgress = store.MoveProgress
	// Moved is a table that a migration has moved.
	Moved = store.Moved
	// Workspace is the Explorer's data, which moves with the portal.
	Workspace = store.Workspace
)

// Migrate moves the portal between the files of the data folder and the PostgreSQL
// database of the options: into the database, or back into files. The other files of the
// folder stay in it. The files of a portal that has moved into the database are kept under
// another name.
//
// It returns the tables with the sums of both sides. If they differ, the move is not
// complete.
func Migrate(ctx context.Context, o Options, back bool, progress func(MoveProgress)) (all []Moved,
	err error) {
	if _, err := os.Stat(o.Data); err != nil && !back {
		return nil, fault.New(fault.Conflict, "there is no data folder %s", o.Data)
	}
	if err := private.MkdirAll(o.Data); err != nil {
		return nil, fault.New(fault.Conflict, "the data folder %s cannot be created (%v)", o.Data, cause(err))
	}
	l, err := holdFolder(o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	if err := backup.Finish(o.Data); err != nil {
		return nil, err
	}
	all, err = o.move(ctx, back, progress)
	if err != nil || back || !Same(all) {
		return all, err
	}
	return all, o.keepMoved()
}

// move is Migrate in a folder that this process holds.
func (o Options) move(ctx context.Context, back bool, progress func(MoveProgress)) ([]Moved, error) {
	tables, err := movable()
	if err != nil {
		return nil, err
	}
	files := o.place()
	server := files
	server.Database = o.Database
	m := store.Move{From: files, To: server, Tables: tables, Beside: o.Workspace, Key: o.Key,
		Progress: progress, Files: o.moveReports(back, progress)}
	if back {
		m.From, m.To = server, files
	}
	all, err := m.Run(ctx)
	if ctx.Err() != nil {
		return nil, fault.New(fault.Conflict, "stopped; repeat the command to resume")
	}
	if err == nil && back && Same(all) {
		err = o.writeKey()
	}
	return all, err
}

// writeKey writes the given key into a folder that has none, for a portal in files.
func (o Options) writeKey() error {
	if o.Key == nil {
		return nil
	}
	file, err := os.OpenFile(o.place().Portal+".key", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		_, err = file.Write(o.Key)
		err = errors.Join(err, file.Sync(), file.Close())
	}
	return err
}

// Same reports whether both sides of a move are equal.
func Same(all []Moved) bool {
	for _, one := range all {
		if !one.Same() {
			return false
		}
	}
	return true
}

// keepMoved renames the files of a portal that has moved into a database, so that the
// folder is one for a portal in a database.
func (o Options) keepMoved() error {
	clock := o.Clock
	if clock == nil {
		clock = time.Now
	}
	mark := "-moved-" + clock().UTC().Format("20060102T150405")
	for _, name := range o.movedFiles() {
		ext := filepath.Ext(name)
		err := renameDatabase(filepath.Join(o.Data, name),
			filepath.Join(o.Data, strings.TrimSuffix(name, ext)+mark+ext))
		if err != nil {
			return err
		}
	}
	reports := filepath.Join(o.Data, report.Folder)
	if err := os.Remove(reports); err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil // it was empty
	}
	return os.Rename(reports, reports+mark)
}

// movedFiles returns the names of the databases that a move takes from the data folder.
func (o Options) movedFiles() []string {
	names := []string{portalFile, samplesFile}
	if len(o.Workspace.Tables.Known) > 0 {
		names = append(names, workspaceFile)
	}
	return names
}

// place returns the files of the data folder.
func (o Options) place() store.Place {
	return store.Place{Portal: filepath.Join(o.Data, portalFile), Samples: filepath.Join(o.Data, samplesFile),
		Workspace: filepath.Join(o.Data, workspaceFile)}
}

// emptyDatabase refuses a database that has a portal.
func (o Options) emptyDatabase(ctx context.Context) error {
	return store.Place{Database: o.Database}.Empty(ctx)
}
