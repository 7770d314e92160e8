// Package explorer serves the page's endpoints beyond the portal's own API, those
// below /explorer.
//
// It puts its rooms together, one for each subject, and gives each what it needs of a
// room above it. A draft goes through outgoing and send to a portal, the response into
// view; pages, undo, run, watch and transfer send through send, too, and remote brings the
// portals beyond the built-in one. README's map lists the rooms.
//
// # Units
//
// Durations are milliseconds, sizes bytes.
//
// # Concurrency
//
// An Explorer is safe for concurrent use. Everything runs on the goroutines of the HTTP
// server, but for those beside each event stream, which end with it. Stop cancels
// requests under way and waits until they are in the history, and ends event streams;
// it comes before the server's shutdown, which would wait for them. Close drops the
// documents; it comes after, because it waits for those who read one.
//
// # Errors
//
// fault.Invalid names the field of the draft: path, query.NAME, headers.NAME or
// body. fault.Offline, with the field portal: no response. A response of the portal
// that is an error is a response like any other.
package explorer

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"spyglass/app/diagnose"
	"spyglass/app/explorer/across"
	"spyglass/app/explorer/address"
	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/folder"
	"spyglass/app/explorer/keep"
	"spyglass/app/explorer/maintenance"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/pages"
	"spyglass/app/explorer/rehearsal"
	"spyglass/app/explorer/remote"
	"spyglass/app/explorer/run"
	"spyglass/app/explorer/script"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/app/explorer/transfer"
	"spyglass/app/explorer/undo"
	"spyglass/app/explorer/view"
	"spyglass/app/explorer/watch"
	"spyglass/app/explorer/window"
	"spyglass/app/updates"
	"spyglass/app/workspace"
	"spyglass/backend/backup"
	"spyglass/backend/check"
	"spyglass/backend/resource"
)

// Native provides the desktop's functions to the page.
type Native interface {
	OpenLink(url string) error                     // http and https only
	SaveFile(name string) (path string, err error) // shows the save dialog; returns "" if the user cancels
	// ChooseFolder shows a dialog for a folder; returns "" if the user cancels.
	ChooseFolder(title string) (path string, err error)
	ToggleFullScreen() error      // switches the window to full screen, or back
	SetTitle(title string) error  // of the window, in its title bar and in the list of windows
	Quit() error                  // closes the window, and with it the program
	OpenFolder(path string) error // in the system's file manager
	Restart() error               // closes the window, and starts the program again
}

// Options configures an Explorer.
type Options struct {
	Workspace *workspace.Workspace
	Catalog   []resource.Endpoint        // the portal's
	BaseURL   func() string              // as users know it, "https://portal.example.net:8443/api"
	Address   string                     // where this process listens, "127.0.0.1:8443"; "" for nowhere
	Pin       string                     // SHA-256 of its certificate or key; "" without TLS
	Cookie    func(secret string) string // the Cookie header of a session
	HTTPS     address.Portal             // its address over TLS
	Trust     address.Trust              // changes the trust stores of this computer
	// ClientOrigin returns the origin of the portal for programs, such as snippets; nil: that of BaseURL.
	ClientOrigin func() string

	PortalName func() string
	Networks   func() (check.Networks, error) // networks that requests to other portals may reach; nil: all
	Instance   string                         // the portal's id
	Version    string
	Folder     string // the data folder, as an absolute path; shown with ~ for the user's home
	Desktop    bool
	Tray       bool // there is a tray icon that can be turned off
	Demo       bool
	Notice     func() string    // a notice for the user at startup; may be nil
	Native     Native           // nil without a desktop
	Keyring    func() bool      // whether secrets outlive the process; nil: they do
	Autostart  window.Autostart // opens the window at sign-in; nil where the system has no such setting
	// Updates checks for a newer version, over the network; nil if the build does not say where.
	Updates func(ctx context.Context) (*updates.Update, error)
	// Changes calls notify with the kinds of rows that change in the portal, until
	// ctx ends or notify fails; nil if changes are not reported.
	Changes func(ctx context.Context, notify func(kinds []string) error) error
	// Storage calls notify with the reason why the portal cannot write, "" if it
	// can: immediately, and on each change until ctx ends; nil if that is not
	// reported.
	Storage func(ctx context.Context, notify func(problem string))
	Counts  func(ctx context.Context) (map[string]int64, error) // rows of the portal's tables
	Tail    *diagnose.Tail                                      // of the log

	Sharing *workspace.Sharing // its users may share collections; nil: they may not

	Collections string // administrators may sync collections with folders below it; empty: only the window may

	Rehearsals string // folder for copies of portals, in which changes are rehearsed; empty: rehearsals are off
	// OpenCopy runs the portal of such a data folder, and creates it when needed.
	OpenCopy func(ctx context.Context, dir string) (*rehearsal.Copy, error)

	Databases backup.Databases // copies and checks the files of databases, for backups

	DocumentDir string        // for large responses; used by this process only
	Timeout     time.Duration // of one request; 60 s when 0
	Log         *slog.Logger  // slog.Default when nil
}

