// Package workspace stores the Explorer's data of each user: tabs, variables, the
// history of requests, and settings.
//
// They are resources like any other, in a database of their own beside the
// portal's. Every row belongs to one user, who sees no others.
//
// # Shapes and units
//
// A Draft is a request while it is edited, with {{variables}} unresolved; only
// drafts are stored, never the values of variables. Times are epoch
// milliseconds, durations milliseconds, sizes bytes. It stores the newest Kept
// requests, and all pinned ones.
//
// # Secrets
//
// The value of a secret variable is stored in Secrets only: the OS keyring, or a
// table of sealed values in a database on a server. Its row has resource.Mask. A
// value that cannot be read counts as not set. See Moved for a workspace that moves
// between the two. Secrets are read outside of
// transactions, because a locked keyring may take seconds.
//
// # Concurrency
//
// A Workspace is safe for concurrent use. Beside the store's it starts one
// goroutine, which makes requests searchable after they are on disk; Close waits
// for it. Watchers are notified after a change is on disk, on the goroutine that
// made it.
//
// Several processes may use a workspace in a database on a server at once. Each
// notifies its watcher of the changes of the others, on a second goroutine.
// Deleted objects are then in the database, too, so that any process restores them.
//
// # Errors
//
// Those of package store: rows of another user are fault.Unknown.
package workspace

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
	"spyglass/backend/store"
)

// Kept is the default number of a user's requests in the history, apart from
// pinned ones.
const Kept = 10_000

// Kind is the kind of rows that changed.
type Kind string

// The kinds of change.
const (
	TabsChanged       Kind = "tabs"
	VariablesChanged  Kind = "variables"
	HistoryChanged    Kind = "history"
	PortalsChanged    Kind = "portals"
	ExtractorsChanged Kind = "extractors"
	SettingsChanged   Kind = "settings"

	CollectionsChanged  Kind = "collections"
	ExamplesChanged     Kind = "examples"
	EnvironmentsChanged Kind = "environments"
)

// Schema implements resource.Described.
func (Kind) Schema() resource.Schema {
	return resource.Schema{Type: "string", Enum: []any{TabsChanged, VariablesChanged, HistoryChanged, PortalsChanged,
		ExtractorsChanged, SettingsChanged, CollectionsChanged, ExamplesChanged, EnvironmentsChanged}}
}

// Secrets stores values outside the database. A keychain.Keychain implements it.
type Secrets interface {
	Get(name string) (string, error)      // fault.Unknown if there is none
	Set(name, secret string) (lasts bool) // false: until the process ends
	Delete(name string) error             // a missing value is not an error
}

// Options configures a Workspace.
type Options struct {
	Path string // of the database file
	// Database is the address of a database on a server, which takes the place of the
	// file: the workspace has a schema of its own there, which other processes may have
	// open, too. Secrets are then in the database, sealed.
	Database string
	// KeyOf is the database whose key seals the secrets in a database; nil: a key of the
	// workspace's own. A file may have such secrets after a move; they then go to Secrets.
	KeyOf *store.DB

	Secrets Secrets          // without Database; nil keeps secrets in memory until Close
	Kept    int64            // requests in a user's history; Kept when 0
	Quota   int64            // bytes of a user's history with responses; 0: no limit
	Log     *slog.Logger     // slog.Default when nil
	Clock   func() time.Time // time.Now when nil
	Sibling store.Sibling    // the portal that owns the file; zero for none

	Upgrade func(store.Progress) // see store.Options

	Twice bool // run each write twice, for tests
}

