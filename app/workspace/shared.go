package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// A workspace in a database on a server is open in several processes. What it
// otherwise keeps in the system keyring or in memory is then in tables of the
// database, sealed with the portal's key. A workspace in a file has such secrets only
// after a move or a restore, until the keyring has taken them over.

// sealedSecret is a value of Secrets.
type sealedSecret struct {
	ID     int64
	Name   string
	Sealed string
}

const sealedRows resource.Name[*sealedSecret] = "secret"

var sealedSecrets = resource.Resource[*sealedSecret]{
	Name: sealedRows, Label: "secret",
	Fields: []resource.Field[*sealedSecret]{
		{Name: "id", At: func(s *sealedSecret) any { return &s.ID }, ReadOnly: true},
		{Name: "name", At: func(s *sealedSecret) any { return &s.Name }, ReadOnly: true, WriteOnly: true},
		{Name: "sealed", At: func(s *sealedSecret) any { return &s.Sealed }, ReadOnly: true, WriteOnly: true},
	},
	Unique: [][]string{{"name"}},
}

// vault implements Secrets with a table.
type vault struct {
	db   *store.DB
	seal *store.DB // has the key
	log  *slog.Logger
}

// placeOf binds a sealed secret to its name.
func placeOf(name string) string { return "workspace secret " + name }

func named(name string) resource.Where { return resource.Where{Field: "name", Op: "=", Value: name} }

// Get implements Secrets. A secret that the key does not open counts as missing.
func (v vault) Get(name string) (string, error) {
	found, err := resource.Find(context.Background(), v.db, sealedRows, named(name))
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		secret, err := v.seal.Unseal(placeOf(name), found[0].Sealed)
		if err == nil {
			return string(secret), nil
		}
		v.log.Warn("a secret of the workspace was encrypted with another key; it counts as not set", "name", name)
	}
	return "", fault.New(fault.Unknown, "nothing is stored under %q", name)
}

// Set implements Secrets.
func (v vault) Set(name, secret string) (lasts bool) {
	ctx := context.Background()
	err := v.db.Write(ctx, func(tx resource.Tx) error {
		row := &sealedSecret{Name: name}
		found, err := resource.Find(ctx, tx, sealedRows, named(name))
		if err != nil {
			return err
		}
		if len(found) > 0 {
			row = &found[0]
		}
		row.Sealed = v.seal.Seal(placeOf(name), []byte(secret))
		return resource.Put(ctx, tx, sealedRows, row)
	})
	if err != nil {
		v.log.Error("a secret of the workspace could not be stored", "name", name, "err", err)
	}
	return err == nil
}

// Delete implements Secrets.
func (v vault) Delete(name string) error {
	ctx := context.Background()
	return v.db.Write(ctx, func(tx resource.Tx) error {
		return resource.DeleteAll(ctx, tx, sealedRows, named(name))
	})
}

// deletedValue is a value of a bin.
type deletedValue struct {
	ID     int64
	Kind   string
	UserID int64
	RowID  int64 // the id under which it was deleted
	At     resource.Millis
	Sealed string // its JSON
}

const deletedRows resource.Name[*deletedValue] = "deleted"

var deletedValues = resource.Resource[*deletedValue]{
	Name: deletedRows, Label: "deleted value", Owner: "userId",
	Fields: []resource.Field[*deletedValue]{
		{Name: "id", At: func(d *deletedValue) any { return &d.ID }, ReadOnly: true},
		{Name: "kind", At: func(d *deletedValue) any { return &d.Kind }, ReadOnly: true, Index: true},
		{Name: "userId", At: func(d *deletedValue) any { return &d.UserID }, ReadOnly: true, WriteOnly: true},
		{Name: "rowId", At: func(d *deletedValue) any { return &d.RowID }, ReadOnly: true},
		{Name: "at", At: func(d *deletedValue) any { return &d.At }, ReadOnly: true},
		{Name: "sealed", At: func(d *deletedValue) any { return &d.Sealed }, ReadOnly: true, WriteOnly: true},
	},
}

