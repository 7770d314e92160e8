// Package rehearsal lets the page rehearse changes of a remote portal: it copies the portal
// into a folder, runs the copy, and lists the changes to carry over.
//
// A copy is a portal of its own, with its data folder below Base. It runs in this process
// and listens on a loopback port; the user's list of portals gets it under the name
// "Rehearsal of …", with a token that only the keyring has. Open starts it, and it runs
// until the program stops. app/rehearse does the copying, and never writes to the portal
// that is copied.
//
// # Permission
//
// A copy holds what the token of its user may view, and starting it listens on a port.
// Only administrators may rehearse, in serve only with a folder that the operator names,
// and beside an open window only in the window. A rehearsal belongs to the user whose
// portal it copies.
//
// # Units
//
// Times are epoch milliseconds; counts are objects.
//
// # Concurrency
//
// Rehearsals is safe for concurrent use; its exported fields are set before the first use.
// A copy is made on a goroutine that ends with Life: the request that starts it returns
// at once, and GET /rehearsal waits for news. One thing is done at a time with each
// rehearsal. Close stops the portals.
//
// # Errors
//
// fault.Denied: the caller may not rehearse. fault.Conflict: it is busy, or not complete.
// fault.Unknown: there is no rehearsal of this portal. What ended a copy early is the
// problem of its state.
package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/remote"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/rehearse"
	"spyglass/app/snippet"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Copy is a running copy of a portal.
type Copy struct {
	Target *outgoing.Target // as its administrator
	Token  string           // a bearer token of the administrator
	// Enter returns an address that signs in the first browser to open it, within 30 s.
	Enter func(ctx context.Context) (string, error)
	Close func(ctx context.Context) error
}

// Rehearsals copies remote portals of users.
type Rehearsals struct {
	*send.Sender
	Base    string // folder for the data folders of copies; empty: rehearsals are off
	Desktop bool   // there is a window, whose browser can show a copy
	Open    func(ctx context.Context, dir string) (*Copy, error)

	group service.Group
	mu    sync.Mutex
	all   map[int64]*work // by the id of the portal that is copied
}

// May reports whether the caller may rehearse.
func (r *Rehearsals) May(c *resource.Call) bool {
	return r.Base != "" && r.Open != nil && c.Access.Admin && c.Access.May(remote.Right) &&
		(!r.Desktop || c.Session.Window)
}

// Endpoints returns the endpoints of rehearsals.
func (r *Rehearsals) Endpoints() []resource.Endpoint {
	since := serve.Query("since", resource.Integer("The version that the caller has: wait until there is another one"))
	state := serve.Get("/rehearsal", "Get the state of the rehearsal of a portal", r.state, since)
	state.Doc = "With since, the response comes when something has changed, or after 20 s."
	preview := serve.Call("POST", "/rehearsal/preview", "Count what a rehearsal would copy", r.preview)
	preview.Doc = "Sends one GET for each kind of objects to the portal."
	start := serve.Call("POST", "/rehearsal/copy", "Copy a portal, or resume copying it", r.start)
	start.Doc = "Responds at once. The portal is only read, within its rate limit."
	diff := serve.Post("/rehearsal/diff", "List the requests that make the changes of a rehearsal in its portal",
		&diffRequests, r.diff)
	diff.Doc = "Sends none of them."
	all := []resource.Endpoint{
		state, preview, start,
		serve.Call("POST", "/rehearsal/stop", "Stop copying a portal", r.stop),
		serve.Get("/rehearsal/report", "Get what differs in a copy", r.report),
		serve.Call("POST", "/rehearsal/open", "Start the copy, and add it to the list of portals", r.open),
		diff,
		serve.Post("/rehearsal/script", "Write the requests of the last diff as a program", &scriptRequests, r.script),
		serve.Call("DELETE", "/rehearsal", "Delete a copy", r.remove),
	}
	for i := range all {
		do := all[i].Handle
		all[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			if !r.May(c) {
				return nil, fault.New(fault.Denied, "Only an administrator can rehearse changes, and a portal that "+
					"runs with serve needs a folder for it: --rehearsals.")
			}
			return do(ctx, c)
		}
	}
	return all
}

