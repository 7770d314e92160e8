package store

import (
	"context"
	"errors"
	"os"

	"spyglass/backend/fault"
	"spyglass/backend/store/engine"
)

// Files copies and checks database files that no DB of this process need have
// open.
type Files struct{}

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
