// Package folder serves the data folder as a whole: its size, backups and restores of
// it, the diagnostics to send with a report of a problem, and the program's version.
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
	"spyglass/app/updates"
	"spyglass/app/workspace"
	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Desk shows the folder, and restarts the program.
type Desk interface {
	OpenFolder(path string) error // in the system's file manager
	Restart() error               // closes the window, and starts the program again
}

// Data serves the data folder as a whole.
type Data struct {
	Workspace   *workspace.Workspace
	Folder      string // the data folder, as an absolute path
	DocumentDir string // used by this process only
	Version     string
	Desktop     bool
	Demo        bool
	Counts      func(ctx context.Context) (map[string]int64, error) // rows of the portal's tables
	Databases   backup.Databases                                    // copies and checks their files
	Tail        *diagnose.Tail                                      // of the log
	// Updates checks for a newer version; nil if this build does not say where.
	Updates func(ctx context.Context) (*updates.Update, error)
	Desk    Desk // nil without a desktop
	Life    *serve.Life
	Hub     *stream.Hub
	Began   time.Time // when the process started

	maintenance folderWork
}

// folderWork serializes backups and restores of the data folder: one runs at a
// time.
type folderWork struct {
	working sync.Mutex // held while one of the files is created, read or written
}

// spool returns the folder for downloaded and uploaded backups. It is emptied at
// every start.
func (f *Data) spool() string { return filepath.Join(f.DocumentDir, "backup") }

// Empty deletes downloaded and uploaded backups.
func (f *Data) Empty() error { return os.RemoveAll(f.spool()) }

// Endpoints returns the endpoints of the data folder, which all users share: only
// the last is not limited to administrators: a backup contains the data of all users.
func (f *Data) Endpoints() []resource.Endpoint {
	part := serve.Call("POST", "/data/restore/parts", "Upload a part of a backup", f.takePart,
		serve.Query("at", resource.Integer("Bytes uploaded before these")))
	part.Upload, part.Limit = "part", maxPart
	all := []resource.Endpoint{
		serve.Get("/data", "Get the data folder and the state of restores", f.showData),
		serve.Call("POST", "/data/backup", "Create a backup to download", f.makeBackup),
		serve.File("/data/backup", "Download the backup, once", []string{backupType}, f.fetchBackup),
		part,
		serve.Post("/data/restore/look", "Check the uploaded backup", &requests, f.lookAtBackup),
		serve.Post("/data/restore", "Restore the uploaded backup at the next start", &requests,
			f.stageRestore),
		serve.Call("DELETE", "/data/restore", "Cancel a pending restore",
			f.maintain(backup.Unstage)),
		serve.Call("POST", "/data/restore/undo", "Restore the data from before the last restore at the next start",
			f.maintain(backup.Undo)),
		serve.Call("DELETE", "/data/replaced", "Delete the data from before the last restore",
			f.maintain(backup.DeleteReplaced)),
		serve.Call("POST", "/updates", "Check whether there is a newer version, over the network", f.checkUpdates),
		serve.File("/data/diagnostics", "Download diagnostics without secrets",
			[]string{diagnosticsType}, f.diagnostics),
	}
	native := []resource.Endpoint{
		serve.Call("POST", "/native/open-folder", "Show the data folder in the system's file manager", f.openFolder),
		serve.Call("POST", "/native/restart", "Restart the window", f.restart),
	}
	all = append(all, serve.OnlyWindow(f.Desk != nil, native...)...)
	return append(serve.OnlyAdministrators(all...), serve.Get("/about", "Get the version of the program", f.about))
}

// about describes the running program.
type about struct {
	Built      string `json:"built" doc:"commit time of its source, ISO; empty if unknown"`
	DataFolder string `json:"dataFolder"`
	Go         string `json:"go" doc:"the version of the compiler"`
	Revision   string `json:"revision" doc:"commit of its source; empty if unknown"`
	System     string `json:"system" doc:"such as linux/amd64"`
	Updates    bool   `json:"updates" doc:"this build says where to check for a newer version"`
	Version    string `json:"version"`
}

func (f *Data) about(context.Context, *resource.Call) (*about, error) {
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
	return &about{
		Version: f.Version, Built: built, Revision: revision, Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, DataFolder: Homely(f.Folder), Updates: f.Updates != nil,
	}, nil
}

// newest is the newest version, as its publisher has signed it.
type newest struct {
	Link    string `json:"link" doc:"where to download it, https"`
	Newer   bool   `json:"newer" doc:"than this program"`
	Version string `json:"version"`
}

func (f *Data) checkUpdates(ctx context.Context, _ *resource.Call) (*newest, error) {
	if f.Updates == nil {
		return nil, fault.New(fault.Conflict, "this build does not name a list of updates")
	}
	found, err := f.Updates(ctx)
	if err != nil {
		return nil, err
	}
	return &newest{found.Link, found.Newer, found.Version}, nil
}

// folderState is the state of the data folder for the page.
type folderState struct {
	Bytes     int64  `json:"bytes"`
	Folder    string `json:"folder" doc:"from the root"`
	KeptBytes int64  `json:"keptBytes" doc:"size of the data from before the last restore"`
	Replaced  int64  `json:"replaced" doc:"time of the last restore, epoch milliseconds; 0 if its previous data is not kept"`
	Waits     bool   `json:"waits" doc:"a restore is pending for the next start"`
}

func (f *Data) showData(context.Context, *resource.Call) (*folderState, error) {
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
	return &folderState{bytes, f.Folder, state.KeptBytes, replaced, state.Waits}, nil
}

// maintain runs a quick operation on the restores of the data folder, and
// returns the folder's state after it.
func (f *Data) maintain(do func(folder string) error,
) func(context.Context, *resource.Call) (*folderState, error) {
	return func(ctx context.Context, c *resource.Call) (*folderState, error) {
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

// take locks the folder until free is called.
func (m *folderWork) take() (free func(), err error) {
	if !m.working.TryLock() {
		return nil, fault.New(fault.Conflict, "a backup or restore is running; wait until it ends, or cancel it")
	}
	return m.working.Unlock, nil
}

// progressOf returns a function that sends the progress of a backup or restore to
// the user's pages.
func (f *Data) progressOf(userID int64) func(backup.Progress) {
	return func(p backup.Progress) {
		f.Hub.Notify(userID, "data", stream.DataEvent{Progress: p})
	}
}

func (f *Data) openFolder(context.Context, *resource.Call) (nothing serve.Nothing, err error) {
	if f.Desk == nil {
		return nothing, fault.New(fault.Conflict, "this portal runs without a desktop; open the folder yourself")
	}
	if err := f.Desk.OpenFolder(f.Folder); err != nil {
		return nothing, &fault.Error{Kind: fault.Conflict, Message: err.Error(), Err: err}
	}
	return nothing, nil
}

func (f *Data) restart(context.Context, *resource.Call) (nothing serve.Nothing, err error) {
	if f.Desk == nil {
		return nothing, fault.New(fault.Conflict,
			"this portal runs without a window; stop it and start it again yourself")
	}
	if err := f.Desk.Restart(); err != nil {
		return nothing, &fault.Error{Kind: fault.Conflict, Message: err.Error(), Err: err}
	}
	return nothing, nil
}
