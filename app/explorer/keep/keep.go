// Package keep keeps collections in folders on disk (app/ondisk has the files), and both
// in step.
//
// The workspace has for each file what it was when it last matched its row. What differs
// from it now has changed since, on disk or in the window, so both sides can change at the
// same time, even while the program does not run:
//
//   - One side changed: the other follows.
//   - Both changed different requests: each follows the other.
//   - Both changed one request: it becomes that of the file, and the window's version
//     becomes a new request beside it, "NAME (my change)". For the names and notes of
//     folders, the file's apply.
//   - A file was deleted: its request is deleted, and can be restored, unless the window
//     changed it. Then the file is written again.
//   - A file cannot be read: its request stays, and the file is not written.
//   - collection.yaml is missing, as on another branch of git: nothing changes on either
//     side until it is back.
//
// A file is replaced by renaming a new one, and only if it has the content that was read.
//
// # Which folders
//
// The desktop window may name any folder. In a served portal, administrators may name
// folders below the one of --collections. Folders are opened as os.Root: no link leads
// out of them.
//
// # Secrets
//
// Files have masks where drafts have secrets. A mask that is read means the secret of the
// request that is there.
//
// # Units
//
// Durations are time.Duration.
//
// # Concurrency
//
// A Keeper is safe for concurrent use; its exported fields are set before Start. Start
// starts one goroutine, which looks for changes on disk, and receives those in the
// window. Stop ends it.
//
// # Errors
//
// fault.Denied: the caller may not name folders. fault.Invalid with the field dir: the
// folder cannot be used. Problems with files are sentences of the status, not errors.
package keep

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/stream"
	"spyglass/app/ondisk"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Keeper keeps collections in folders.
type Keeper struct {
	Workspace *workspace.Workspace
	Catalog   *catalog.Catalog // says which fields of bodies are secrets
	Hub       *stream.Hub
	Below     string // administrators may name folders below it; empty: none
	Desktop   bool   // the desktop window may name any folder
	Log       *slog.Logger

	group service.Group
	wake  chan struct{}

	syncing sync.Mutex // one pass at a time

	swap func(dir *os.File, a, b string) error // instead of exchange, in tests

	mu      sync.Mutex
	folders []*folder      // nil until they are read
	dirty   map[int64]bool // users whose collections changed
}

// folder is a folder of a collection, as this process knows it.
type folder struct {
	workspace.DiskFolder
	scanner ondisk.Scanner
	seen    *ondisk.Listing // at the last pass; nil: another pass is due

	problems []string // guarded by Keeper.mu
}

// pace is the time between two checks of a folder. One with very many files is looked at less
// often, so that it takes at most a fiftieth of the time.
const (
	pace    = 2 * time.Second
	busyFor = 50
)

// Start begins to keep folders.
func (k *Keeper) Start() {
	k.wake = make(chan struct{}, 1)
	k.group.Guard = &service.Guard{Log: k.Log}
	k.group.Keep("folders of collections", k.loop)
}

// Stop ends that. It may be called twice.
func (k *Keeper) Stop() {
	if err := k.group.Stop(context.Background()); err != nil {
		k.Log.Warn("the folders of collections are still in use", "err", err)
	}
}

// Changed reports that collections of a user changed in the workspace.
func (k *Keeper) Changed(userID int64) {
	k.mu.Lock()
	if k.dirty == nil {
		k.dirty = map[int64]bool{}
	}
	k.dirty[userID] = true
	k.mu.Unlock()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

func (k *Keeper) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-k.wake:
		}
		began := time.Now()
		any, err := k.round(ctx)
		if err != nil && ctx.Err() == nil {
			k.Log.Warn("folders of collections cannot be read", "err", err)
		}
		if timer.Stop(); any {
			timer.Reset(max(pace, busyFor*time.Since(began)))
		}
	}
}

// round looks at all folders once, and reports whether there are any.
func (k *Keeper) round(ctx context.Context) (any bool, err error) {
	all, err := k.all(ctx)
	if err != nil {
		return true, err // try again
	}
	k.mu.Lock()
	dirty := k.dirty
	k.dirty = nil
	k.mu.Unlock()
	for _, f := range all {
		if ctx.Err() != nil {
			return true, context.Cause(ctx)
		}
		k.sync(ctx, f, dirty[f.UserID])
	}
	return len(all) > 0, nil
}

// all returns the folders, which are read from the workspace once.
func (k *Keeper) all(ctx context.Context) ([]*folder, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.folders == nil {
		rows, err := k.Workspace.DiskFolders(ctx)
		if err != nil {
			return nil, err
		}
		k.folders = []*folder{}
		for _, row := range rows {
			k.folders = append(k.folders, &folder{DiskFolder: row})
		}
	}
	return slices.Clone(k.folders), nil
}

// now returns the time at which a row is deleted.
func (k *Keeper) now() resource.Millis { return resource.MillisOf(time.Now()) }

