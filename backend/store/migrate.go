package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// migrate creates the table, or updates an older one to the current declaration:
// it adds columns and indexes and writes the JSON of the rows again. It runs in
// one transaction, after a backup of the file. On a server, it adds the columns and
// indexes in a transaction before: other nodes can then read while it writes the rows.
func (t *Table) migrate(ctx context.Context) error {
	was, err := t.knownShape(ctx)
	if err != nil {
		return err
	}
	now := t.shape()
	if was != "" && was != now {
		if err := t.db.backupOnce(ctx); err != nil {
			return err
		}
		if t.db.remote {
			if err := t.db.write(ctx, func(tx *tx) error { return tx.w.base.Define(ctx, t.table) }); err != nil {
				return err
			}
		}
	}
	err = t.db.write(ctx, func(tx *tx) error {
		if was != now {
			if err := t.reshape(ctx, tx, was != ""); err != nil {
				return err
			}
			if err := tx.w.base.SetMeta(ctx, engine.Shape, t.table.Name, now); err != nil {
				return err
			}
			tx.redeclared = true
		}
		if kept, err := t.fieldsKept(ctx, tx); err != nil {
			return err
		} else if !kept {
			if err := t.keepFields(ctx, tx); err != nil {
				return err
			}
			tx.redeclared = true
		}
		return t.readNext(ctx, tx)
	})
	if err == nil {
		t.db.shapes.set(t.table.Name, now)
	}
	return err
}

// unmigrated returns the error for a table that could not be migrated. Its rows
// are unchanged.
func unmigrated(path, table string, err error) error {
	var known *fault.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("table %s: %w", table, err)
	}
	why := "its rows cannot be read"
	if class(err) == engine.Taken {
		why = "several of its rows share a value that must be unique"
	}
	return &fault.Error{Kind: fault.Conflict, Err: err, Message: fmt.Sprintf(
		"%s cannot be opened by this version of Spyglass: in its table %s, %s. It was left as it is. Start the "+
			"version that wrote it last, restore a backup, or choose another --data folder",
		path, table, why)}
}

// readNext reads the next id: put treats a row with a higher id as a new row.
func (t *Table) readNext(ctx context.Context, tx *tx) error {
	last, err := tx.w.base.LastID(ctx, t.table)
	if t.ids = unreserved(last); !t.db.shares() {
		t.ids.limit = t.ids.next
	}
	return err
}

// knownShape returns the shape of the table in the database; "" if it has none.
func (t *Table) knownShape(ctx context.Context) (string, error) {
	if t.db.remote { // another process may add tables meanwhile
		return meta(ctx, t.db.base, engine.Shape, t.table.Name)
	}
	return t.db.shapes.get(ctx, t.db.base, t.table.Name)
}

// shapes caches the shapes of all tables in a file. Reading each shape when its table is
// added would parse the schema again for each: adding a table changes the schema for all
// connections.
type shapes struct {
	mu    sync.Mutex
	known map[string][]string // nil: not read yet
}

func (s *shapes) get(ctx context.Context, r engine.Reader, table string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		known, err := r.AllMeta(ctx, engine.Shape)
		if err != nil {
			return "", err
		}
		s.known = known
	}
	return strings.Join(s.known[table], ""), nil
}

func (s *shapes) set(table, shape string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known != nil {
		s.known[table] = []string{shape}
	}
}

// shape returns a text of everything in the declaration on which the file
// depends.
func (t *Table) shape() string {
	text := fmt.Sprintf("%v %s 4 %s", t.res.Unique, t.res.SoftBy, t.outline.sum) // 4: the rules for choosing indexes
	if len(t.res.Counted) > 0 {
		text += fmt.Sprint(" ", t.res.Counted)
	}
	if t.res.Mend != nil {
		text += " " + resource.SecretRules()
	}
	for _, c := range t.columns {
		text += fmt.Sprintf("|%s %d %v %v", c.Name, c.Kind, c.Hidden, c.field.Index)
		if c.field.If != nil {
			text += " if"
		}
		if c.Kind == resource.KindOther && !c.Hidden { // the keys that its objects show
			text += fmt.Sprint(
				" ", shownKeys(resource.SchemaOf(reflect.ValueOf(c.field.At(t.res.New())).Elem().Interface())))
		}
		if c.Kind == resource.KindPairs { // which of its values are masked and sealed
			text += " " + resource.SecretRules()
		}
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// shownKeys returns the keys that an object of the schema always shows.
func shownKeys(s resource.Schema) (names []string) {
	if s.Items != nil {
		return shownKeys(*s.Items)
	}
	for _, k := range s.Properties {
		if k.Required || k.Shown {
			names = append(append(names, k.Name), shownKeys(k.Schema)...)
		}
	}
	return names
}

func (t *Table) reshape(ctx context.Context, tx *tx, exists bool) error {
	if !exists || !t.db.remote {
		if err := tx.w.base.Define(ctx, t.table); err != nil {
			return err
		}
	}
	if !exists {
		return nil
	}
	if err := t.readNext(ctx, tx); err != nil {
		return err
	}
	report := func(done, total int) {
		t.db.upgrade(Progress{File: filepath.Base(t.db.path), Table: t.table.Name, Done: done, Total: total})
	}
	report(0, 0)
	ids, err := selectIDs(ctx, tx.reader(), engine.Select{Table: t.table, Order: byID})
	for done := 0; err == nil && done < len(ids); done += progressEach {
		report(done, len(ids))
		err = t.rewrite(ctx, tx, ids[done:min(done+progressEach, len(ids))])
	}
	return err
}

// rewrite writes some rows again.
func (t *Table) rewrite(ctx context.Context, tx *tx, ids []int64) error {
	rows, err := t.query(ctx, tx, engine.Among{Column: engine.ID, IDs: ids})
	for _, row := range rows {
		if err == nil && t.res.Mend != nil {
			err = t.res.Mend(row)
		}
		if err == nil {
			_, err = t.put(ctx, tx, row)
		}
	}
	return err
}

// indexes returns the indexes for a declaration. Their names show their content.
func (t *Table) indexes() (all []engine.Index) {
	prefix := string(t.res.Name)
	for _, c := range t.columns {
		if !c.field.Index || c.Kind == resource.KindIDs || c.Name == engine.ID ||
			slices.ContainsFunc(t.res.Unique, func(set []string) bool { return slices.Equal(set, []string{c.Name}) }) {
			continue // the unique index does the same
		}
		all = append(all, engine.Index{Name: prefix + " by " + c.Name, Columns: []string{c.Name}})
		// for the newest of the rows that lists usually show
		if usual := t.res.Usual; usual != nil && (c.Kind == resource.KindSeconds || c.Kind == resource.KindMillis) {
			all = append(all, engine.Index{Name: prefix + " by " + usual.Field + " and " + c.Name,
				Columns: []string{usual.Field, c.Name}})
		}
	}
	if len(t.res.Counted) > 0 { // compares texts exactly, as counts do
		all = append(all, engine.Index{Name: prefix + " counted", Columns: t.res.Counted, Exact: true})
	}
	for _, set := range t.res.Unique {
		all = append(all, engine.Index{Name: prefix + " has one " + strings.Join(set, " "), Columns: set, Unique: true})
	}
	return all
}
