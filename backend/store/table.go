package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// Table keeps the rows of one resource.
type Table struct {
	db       *DB
	res      *resource.Untyped
	columns  []column
	id       *resource.UntypedField
	ids      ids // used by the writer only
	lock     seqlock
	followed atomic.Int32 // number of feeds for its changes
	members  seqlock      // changes when a row is deleted, or added anywhere but at the end
	totals   totals
	marks    marks
	mirror   mirror
	recent   recent

	table   *engine.Table
	outline outline
	all     []string // the columns that scan reads
	shows   []string // the columns that readRows reads
}

// column is a field and its column in the file.
type column struct {
	resource.Column
	field *resource.UntypedField
}

// Add creates the table of r, or updates it to the current declaration.
func Add[T any](db *DB, r *resource.Resource[T]) (*Table, error) { return add(db, r.Untyped()) }

// newTable returns the table of a resource, without a database.
func newTable(r *resource.Untyped) *Table {
	t := &Table{res: r}
	for i, c := range r.Columns() {
		if c.Name == engine.ID {
			t.id = &r.Fields[i]
		}
		t.columns = append(t.columns, column{Column: c, field: &r.Fields[i]})
	}
	t.lock.notes = &t.mirror.notes
	t.declare()
	return t
}

func add(db *DB, r *resource.Untyped) (*Table, error) {
	t := newTable(r)
	if t.db = db; t.id == nil {
		return nil, fmt.Errorf("%s declares no field id", r.Name)
	}
	if db.accepted != nil && !db.accepted[string(r.Name)] {
		return nil, fmt.Errorf("the table %s was not passed to Accept", r.Name)
	}
	if err := t.migrate(context.Background()); err != nil {
		return nil, unmigrated(db.name, string(r.Name), explain(db.name, err))
	}
	t.mirror.newest.Store(t.ids.next)
	db.shared.join(t, func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		db.tables[string(r.Name)] = t
		db.hook(r.Hooks)
	})
	return t, nil
}

// sealedName returns the column that holds the secret values of a list of pairs.
func sealedName(field string) string { return field + ".sealed" }

// declare builds the declaration for the engine.
func (t *Table) declare() {
	t.table = &engine.Table{Name: string(t.res.Name), Soft: t.res.SoftBy, Indexes: t.indexes()}
	row := t.res.New()
	for _, c := range t.columns {
		_, isBlob := c.field.At(row).(*[]byte)
		t.table.Columns = append(t.table.Columns, engine.Column{Name: c.Name, Kind: c.Kind, Bytes: isBlob})
		t.all = append(t.all, c.Name)
		if c.Kind == resource.KindPairs {
			t.table.Columns = append(t.table.Columns, engine.Column{Name: sealedName(c.Name), Kind: resource.KindText})
			t.all = append(t.all, sealedName(c.Name))
		}
	}
	t.outline = newOutline(t.res)
	t.shows = slices.Concat([]string{engine.ID, engine.Body}, t.outline.wide, t.froms())
}

func (t *Table) column(name string) *column {
	for i := range t.columns {
		if t.columns[i].Name == name {
			return &t.columns[i]
		}
	}
	return nil
}

func (t *Table) idOf(row any) *int64 {
	if id, ok := t.id.At(row).(*resource.TextID); ok {
		return (*int64)(id)
	}
	return t.id.At(row).(*int64)
}

// deleted returns the time when the row was soft-deleted, or 0.
func (t *Table) deleted(row any) *resource.Millis {
	if t.res.SoftBy == "" {
		return new(resource.Millis)
	}
	return t.column(t.res.SoftBy).field.At(row).(*resource.Millis)
}

// args returns the values of all stored columns, in their order, with the packed body,
// and the JSON of the row.
func (t *Table) args(row any) (args []any, body []byte, err error) {
	args = make([]any, 0, len(t.columns)+4)
	wide := make([]string, 0, len(t.outline.wide))
	for i := range t.columns {
		switch p := t.columns[i].field.At(row).(type) {
		case *int64:
			args = append(args, *p)
		case *resource.TextID:
			args = append(args, int64(*p))
		case *resource.Seconds:
			args = append(args, int64(*p))
		case *resource.Millis:
			args = append(args, int64(*p))
		case *bool:
			args = append(args, *p)
		case *string:
			args = append(args, t.kept(i, row, *p))
		case *float64:
			args = append(args, *p)
		case *[]byte:
			args = append(args, append([]byte{}, *p...)) // nil would be NULL
		case *resource.IDs:
			args = append(args, p.String())
		case *[]resource.Property:
			sealed, err := t.sealSecrets(t.place(i, row), *p)
			if err != nil {
				return nil, nil, err
			}
			shown := string(resource.AppendProperties(nil, resource.Masked(*p)))
			args = append(args, shown, sealed)
			if !t.columns[i].field.WriteOnly {
				wide = append(wide, shown)
			}
		default:
			text, err := json.Marshal(p)
			if err != nil {
				return nil, nil, err
			}
			args = append(args, string(text))
		}
	}
	if body, err = t.res.AppendJSON(nil, row); err != nil {
		return nil, nil, err
	}
	return append(args, t.outline.pack(body, wide)), body, nil
}