// shelved holds the values of one bin in a table.
type shelved struct {
	db    *store.DB
	log   *slog.Logger
	clock func() time.Time
	kind  string
}

func (s *shelved) place(userID, id int64) string {
	return fmt.Sprintf("workspace deleted %s %d %d", s.kind, userID, id)
}

func (s *shelved) mine() resource.Where { return resource.Where{Field: "kind", Op: "=", Value: s.kind} }

// expired returns the condition for the values that can no longer be restored.
func (s *shelved) expired(keep time.Duration) []resource.Where {
	return []resource.Where{s.mine(), {Field: "at", Op: "<=", Value: int64(resource.MillisOf(now(s.clock).Add(-keep)))}}
}

// put stores a value. If that fails, it only cannot be restored.
func (s *shelved) put(ctx context.Context, most int, keep time.Duration, userID, id int64, what any) {
	text, err := json.Marshal(what)
	if err == nil {
		err = s.db.Write(ctx, func(tx resource.Tx) error {
			err := resource.Put(ctx, tx, deletedRows, &deletedValue{Kind: s.kind, UserID: userID, RowID: id,
				At: resource.MillisOf(now(s.clock)), Sealed: s.db.Seal(s.place(userID, id), text)})
			if err == nil && most > 0 {
				err = s.drop(ctx, tx, most)
			}
			return err
		})
	}
	if err != nil {
		s.log.Warn("a deleted value cannot be restored", "kind", s.kind, "err", err)
	}
	if keep > 0 {
		time.AfterFunc(keep, func() { _ = s.expire(context.Background(), keep) }) // if not, the next start does
	}
}

// drop deletes all values but the newest.
func (s *shelved) drop(ctx context.Context, tx resource.Tx, most int) error {
	all, err := resource.Find(ctx, tx, deletedRows, s.mine())
	for i := 0; i < len(all)-most && err == nil; i++ {
		err = resource.Delete(ctx, tx, deletedRows, all[i].ID)
	}
	return err
}

// expire deletes the values that can no longer be restored.
func (s *shelved) expire(ctx context.Context, keep time.Duration) error {
	return s.db.Write(ctx, func(tx resource.Tx) error {
		return resource.DeleteAll(ctx, tx, deletedRows, s.expired(keep)...)
	})
}

// take removes the value that was last stored under an id, and reads it into what.
func (s *shelved) take(ctx context.Context, keep time.Duration, userID, id int64, what any) (ok bool, err error) {
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		ok = false
		if keep > 0 {
			if err := resource.DeleteAll(ctx, tx, deletedRows, s.expired(keep)...); err != nil {
				return err
			}
		}
		found, err := resource.Find(ctx, tx, deletedRows, s.mine(), mine(userID),
			resource.Where{Field: "rowId", Op: "=", Value: id})
		if err != nil || len(found) == 0 {
			return err
		}
		last := found[len(found)-1]
		text, err := s.db.Unseal(s.place(userID, id), last.Sealed)
		if err == nil {
			err = json.Unmarshal(text, what)
		}
		if err != nil {
			return err
		}
		ok = true
		return resource.Delete(ctx, tx, deletedRows, last.ID)
	})
	return ok, err
}

// share makes the workspace use tables for what several processes need.
func (w *Workspace) share(ctx context.Context, clock func() time.Time) error {
	if _, err := store.Add(w.db, &deletedValues); err != nil {
		return err
	}
	w.secrets = vault{w.db, w.db, w.log}
	in := func(kind string) *shelved { return &shelved{db: w.db, log: w.log, clock: clock, kind: kind} }
	w.deletedHistory.in, w.deletedVariables.in = in("history"), in("variable")
	w.deletedEnvironments.in, w.renames.in = in("environment"), in("rename")
	for _, kind := range []*shelved{w.deletedVariables.in, w.deletedEnvironments.in, w.renames.in} {
		if err := kind.expire(ctx, regainable); err != nil {
			return err
		}
	}
	return nil
}

