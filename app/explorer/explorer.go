// Package explorer serves the page's endpoints beyond the portal's own API, those
// below /explorer.
//
// # The road of a draft
//
// A draft arrives with its {{variables}} unresolved. One builder (build.go)
// makes of it what is previewed, sent and put into snippets, so that the three
// cannot differ. Sending is a real HTTP request to the portal's own address,
// with the caller's session; the body of the response streams into a document,
// and the page reads from that the rows it shows.
//
// # Variables
//
// {{name}} stands for a variable of the user's, {{$name}} for a built-in:
//
//	{{$now}} {{$now-1h}} {{$now+90s}}  epoch seconds; s m h d w
//	{{$uuid}}                          random; the same in all of one request
//	{{$userId}}                        of who is signed in
//
// A value is escaped for the place it goes to and is not looked into for more
// variables. In JSON, outside of quotes, it must be a whole JSON value.
//
// # What never leaves
//
// The session goes out with the request and nowhere else. History, preview and
// snippets show resource.Mask in place of it and of secret variables.
//
// # Units
//
// Durations are milliseconds, sizes bytes.
//
// # Concurrency
//
// An Explorer is safe for concurrent use. Everything runs on the goroutines of
// the HTTP server, but for one beside each event stream, which ends with it. Stop cancels requests under way
// and waits until they are in the history, and ends event streams; it comes
// before the server's shutdown, which would wait for them. Close drops the
// documents; it comes after, because it waits for those who read one.
//
// # Errors
//
// fault.Invalid names the field of the draft: path, query.NAME, headers.NAME or
// body. fault.Offline, with the field portal: no answer. A response of the portal
// that is an error is a response like any other.
package explorer

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"

	"spyglass/app/diagnose"
	"spyglass/app/document"
	"spyglass/app/workspace"
	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Native provides the desktop's functions to the page.
type Native interface {
	OpenLink(url string) error                     // http and https only
	SaveFile(name string) (path string, err error) // asks the person; empty when they cancelled
	ToggleFullScreen() error                       // of the window
	Quit() error                                   // closes the window, and with it the program
	OpenFolder(path string) error                  // in the system's file manager
	Restart() error                                // closes the window, and starts the program again
}

// Options configure an Explorer.
type Options struct {
	Workspace *workspace.Workspace
	Catalog   []resource.Endpoint        // the portal's
	BaseURL   func() string              // "http://127.0.0.1:8443/api"
	Cookie    func(secret string) string // the Cookie header of a session

	PortalName func() string
	Networks   func() (check.Networks, error) // that requests to other portals may go to; nil: all
	Instance   string                         // the portal's id
	Version    string
	Folder     string // of the data, from the root; shown with ~ for the home of the person
	Desktop    bool
	Tray       bool // there is an icon in the tray that can be switched off
	Demo       bool
	Notice     func() string // what the person should know at the start; nil for nothing
	Native     Native        // nil where there is no desktop
	Keyring    func() bool   // whether secrets outlive the process; nil: they do
	// Changes reports the kinds of rows that change in the portal, until ctx ends
	// or tell fails; nil: changes are not reported.
	Changes func(ctx context.Context, tell func(kinds []string) error) error
	// Storage reports why the portal cannot write, "" while it can: at once, and
	// on each change until ctx ends; nil: it is not reported.
	Storage func(ctx context.Context, tell func(problem string))
	Counts  func(ctx context.Context) (map[string]int64, error) // rows of the portal's tables
	Tail    *diagnose.Tail                                      // of the log

	DocumentDir string        // for large answers; of this process alone
	Timeout     time.Duration // of one request; 60 s when 0
	Log         *slog.Logger  // slog.Default when nil
}

// Explorer serves the API explorer of one portal.
type Explorer struct {
	o         Options
	documents *document.Store
	client    *resty.Client
	catalog   *catalog
	abroad    abroad
	hub       hub
	seal      []byte // makes document ids a user's own
	runs      runs   // through all pages of a list
	undos     undos
	began     time.Time

	turns chan struct{} // of files that are read or written

	maintenance folderWork

	life   context.Context // ends with Stop
	end    context.CancelCauseFunc
	mu     sync.Mutex
	closed bool
	busy   sync.WaitGroup // requests under way
}

var errStopping = errors.New("Spyglass is stopping")

