package exchange

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"spyglass/backend/fault"
)

// ReadHAR reads the requests of a HAR file with their responses, in the order of the
// file. It leaves out pages, scripts, images and the like, as an import does.
func ReadHAR(ctx context.Context, f *File) ([]Sent, error) {
	f.budget = budgetFor(ctx, len(f.Text))
	if err := f.open(); err != nil {
		return nil, f.tooMuch(err)
	}
	if !HAR.Is(f) {
		return nil, fault.New(fault.Invalid, "%s is not a HAR file", f.name())
	}
	var h harFile
	if err := f.decode(f.Text, &h); err != nil {
		return nil, err
	}
	calls := h.Log.calls()
	out := make([]Sent, 0, len(calls))
	for i := range calls {
		s, err := calls[i].sent()
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s cannot be read: the response to %s %s: %v", f.name(),
				calls[i].Request.Method, calls[i].Request.URL, err)
		}
		out = append(out, *s)
	}
	return out, f.tooMuch(f.budget.Err())
}

// calls returns the entries that call an API.
func (l *harLog) calls() []harEntry {
	if !slices.ContainsFunc(l.Entries, func(e harEntry) bool { return e.Kind == "xhr" || e.Kind == "fetch" }) {
		return l.Entries
	}
	return slices.DeleteFunc(slices.Clone(l.Entries), func(e harEntry) bool {
		return slices.Contains(partsOfPages, e.Kind)
	})
}

// sent is the inverse of entry.
func (e *harEntry) sent() (*Sent, error) {
	s := &Sent{Method: strings.ToUpper(e.Request.Method), URL: e.Request.URL, MS: int64(e.Time),
		Status: e.Response.Status, StatusText: e.Response.StatusText, Bytes: e.Response.Content.Size,
		Error: e.Response.Error, Headers: listOf(e.Request.Headers), Response: listOf(e.Response.Headers),
		Text: []byte(e.Response.Content.Text), Draft: e.Request.Draft,
		Kept: e.Response.Content.Text != "" || e.Response.Content.Size <= 0}
	s.At, _ = time.Parse(time.RFC3339, e.Started) // without it, the order of the file is that of time
	if e.Request.PostData != nil {
		s.Body = e.Request.PostData.Text
	}
	if e.Response.Content.Encoding == "base64" {
		text, err := base64.StdEncoding.DecodeString(e.Response.Content.Text)
		if err != nil {
			return nil, fmt.Errorf("its body is not base64: %w", err)
		}
		s.Text = text
	}
	return s, nil
}

func listOf(list []harPair) [][2]string {
	out := make([][2]string, len(list))
	for i, p := range list {
		out[i] = [2]string{p.Name, p.Value}
	}
	return out
}