// place identifies a field of one row, to bind its secrets to it. Ids are never
// reused, and a row has its id before its first write.
func (t *Table) place(column int, row any) string {
	return string(t.res.Name) + "." + t.columns[column].Name + " " + strconv.FormatInt(*t.idOf(row), 10)
}

// kept returns a text as stored in the file: encrypted if the field is sealed.
func (t *Table) kept(column int, row any, text string) string {
	if !t.columns[column].field.Sealed || text == "" {
		return text
	}
	return t.db.Seal(t.place(column, row), []byte(text))
}

// unkept decrypts a text that kept has encrypted.
func (t *Table) unkept(column int, row any, text *string) {
	if t.columns[column].field.Sealed && *text != "" {
		*text = t.db.opened(t.place(column, row), *text)
	}
}

// sealSecrets encrypts the values of props that responses mask; "" for none.
func (t *Table) sealSecrets(place string, props []resource.Property) (string, error) {
	secrets := map[string]string{}
	for _, p := range props {
		if p.Value != "" && p.IsSecret() {
			secrets[p.Name] = p.Value
		}
	}
	if len(secrets) == 0 {
		return "", nil
	}
	text, err := json.Marshal(secrets)
	return t.db.Seal(place, text), err
}

// scan reads the stored columns into row.
func (t *Table) scan(scan func(...any) error, row any) error {
	texts := make([]string, 2*len(t.columns))
	dest := make([]any, 0, len(t.columns)+2)
	for i := range t.columns {
		c := &t.columns[i]
		p, isBlob := c.field.At(row).(*[]byte)
		switch {
		case isBlob:
			dest = append(dest, (*blob)(p))
		case c.Kind == resource.KindPairs:
			dest = append(dest, &texts[2*i], &texts[2*i+1])
		case c.Kind == resource.KindIDs || c.Kind == resource.KindOther:
			dest = append(dest, &texts[2*i])
		default:
			dest = append(dest, c.field.At(row))
		}
	}
	if err := scan(dest...); err != nil {
		return err
	}
	for i := range t.columns {
		var err error
		switch p := t.columns[i].field.At(row).(type) {
		case *resource.IDs:
			*p, err = resource.ParseIDs(texts[2*i])
		case *string:
			t.unkept(i, row, p)
		case *[]resource.Property:
			err = t.unseal(t.place(i, row), texts[2*i], texts[2*i+1], p)
		case *[]byte: // it is already read
		default:
			if t.columns[i].Kind == resource.KindOther {
				err = json.Unmarshal([]byte(texts[2*i]), p)
			}
		}
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t.res.Name, t.columns[i].Name, err)
		}
	}
	return nil
}

// blob reads bytes. Older files store them as JSON, like any value without a kind
// of column.
type blob []byte

func (b *blob) Scan(value any) error {
	switch v := value.(type) {
	case []byte:
		*b = append(blob{}, v...)
	case string:
		return json.Unmarshal([]byte(v), (*[]byte)(b))
	}
	return nil
}

func (t *Table) unseal(place, shown, sealed string, props *[]resource.Property) error {
	var err error
	if *props, err = resource.ReadProperties(shown); err != nil || sealed == "" {
		return err
	}
	secrets := map[string]string{}
	if text := t.db.opened(place, sealed); text != "" {
		err = json.Unmarshal([]byte(text), &secrets)
	}
	for i, p := range *props {
		if value, ok := secrets[p.Name]; p.Value == resource.Mask && (ok || p.IsSecret()) {
			(*props)[i].Value = value
		}
	}
	return err
}

func (t *Table) unknown(id int64) error {
	return fault.New(fault.Unknown, "there is no %s %d", t.label(), id)
}

// load reads one row that meets the condition; it returns fault.Unknown if there
// is none.
func (t *Table) load(ctx context.Context, q querier, id int64, where engine.Cond) (row any, err error) {
	list, err := t.query(ctx, q, engine.All{engine.HasID(id), where})
	if err != nil {
		return row, err
	}
	if len(list) == 0 {
		return row, t.unknown(id)
	}
	return list[0], nil
}