// Workspace holds all users' tabs, variables, history and settings in one portal.
type Workspace struct {
	db      *store.DB
	log     *slog.Logger
	secrets Secrets
	kept    int64
	quota   int64

	tabs      *store.Table
	variables *store.Table
	history   *store.Table
	portals   *store.Table

	extractors *store.Table

	environments *store.Table

	collections *store.Table
	requests    *store.Table
	examples    *store.Table

	writing sync.Mutex // one write of variables at a time, so that each row matches its secret

	unlearned chan struct{} // signals that there may be requests without words
	learning  service.Group

	deletedHistory   bin[pastRequest]
	deletedVariables bin[pastVariable]

	deletedEnvironments bin[pastEnvironment]

	renames bin[followed] // by variable

	shared  bool    // other processes may write
	foreign foreign // their changes

	shares  *store.Table
	sharing *Sharing // nil: collections cannot be shared

	mu      sync.Mutex
	past    map[int64]size // the cached size of each user's history; unused if the database is shared
	lost    bool           // a secret is kept only until the process ends
	unread  map[int64]bool // users whose settings cannot be read
	watcher func(userID int64, kind Kind)
}

// Open opens the database, or creates it. See store.Open for its errors.
func Open(ctx context.Context, o Options) (*Workspace, error) {
	if o.Secrets == nil {
		o.Secrets = &memory{values: map[string]string{}}
	}
	if o.Kept == 0 {
		o.Kept = Kept
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	w := &Workspace{log: o.Log, secrets: o.Secrets, kept: o.Kept, quota: o.Quota, past: map[int64]size{},
		shared: o.Database != "", unread: map[int64]bool{}, watcher: func(int64, Kind) {},
		unlearned: make(chan struct{}, 1),
		foreign:   foreign{wake: make(chan struct{}, 1)}}
	options := store.Options{Path: o.Path, Database: o.Database, Shared: w.shared, Beside: "workspace",
		Others: w.foreign.heard, Log: o.Log, Clock: o.Clock, Sibling: o.Sibling, Upgrade: o.Upgrade,
		Twice: o.Twice}
	if w.shared {
		options.KeyOf = o.KeyOf
	}
	var err error
	if w.db, err = store.Open(ctx, options); err != nil {
		return nil, err
	}
	w.deletedHistory.most, w.deletedVariables.keep = mostRestored, regainable
	w.deletedEnvironments.keep, w.renames.keep = regainable, regainable
	err = w.addTables()
	switch {
	case err == nil && w.shared:
		err = w.share(ctx, o.Clock)
	case o.KeyOf != nil:
		w.secrets = adopting{w.secrets, vault{w.db, o.KeyOf, o.Log}}
	}
	if err != nil {
		_ = w.db.Close()
		return nil, err
	}
	if err := w.emptyTrash(ctx, resource.MillisOf(now(o.Clock).Add(-kept))); err != nil {
		o.Log.Warn("deleted requests stay in the workspace until the next start", "err", err)
	}
	w.learning.Guard = &service.Guard{Log: o.Log}
	w.learning.Keep("words of the history", w.learnOn)
	if w.shared {
		w.learning.Keep("changes of other processes", w.notifyForeign)
	}
	w.learnSoon() // requests that an earlier process has not indexed
	return w, nil
}

func now(clock func() time.Time) time.Time {
	if clock == nil {
		return time.Now()
	}
	return clock()
}

// shapes returns the shape of every table that addTables adds.
func shapes() []store.Shape {
	return []store.Shape{
		store.ShapeOf(&Tabs), store.ShapeOf(&Environments), store.ShapeOf(&Variables), store.ShapeOf(&Extractors),
		store.ShapeOf(&Portals), store.ShapeOf(&catalogs),
		store.ShapeOf(&Histories), store.ShapeOf(&replies), store.ShapeOf(&ways), store.ShapeOf(&Collections),
		store.ShapeOf(&Requests), store.ShapeOf(&Examples), store.ShapeOf(&exampleBodies),
		store.ShapeOf(&diskFolders), store.ShapeOf(&diskFiles), store.ShapeOf((*Workspace)(nil).shareTable()),
		store.ShapeOf(&settings), store.ShapeOf(&sealedSecrets), store.ShapeOf(&deletedValues),
	}
}

func (w *Workspace) addTables() (err error) {
	err = w.db.Accept(context.Background(), shapes()...)
	if err != nil {
		return err
	}
	variables, portals, histories := Variables, Portals, Histories
	variables.Extra, portals.Extra, histories.Extra = w.secretly(), w.guarded(), w.clearing()
	environments := Environments
	environments.Extra = map[resource.Verb]resource.Extra{resource.OnDelete: wrapped(w.removeEnvironment)}
	if w.tabs, err = store.Add(w.db, &Tabs); err != nil {
		return err
	}
	if w.environments, err = store.Add(w.db, &environments); err != nil {
		return err
	}
	if w.variables, err = store.Add(w.db, &variables); err != nil {
		return err
	}
	if err = w.spread(context.Background()); err != nil {
		return err
	}
	if w.extractors, err = store.Add(w.db, &Extractors); err != nil {
		return err
	}
	if w.portals, err = store.Add(w.db, &portals); err != nil {
		return err
	}
	if _, err = store.Add(w.db, &catalogs); err != nil {
		return err
	}
	if w.history, err = store.Add(w.db, &histories); err != nil {
		return err
	}
	if _, err = store.Add(w.db, &replies); err != nil {
		return err
	}
	if _, err = store.Add(w.db, &ways); err != nil {
		return err
	}
	if err = words.Open(context.Background(), w.db); err != nil {
		return err
	}
	if w.collections, err = store.Add(w.db, &Collections); err != nil {
		return err
	}
	if w.requests, err = store.Add(w.db, &Requests); err != nil {
		return err
	}
	if w.examples, err = store.Add(w.db, &Examples); err != nil {
		return err
	}
	if _, err = store.Add(w.db, &exampleBodies); err != nil {
		return err
	}
	if _, err = store.Add(w.db, &diskFolders); err != nil {
		return err
	}
	if _, err = store.Add(w.db, &diskFiles); err != nil {
		return err
	}
	if w.shares, err = store.Add(w.db, w.shareTable()); err != nil {
		return err
	}
	if _, err = store.Add(w.db, &sealedSecrets); err != nil {
		return err
	}
	_, err = store.Add(w.db, &settings)
	return err
}

// Close finishes the writes in progress and closes the database.
func (w *Workspace) Close() error {
	return errors.Join(w.learning.Stop(context.Background()), w.db.Close())
}

// FileID returns the id of the database, see store.Sibling.
func (w *Workspace) FileID() string { return w.db.FileID() }

// Counts returns the number of rows of each table.
func (w *Workspace) Counts(ctx context.Context) (map[string]int64, error) { return w.db.Counts(ctx) }

// Watch calls changed after each change of a user's rows, or with Everyone. It replaces
// an earlier watcher.
func (w *Workspace) Watch(changed func(userID int64, kind Kind)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watcher = changed
}

func (w *Workspace) changed(userID int64, kind Kind) {
	w.mu.Lock()
	notify := w.watcher
	w.mu.Unlock()
	notify(userID, kind)
}

// Notice returns the notices to show to the user about the workspace, one per
// line; empty for none.
func (w *Workspace) Notice(userID int64) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	if w.lost {
		lines = append(lines, w.whyLost())
	}
	if w.unread[userID] {
		lines = append(lines, "Your settings could not be read and were reset to their defaults; the next change "+
			"writes them again")
	}
	return strings.Join(lines, "\n")
}

