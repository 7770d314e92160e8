package pages

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"net/url"
	"slices"
	"strconv"

	"spyglass/app/document"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/send"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// Limits of a run.
const (
	largestPage = 1000    // items, unless the catalog says otherwise
	maxSeen     = 1 << 20 // ids remembered to find duplicates
)

// progressed is the progress of a run, with everything needed to resume. A run of
// the history has only past; the rest is read from its response when it resumes.
type progressed struct {
	past    *workspace.History
	request send.Request
	list    payload.Paged
	offset  int64 // of the next page
	step    int64 // between pages; 0 before the first
	pages   int64
	items   int64
	first   *int64 // the total in the first page
	total   *int64
	twice   int64
	seen    map[uint64]struct{}
	seed    maphash.Seed
	whole   bool
}

// of returns the total number of pages; 0 if unknown.
func (p *progressed) of() int64 {
	if p.total == nil || *p.total < 0 || p.step == 0 {
		return 0
	}
	return max(p.pages, p.pages+(*p.total-p.offset+p.step-1)/p.step)
}

// take adds a page and records whether it was the last. A total below zero means
// "at least": then only a page that is not full ends the list.
func (p *progressed) take(got *payload.Page) {
	n := int64(len(got.Items))
	if p.pages == 0 {
		p.first = got.Total
		switch {
		case p.list.Size > 0 && n < p.list.Size && n > 0 && got.Total != nil && *got.Total > p.offset+n:
			p.step = n // the portal returns fewer items than requested
		case p.list.Size > 0:
			p.step = p.list.Size
		default:
			p.step = n
		}
	}
	if got.Total != nil {
		p.total = got.Total
	}
	p.pages++
	p.items += n
	p.offset += p.step
	for _, item := range got.Items {
		p.notice(payload.IDOf(item))
	}
	switch {
	case n == 0:
		p.whole = true
	case p.total != nil && *p.total >= 0:
		p.whole = p.offset >= *p.total
	default:
		p.whole = n < p.step
	}
}

// notice counts ids that occurred before.
func (p *progressed) notice(id string) {
	if id == "" {
		return
	}
	hash := maphash.String(p.seed, id)
	if _, known := p.seen[hash]; known {
		p.twice++
	} else if len(p.seen) < maxSeen {
		p.seen[hash] = struct{}{}
	}
}

func (p *progressed) report() *send.RunReport {
	r := &send.RunReport{Pages: p.pages, Of: p.of(), Items: p.items, Total: p.total, Notes: []string{}}
	if p.whole {
		r.Of = p.pages
	}
	if p.first != nil && p.total != nil && *p.first != *p.total {
		r.Notes = append(r.Notes, fmt.Sprintf("The list changed during the run: its total went from %d to %d.",
			*p.first, *p.total))
	}
	switch {
	case p.twice == 1:
		r.Notes = append(r.Notes, "One item was received twice, because the list changed between pages.")
	case p.twice > 1:
		r.Notes = append(r.Notes, fmt.Sprintf("%d items were received twice, because the list changed between pages.",
			p.twice))
	}
	return r
}

// newRun returns a run that begins at the request's own offset, with its own page
// size or the largest.
func newRun(x *send.Exchange, largest bool) *progressed {
	p := &progressed{request: *x.In, list: payload.PagedOf(x.Out.URL), seen: map[uint64]struct{}{},
		seed: maphash.MakeSeed()}
	p.offset = p.list.Offset
	usual, most := int64(0), int64(largestPage)
	if x.Out.Endpoint != nil {
		for _, param := range x.Out.Endpoint.Params {
			if param.Name != "size" || param.In != "query" {
				continue
			}
			if n, err := strconv.ParseInt(fmt.Sprint(param.Schema.Default), 10, 64); err == nil {
				usual = n
			}
			if param.Schema.Max != nil {
				most = *param.Schema.Max
			}
		}
	}
	switch {
	case largest:
		p.list.Size = most
	case p.list.Size == 0:
		p.list.Size = usual
	}
	return p
}

// goesOn reports whether a run of the history with that number of items can be
// resumed: it must have ended early, between two pages.
func goesOn(h *workspace.History, items int64) bool {
	return h.PageSize > 0 && items > 0 && items%h.PageSize == 0
}

// regain reads the progress of a run of the history from its response. It resumes
// with the current request, which has the secrets that the history masks. It
// returns fault.Conflict if that request has changed.
func regain(x *send.Exchange, past *workspace.History, doc *document.Document) (*progressed, error) {
	if pathAndQuery(past.URL) != pathAndQuery(x.History.URL) ||
		!slices.Equal(switchedOn(past.Draft.Headers), switchedOn(x.History.Draft.Headers)) {
		return nil, fault.New(fault.Conflict, "the request was edited after these pages; fetch all pages again")
	}
	var body bytes.Buffer
	if err := doc.WriteText(&body); err != nil {
		return nil, err
	}
	got, err := payload.ReadPage(body.Bytes())
	if err != nil {
		return nil, err
	}
	p := newRun(x, false)
	p.list.Size, p.step = past.PageSize, past.PageSize
	p.items = int64(len(got.Items))
	p.pages = p.items / p.step
	p.offset += p.pages * p.step
	p.first, p.total = got.Total, got.Total
	for _, item := range got.Items {
		p.notice(payload.IDOf(item))
	}
	return p, nil
}

// switchedOn returns the enabled rows, without their notes.
func switchedOn(rows workspace.Rows) (out [][2]string) {
	for _, r := range rows {
		if r.On {
			out = append(out, [2]string{r.Key, r.Value})
		}
	}
	return out
}

// pathAndQuery returns the path and query of a URL, without the portal's host and port.
func pathAndQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.RequestURI()
}