// Stages of a rehearsal.
const (
	stageNone    = "none"    // there is no copy
	stageCopying = "copying" // it is being copied
	stageStopped = "stopped" // the copy is not complete
	stageReady   = "ready"
)

// rehearsalState is a rehearsal as the page sees it.
type rehearsalState struct {
	Portal   int64              `json:"portal" doc:"the one that is copied"`
	Name     string             `json:"name" doc:"name of that portal"`
	Folder   string             `json:"folder" doc:"the data folder of the copy"`
	Stage    string             `json:"stage" enum:"none|copying|stopped|ready"`
	Progress *rehearse.Progress `json:"progress" doc:"null unless it is copying"`
	Line     string             `json:"line" doc:"what happened last, such as waiting for the rate limit"`
	Problem  string             `json:"problem" doc:"why the copy is not complete"`
	Copied   int64              `json:"copied" doc:"when the copy was completed; 0: it is not"`
	Copy     int64              `json:"copy" doc:"the copy in the caller's list of portals; 0: not there"`
	Running  bool               `json:"running" doc:"the copy runs"`
	Version  int64              `json:"version" doc:"rises with each change"`
}

// patience limits how long a request waits for news, so that no proxy ends it.
const patience = 20 * time.Second

func (r *Rehearsals) state(ctx context.Context, c *resource.Call) (*rehearsalState, error) {
	w, err := r.of(ctx, c)
	if err != nil {
		return nil, err
	}
	if since, err := strconv.ParseInt(c.Query.Get("since"), 10, 64); err == nil {
		w.news(ctx, since, patience)
	}
	return r.shown(ctx, c, w)
}

func (r *Rehearsals) shown(ctx context.Context, c *resource.Call, w *work) (*rehearsalState, error) {
	out := w.state()
	kept, err := w.offline(r.Catalog).Report()
	switch {
	case fault.Is(err, fault.Unknown):
	case err != nil:
		out.Problem = fault.Sentence(err)
		if out.Stage == stageNone {
			out.Stage = stageStopped
		}
	case out.Stage == stageCopying:
	case kept.Finished.IsZero():
		out.Stage = stageStopped
	default:
		out.Stage, out.Problem, out.Copied = stageReady, "", kept.Finished.UnixMilli()
	}
	row, err := r.row(ctx, c, w)
	if row != nil {
		out.Copy = row.ID
	}
	return out, err
}