// New makes an Explorer. It deletes what an earlier process left in DocumentDir.
func New(o Options) (*Explorer, error) {
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	documents, err := document.NewStore(o.DocumentDir, document.Limits{})
	if err != nil {
		return nil, err
	}
	e := &Explorer{o: o, documents: documents, client: newClient(), catalog: newCatalog(o.Catalog), seal: make([]byte, 32), turns: make(chan struct{}, maxExchanges), began: time.Now()}
	if err := os.RemoveAll(e.spool()); err != nil {
		return nil, err
	}
	rand.Read(e.seal)
	e.life, e.end = context.WithCancelCause(context.Background())
	o.Workspace.Watch(func(userID int64, kind workspace.Kind) {
		e.hub.tell(userID, "workspace "+string(kind), resource.Event{Name: "workspace", Data: map[string]any{"kind": kind}})
	})
	return e, nil
}

// Stop cancels requests under way and waits for them, ends event streams, and
// refuses later ones. It may be called twice.
func (e *Explorer) Stop() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.end(errStopping)
	e.busy.Wait()
	e.client.GetClient().CloseIdleConnections()
	e.abroad.hangUp()
}

// Close stops the Explorer and drops all documents. The workspace stays open.
func (e *Explorer) Close() {
	e.Stop()
	e.documents.Close()
	if err := os.RemoveAll(e.spool()); err != nil {
		e.o.Log.Warn("a backup is left in the data folder until the next start", "err", err)
	}
}

// begin counts the caller among those Stop waits for. Its context ends with
// either of the two.
func (e *Explorer) begin(ctx context.Context) (context.Context, func(), error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, nil, &fault.Error{Kind: fault.Offline, Message: errStopping.Error(), Field: "portal"}
	}
	e.busy.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(e.life, func() { cancel(errStopping) })
	return ctx, func() { stop(); cancel(nil); e.busy.Done() }, nil
}

// anyone is the permission that every endpoint here requires: to be signed in.
var anyone = resource.Right{Object: resource.Anyone}

// Endpoints returns all endpoints below /explorer, with those of the workspace.
func (e *Explorer) Endpoints() []resource.Endpoint {
	all := []resource.Endpoint{
		{Method: "GET", Path: "/start", Summary: "Everything the page needs before it paints", Handle: e.start},
		{Method: "GET", Path: "/catalog", Summary: "Every endpoint of the portal", Handle: e.showCatalog},
		{Method: "GET", Path: "/events", Summary: "Progress and changes as they happen", Handle: e.events},
		post("/send", "Send a draft", &sendRequests, e.send),
		post("/pages", "Send a list's draft for every page", &pagesRequests, e.pages),
		post("/pages/{sendId}/steer", "Pause, go on with or end a run through pages", &steerings, e.steer),
		{Method: "GET", Path: "/pages/{sendId}/file", Summary: "Fetch the file that a run writes", Handle: e.fetchFile},
		post("/batch", "Send saved requests one after the other", &batchRequests, e.batch),
		post("/changes", "Compare a PUT or PATCH with what is there", &draftRequests, e.changes),
		post("/goes", "Tell what a DELETE takes along", &draftRequests, e.goes),
		{Method: "POST", Path: "/history/{id}/undo", Summary: "Take a write back, while nobody changed it since", Handle: e.undo},
		{Method: "GET", Path: "/undos", Summary: "Writes that can be taken back", Handle: e.showUndos},
		post("/lookup", "Ask the portal something by the way", &lookupRequests, e.lookup),
		post("/preview", "Show a draft as it would go out", &previewRequests, e.preview),
		post("/snippets", "Write a draft as a program", &snippetRequests, e.snippets),
		post("/script", "Write requests of the history as one program or runbook", &scriptRequests, e.script),
		post("/native/open-link", "Open a link in the system's browser", &linkRequests, e.openLink),
		{Method: "POST", Path: "/native/full-screen", Summary: "Fill the screen with the window, or go back", Handle: e.inWindow(Native.ToggleFullScreen)},
		{Method: "POST", Path: "/native/quit", Summary: "Close the window, as its close button does", Handle: e.inWindow(Native.Quit)},
		post("/native/save", "Save a file where the person says", &saveRequests, e.saveFile),
		{Method: "GET", Path: "/history/{id}/reply", Summary: "Open an answer of the history again", Handle: e.recall},
	}
	all = append(all, e.documentEndpoints()...)
	all = append(all, e.askEndpoints()...)
	all = append(all, e.tableEndpoints()...)
	all = append(all, e.windowEndpoint())
	all = append(all, e.portalEndpoints()...)
	all = append(all, e.exchangeEndpoints()...)
	all = append(all, e.dataEndpoints()...)
	for i := range all {
		all[i].Right = anyone
		if strings.HasPrefix(all[i].Path, "/native/") {
			all[i].Handle = e.fromWindow(all[i].Handle)
		}
	}
	return append(all, e.o.Workspace.Endpoints()...)
}