// whyLost returns the notice about secrets that were not stored.
func (w *Workspace) whyLost() string {
	if w.shared {
		return "A secret could not be stored in the database; enter it again"
	}
	return "No system keyring found: secret variables are kept for this session only"
}

// Endpoints returns all endpoints of the workspace: /tabs, /variables and so on.
func (w *Workspace) Endpoints() []resource.Endpoint {
	tabs := w.notifying(TabsChanged, w.tabs.Endpoints())
	variables := w.notifying(VariablesChanged, append(w.variables.Endpoints(), w.regaining(),
		w.usesEndpoint(), w.missingEndpoint()))
	variables = append(variables, w.lasting(w.followEndpoints())...)
	history := append(w.notifying(HistoryChanged, append(w.history.Endpoints(), w.restoring())),
		w.searching())
	portals := w.notifying(PortalsChanged, w.portals.Endpoints())
	collections := w.notifying(CollectionsChanged, append(w.collections.Endpoints(), w.requests.Endpoints()...))
	all := append(append(append(tabs, variables...), history...), portals...)
	all = append(append(all, collections...), w.collectionEndpoints()...)
	all = append(all, w.notifying(ExamplesChanged, append(w.examples.Endpoints(), w.exampleEndpoints()...))...)
	all = append(all, w.notifying(EnvironmentsChanged, append(w.environments.Endpoints(), w.regainingEnvironment()))...)
	all = append(all, w.notifying(ExtractorsChanged, w.extractors.Endpoints())...)
	shares := append(w.audited(w.shares.Endpoints()), w.shareEndpoints()...)
	all = append(all, w.notifying(CollectionsChanged, shares)...)
	return w.lent(append(all, w.notifying(SettingsChanged, w.settingsEndpoints())...))
}