// of returns the rehearsal of the portal of a call. For a copy, it is the rehearsal that
// the copy belongs to.
func (r *Rehearsals) of(ctx context.Context, c *resource.Call) (*work, error) {
	id := workspace.PortalID(c)
	if id == workspace.BuiltIn {
		return nil, fault.At("portal", "only a remote portal can be rehearsed")
	}
	p, err := r.Workspace.PortalOf(ctx, c.Access.UserID, id)
	if err != nil {
		return nil, err
	}
	if of := r.original(p); of != 0 {
		if p, err = r.Workspace.PortalOf(ctx, c.Access.UserID, of); err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.all[p.ID]
	if w == nil || w.url != p.BaseURL && !w.inUse() {
		if w, err = newWork(r.Base, p); err != nil {
			return nil, err
		}
		if r.all == nil {
			r.all = map[int64]*work{}
		}
		r.all[p.ID] = w
	}
	w.setName(p.Name)
	return w, nil
}

// original returns the portal whose copy a portal is; 0 if it is none.
func (r *Rehearsals) original(p *workspace.Portal) int64 {
	marks, err := filepath.Glob(filepath.Join(r.Base, "*", rehearse.Folder, markFile))
	if err != nil {
		return 0
	}
	for _, path := range marks {
		if m, err := readMark(path); err == nil && m.Copy == p.ID && m.User == p.UserID {
			return m.Portal
		}
	}
	return 0
}

// target returns the portal that a rehearsal copies, with the credential of the caller.
func (r *Rehearsals) target(ctx context.Context, c *resource.Call, w *work) (*outgoing.Target, error) {
	return r.Target(ctx, atPortal(c, w.portal))
}

func (r *Rehearsals) preview(ctx context.Context, c *resource.Call) (*rehearse.CopyPlan, error) {
	w, err := r.of(ctx, c)
	if err != nil {
		return nil, err
	}
	own := w.offline(r.Catalog)
	if own.Remote, err = r.target(ctx, c, w); err != nil {
		return nil, err
	}
	own.Sleep = noWait
	return own.Preview(ctx)
}

// noWait refuses to wait for the rate limit, because a user waits at a dialog.
func noWait(_ context.Context, d time.Duration) error {
	return fault.New(fault.TooMany, "the portal limits the rate of requests; try again in %s", d.Round(time.Second))
}

// start begins to copy on a goroutine of its own.
func (r *Rehearsals) start(ctx context.Context, c *resource.Call) (*rehearsalState, error) {
	w, err := r.of(ctx, c)
	if err != nil {
		return nil, err
	}
	target, err := r.target(ctx, c, w)
	if err != nil {
		return nil, err
	}
	free, err := w.take()
	if err != nil {
		return nil, err
	}
	life, done, err := r.Life.Begin(context.WithoutCancel(ctx))
	if err != nil {
		free()
		return nil, err
	}
	life, cancel := context.WithCancel(life)
	w.begin(cancel)
	r.group.Go("copying a portal", func() {
		defer done()
		defer cancel()
		defer free()
		err := errors.New("copying ended because of an internal error in Spyglass; see the log")
		defer func() { w.end(err) }()
		err = w.copy(life, r, target)
	})
	return r.shown(ctx, c, w)
}

func (w *work) copy(ctx context.Context, r *Rehearsals, target *outgoing.Target) error {
	own, err := w.run(ctx, r)
	if err != nil {
		return err
	}
	own.Remote, own.Line, own.Progress = target, w.line, w.progress
	_, err = own.Copy(ctx)
	return err
}

func (r *Rehearsals) stop(ctx context.Context, c *resource.Call) (*rehearsalState, error) {
	w, err := r.of(ctx, c)
	if err != nil {
		return nil, err
	}
	w.stop()
	return r.shown(ctx, c, w)
}

// rehearsalReport lists the differences of a copy.
type rehearsalReport struct {
	Counts []rehearse.Count `json:"counts"`
	Notes  []rehearse.Note  `json:"notes"`
}

func (r *Rehearsals) report(ctx context.Context, c *resource.Call) (*rehearsalReport, error) {
	w, err := r.of(ctx, c)
	if err != nil {
		return nil, err
	}
	got, err := w.offline(r.Catalog).Report()
	if err != nil {
		return nil, err
	}
	return &rehearsalReport{got.Counts, got.Notes}, nil
}

// openedCopy is a copy that runs.
type openedCopy struct {
	Copy int64  `json:"copy" doc:"in the list of portals"`
	Page string `json:"page" doc:"address that signs a browser in, once and within 30 s; empty in serve"`
}

func (r *Rehearsals) open(ctx context.Context, c *resource.Call) (*openedCopy, error) {
	w, free, err := r.takeComplete(ctx, c)
	if err != nil {
		return nil, err
	}
	defer free()
	if _, err := w.run(ctx, r); err != nil {
		return nil, err
	}
	out := &openedCopy{}
	if out.Copy, err = r.list(ctx, c, w); err != nil {
		return nil, err
	}
	if r.Desktop {
		out.Page, err = w.running().Enter(ctx)
	}
	return out, err
}

// takeComplete returns the caller's work on a copy that is complete, and locks it
// until free is called.
func (r *Rehearsals) takeComplete(ctx context.Context, c *resource.Call) (w *work, free func(), err error) {
	if w, err = r.of(ctx, c); err != nil {
		return nil, nil, err
	}
	if free, err = w.take(); err != nil {
		return nil, nil, err
	}
	got, err := w.offline(r.Catalog).Report()
	if err == nil && got.Finished.IsZero() {
		err = fault.New(fault.Conflict, "the copy of %s is not complete; resume it first", w.title())
	}
	if err != nil {
		free()
	}
	return w, free, err
}

// diffRequest is the body of /rehearsal/diff.
type diffRequest struct{ Offline bool }

var diffRequests = resource.Resource[*diffRequest]{Name: "rehearsalDiff", Label: "comparison",
	Fields: []resource.Field[*diffRequest]{
		{Name: "offline", At: func(d *diffRequest) any { return &d.Offline }, Doc: "Compare with the state when it " +
			"was copied, and do not read the portal again"},
	}}

// rehearsalChanges are the changes of a rehearsal.
type rehearsalChanges struct {
	Compared  bool                 `json:"compared" doc:"whether the portal was read again"`
	Steps     []rehearse.Step      `json:"steps" doc:"requests that make the changes, in order"`
	Elsewhere []rehearse.Elsewhere `json:"elsewhere" doc:"what changed in the portal since the copy"`
	Notes     []string             `json:"notes" doc:"changes that no request makes"`
}

func (r *Rehearsals) diff(ctx context.Context, c *resource.Call, in *diffRequest) (*rehearsalChanges, error) {
	w, free, err := r.takeComplete(ctx, c)
	if err != nil {
		return nil, err
	}
	defer free()
	life, done, err := r.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	own, err := w.run(life, r)
	if err != nil {
		return nil, err
	}
	if !in.Offline {
		if own.Remote, err = r.target(ctx, c, w); err != nil {
			return nil, err
		}
	}
	got, err := own.Diff(life)
	if err != nil {
		return nil, err
	}
	got.Portal = w.title()
	w.keepDiff(got)
	out := &rehearsalChanges{got.Compared, got.Steps, got.Elsewhere, got.Notes}
	if out.Elsewhere == nil {
		out.Elsewhere = []rehearse.Elsewhere{}
	}
	return out, nil
}

// scriptRequest is the body of /rehearsal/script.
type scriptRequest struct{ Language string }

var scriptRequests = resource.Resource[*scriptRequest]{Name: "rehearsalLanguage", Label: "script",
	Fields: []resource.Field[*scriptRequest]{
		{Name: "language", At: func(s *scriptRequest) any { return &s.Language }, Doc: "The id of one",
			Default: snippet.Languages[0].ID},
	}}

// script writes the requests as a program.
func (r *Rehearsals) script(ctx context.Context, c *resource.Call, in *scriptRequest) (*snippet.Written, error) {
	w, err := r.of(ctx, c)
	if err != nil {
		return nil, err
	}
	language, ok := snippet.Find(in.Language)
	if !ok {
		return nil, fault.At("language", "there is no language %q", in.Language)
	}
	d := w.lastDiff()
	if d == nil {
		return nil, fault.New(fault.Conflict, "compare the rehearsal with its portal first")
	}
	text := d.Script(language)
	return snippet.Write(language.Lexer, "rehearsal."+language.Extension, text), nil
}

// remove deletes a copy with its folder, and takes it from the list of portals.
func (r *Rehearsals) remove(ctx context.Context, c *resource.Call) (*rehearsalState, error) {
	w, err := r.of(ctx, c)
	if err != nil {
		return nil, err
	}
	free, err := w.take()
	if err != nil {
		return nil, err
	}
	defer free()
	row, err := r.row(ctx, c, w)
	if err == nil && row != nil {
		err = r.unlist(ctx, c, row.ID)
	}
	if err == nil {
		err = w.close(ctx)
	}
	if err == nil {
		err = os.RemoveAll(w.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("delete %s: %w", w.dir, err)
	}
	w.forget()
	return r.shown(ctx, c, w)
}

// Close stops the copies that run. Life has ended the work before.
func (r *Rehearsals) Close(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, w := range r.all {
		errs = append(errs, w.close(ctx))
	}
	return errors.Join(errs...)
}

// folderOf returns the name of the folder of the copy of a portal.
func folderOf(p *workspace.Portal) string {
	return strconv.FormatInt(p.ID, 10) + "-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(host(p.BaseURL)))
}
