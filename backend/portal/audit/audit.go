// Package audit declares the access log: who changed what, and when.
//
// The store writes an entry in the transaction of the change itself. Times are
// epoch seconds. Writing new entries also deletes a few old ones.
package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// AuditLogRows names the rows of AuditLog.
const AuditLogRows resource.Name[*AuditLog] = "auditLog"

// AuditLog is one change that a user made or tried to make.
type AuditLog struct {
	ID          resource.TextID
	Username    string
	HappenedOn  resource.Seconds
	Local       string
	IP          string
	Client      string
	Description string
	Action      string
	Object      string
	ObjectID    int64
	Before      string // JSON, or nothing
	After       string
}

// auditRows is the maximum number of rows in the log. Older rows beyond it, and
// those older than the settings allow, are deleted.
const auditRows = 100_000

// AuditLogs declares /setting/accesslogs. Rows are written by Audit only.
var AuditLogs = resource.Resource[*AuditLog]{
	Name: AuditLogRows, Label: "audit log entry", Sample: 1, Path: "/setting/accesslogs",
	Category: ground.CategorySettings, Object: resource.Setting, Area: "audit",
	Doc: "One change to the portal: who made it, when, from where, and what changed. The portal deletes entries as " +
		"its settings define, and keeps at most the newest 100,000.",
	Fields: []resource.Field[*AuditLog]{
		{Name: "id", At: func(a *AuditLog) any { return &a.ID }, Doc: "Set by the portal; it grows with time",
			ReadOnly: true,
			Example:  "812"},
		{Name: "username", At: func(a *AuditLog) any { return &a.Username },
			Doc: "Who did it; system for the portal itself and its command line", ReadOnly: true, Example: "admin"},
		{Name: "happenedOn", At: func(a *AuditLog) any { return &a.HappenedOn }, Doc: "When it happened",
			ReadOnly: true,
			Index:    true, Example: 1790000000},
		{Name: "happenedOnLocal", At: func(a *AuditLog) any { return &a.Local },
			Doc: "happenedOn in the time zone of the portal's machine", ReadOnly: true,
			Example: "2026-09-21 16:13:20 CEST"},
		{Name: "ip", At: func(a *AuditLog) any { return &a.IP },
			Doc: "Where the request came from; empty for the portal itself", ReadOnly: true, Example: "127.0.0.1"},
		{Name: "client", At: func(a *AuditLog) any { return &a.Client },
			Doc: "The program that sent the request with an API token, in its own words (User-Agent); an agent " +
				"comes with its name and version. Empty for the page and the portal itself", ReadOnly: true,
			Example: "Spyglass/0.1.0 (MCP; claude-ai 1.2.0)"},
		{Name: "description", At: func(a *AuditLog) any { return &a.Description }, Doc: "What happened, as a sentence",
			ReadOnly: true, Example: `Changed the device 7, "web-42": description`},
		{Name: "action", At: func(a *AuditLog) any { return &a.Action },
			Doc: "What was done: create, replace, change, delete, purge (for good), restore, sign-in, " +
				"sign-in-failed, sign-out, or the name of an action such as ack", ReadOnly: true, Example: "change"},
		{Name: "object", At: func(a *AuditLog) any { return &a.Object }, Doc: "The type of the object",
			ReadOnly: true, Example: "device"},
		{Name: "objectId", At: func(a *AuditLog) any { return &a.ObjectID }, Doc: "The object's id; 0: none",
			ReadOnly: true, Example: 7},
		{Name: "was", At: func(a *AuditLog) any { return &a.Before }, Doc: "Kept for before", ReadOnly: true,
			WriteOnly: true},
		{Name: "became", At: func(a *AuditLog) any { return &a.After }, Doc: "Kept for after", ReadOnly: true,
			WriteOnly: true},
	},
	Derived: []resource.Derived{
		{Name: "before", Doc: "The object before the change, secrets masked; null: none",
			Schema:  AnyObject,
			Example: map[string]any{"id": 7, "description": "Shop"}, From: "was", Of: asJSON},
		{Name: "after", Doc: "The object after the change, secrets masked; null: none", Schema: AnyObject,
			Example: map[string]any{"id": 7, "description": "Shop front end"}, From: "became", Of: asJSON},
	},
	Without: []resource.Verb{resource.OnCreate, resource.OnReplace, resource.OnPatch, resource.OnDelete},
	Mend: func(a *AuditLog) error {
		a.Before, a.After = resource.MaskPairs(a.Before), resource.MaskPairs(a.After)
		return nil
	},
}

