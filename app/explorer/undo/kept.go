package undo

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

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
	if way.out.Signed || outgoing.GivesSecrets(way.out.Endpoint) || strings.Contains(way.sends(), resource.Mask) {
		return
	}
	kept := &keptWay{Method: way.out.Method, Path: way.out.Path, Template: way.out.Endpoint.Path,
		Headers: way.out.Headers, Before: keptOf(way.before), After: keptOf(way.after)}
	address, ok := strings.CutPrefix(way.out.URL, way.target.Origin)
	if kept.Address = address; !ok || slices.ContainsFunc(kept.Headers, func(h [2]string) bool {
		return outgoing.SecretKey(h[0]) || slices.Contains(outgoing.SecretHeaders, strings.ToLower(h[0]))
	}) {
		return
	}
	if _, query, found := strings.Cut(address, "?"); found && new(outgoing.Masker).Query(query) != query {
		return
	}
	for _, o := range []*keptObject{kept.Before, kept.After} {
		if o != nil && outgoing.MaskBody(string(o.Text), way.out.Endpoint) != string(o.Text) {
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

// sends returns the body of the write that undoes.
func (u *undo) sends() string {
	switch {
	case u.out.Method == "PUT" || u.out.Method == "PATCH":
		_, _, body := u.putsBack()
		return body
	case u.out.Method == "DELETE" && u.restore() == nil:
		return u.before.Body(writable(u.collection()))
	}
	return ""
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
		user: row.UserID, portal: row.PortalID, target: t, before: kept.Before.object(), after: kept.After.object(),
		out: &outgoing.Request{Method: kept.Method, URL: t.Origin + kept.Address, Headers: kept.Headers,
			Endpoint: endpoint, Path: kept.Path},
	}
	if way.says() == "" {
		return nil
	}
	return way
}
