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
			if _, err := tx.exec(ctx, `INSERT INTO "_shape" VALUES (?, ?) ON CONFLICT ("name") DO UPDATE SET "shape" `+
				`= excluded."shape"`, string(t.res.Name), now); err != nil {
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
	if code(err) == codeUnique {
		why = "several of its rows have what only one may have"
	}
	return &fault.Error{Kind: fault.Conflict, Err: err, Message: fmt.Sprintf(
		"%s cannot be opened by this version of Spyglass: in its table %s, %s. It was left as it is. Start the "+
			"version that wrote it last, restore a backup, or choose another --data folder",
		path, table, why)}
}

// readNext learns the next id: put takes a row with a higher one for a new row.
func (t *Table[T]) readNext(ctx context.Context, tx *tx) error {
	stmt, err := tx.stmt(ctx, `SELECT coalesce((SELECT "seq" FROM "sqlite_sequence" WHERE "name" = ?), 0)`)
	if err != nil {
		return err
	}
	err = stmt.QueryRowContext(ctx, string(t.res.Name)).Scan(&t.next)
	t.next++
	return err
}

func (t *Table[T]) knownShape(ctx context.Context) (shape string, err error) {
	err = t.db.write(ctx, func(tx *tx) error {
		stmt, err := tx.stmt(ctx, `SELECT coalesce((SELECT "shape" FROM "_shape" WHERE "name" = ?), '')`)
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

// shownKeys are the keys that an object of the schema always shows.
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
	have, err := tx.columnNames(ctx, t.name())
	if err != nil {
		return err
	}
	for _, c := range t.columns {
		for _, name := range c.stored() {
			if !have[name] {
				if err := tx.define(ctx, "ALTER TABLE "+t.name()+" ADD COLUMN "+definition(name, c.Kind)); err != nil {
					return err
				}
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
	list, err := t.query(ctx, tx, "1")
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
	found, err := tx.w.conn.QueryContext(ctx, "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ? "+
		"AND name LIKE '% has one %'", strings.Trim(t.name(), `"`))
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
		if err := tx.define(ctx, "DROP INDEX "+quote(name)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table[T]) definitions() []string {
	parts := []string{`"id" INTEGER PRIMARY KEY AUTOINCREMENT`}
	statements := []string{}
	for _, c := range t.columns {
		for _, name := range c.stored() {
			if name != "id" {
				parts = append(parts, definition(name, c.Kind))
			}
		}
		if c.link != "" {
			statements = append(statements,
				"CREATE TABLE IF NOT EXISTS "+c.link+
					` ("ref" INTEGER NOT NULL, "row" INTEGER NOT NULL, PRIMARY KEY ("ref", "row")) WITHOUT ROWID`,
				"CREATE INDEX IF NOT EXISTS "+quote(string(t.res.Name)+"."+c.Name+" by row")+" ON "+c.link+` ("row")`)
		}
	}
	parts = append(parts, `"body" BLOB NOT NULL DEFAULT ''`)
	return append(statements, "CREATE TABLE IF NOT EXISTS "+t.name()+" ("+strings.Join(parts, ", ")+")")
}

func definition(name string, kind resource.Kind) string {
	switch kind {
	case resource.KindText, resource.KindIDs:
		return quote(name) + " TEXT NOT NULL DEFAULT ''"
	case resource.KindPairs:
		if strings.HasSuffix(name, sealedName("")) {
			return quote(name) + " TEXT NOT NULL DEFAULT ''"
		}
		return quote(name) + " TEXT NOT NULL DEFAULT '[]'"
	case resource.KindOther:
		return quote(name) + " TEXT NOT NULL DEFAULT 'null'"
	case resource.KindNumber:
		return quote(name) + " REAL NOT NULL DEFAULT 0"
	}
	return quote(name) + " INTEGER NOT NULL DEFAULT 0"
}

// indexes recreates the indexes from the declaration, with names that show
// their content.
func (t *Table[T]) indexes() []string {
	var statements []string
	for _, c := range t.columns {
		if c.field.Index && c.link == "" && c.Name != "id" {
			name := quote(string(t.res.Name) + " by " + c.Name)
			statements = append(statements, "DROP INDEX IF EXISTS "+name)
			if slices.ContainsFunc(t.res.Unique,
				func(set []string) bool { return slices.Equal(set, []string{c.Name}) }) {
				continue // the unique index serves
			}
			statements = append(statements, "CREATE INDEX "+name+" ON "+t.name()+" ("+quote(c.Name)+collation(c.Kind)+
				`, "id")`+t.whereLive())
			// the newest of those that are usually listed
			if usual := t.res.Usual; usual != nil && (c.Kind == resource.KindSeconds || c.Kind == resource.KindMillis) {
				name := quote(string(t.res.Name) + " by " + usual.Field + " and " + c.Name)
				statements = append(statements, "DROP INDEX IF EXISTS "+name, "CREATE INDEX "+name+" ON "+t.name()+" ("+
					quote(usual.Field)+", "+quote(c.Name)+`, "id")`+t.whereLive())
			}
		}
	}
	if t.res.SoftBy != "" {
		for name, which := range map[string]life{t.orderIndex(): alive, string(t.res.Name) + " deleted": gone} {
			statements = append(statements, "DROP INDEX IF EXISTS "+quote(name), "CREATE INDEX "+quote(name)+" ON "+
				t.name()+` ("id") WHERE `+t.lives(which))
		}
	}
	if len(t.res.Counted) > 0 {
		name, columns := quote(string(t.res.Name)+" counted"), make([]string, len(t.res.Counted))
		for i, field := range t.res.Counted {
			columns[i] = quote(field) // told apart as a count does: letter by letter
		}
		statements = append(statements, "DROP INDEX IF EXISTS "+name, "CREATE INDEX "+name+" ON "+t.name()+" ("+
			strings.Join(columns, ", ")+")"+t.whereLive())
	}
	for _, set := range t.res.Unique {
		name := quote(string(t.res.Name) + " has one " + strings.Join(set, " "))
		columns := make([]string, len(set))
		for i, field := range set {
			columns[i] = quote(field) + collation(t.column(field).Kind)
		}
		statements = append(statements, "DROP INDEX IF EXISTS "+name,
			"CREATE UNIQUE INDEX "+name+" ON "+t.name()+" ("+strings.Join(columns, ", ")+")"+t.whereLive())
	}
	return statements
}

// whereLive leaves deleted rows out of an index, so that a list of those that
// are there can be read from it alone.
func (t *Table[T]) whereLive() string {
	if t.res.SoftBy == "" {
		return ""
	}
	return " WHERE " + t.live()
}

// define runs a statement that changes the schema; it is not kept prepared.
func (t *tx) define(ctx context.Context, statement string) error {
	_, err := t.w.conn.ExecContext(ctx, statement)
	return err
}

func (t *tx) columnNames(ctx context.Context, table string) (map[string]bool, error) {
	found, err := t.w.conn.QueryContext(ctx, "SELECT name FROM pragma_table_info("+
		quoteText(strings.Trim(table, `"`))+")")
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