type handle = resource.Handler

// wrapped is an Extra that wraps the usual handler of an endpoint.
func wrapped(do func(usual handle) handle) resource.Extra {
	return resource.Extra{Around: func(_ resource.DB, usual handle) handle { return do(usual) }}
}

// notifying makes every write notify the watcher, and complete even if its caller
// disconnects.
func (w *Workspace) notifying(kind Kind, endpoints []resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		if endpoints[i].Method == "GET" {
			continue
		}
		do := endpoints[i].Handle
		endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
			out, err := do(ctx, c)
			if err == nil {
				w.changed(c.Access.UserID, kind)
				if kind == CollectionsChanged {
					w.sharedChanged(ctx, c.Access.UserID)
				}
			}
			return out, err
		}
	}
	return w.lasting(endpoints)
}

// lasting lets every write complete even if the page that sent it is closed, so
// that closing a window does not lose its last edit.
func (w *Workspace) lasting(endpoints []resource.Endpoint) []resource.Endpoint {
	for i := range endpoints {
		if do := endpoints[i].Handle; endpoints[i].Method != "GET" {
			endpoints[i].Handle = func(ctx context.Context, c *resource.Call) (any, error) {
				return do(context.WithoutCancel(ctx), c)
			}
		}
	}
	return endpoints
}

// declared describes a response by its Go type.
func declared(v any) *resource.Schema {
	s := resource.SchemaOf(v)
	return &s
}

// idParam describes the id of a row in a path.
var idParam = []resource.Param{{Name: "id", In: "path", Required: true, Schema: resource.Integer("Which")}}

// anyone is the permission for all endpoints here: any signed-in user.
var anyone = resource.Right{Object: resource.Anyone}

// mine returns the condition that a row belongs to the user.
func mine(userID int64) resource.Where {
	return resource.Where{Field: "userId", Op: "=", Value: userID}
}

// known returns the user's rows of a table that every request reads, by id. It
// caches them until one of them changes. Callers share the cache and must not
// change what a row points to.
func known[T any](ctx context.Context, from resource.Reader, name resource.Name[*T], userID int64) ([]T, error) {
	key := "known " + string(name) + " of " + strconv.FormatInt(userID, 10)
	rows, err := from.Memo(key, []string{string(name)}, func() (any, error) {
		return resource.Find(ctx, from, name, mine(userID))
	})
	if err != nil {
		return nil, err
	}
	return slices.Clone(rows.([]T)), nil
}

// listJSON returns rows as the page receives them.
func listJSON[T any](r *resource.Resource[*T], rows []T) (resource.JSON, error) {
	out, untyped := []byte{'['}, r.Untyped()
	for i := range rows {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = untyped.AppendJSON(out, &rows[i]); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// memory stores secrets in memory, without a keyring.
type memory struct {
	mu     sync.Mutex
	values map[string]string
}

func (m *memory) Get(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[name]
	if !ok {
		return "", fault.New(fault.Unknown, "nothing is stored under %q", name)
	}
	return value, nil
}

func (m *memory) Set(name, secret string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[name] = secret
	return false
}

func (m *memory) Delete(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.values, name)
	return nil
}