// maxDraft limits the bytes of an Explorer request body with a draft in it.
const maxDraft = 16 << 20

// post is an endpoint whose body is declared like a resource.
func post[T any](path, summary string, r *resource.Resource[*T], do func(context.Context, *resource.Call, *T) (any, error)) resource.Endpoint {
	schema := r.Schema()
	return resource.Endpoint{
		Method: "POST", Path: path, Summary: summary, Body: &schema, Limit: maxDraft,
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			body, err := r.Read(c.Body, false)
			if err != nil {
				return nil, err
			}
			in, err := r.Defaults()
			if err == nil {
				err = r.Apply(body, in, true)
			}
			if err != nil {
				return nil, err
			}
			return do(ctx, c, in)
		},
	}
}

// start returns everything that the page needs before its first paint.
func (e *Explorer) start(ctx context.Context, c *resource.Call) (any, error) {
	if err := e.chosen(ctx, c); err != nil {
		return nil, err
	}
	at := workspace.PortalID(c)
	tabs, err := e.o.Workspace.TabsJSON(ctx, c.Access.UserID, at)
	if err != nil {
		return nil, err
	}
	variables, err := e.o.Workspace.VariablesJSON(ctx, c.Access.UserID, at)
	if err != nil {
		return nil, err
	}
	settings, err := e.o.Workspace.SettingsJSON(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	portals, err := e.portals(ctx, c)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"portal": portals[slices.IndexFunc(portals, func(p shownPortal) bool { return p.ID == at })], "portals": portals,
		"version": e.o.Version, "dataFolder": homely(e.o.Folder), "notice": e.notice(c.Access.UserID), "desktop": e.o.Desktop && c.Session.Window, "tray": e.o.Tray,
		"keyring":  e.o.Keyring == nil || e.o.Keyring(),
		"user":     map[string]any{"id": c.Access.UserID, "name": c.Access.User, "role": c.Access.Role, "rights": e.rights(c.Access), "csrfToken": c.Session.CSRF},
		"settings": raw(settings), "tabs": raw(tabs), "variables": raw(variables),
	}, nil
}

// notice returns the notices to show to the user, or nil.
func (e *Explorer) notice(userID int64) any {
	sentences := []string{}
	if e.o.Notice != nil {
		sentences = append(sentences, e.o.Notice())
	}
	text := strings.TrimSpace(strings.Join(append(sentences, e.o.Workspace.Notice(userID)), "\n"))
	if text == "" {
		return nil
	}
	return text
}

// homely writes a path with ~ for the person's home.
func homely(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == string(filepath.Separator) {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// linkRequest is the body of /native/open-link.
type linkRequest struct{ URL string }

var linkRequests = resource.Resource[*linkRequest]{Name: "link", Label: "link", Fields: []resource.Field[*linkRequest]{
	{Name: "url", At: func(l *linkRequest) any { return &l.URL }, Doc: "http or https", Required: true, MaxLen: 8192},
}}

func (e *Explorer) openLink(_ context.Context, _ *resource.Call, in *linkRequest) (any, error) {
	if e.o.Native == nil {
		return nil, fault.New(fault.Conflict, "this portal runs without a desktop; open the link yourself")
	}
	if err := e.o.Native.OpenLink(in.URL); err != nil {
		return nil, &fault.Error{Kind: fault.Invalid, Field: "url", Message: err.Error(), Err: err}
	}
	return nil, nil
}

// fromWindow lets only the session of the window itself in. What acts on the
// person's screen is not for other sessions of theirs, nor for other users.
func (e *Explorer) fromWindow(do handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		if e.o.Native != nil && !c.Session.Window {
			return nil, fault.New(fault.Denied, "Only the Spyglass window itself may do this. Use the window.")
		}
		return do(ctx, c)
	}
}

// inWindow does something with the window.
func (e *Explorer) inWindow(do func(Native) error) handle {
	return func(context.Context, *resource.Call) (any, error) {
		if e.o.Native == nil {
			return nil, fault.New(fault.Conflict, "this portal runs without a desktop window")
		}
		if err := do(e.o.Native); err != nil {
			return nil, fault.New(fault.Conflict, "%v", err)
		}
		return nil, nil
	}
}
