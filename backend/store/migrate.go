package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/sqlite"
)

// migrate makes the table, or brings an older one to the present declaration:
// new fields become columns, indexes are made, and what the rows show is
// written again. It runs in one transaction, after a copy of the file was kept.
func (t *Table[T]) migrate(ctx context.Context) error {
	was, err := t.knownShape(ctx)
	if err != nil {
		return err
	}
	now := t.shape()
	if was != "" && was != now {
		if err := t.db.backupOnce(ctx); err != nil {
			return err
		}
	}
	return t.db.write(ctx, func(tx *tx) error {
		if was != now {
			if err := t.reshape(ctx, tx, was != ""); err != nil {
				return err
			}
			if _, err := tx.exec(ctx, sqlite.PutShape, string(t.res.Name), now); err != nil {
				return err
			}
		}
		if kept, err := t.fieldsKept(ctx, tx); err != nil {
			return err
		} else if !kept {
			if err := t.keepFields(ctx, tx); err != nil {
				return err
			}
		}
		return t.readNext(ctx, tx)
	})
}

// unmigrated returns the error that the rows of a table could not be migrated
// to the present declaration: they are unchanged.
func unmigrated(path, table string, err error) error {
	var known *fault.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("table %s: %w", table, err)
	}
	why := "its rows cannot be read"
	if sqlite.Taken(err) {
		why = "several of its rows share a value that must be unique"
	}
	return &fault.Error{Kind: fault.Conflict, Err: err, Message: fmt.Sprintf(
		"%s cannot be opened by this version of Spyglass: in its table %s, %s. It was left as it is. Start the "+
			"version that wrote it last, restore a backup, or choose another --data folder",
		path, table, why)}
}

// readNext reads the next id: put treats a row with a higher one as new.
func (t *Table[T]) readNext(ctx context.Context, tx *tx) error {
	stmt, err := tx.stmt(ctx, sqlite.LastID)
	if err != nil {
		return err
	}
	err = stmt.QueryRowContext(ctx, string(t.res.Name)).Scan(&t.next)
	t.next++
	return err
}

func (t *Table[T]) knownShape(ctx context.Context) (shape string, err error) {
	err = t.db.write(ctx, func(tx *tx) error {
		stmt, err := tx.stmt(ctx, sqlite.Shape)
		if err != nil {
			return err
		}
		return stmt.QueryRowContext(ctx, string(t.res.Name)).Scan(&shape)
	})
	return shape, err
}