// Sync brings the folders of a user in step now.
func (k *Keeper) Sync(ctx context.Context, userID int64) error {
	all, err := k.all(ctx)
	for _, f := range all {
		if f.UserID == userID {
			k.sync(ctx, f, true)
		}
	}
	return err
}

// sync brings a folder in step. Without changed, it looks for changes on disk first.
func (k *Keeper) sync(ctx context.Context, f *folder, changed bool) {
	k.syncing.Lock()
	defer k.syncing.Unlock()
	problems, err := k.pass(ctx, f, changed)
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		f.seen = nil
		problems = append(problems, fault.Sentence(err))
	} else if problems == nil {
		return // nothing to do
	}
	k.mu.Lock()
	same := slices.Equal(f.problems, problems)
	f.problems = problems
	k.mu.Unlock()
	if !same {
		k.Hub.Notify(f.UserID, "workspace folders", stream.WorkspaceEvent{Kind: workspace.CollectionsChanged})
	}
}

// attempts limits how often a pass begins again because a side changed meanwhile.
const attempts = 5

// errMoved means that a side changed during a pass.
var errMoved = errors.New("it changed meanwhile")

// pass brings a folder in step, and returns the sentences to show. They are nil if there
// was nothing to do.
func (k *Keeper) pass(ctx context.Context, f *folder, changed bool) (problems []string, err error) {
	root, err := k.open(f.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for range attempts {
		files, err := f.scanner.Scan(ctx, root)
		if err != nil {
			return nil, err
		}
		if !changed && f.seen != nil && sameFiles(f.seen, files) {
			return nil, nil
		}
		p := &pass{k: k, ctx: ctx, folder: &f.DiskFolder, root: root, files: files}
		if err = p.run(); errors.Is(err, errMoved) {
			changed = true
			continue
		}
		if f.seen = files; p.again {
			f.seen = nil
		}
		p.tell()
		return p.sentences(), err
	}
	f.seen = nil
	return []string{f.Dir + " changes all the time. Spyglass tries again."}, nil
}

// open opens a folder. It refuses one that may no longer be named.
func (k *Keeper) open(dir string) (*os.Root, error) {
	var root *os.Root
	var err error
	switch inside, relErr := filepath.Rel(k.Below, dir); {
	case k.Desktop:
		root, err = os.OpenRoot(dir)
	case k.Below == "":
		return nil, fault.New(fault.Conflict, "%s is not in use: start the portal with --collections and the folder "+
			"above it", dir)
	case relErr != nil || !filepath.IsLocal(inside):
		return nil, fault.New(fault.Conflict, "%s is not in use: it is not below %s, the folder of --collections", dir,
			k.Below)
	default:
		root, err = openBelow(k.Below, inside)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Conflict, "%s does not exist. Nothing changes until it is back", dir)
	}
	if err != nil {
		return nil, fault.New(fault.Conflict, "%s cannot be opened: %v", dir, plain(err))
	}
	return root, nil
}

func openBelow(base, inside string) (*os.Root, error) {
	above, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	defer above.Close()
	return above.OpenRoot(inside)
}

// plain returns an error without the path, which the sentence has already.
func plain(err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return at.Err
	}
	if at := (*os.LinkError)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// May reports whether the caller may name folders.
func (k *Keeper) May(c *resource.Call) bool {
	return k.Desktop && c.Session.Window || !k.Desktop && k.Below != "" && c.Access.Admin
}

// locate returns the absolute path of a folder that the caller names.
func (k *Keeper) locate(c *resource.Call, dir string) (string, error) {
	dir = strings.TrimSpace(dir)
	switch {
	case k.Desktop && c.Session.Window:
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				dir = filepath.Join(home, rest)
			}
		}
		if !filepath.IsAbs(dir) {
			return "", fault.At("dir", "enter the whole path of the folder")
		}
		return filepath.Clean(dir), nil
	case k.Desktop:
		return "", fault.New(fault.Denied, "Only the Spyglass window itself may do this. Use the window.")
	case k.Below == "":
		return "", fault.New(fault.Denied, "This portal does not keep collections in folders. Start it with "+
			"--collections and a folder.")
	case !c.Access.Admin:
		return "", fault.New(fault.Denied, "Only an administrator can name a folder of the portal.")
	}
	if !filepath.IsLocal(dir) || filepath.Clean(dir) == "." {
		return "", fault.At("dir", "enter the path of a folder below %s, such as fleet", k.Below)
	}
	return filepath.Join(k.Below, dir), nil
}

// create creates a folder, unless it exists.
func (k *Keeper) create(dir string) error {
	if k.Desktop {
		return os.MkdirAll(dir, 0o755)
	}
	inside, err := filepath.Rel(k.Below, dir)
	if err != nil {
		return err
	}
	base, err := os.OpenRoot(k.Below)
	if err != nil {
		return err
	}
	defer base.Close()
	return base.MkdirAll(inside, 0o755)
}
