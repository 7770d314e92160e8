package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// known is the parsed catalog of a portal's document.
type known struct {
	at      resource.Millis
	base    string
	catalog *catalog.Catalog
}

// catalogOf returns the portal's own catalog, or the built-in one if it has none.
func (r *Portals) catalogOf(ctx context.Context, p *workspace.Portal) (*catalog.Catalog, error) {
	if p.CatalogFrom == "" {
		return r.Catalog, nil
	}
	if have := r.abroad.knows(p); have != nil {
		return have, nil
	}
	text, err := r.Workspace.CatalogOf(ctx, p)
	if err != nil || text == nil {
		return r.Catalog, err
	}
	made, err := catalog.Read(ctx, text, p.BaseURL)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		r.Log.WarnContext(ctx, "the stored catalog of a portal cannot be read; using the built-in catalog", "portal",
			p.ID, "err", err)
		made = r.Catalog
	}
	r.abroad.learn(p, made)
	return made, nil
}

func (a *abroad) knows(p *workspace.Portal) *catalog.Catalog {
	a.mu.Lock()
	defer a.mu.Unlock()
	if k := a.known[p.ID]; k != nil && k.at == p.CatalogAt && k.base == p.BaseURL {
		return k.catalog
	}
	return nil
}

func (a *abroad) learn(p *workspace.Portal, made *catalog.Catalog) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil {
		a.known = map[int64]*known{}
	}
	a.known[p.ID] = &known{p.CatalogAt, p.BaseURL, made}
}

// readCatalog reads the portal's catalog and stores it. If it has none, the
// built-in catalog is used from then on.
func (r *Portals) readCatalog(ctx context.Context, c *resource.Call) (*Shown, error) {
	p, t, err := r.signed(ctx, c)
	if err != nil {
		return nil, err
	}
	from, text, made, err := r.findCatalog(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := r.Workspace.KeepCatalog(ctx, p, resource.MillisOf(c.At), from, text); err != nil {
		return nil, err
	}
	if made != nil {
		r.abroad.learn(p, made)
	}
	return r.shownPortal(p)
}

// findCatalog reads the address that the user gave, or the usual paths.
func (r *Portals) findCatalog(ctx context.Context, t *outgoing.Target) (from string, text []byte, made *catalog.Catalog,
	err error) {
	if given := t.Remote.CatalogURL; given != "" {
		text, made, err = r.catalogAt(ctx, t, given)
		if err == nil && made == nil {
			err = fault.At("catalogUrl", "there is no OpenAPI document in JSON at %s", given)
		}
		return given, text, made, err
	}
	for _, place := range catalog.Places(t.URL, t.Origin) {
		text, made, err = r.catalogAt(ctx, t, place)
		if err != nil || made != nil {
			return place, text, made, err
		}
	}
	return "", nil, nil, nil
}

// catalogAt reads one address; nil means that there is no document. It sends no
// credential to another host.
func (r *Portals) catalogAt(ctx context.Context, t *outgoing.Target, place string) ([]byte, *catalog.Catalog, error) {
	at, err := url.Parse(place)
	if err != nil {
		return nil, nil, fault.At("catalogUrl", "the address is not a valid URL")
	}
	out := &outgoing.Request{Method: "GET", URL: place, Path: at.EscapedPath(), Signed: at.Scheme+"://"+
		at.Host != t.Origin}
	t.UsualHeaders(out)
	response, text, err := r.FetchUpTo(ctx, t, out, workspace.MaxCatalog)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode != http.StatusOK || !json.Valid(text) {
		return nil, nil, nil
	}
	made, err := catalog.Read(ctx, text, t.URL)
	if errors.Is(err, catalog.ErrNone) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, &fault.Error{Kind: fault.Offline, Field: "catalogUrl",
			Message: fmt.Sprintf("the OpenAPI document at %s cannot be read: %s", place, firstLine(err)), Err: err}
	}
	return text, made, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return string([]rune(line)[:min(len([]rune(line)), 200)])
}