// Explorer serves the API explorer of one portal.
type Explorer struct {
	o       Options
	life    *serve.Life
	hub     *stream.Hub
	views   *view.Documents
	sender  *send.Sender
	pager   *pages.Pager
	writes  *undo.Writes
	portals *remote.Portals
	runner  *run.Runner
	watcher *watch.Watcher
	lists   *across.Lists
	scripts *script.Scripts
	files   *transfer.Files
	keeper  *keep.Keeper
	copies  *rehearsal.Rehearsals
	data    *folder.Data
	window  *window.Window
	address *address.Address

	endStreams context.CancelFunc
}

// New returns an Explorer. It deletes files that an earlier process left in
// DocumentDir.
func New(o Options) (*Explorer, error) {
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	e := &Explorer{o: o, life: serve.NewLife()}
	streams, end := context.WithCancel(context.Background())
	e.endStreams = end
	e.hub = &stream.Hub{Stopped: streams.Done(), Changes: o.Changes, Storage: o.Storage}
	e.data = &folder.Data{
		Workspace: o.Workspace, Folder: o.Folder, DocumentDir: o.DocumentDir, Version: o.Version, Desktop: o.Desktop,
		Demo: o.Demo, Updates: o.Updates,
		Counts: o.Counts, Databases: o.Databases, Tail: o.Tail, Life: e.life, Hub: e.hub, Began: time.Now(),
	}
	var listens netip.AddrPort
	var err error
	if o.Address != "" {
		if listens, err = netip.ParseAddrPort(o.Address); err != nil {
			return nil, err
		}
	}
	own, err := client.New(o.Address, o.Pin)
	if err != nil {
		return nil, err
	}
	e.window = &window.Window{Client: own, BaseURL: o.BaseURL, Cookie: o.Cookie, Autostart: o.Autostart}
	e.address = &address.Address{Portal: o.HTTPS, Trust: o.Trust, Folder: o.Folder, Desktop: o.Desktop}
	if o.Native != nil { // a nil Native in these interfaces would not be nil
		e.data.Desk, e.window.Desk = o.Native, o.Native
	}
	if e.views, err = view.Open(o.DocumentDir, o.Workspace); err != nil {
		return nil, err
	}
	if err := e.data.Empty(); err != nil {
		return nil, err
	}
	e.sender = &send.Sender{
		Workspace: o.Workspace, Catalog: catalog.New(o.Catalog), BaseURL: o.BaseURL, Cookie: o.Cookie,
		PortalName: o.PortalName, Instance: o.Instance, ClientOrigin: o.ClientOrigin,
		Version: o.Version, Timeout: o.Timeout, Log: o.Log,
		Client: e.window.Client, Documents: e.views, Life: e.life, Hub: e.hub,
	}
	e.pager = &pages.Pager{Sender: e.sender}
	e.writes = &undo.Writes{Sender: e.sender}
	e.portals = &remote.Portals{Sender: e.sender, Own: listens, Networks: o.Networks, Instance: o.Instance,
		Demo: o.Demo}
	e.sender.Remote, e.sender.Writes = e.portals.At, e.writes
	e.runner = &run.Runner{Sender: e.sender}
	e.watcher = &watch.Watcher{Sender: e.sender}
	e.lists = &across.Lists{Sender: e.sender, Pager: e.pager, Runner: e.runner}
	e.scripts = &script.Scripts{Sender: e.sender}
	e.files = transfer.New(e.sender)
	e.keeper = &keep.Keeper{Workspace: o.Workspace, Catalog: e.sender.Catalog, Hub: e.hub, Below: o.Collections,
		Desktop: o.Native != nil, Log: o.Log}
	e.keeper.Start()
	if o.Sharing != nil {
		o.Workspace.Share(e.keeper.Sharing(*o.Sharing))
	}
	e.copies = &rehearsal.Rehearsals{Sender: e.sender, Base: o.Rehearsals, Desktop: o.Native != nil, Open: o.OpenCopy}
	o.Workspace.Watch(func(userID int64, kind workspace.Kind) {
		if userID == workspace.Everyone {
			e.hub.NotifyAll("workspace "+string(kind), stream.WorkspaceEvent{Kind: kind})
			return
		}
		if kind == workspace.CollectionsChanged || kind == workspace.ExamplesChanged {
			e.keeper.Changed(userID)
		}
		e.hub.Notify(userID, "workspace "+string(kind),
			stream.WorkspaceEvent{Kind: kind})
	})
	return e, nil
}

