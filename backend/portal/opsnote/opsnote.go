// Package opsnote declares notes about what people did and when, such as a
// deployment, which graphs show.
//
// Times are epoch seconds. A role that is bound to some device groups writes
// notes about these only.
package opsnote

import (
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// opsNoteRows names the rows of OpsNote.
const opsNoteRows resource.Name[*OpsNote] = "opsNote"

// OpsNote describes an event beside the data: a deployment, a change, a move.
type OpsNote struct {
	ID         resource.TextID
	Note       string
	HappenedOn resource.Seconds
	Tags       []NoteTag
	Scopes     []NoteScope
	CreatedBy  string
}

// NoteTag is a word for finding notes.
type NoteTag struct {
	Name string `json:"name" doc:"one or a few words"`
}

// NoteScope is the target of a note.
type NoteScope struct {
	Type     string `json:"type" doc:"device, deviceGroup, or groupAll for everything"`
	DeviceID int64  `json:"deviceId,omitempty" doc:"id of the device, for the scope device" refs:"device"`
	GroupID  int64  `json:"groupId,omitempty" doc:"id of the device group, for the scope deviceGroup" refs:"deviceGroup"`
}

// OpsNotes declares /setting/opsnotes.
var OpsNotes = resource.Resource[*OpsNote]{
	Name: opsNoteRows, Label: "ops note", Sample: 4, Path: "/setting/opsnotes", Category: ground.CategorySettings,
	Object: resource.Setting, Area: ground.AreaOpsNotes,
	Doc: "A note about an event, shown with the data. Users who can view ops notes view all of them.",
	Fields: []resource.Field[*OpsNote]{
		{Name: "id", At: func(n *OpsNote) any { return &n.ID }, Doc: "Set by the portal", ReadOnly: true, Example: "1"},
		{Name: "note", At: func(n *OpsNote) any { return &n.Note }, Doc: "What happened", Required: true, MaxLen: 4000,
			Example: "Shop 5.2 went live"},
		{Name: "happenOnInSec", At: func(n *OpsNote) any { return &n.HappenedOn },
			Doc: "When it happened; default: now",
			Min: resource.Bound(0), Index: true},
		{Name: "tags", At: func(n *OpsNote) any { return &n.Tags }, Doc: "Tags of the note", Default: []NoteTag{},
			Example: []NoteTag{{Name: "deploy"}}},
		{Name: "scopes", At: func(n *OpsNote) any { return &n.Scopes },
			Doc:     "What it applies to; default: everything",
			Default: []NoteScope{},
			Example: []NoteScope{{Type: "deviceGroup", GroupID: ground.RootGroup}}},
		{Name: "createdBy", At: func(n *OpsNote) any { return &n.CreatedBy }, Doc: "Who wrote it", ReadOnly: true,
			Index: true},
	},
	Check: func(w *resource.Write, was, now *OpsNote) error {
		if was == nil {
			now.CreatedBy = "system"
			if w.Call.Access != nil {
				now.CreatedBy = w.Call.Access.User
			}
		}
		if now.HappenedOn == 0 {
			now.HappenedOn = resource.SecondsOf(w.Call.At)
		}
		var err error
		if now.Tags, err = tags(now.Tags); err != nil {
			return err
		}
		return now.place(w, was)
	},
}

const maxTags, maxScopes = 100, 100

// tags returns the list in its stored form: trimmed, without duplicates.
func tags(list []NoteTag) ([]NoteTag, error) {
	out := []NoteTag{}
	for i, tag := range list {
		tag.Name = strings.TrimSpace(tag.Name)
		switch {
		case tag.Name == "" || len(tag.Name) > 255 ||
			strings.ContainsFunc(tag.Name, func(r rune) bool { return r < ' ' }):
			return nil, fault.At(fmt.Sprintf("tags[%d].name", i),
				"tags[%d].name must be one line of 1 to 255 characters", i)
		case !slices.ContainsFunc(out, func(have NoteTag) bool { return strings.EqualFold(have.Name, tag.Name) }):
			out = append(out, tag)
		}
	}
	if len(out) > maxTags {
		return nil, fault.At("tags", "an ops note has at most %d tags", maxTags)
	}
	return out, nil
}

// place checks the scopes of the note. Existing scopes stay, even if their device was
// deleted.
func (n *OpsNote) place(w *resource.Write, was *OpsNote) error {
	if len(n.Scopes) > maxScopes {
		return fault.At("scopes", "an ops note has at most %d scopes", maxScopes)
	}
	if len(n.Scopes) == 0 {
		n.Scopes = []NoteScope{{Type: "groupAll"}}
	}
	for i, scope := range n.Scopes {
		if was != nil && slices.Contains(was.Scopes, scope) {
			continue
		}
		if err := scope.check(w, fmt.Sprintf("scopes[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

func (s NoteScope) check(w *resource.Write, field string) error {
	kinds := []any{"device", "deviceGroup", "groupAll"}
	if !slices.Contains(kinds, any(s.Type)) {
		return &fault.Error{Kind: fault.Invalid, Field: field + ".type",
			Message: field + ".type is device, deviceGroup or groupAll", Allowed: kinds}
	}
	switch s {
	case NoteScope{Type: "groupAll"}:
		return nil
	case NoteScope{Type: "device", DeviceID: s.DeviceID}:
		device, err := resource.Lookup(w.Context, w.Tx, fleet.DeviceRows, s.DeviceID)
		if err != nil {
			return err
		}
		if device == nil || !fleet.MaySee(w.Call.Access, device.GroupIDs) {
			return fault.At(field+".deviceId", "%s.deviceId: there is no device %d", field, s.DeviceID)
		}
	case NoteScope{Type: "deviceGroup", GroupID: s.GroupID}:
		group, err := resource.Lookup(w.Context, w.Tx, fleet.GroupRows, s.GroupID)
		if err != nil {
			return err
		}
		if group == nil || !fleet.MaySee(w.Call.Access, resource.IDs{s.GroupID}) {
			return fault.At(field+".groupId", "%s.groupId: there is no device group %d", field, s.GroupID)
		}
	default:
		return fault.At(field,
			"%s: a device scope has a deviceId, a deviceGroup scope a groupId, and groupAll neither", field)
	}
	return nil
}