// shape names everything of the declaration that the file depends on.
func (t *Table[T]) shape() string {
	text := fmt.Sprintf("%v %s 4", t.res.Unique, t.res.SoftBy) // 4: what indexes are made for a declaration
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
		if c.Kind == resource.KindOther && !c.Hidden { // which keys its objects show
			text += fmt.Sprint(
				" ", shownKeys(resource.SchemaOf(reflect.ValueOf(c.field.At(t.res.New())).Elem().Interface())))
		}
		if c.Kind == resource.KindPairs { // what is masked and sealed of them
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

func (t *Table[T]) reshape(ctx context.Context, tx *tx, exists bool) error {
	for _, statement := range t.definitions() {
		if err := tx.define(ctx, statement); err != nil {
			return err
		}
	}
	have, err := tx.columnNames(ctx, string(t.res.Name))
	if err != nil {
		return err
	}
	for _, c := range t.stored() {
		if !have[c.Name] {
			if err := tx.define(ctx, sqlite.AddColumn(t.name(), c)); err != nil {
				return err
			}
		}
	}
	if err := t.dropUnique(ctx, tx); err != nil {
		return err
	}
	for _, statement := range t.indexes() {
		if err := tx.define(ctx, statement); err != nil {
			return err
		}
	}
	if !exists {
		return nil
	}
	if err := t.readNext(ctx, tx); err != nil {
		return err
	}
	list, err := t.query(ctx, tx, sqlite.Always)
	for i := range list {
		if err == nil && t.res.Mend != nil {
			err = t.res.Mend(list[i])
		}
		if err == nil {
			_, err = t.put(ctx, tx, list[i])
		}
	}
	return err
}

// dropUnique drops the unique indexes of a former declaration, which would
// refuse what the present one allows.
func (t *Table[T]) dropUnique(ctx context.Context, tx *tx) error {
	found, err := tx.w.conn.QueryContext(ctx, sqlite.UniqueIndexes, string(t.res.Name))
	if err != nil {
		return err
	}
	defer found.Close()
	var names []string
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return err
		}
		names = append(names, name)
	}
	if err := errors.Join(found.Err(), found.Close()); err != nil {
		return err
	}
	for _, name := range names {
		if err := tx.define(ctx, sqlite.DropIndex(name)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table[T]) definitions() []string {
	var statements []string
	for _, c := range t.columns {
		if c.link != "" {
			statements = append(statements,
				sqlite.CreateLink(c.link, string(t.res.Name)+"."+c.Name+" by row")...)
		}
	}
	return append(statements, sqlite.CreateTable(t.name(), t.stored()))
}

// stored returns the columns that the fields take.
func (t *Table[T]) stored() []sqlite.Column {
	var all []sqlite.Column
	for _, c := range t.columns {
		all = append(all, sqlite.Column{Name: c.Name, Kind: c.Kind})
		if c.Kind == resource.KindPairs {
			all = append(all, sqlite.Column{Name: sealedName(c.Name), Kind: resource.KindText})
		}
	}
	return all
}

// indexes recreates the indexes from the declaration, with names that show
// their content.
func (t *Table[T]) indexes() []string {
	var statements []string
	add := func(x sqlite.IndexBy) {
		statements = append(statements, sqlite.DropIndex(x.Name), x.Create(t.name()))
	}
	for _, c := range t.columns {
		if c.field.Index && c.link == "" && c.Name != "id" {
			name := string(t.res.Name) + " by " + c.Name
			if slices.ContainsFunc(t.res.Unique,
				func(set []string) bool { return slices.Equal(set, []string{c.Name}) }) {
				statements = append(statements, sqlite.DropIndex(name))
				continue // the unique index serves
			}
			add(sqlite.IndexBy{Name: name, Columns: []string{sqlite.Ascending(c.Name, c.Kind), sqlite.ID},
				Where: t.liveOnly()})
			// the newest of those that are usually listed
			if usual := t.res.Usual; usual != nil && (c.Kind == resource.KindSeconds || c.Kind == resource.KindMillis) {
				add(sqlite.IndexBy{Name: string(t.res.Name) + " by " + usual.Field + " and " + c.Name,
					Columns: []string{sqlite.Quote(usual.Field), sqlite.Quote(c.Name), sqlite.ID}, Where: t.liveOnly()})
			}
		}
	}
	if t.res.SoftBy != "" {
		for name, which := range map[string]life{t.orderIndex(): alive, string(t.res.Name) + " deleted": gone} {
			add(sqlite.IndexBy{Name: name, Columns: []string{sqlite.ID}, Where: t.lives(which)})
		}
	}
	if len(t.res.Counted) > 0 {
		x := sqlite.IndexBy{Name: string(t.res.Name) + " counted", Where: t.liveOnly()}
		for _, field := range t.res.Counted {
			x.Columns = append(x.Columns, sqlite.Quote(field)) // compared byte by byte, as a count does
		}
		add(x)
	}
	for _, set := range t.res.Unique {
		x := sqlite.IndexBy{Name: string(t.res.Name) + sqlite.UniqueName + strings.Join(set, " "), Unique: true,
			Where: t.liveOnly()}
		for _, field := range set {
			x.Columns = append(x.Columns, sqlite.Ascending(field, t.column(field).Kind))
		}
		add(x)
	}
	return statements
}

// liveOnly leaves deleted rows out of an index, so that a list of those that
// are there can be read from it alone.
func (t *Table[T]) liveOnly() string {
	if t.res.SoftBy == "" {
		return ""
	}
	return t.live()
}

// define runs a statement that changes the schema; it is not kept prepared.
func (t *tx) define(ctx context.Context, statement string) error {
	_, err := t.w.conn.ExecContext(ctx, statement)
	return err
}

func (t *tx) columnNames(ctx context.Context, table string) (map[string]bool, error) {
	found, err := t.w.conn.QueryContext(ctx, sqlite.ColumnNames, table)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	names := map[string]bool{}
	for found.Next() {
		var name string
		if err := found.Scan(&name); err != nil {
			return nil, err
		}
		names[name] = true
	}
	return names, found.Err()
}
