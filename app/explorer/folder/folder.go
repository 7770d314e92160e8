// Package folder serves the data folder as a whole: its size, backups and restores of
// it, and the diagnostics to send with a report of a problem.
//
// The folder belongs to every user, so all endpoints but /about are for administrators.
//
// # Units
//
// Sizes are bytes. Times are epoch milliseconds, 0 for never.
//
// # Concurrency
//
// Data is safe for concurrent use; its exported fields are set before the first use.
// One backup or restore runs at a time, on the goroutine of its request.
//
// # Errors
//
// fault.Conflict: another backup or restore is under way, or there is no desktop.
// fault.Denied: the caller is no administrator. fault.Full: the disk is full.
package folder

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"spyglass/app/diagnose"
	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Desk shows the folder, and starts the program again.
type Desk interface {
	OpenFolder(path string) error // in the system's file manager
	Restart() error               // closes the window, and starts the program again
}

// Data serves the data folder as a whole.
type Data struct {
	Workspace   *workspace.Workspace
	Folder      string // of the data, from the root
	DocumentDir string // of this process alone
	Version     string
	Desktop     bool
	Demo        bool
	Counts      func(ctx context.Context) (map[string]int64, error) // rows of the portal's tables
	Databases   backup.Databases                                    // copies and checks their files
	Tail        *diagnose.Tail                                      // of the log
	Desk        Desk                                                // nil where there is no desktop
	Life        *serve.Life
	Hub         *stream.Hub
	Began       time.Time // when the process did

	maintenance folderWork
}

// folderWork serializes backups and restores of the data folder: one runs at a
// time.
type folderWork struct {
	working sync.Mutex // held by whoever makes, reads or writes one of the files
}

// spool is the folder of a backup on its way out, or in. It is emptied at every start.
func (f *Data) spool() string { return filepath.Join(f.DocumentDir, "backup") }

// Empty deletes a backup on its way out, or in.
func (f *Data) Empty() error { return os.RemoveAll(f.spool()) }

// Endpoints are about the data folder as a whole, which is everybody's: all
// but the first are the administrator's.
func (f *Data) Endpoints() []resource.Endpoint {
	all := []resource.Endpoint{
		{Method: "GET", Path: "/data", Summary: "The data folder, and restores in it", Handle: f.showData},
		{Method: "POST", Path: "/data/backup", Summary: "Make a backup, to be fetched", Handle: f.makeBackup},
		{Method: "GET", Path: "/data/backup", Summary: "Fetch the backup, once", Handle: f.fetchBackup},
		{Method: "POST", Path: "/data/restore/parts", Summary: "Send a backup, piece by piece", Upload: "part",
			Limit: maxPart, Handle: f.takePart},
		serve.Post("/data/restore/look", "Check the backup that was sent", &requests, f.lookAtBackup),
		serve.Post("/data/restore", "Make the backup that was sent ready for the next start", &requests,
			f.stageRestore),
		{Method: "DELETE", Path: "/data/restore", Summary: "Take back a restore that waits for the next start",
			Handle: f.maintain(backup.Unstage)},
		{Method: "POST", Path: "/data/restore/undo", Summary: "Make what the last restore replaced ready for the " +
			"next start", Handle: f.maintain(backup.Undo)},
		{Method: "DELETE", Path: "/data/replaced", Summary: "Delete what the last restore replaced",
			Handle: f.maintain(backup.Forget)},
		{Method: "GET", Path: "/data/diagnostics", Summary: "What helps to find out what is wrong, without secrets",
			Handle: f.diagnostics},
		{Method: "POST", Path: "/native/open-folder", Summary: "Show the data folder in the system's file manager",
			Handle: f.openFolder},
		{Method: "POST", Path: "/native/restart", Summary: "Close the window and open it again", Handle: f.restart},
	}
	for i := range all {
		all[i].Handle = administrators(all[i].Handle)
	}
	return append(all, resource.Endpoint{Method: "GET", Path: "/about", Summary: "Which program this is",
		Handle: f.about})
}

// administrators lets nobody else in: a backup holds what every user may see.
func administrators(do serve.Handle) serve.Handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		if !c.Access.Admin {
			return nil, fault.New(fault.Denied, "only an administrator may do this")
		}
		return do(ctx, c)
	}
}

func (f *Data) about(context.Context, *resource.Call) (any, error) {
	built, revision := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.time":
				built = s.Value
			case "vcs.revision":
				revision = s.Value
			}
		}
	}
	return map[string]any{
		"version": f.Version, "built": built, "revision": revision, "go": runtime.Version(), "system": runtime.GOOS +
			"/" + runtime.GOARCH,
		"dataFolder": Homely(f.Folder),
	}, nil
}

// showData returns the state of the data folder for the page. Times are epoch
// milliseconds, 0 for never.
func (f *Data) showData(context.Context, *resource.Call) (any, error) {
	state, err := backup.StateOf(f.Folder)
	if err != nil {
		return nil, err
	}
	bytes, err := backup.Size(f.Folder)
	if err != nil {
		return nil, err
	}
	replaced := int64(0)
	if !state.Replaced.IsZero() {
		replaced = state.Replaced.UnixMilli()
	}
	return map[string]any{
		"folder": f.Folder, "bytes": bytes, "waits": state.Waits, "replaced": replaced, "keptBytes": state.KeptBytes,
	}, nil
}

// maintain runs a quick operation on the restores of the data folder, and
// returns the folder's state after it.
func (f *Data) maintain(do func(folder string) error) serve.Handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		free, err := f.maintenance.take()
		if err != nil {
			return nil, err
		}
		defer free()
		if err := do(f.Folder); err != nil {
			return nil, err
		}
		return f.showData(ctx, c)
	}
}

// take keeps others away until free is called.
func (m *folderWork) take() (free func(), err error) {
	if !m.working.TryLock() {
		return nil, fault.New(fault.Conflict, "a backup or a restore is under way; wait for its end, or cancel it")
	}
	return m.working.Unlock, nil
}

// tellOf passes on how far a backup or restore is to the user's pages.
func (f *Data) tellOf(userID int64) func(backup.Progress) {
	return func(p backup.Progress) {
		f.Hub.Tell(userID, "data", resource.Event{Name: "data", Data: p})
	}
}

func (f *Data) openFolder(context.Context, *resource.Call) (any, error) {
	if f.Desk == nil {
		return nil, fault.New(fault.Conflict, "this portal runs without a desktop; open the folder yourself")
	}
	if err := f.Desk.OpenFolder(f.Folder); err != nil {
		return nil, &fault.Error{Kind: fault.Conflict, Message: err.Error(), Err: err}
	}
	return nil, nil
}

func (f *Data) restart(context.Context, *resource.Call) (any, error) {
	if f.Desk == nil {
		return nil, fault.New(fault.Conflict, "this portal runs without a window; stop it and start it again yourself")
	}
	if err := f.Desk.Restart(); err != nil {
		return nil, &fault.Error{Kind: fault.Conflict, Message: err.Error(), Err: err}
	}
	return nil, nil
}
