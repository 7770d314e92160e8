package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/rehearse"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// work is the rehearsal of one portal of a user.
type work struct {
	portal int64  // the portal that is copied
	url    string // its base URL
	dir    string // data folder of the copy

	busy sync.Mutex // held by who copies, opens, compares or deletes

	mu       sync.Mutex
	name     string // of the portal
	version  int64
	changed  chan struct{} // closed at the next change
	cancel   context.CancelFunc
	at       *rehearse.Progress // nil unless it is copying
	shownAt  time.Time          // when at was last shown
	last     string
	problem  string
	copied   *Copy // nil unless it runs
	diffKept *rehearse.Diff
}

func newWork(base string, p *workspace.Portal) (*work, error) {
	dir, err := filepath.Abs(filepath.Join(base, folderOf(p)))
	return &work{portal: p.ID, url: p.BaseURL, dir: dir, version: 1, changed: make(chan struct{})}, err
}

func host(base string) string {
	if u, err := url.Parse(base); err == nil {
		return u.Host
	}
	return "portal"
}

// markFile records which portal of the user is the copy. It is beside the files of the
// rehearsal, so that both are deleted together.
const markFile = "portal.json"

type mark struct {
	User   int64 `json:"user"`
	Portal int64 `json:"portal"`
	Copy   int64 `json:"copy"`
}

func (w *work) markPath() string { return filepath.Join(w.dir, rehearse.Folder, markFile) }

func readMark(path string) (*mark, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &mark{}
	return m, json.Unmarshal(text, m)
}

func (w *work) writeMark(m mark) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(w.markPath(), text, 0o600)
}

// take locks the rehearsal for the caller until free is called.
func (w *work) take() (free func(), err error) {
	if !w.busy.TryLock() {
		return nil, fault.New(fault.Conflict, "the rehearsal of %s is busy; wait, or stop the copy", w.title())
	}
	return w.busy.Unlock, nil
}

func (w *work) inUse() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cancel != nil || w.copied != nil
}

func (w *work) setName(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.name = name
}

func (w *work) title() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.name
}

// offline returns the rehearsal for what needs only its files.
func (w *work) offline(c *catalog.Catalog) *rehearse.Rehearsal {
	return &rehearse.Rehearsal{Dir: filepath.Join(w.dir, rehearse.Folder), Local: &outgoing.Target{Catalog: c},
		Line: func(string) {}}
}

// run starts the copy, unless it runs, and returns the rehearsal.
func (w *work) run(ctx context.Context, r *Rehearsals) (*rehearse.Rehearsal, error) {
	c := w.running()
	if c == nil {
		if err := os.MkdirAll(w.dir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if c, err = r.Open(context.WithoutCancel(ctx), w.dir); err != nil {
			return nil, err
		}
		w.change(func() { w.copied = c })
	}
	out := w.offline(nil)
	out.Local = c.Target
	return out, nil
}

func (w *work) running() *Copy {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.copied
}

func (w *work) close(ctx context.Context) error {
	c := w.running()
	if c == nil {
		return nil
	}
	w.change(func() { w.copied = nil })
	c.Target.Client.CloseIdle()
	return c.Close(ctx)
}

// change calls do, and notifies those who wait for changes.
func (w *work) change(do func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do()
	w.announce()
}

func (w *work) announce() {
	w.version++
	close(w.changed)
	w.changed = make(chan struct{})
}

// news waits until the version changes, or until ctx or the time ends.
func (w *work) news(ctx context.Context, since int64, most time.Duration) {
	w.mu.Lock()
	version, changed := w.version, w.changed
	w.mu.Unlock()
	if version != since {
		return
	}
	over := time.NewTimer(most)
	defer over.Stop()
	select {
	case <-changed:
	case <-over.C:
	case <-ctx.Done():
	}
}

func (w *work) begin(cancel context.CancelFunc) {
	w.change(func() {
		w.cancel, w.at, w.last, w.problem, w.diffKept = cancel, &rehearse.Progress{Step: "read"}, "", "", nil
	})
}

func (w *work) end(err error) {
	w.change(func() {
		w.cancel, w.at, w.last = nil, nil, ""
		if err != nil {
			w.problem = fault.Sentence(err)
		}
		if errors.Is(err, context.Canceled) {
			w.problem = ""
		}
	})
}

// stop ends copying, which can be resumed.
func (w *work) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
}

func (w *work) line(text string) { w.change(func() { w.last = text }) }

// often is the time between two reports of progress.
const often = 200 * time.Millisecond

func (w *work) progress(p rehearse.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	other := w.at == nil || w.at.Step != p.Step || w.at.Noun != p.Noun
	if w.at = &p; other || p.Done == p.Of || time.Since(w.shownAt) > often {
		w.shownAt = time.Now()
		w.announce()
	}
}

func (w *work) state() *rehearsalState {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := &rehearsalState{Portal: w.portal, Name: w.name, Folder: w.dir, Stage: stageNone, Progress: w.at,
		Line: w.last, Problem: w.problem, Running: w.copied != nil, Version: w.version}
	if w.cancel != nil {
		out.Stage = stageCopying
	}
	return out
}

func (w *work) keepDiff(d *rehearse.Diff) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.diffKept = d
}

func (w *work) lastDiff() *rehearse.Diff {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.diffKept
}

func (w *work) forget() {
	w.change(func() { w.diffKept, w.problem, w.last = nil, "", "" })
}