// foreign collects the changes of other processes.
type foreign struct {
	mu     sync.Mutex
	tables map[string][][]int64 // the changed rows of each commit, by table; no rows: any may have changed
	wake   chan struct{}
}

// mostForeign limits the collected commits of a table; beyond it, all users are notified.
const mostForeign = 100

// heard records a commit of another process.
func (f *foreign) heard(table string, ids []int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tables == nil {
		f.tables = map[string][][]int64{}
	}
	if f.tables[table] = append(f.tables[table], ids); len(f.tables[table]) > mostForeign {
		f.tables[table] = [][]int64{nil}
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *foreign) take() map[string][][]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.tables
	f.tables = nil
	return taken
}

// shown says how the page sees the changes of a table: the kind of change, and the user
// of a row.
type shown struct {
	kind  Kind
	owner func(ctx context.Context, from resource.Reader, id int64) (userID int64, err error)
}

func shownAs[T any](kind Kind, name resource.Name[*T], user func(row *T) int64) shown {
	return shown{kind, func(ctx context.Context, from resource.Reader, id int64) (int64, error) {
		row, err := resource.Get(ctx, from, name, id)
		if err != nil {
			return 0, err
		}
		return user(row), nil
	}}
}

// shownTables returns how the page sees each table.
func shownTables() map[string]shown {
	return map[string]shown{
		string(tabRows): shownAs(TabsChanged, tabRows, func(t *Tab) int64 { return t.UserID }),
		string(environmentRows): shownAs(EnvironmentsChanged, environmentRows,
			func(e *Environment) int64 { return e.UserID }),
		string(variableRows):  shownAs(VariablesChanged, variableRows, func(v *Variable) int64 { return v.UserID }),
		string(historyRows):   shownAs(HistoryChanged, historyRows, func(h *History) int64 { return h.UserID }),
		string(portalRows):    shownAs(PortalsChanged, portalRows, func(p *Portal) int64 { return p.UserID }),
		string(extractorRows): shownAs(ExtractorsChanged, extractorRows, func(x *Extractor) int64 { return x.UserID }),
		string(collectionRows): shownAs(CollectionsChanged, collectionRows,
			func(c *Collection) int64 { return c.UserID }),
		string(requestRows):  shownAs(CollectionsChanged, requestRows, func(r *Request) int64 { return r.UserID }),
		string(exampleRows):  shownAs(ExamplesChanged, exampleRows, func(e *RequestExample) int64 { return e.UserID }),
		string(settingsRows): shownAs(SettingsChanged, settingsRows, func(s *Settings) int64 { return s.UserID }),
		string(shareRows): {CollectionsChanged, func(context.Context, resource.Reader, int64) (int64, error) {
			return Everyone, nil
		}},
	}
}

// notifyForeign notifies the watcher of the changes of other processes.
func (w *Workspace) notifyForeign(ctx context.Context) {
	tables := shownTables()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.foreign.wake:
		}
		changes := map[Kind]map[int64]bool{}
		for name, commits := range w.foreign.take() {
			if s, ok := tables[name]; ok {
				if changes[s.kind] == nil {
					changes[s.kind] = map[int64]bool{}
				}
				for _, ids := range commits {
					w.ownersOf(ctx, s, ids, changes[s.kind])
				}
			}
		}
		for kind, users := range changes {
			if users[Everyone] {
				w.changed(Everyone, kind)
				continue
			}
			for user := range users {
				w.changed(user, kind)
				if kind == CollectionsChanged {
					w.sharedChanged(ctx, user)
				}
			}
		}
	}
}

// ownersOf adds the users of the rows of one commit to users. Deleted rows count as those
// of the users of the other rows, because a new request deletes old ones; or as Everyone's
// if there are no others.
func (w *Workspace) ownersOf(ctx context.Context, s shown, ids []int64, users map[int64]bool) {
	known := false
	for _, id := range ids {
		if owner, err := s.owner(ctx, w.db, id); err == nil {
			users[owner], known = true, true
		}
	}
	if !known {
		users[Everyone] = true
	}
}
