package undo

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"spyglass/app/explorer/effect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/send"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// keptWay is an undo record in the form that the workspace stores. Addresses do
// not include the portal's origin, because its port may change.
type keptWay struct {
	Method   string      `json:"method"`
	Address  string      `json:"address"`
	Path     string      `json:"path"`
	Template string      `json:"template"`
	Headers  [][2]string `json:"headers"`
	Before   *keptObject `json:"before"`
	After    *keptObject `json:"after"`
}

type keptObject struct {
	Text json.RawMessage `json:"text"`
	ETag string          `json:"etag"`
}

// keepWay stores the undo record in the workspace, unless it contains a secret or
// undoing would send a masked one.
func (w *Writes) keepWay(ctx context.Context, x *send.Exchange, way *undo) {
	if way.Out.Signed || outgoing.GivesSecrets(way.Out.Endpoint) || strings.Contains(way.Sends(), resource.Mask) {
		return
	}
	kept := &keptWay{Method: way.Out.Method, Path: way.Out.Path, Template: way.Out.Endpoint.Path,
		Headers: way.Out.Headers, Before: keptOf(way.Before), After: keptOf(way.After)}
	address, ok := strings.CutPrefix(way.Out.URL, way.Target.Origin)
	if kept.Address = address; !ok || slices.ContainsFunc(kept.Headers, func(h [2]string) bool {
		return outgoing.SecretKey(h[0]) || slices.Contains(outgoing.SecretHeaders, strings.ToLower(h[0]))
	}) {
		return
	}
	if _, query, found := strings.Cut(address, "?"); found && new(outgoing.Masker).Query(query) != query {
		return
	}
	for _, o := range []*keptObject{kept.Before, kept.After} {
		if o != nil && outgoing.MaskBody(string(o.Text), way.Out.Endpoint) != string(o.Text) {
			return
		}
	}
	text, err := json.Marshal(kept)
	if err != nil || len(text) > workspace.MaxWay || x.Echoes(string(text)) {
		return
	}
	if err := x.Workspace.KeepWay(ctx, &workspace.Way{ID: x.History.ID, UserID: way.user, PortalID: way.portal,
		Text: string(text)}); err != nil {
		x.Log.ErrorContext(ctx, "a write can be undone only until the next start", "err", err)
	}
}

func keptOf(o *payload.Object) *keptObject {
	if o == nil {
		return nil
	}
	out := []byte{'{'}
	for i, key := range o.Keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(resource.AppendString(out, key), ':'), o.Values[key]...)
	}
	return &keptObject{Text: append(out, '}'), ETag: o.Etag}
}

func (k *keptObject) object() *payload.Object {
	if k == nil {
		return nil
	}
	o, ok := payload.ReadObject(k.Text)
	if !ok {
		return nil
	}
	o.Etag = k.ETag
	return o
}

// revive loads the undo records that an earlier process stored for the caller and
// the portal of the call, as soon as the portal is available.
func (w *Writes) revive(ctx context.Context, c *resource.Call) error {
	at := home{c.Access.UserID, workspace.PortalID(c)}
	w.undos.mu.Lock()
	done := w.undos.revived[at]
	w.undos.mu.Unlock()
	if done {
		return nil
	}
	t, err := w.Target(ctx, c)
	if err != nil {
		return nil // the portal is unavailable; the next call tries again
	}
	rows, err := w.Workspace.Ways(ctx, at.user, at.portal)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if way := revived(t, &row); way != nil && w.undos.of(row.ID, at.user) == nil {
			w.undos.keep(row.ID, way)
		}
	}
	w.undos.mu.Lock()
	defer w.undos.mu.Unlock()
	if w.undos.revived == nil {
		w.undos.revived = map[home]bool{}
	}
	w.undos.revived[at] = true
	return nil
}

// revived returns the undo of a row; nil if the portal's catalog no longer has
// its endpoint.
func revived(t *outgoing.Target, row *workspace.Way) *undo {
	var kept keptWay
	if err := json.Unmarshal([]byte(row.Text), &kept); err != nil {
		return nil
	}
	endpoint := t.Catalog.Match(kept.Method, kept.Path)
	if endpoint == nil || endpoint.Path != kept.Template {
		return nil
	}
	way := &undo{
		user: row.UserID, portal: row.PortalID,
		Undo: effect.Undo{Target: t, Before: kept.Before.object(), After: kept.After.object(),
			Out: &outgoing.Request{Method: kept.Method, URL: t.Origin + kept.Address, Headers: kept.Headers,
				Endpoint: endpoint, Path: kept.Path}},
	}
	if way.Says() == "" {
		return nil
	}
	return way
}