// AnyObject is the schema of an object with any keys, or null.
var AnyObject = resource.Schema{Type: "object", Nullable: true}

func asJSON(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
	out := make([][]byte, len(rows))
	for i, row := range rows {
		if out[i] = []byte(row.From); row.From == "" {
			out[i] = []byte("null")
		}
	}
	return out, nil
}

// Audit records a change. Occasionally it deletes a few old rows, so that no
// write waits for many deletions.
func Audit(ctx context.Context, tx resource.Tx, c *resource.Change) error {
	row := AuditLog{
		Username: username(c), Description: describe(c), Action: c.Action, Object: c.Object, ObjectID: c.ID,
		Before: string(c.Before), After: string(c.After),
	}
	at := time.Now()
	if c.Call != nil {
		at, row.IP, row.Client = c.Call.At, c.Call.Remote, c.Call.Client
	}
	row.HappenedOn, row.Local = resource.SecondsOf(at), at.Format("2006-01-02 15:04:05 MST")
	if err := resource.Put(ctx, tx, AuditLogRows, &row); err != nil || row.ID%pruneEvery != 0 {
		return err
	}
	return PruneAudit(ctx, tx, int64(row.ID), at)
}

// Every 64th change deletes up to 128 rows, so that the log shrinks to its
// limits.
const pruneEvery, pruneMost = 64, 128

// PruneAudit deletes some of the oldest rows: those older than the settings
// allow, and those beyond the maximum number. It reads only the oldest few rows.
func PruneAudit(ctx context.Context, tx resource.Tx, newest int64, now time.Time) error {
	oldest, err := resource.Find(ctx, tx, AuditLogRows, resource.Limit(1))
	if err != nil || len(oldest) == 0 {
		return err
	}
	few := resource.Where{Field: "id", Op: "<", Value: int64(oldest[0].ID) + pruneMost}
	if err := resource.DeleteAll(ctx, tx, AuditLogRows, few,
		resource.Where{Field: "id", Op: "<=", Value: newest - auditRows}); err != nil {
		return err
	}
	old := resource.SecondsOf(now.AddDate(0, 0, -auditKept(ctx, tx)))
	if oldest[0].HappenedOn >= old {
		return nil
	}
	return resource.DeleteAll(ctx, tx, AuditLogRows, few,
		resource.Where{Field: "happenedOn", Op: "<", Value: int64(old)})
}

func username(c *resource.Change) string {
	switch {
	case c.User != "":
		return c.User
	case c.Call != nil && c.Call.Access != nil:
		return c.Call.Access.User
	}
	return "system"
}

// did maps each action to the verb that begins its description.
var did = map[string]string{
	"create": "Added", "replace": "Replaced", "change": "Changed", "delete": "Deleted", "purge": "Deleted for good",
	"restore": "Restored",
	"ack":     "Acknowledged", "unack": "Removed the acknowledgement of", "note": "Wrote a note to",
	"escalate": "Escalated", "retry": "Retried", "ackdown": "Acknowledged the failure of",
	"run": "Ran", "remove run": "Deleted a run of", "stop": "Stopped",
	"scheduleAutoDiscovery": "Discovered instances on", "installer": "Created an installer for",
	"credential replaced": "Replaced the credential of",
}

// describe returns the change as a sentence without its period.
func describe(c *resource.Change) string {
	if c.Label == "" {
		return c.Title
	}
	var b strings.Builder
	if verb := did[c.Action]; verb != "" {
		b.WriteString(verb)
	} else {
		fmt.Fprintf(&b, "Ran %s on", c.Action)
	}
	if c.ID > 0 {
		fmt.Fprintf(&b, " the %s %d", c.Label, c.ID)
	}
	if c.Title != "" {
		fmt.Fprintf(&b, `, "%s"`, ground.OneLine(c.Title))
	}
	if len(c.Fields) > 0 {
		b.WriteString(": " + strings.Join(c.Fields, ", "))
	}
	for i, label := range slices.Sorted(maps.Keys(c.Along)) {
		joint := ", and"
		if c.ID == 0 && i == 0 {
			joint = ""
		}
		n := int64(c.Along[label])
		fmt.Fprintf(&b, "%s %d %s", joint, n, resource.Regular(label).For(n))
	}
	return b.String()
}

// auditKept returns the number of days for which the access log is kept.
func auditKept(ctx context.Context, r resource.Reader) int {
	s, err := resource.Get(ctx, r, setting.SettingRows, setting.SettingID)
	if err != nil || s.AuditDays < 1 {
		return setting.DefaultAuditDays
	}
	return int(s.AuditDays)
}
