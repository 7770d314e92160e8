package store

import (
	"context"
	"slices"

	"spyglass/backend/resource"
)

// SetAuditor sets the auditor that records the changes of callers to published
// resources. It is called before the first request.
func (db *DB) SetAuditor(keep resource.Auditor) { db.auditor = keep }

// auditing collects the audit log's changes of one write in progress.
type auditing struct {
	inside int            // > 0 while rules run: their writes belong to the change of the row
	along  map[string]int // what the rules wrote, by label
	seen   map[seenRow][]byte
}

type seenRow struct {
	name string
	id   int64
}

// Note implements resource.Tx.
func (t *tx) Note(ctx context.Context, c *resource.Change) error {
	if t.db.auditor == nil {
		return nil
	}
	t.inside++ // writing the audit log is not a change of the row
	along := t.along
	defer func() { t.inside, t.along = t.inside-1, along }()
	return t.db.auditor(ctx, t, c)
}

// rule runs the rules of a declaration during a write.
func (t *tx) rule(do func() error) error {
	t.inside++
	defer func() { t.inside-- }()
	return do()
}

// audited reports whether changes of the table are recorded in the audit log.
func (t *Table) audited() bool { return t.db.auditor != nil && t.res.Category != "" }

// audit records a change of one row in the audit log. before and after are the
// JSON of the row; nil means that the row did not exist. more lists changed
// fields that are not in the JSON.
func (t *Table) audit(ctx context.Context, tx *tx, call *resource.Call, action string, id int64, before,
	after []byte, more ...string) error {
	if !t.audited() {
		return nil
	}
	c := &resource.Change{
		Call: call, Action: action, Object: string(t.res.Name), Label: t.res.Label, ID: id,
		Title: title(before, after), Before: before, After: after, Along: tx.along,
	}
	tx.along = nil
	if before != nil && after != nil {
		c.Fields = slices.DeleteFunc(resource.ChangedKeys(before, after), func(name string) bool {
			c := t.column(name)
			return c != nil && c.field.ReadOnly
		})
		c.Fields = append(c.Fields, more...)
	}
	return tx.Note(ctx, c)
}

// title returns the display name of the row: the first of its name fields that is
// set. A name comes before a user name, which may be a filter of the row.
func title(before, after []byte) string {
	body := after
	if body == nil {
		body = before
	}
	if body == nil {
		return ""
	}
	for _, key := range []string{"displayName", "name", "username", "note", "hostname", "description"} {
		text := resource.FindKey(body, key)
		if len(text) > 2 && text[0] == '"' {
			if node, err := resource.ParseJSON(text); err == nil {
				return node.Text
			}
		}
	}
	return ""
}

// shownAs returns the JSON of a row for the audit log, or nil without a log.
func (t *Table) shownAs(row any) ([]byte, error) {
	if !t.audited() {
		return nil, nil
	}
	return t.res.AppendJSON(nil, row)
}

// remember stores the row that a call has read as its state before the write.
func (t *Table) remember(ctx context.Context, tx *tx, id int64, row any) error {
	if !t.audited() || tx.inside > 0 || resource.CallOf(ctx) == nil {
		return nil
	}
	body, err := t.shownAs(row)
	if tx.seen == nil {
		tx.seen = map[seenRow][]byte{}
	}
	tx.seen[seenRow{string(t.res.Name), id}] = body
	return err
}

// wrote records that an endpoint's own code or a rule wrote a row, or deleted it
// (after is nil). It does not record writes of the portal itself, which serve no
// call.
func (t *Table) wrote(ctx context.Context, tx *tx, id int64, fresh bool, after []byte) error {
	call := resource.CallOf(ctx)
	switch {
	case !t.audited():
		return nil
	case tx.inside > 0:
		if tx.along == nil {
			tx.along = map[string]int{}
		}
		tx.along[t.res.Label]++
		return nil
	case call == nil:
		return nil
	}
	action := "change"
	switch {
	case fresh:
		action = "create"
	case call.Verb != "":
		action = call.Verb
	case after == nil:
		action = "delete"
	}
	before := tx.seen[seenRow{string(t.res.Name), id}]
	return t.audit(ctx, tx, call, action, id, before, after)
}

// unseen returns the write-only fields in a body. Responses never show their
// values, so the audit log lists their names.
func (t *Table) unseen(body *resource.Body) []string {
	var names []string
	for _, c := range t.columns {
		if c.Hidden && !c.field.ReadOnly && body.Given(c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}
