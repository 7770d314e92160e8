package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Settings stores a user's settings of the page, apart from tabs: any object.
type Settings struct {
	ID     int64
	UserID int64
	Values map[string]json.RawMessage
}

const settingsRows resource.Name[*Settings] = "settings"

// maxSettings limits the bytes of a user's settings as JSON.
const maxSettings = 256 << 10

var settings = resource.Resource[*Settings]{
	Name: settingsRows, Label: "settings", Owner: "userId",
	Fields: []resource.Field[*Settings]{
		{Name: "id", At: func(s *Settings) any { return &s.ID }, ReadOnly: true},
		{Name: "userId", At: func(s *Settings) any { return &s.UserID }, ReadOnly: true, WriteOnly: true},
		{Name: "values", At: func(s *Settings) any { return &s.Values }, WriteOnly: true},
	},
	Unique: [][]string{{"userId"}},
}

func (w *Workspace) settingsEndpoints() []resource.Endpoint {
	changes := SettingsSchema("The keys to replace; null removes one")
	changes.Format = "settings-changes"
	all := SettingsSchema("Of the page")
	return []resource.Endpoint{
		{
			Method: "GET", Path: "/settings", Summary: "Get the settings", Right: anyone, Response: &all,
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				return w.SettingsJSON(ctx, c.Access.UserID)
			},
		},
		{
			Method: "PATCH", Path: "/settings", Summary: "Change some settings", Right: anyone, Body: &changes,
			Response: &all, Limit: 2 * maxSettings,
			Doc: "Replaces the top-level keys in the body; null removes a key.",
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				return w.mergeSettings(ctx, c.Access, c.Body)
			},
		},
	}
}

// SettingsSchema describes the settings: an object with keys that only the page
// knows.
func SettingsSchema(doc string) resource.Schema {
	return resource.Schema{Type: "object", Format: "settings", Doc: doc}
}

// SettingsJSON returns the user's settings as a JSON object.
func (w *Workspace) SettingsJSON(ctx context.Context, userID int64) (resource.JSON, error) {
	row, err := w.settingsOf(ctx, w.db, userID)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(row.Values)
	return text, err
}

// Setting decodes one key of the user's settings into value, if it is set and
// valid.
func (w *Workspace) Setting(ctx context.Context, userID int64, key string, value any) error {
	return w.Settings(ctx, userID, map[string]any{key: value})
}

// Settings decodes several keys of the user's settings into their values.
func (w *Workspace) Settings(ctx context.Context, userID int64, values map[string]any) error {
	row, err := w.settingsOf(ctx, w.db, userID)
	if err != nil {
		return err
	}
	for key, value := range values {
		if row.Values[key] != nil {
			_ = json.Unmarshal(row.Values[key], value) // an invalid value counts as not set
		}
	}
	return nil
}

// settingsOf returns the user's settings. Unreadable settings count as none, and
// the next change overwrites them, so that the page can still open.
func (w *Workspace) settingsOf(ctx context.Context, from resource.Reader, userID int64) (*Settings, error) {
	fresh := &Settings{UserID: userID, Values: map[string]json.RawMessage{}}
	rows, err := known(ctx, from, settingsRows, userID)
	if syntax, kind := (*json.SyntaxError)(nil), (*json.UnmarshalTypeError)(nil); errors.As(err, &syntax) ||
		errors.As(err, &kind) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.unread[userID] {
			w.unread[userID] = true
			w.log.ErrorContext(ctx, "the settings cannot be read; the defaults are used", "user", userID, "err", err)
		}
		return fresh, nil
	}
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || rows[0].Values == nil {
		return fresh, nil
	}
	rows[0].Values = maps.Clone(rows[0].Values)
	return &rows[0], nil
}

func (w *Workspace) mergeSettings(ctx context.Context, a *resource.Access, body []byte) (any, error) {
	userID := a.UserID
	change, err := resource.ParseObject(body, "settings")
	if err != nil {
		return nil, err
	}
	for i, key := range change.Keys {
		if change.Items[i].Kind == 'n' {
			continue
		}
		if err := w.checkSetting(a, key, change.Items[i].Raw); err != nil {
			return nil, err
		}
	}
	var text []byte
	err = w.db.Write(ctx, func(tx resource.Tx) error {
		row, err := w.settingsOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		for i, key := range change.Keys {
			if change.Items[i].Kind == 'n' {
				delete(row.Values, key)
			} else {
				row.Values[key] = change.Items[i].Raw
			}
		}
		if text, err = json.Marshal(row.Values); err != nil {
			return err
		}
		if len(text) > maxSettings {
			return fault.New(fault.TooLarge, "the settings would be larger than %d bytes", maxSettings)
		}
		if row.ID == 0 { // missing or unreadable
			if err := resource.DeleteAll(ctx, tx, settingsRows, mine(userID)); err != nil {
				return err
			}
		}
		return resource.Put(ctx, tx, settingsRows, row)
	})
	w.mu.Lock()
	if err == nil {
		delete(w.unread, userID)
	}
	w.mu.Unlock()
	return resource.JSON(text), err
}