// Run runs a plan for the caller of c, as the page's runs do.
func (e *Explorer) Run(ctx context.Context, c *resource.Call, p *run.Plan, notify func(stream.Ran)) (*run.Run, error) {
	life, done, err := e.life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return e.runner.Do(life, c, p, notify)
}

// Target returns the portal of a call, with the caller's credentials.
func (e *Explorer) Target(ctx context.Context, c *resource.Call) (*outgoing.Target, error) {
	return e.sender.Target(ctx, c)
}

// Folder returns the data folder.
func (e *Explorer) Folder() string { return e.o.Folder }

// OpenLinks opens spyglass:// links in the page.
func (e *Explorer) OpenLinks(texts []string) { e.hub.OpenLinks(texts) }

// EndStreams ends event streams. It may be called twice.
func (e *Explorer) EndStreams() { e.endStreams() }

// Stop cancels running requests and waits for them, ends event streams, and
// refuses later ones. It may be called twice.
func (e *Explorer) Stop() {
	e.EndStreams()
	e.life.Stop()
	e.keeper.Stop()
	e.sender.Client.CloseIdle()
	e.portals.HangUp()
}

// Close stops the Explorer and the copies of portals that it runs, and drops all
// documents. The workspace stays open.
func (e *Explorer) Close() {
	e.Stop()
	e.views.Close()
	if err := e.data.Empty(); err != nil {
		e.o.Log.Warn("a backup is left in the data folder until the next start", "err", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	if err := e.copies.Close(ctx); err != nil {
		e.o.Log.Warn("a copy of a portal did not stop cleanly", "err", err)
	}
}

// closeWithin limits how long stopping copies of portals may take.
const closeWithin = 5 * time.Second

// anyone is the permission for all endpoints here: any signed-in user.
var anyone = resource.Right{Object: resource.Anyone}

// Details declares the details of the errors of the endpoints.
func Details() []resource.Key { return resource.SchemaOf(serve.Detail{}).Properties }

// Endpoints returns all endpoints below /explorer, with those of the workspace.
func (e *Explorer) Endpoints() []resource.Endpoint {
	all := slices.Concat(
		serve.OfPortal(serve.Get("/start", "Get the initial data of the page", e.start), e.catalogEndpoint()),
		[]resource.Endpoint{e.hub.Endpoint()},
		serve.OfPortal(e.sender.Endpoint()),
		e.pager.Endpoints(),
		serve.OfPortal(e.runner.Endpoint()),
		e.runner.ReportEndpoints(),
		serve.OfPortal(e.watcher.Endpoint()),
		e.watcher.RecordingEndpoints(),
		serve.OfPortal(e.lists.Endpoints()...),
		serve.OfPortal(e.writes.Endpoints()...),
		serve.OfPortal(e.sender.DraftEndpoints()...),
		serve.OfPortal(e.scripts.Endpoints()...),
		e.window.Endpoints(),
		serve.OfPortal(e.pager.HistoryEndpoint()),
		e.views.Endpoints(),
		[]resource.Endpoint{maintenance.Endpoint()},
		serve.OfPortal(e.portals.Endpoints()...),
		serve.OfPortal(e.files.Endpoints()...),
		serve.OfPortal(e.keeper.Endpoints()...),
		serve.OfPortal(e.copies.Endpoints()...),
		e.data.Endpoints(),
		e.address.Endpoints(),
	)
	for i := range all {
		all[i].Right = anyone
	}
	return append(all, e.o.Workspace.Endpoints()...)
}
