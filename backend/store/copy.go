package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"spyglass/backend/fault"
	"spyglass/backend/store/engine"
)

// Files copies and checks database files that no DB of this process need have
// open.
type Files struct {
	Given []byte // the key of the portal, if its folder has no key file; may be nil
}

// Key returns the key of a portal whose folder has no key file; nil for none.
func (f Files) Key() []byte { return f.Given }

// Reports returns the folder of the files of reports.
func (Files) Reports(_ context.Context, folder, _ string) (string, error) { return folder, nil }

// Size returns the size of a database file.
func (Files) Size(_ context.Context, path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Replaceable returns nil: files can be replaced.
func (Files) Replaceable() error { return nil }

// Copy writes the current state of a database to a new file. Another process may
// have the database open; neither waits for the other.
func (Files) Copy(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return err // otherwise the engine would create the file
	}
	if err := embedded.Copy(ctx, from, to); err != nil {
		return explain(from, err)
	}
	return os.Chmod(to, 0o600)
}

// Verify reads a whole database, even while another process has it open. It
// returns fault.Conflict if the file is damaged; the cause lists the findings of
// the engine.
func (Files) Verify(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err // otherwise the engine would create the file
	}
	findings, err := embedded.Verify(ctx, path)
	if err == nil && findings != "" {
		return &fault.Error{Kind: fault.Conflict, Message: path + " is damaged: " + advice, Err: errors.New(findings)}
	}
	return explain(path, err)
}

// advice is the advice in errors about a damaged file.
const advice = "stop Spyglass, keep a copy of the data folder, and restore a backup"

// Damaged reports whether err says that a database file is damaged.
func Damaged(err error) bool { return class(err) == engine.Damaged }

// Check reads a whole database file, of this package or of Chunks, that no
// process has open. It returns the layout version of the file, and fault.Conflict
// if the file is damaged or from a newer version.
func (Files) Check(ctx context.Context, path string) (layout int, err error) {
	findings, found, err := embedded.Check(ctx, path)
	switch {
	case err != nil:
		return found.Format, explain(path, err)
	case findings != "":
		return 0, &fault.Error{Kind: fault.Conflict, Message: path + " is damaged", Err: errors.New(findings)}
	}
	newest := chunkFormat
	if found.Tables {
		newest = format
	}
	if found.Format > newest {
		err = fault.New(fault.Conflict, "%s was written by a newer version of Spyglass (format %d, this one knows %d)",
			path, found.Format, newest)
	}
	return found.Format, err
}

// OnServer copies the portal of a database on a server into database files. Other files of
// the data folder are those of Files.
type OnServer struct {
	Files
	Place  Place // the paths name the copied databases
	Tables func() (Tables, error)
	Beside Workspace
}

// Size returns 0 for the databases on the server.
func (s OnServer) Size(ctx context.Context, path string) (int64, error) {
	if path == s.Place.Workspace {
		has, err := false, error(nil)
		if s.Beside.exists() {
			has, err = s.Place.hasWorkspace(ctx)
		}
		if err == nil && !has {
			err = fs.ErrNotExist
		}
		return 0, err
	}
	if path == s.Place.Portal || path == s.Place.Samples {
		return 0, nil
	}
	return s.Files.Size(ctx, path)
}

// Replaceable returns an error: rows on a server cannot be replaced while they are in use.
func (s OnServer) Replaceable() error {
	return fault.New(fault.Conflict, "the portal is in the database %s. To restore a backup, stop the portal, and run "+
		"spyglass restore --database with the address of an empty database", s.Place.name())
}

// Copy writes one state of a database to a new file. Other processes may use the
// database.
func (s OnServer) Copy(ctx context.Context, from, to string) (err error) {
	options := engine.Options{ReadOnly: true}
	switch from {
	case s.Place.Portal:
	case s.Place.Samples:
		options.Chunks, options.Beside = true, besideSamples
	case s.Place.Workspace:
		options.Beside = besideWorkspace
	default:
		return s.Files.Copy(ctx, from, to)
	}
	source, err := s.Place.openOne(ctx, from, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	into := Place{Portal: to}
	target, err := into.openOne(ctx, to, engine.Options{Chunks: options.Chunks})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	quiet := func(MoveProgress) {}
	tables, err := s.Tables()
	if err != nil {
		return err
	}
	as := renamed(s.Place, into, s.Beside.exists())
	switch from {
	case s.Place.Samples:
		return explainEither(s.Place, into, copySamples(ctx, source, target, tables, quiet))
	case s.Place.Workspace:
		tables, as = s.Beside.Tables, withoutKey
	}
	if err := current(ctx, source, s.Place.name(), tables); err != nil {
		return err
	}
	if err := moved(ctx, source, s.Place.name()); err != nil {
		return err
	}
	if err := target.Writer().Prepare(ctx, format); err != nil {
		return explain(to, err)
	}
	return explainEither(s.Place, into, copyTables(ctx, source, target, tables, as, quiet))
}
