package send

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/document"
	"spyglass/app/expect"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/view"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// Reply is a portal's response in the form that the page receives.
type Reply struct {
	Status     int64                 `json:"status"`
	StatusText string                `json:"statusText"`
	Headers    [][2]string           `json:"headers"`
	MS         int64                 `json:"ms"`
	Bytes      int64                 `json:"bytes"`
	Items      *int64                `json:"items" doc:"number of items of a list; null for any other body"`
	Total      *int64                `json:"total"`
	Document   string                `json:"document" doc:"its id, for /documents/{id}"`
	JSON       bool                  `json:"json"`
	Problem    string                `json:"problem" doc:"why the body is not JSON; empty when it is"`
	Reading    string                `json:"reading" doc:"how its bytes were decoded; empty for UTF-8"`
	Binary     bool                  `json:"binary" doc:"not text; /documents/{id}/hex returns its beginning"`
	Rows       []document.TreeRow    `json:"rows" doc:"the first 200"`
	RowCount   int                   `json:"rowCount"`
	LineCount  int                   `json:"lineCount"`
	HistoryID  int64                 `json:"historyId"`
	NotKept    string                `json:"notKept,omitempty" doc:"why it is missing from the history"`
	URL        string                `json:"url"`
	Quota      *payload.Quota        `json:"quota"`
	Timing     client.Timing         `json:"timing"`
	Extracted  []workspace.Extracted `json:"extracted,omitempty" doc:"what extractors found in it"`
	Checks     []expect.Result       `json:"checks,omitempty" doc:"the results of the request's checks"`
	Run        *RunReport            `json:"run" doc:"through pages; null for a single request"`
	Hops       []client.Hop          `json:"hops" doc:"redirects that were followed, in order"`
	Undo       string                `json:"undo" doc:"the effect of undoing; empty if it cannot be undone"`
	Error      *payload.Problem      `json:"error" doc:"null below status 400"`
}

// Reply returns what the page shows first of a response.
func (s *Sender) Reply(h *workspace.History, doc *document.Document, headers [][2]string,
	t client.Timing) (*Reply, error) {
	r := &Reply{
		Status: h.Status, StatusText: h.StatusText, Headers: headers, MS: h.MS, Bytes: h.Bytes,
		Document: s.Documents.Sealed(doc.ID, h.UserID), HistoryID: h.ID, URL: h.URL,
		Quota: payload.QuotaOf(headers), Timing: t,
	}
	var err error
	if r.Error, err = problemOf(h, doc, headers); err != nil {
		return nil, err
	}
	r.Hops = []client.Hop{}
	r.Undo = s.Writes.Says(h.ID, h.UserID)
	r.JSON, r.Problem = doc.JSON()
	r.Reading = cmp.Or(payload.StillPacked(headers), doc.Reading())
	if r.Binary, err = doc.Binary(); err != nil {
		return nil, err
	}
	if r.Rows, r.RowCount, err = doc.Rows(0, view.FirstRows); err != nil {
		return nil, err
	}
	if _, r.LineCount, err = doc.Lines(0, 0); err != nil {
		return nil, err
	}
	last := r.Rows
	if r.RowCount > view.FirstRows {
		if last, _, err = doc.Rows(r.RowCount-tailRows, tailRows); err != nil {
			return nil, err
		}
	}
	r.Items, r.Total = listOf(append(slices.Clip(r.Rows), last...))
	return r, nil
}

// brief returns the reply to a request of a run. Its document is not for a page: it has no
// sealed id.
func (s *Sender) brief(h *workspace.History, doc *document.Document, headers [][2]string,
	_ client.Timing) (*Reply, error) {
	r := &Reply{Status: h.Status, StatusText: h.StatusText, Headers: headers, MS: h.MS, Bytes: h.Bytes,
		Document: doc.ID, URL: h.URL}
	var err error
	r.Error, err = problemOf(h, doc, headers)
	return r, err
}

// problemOf returns what a response of an error says; nil below status 400.
func problemOf(h *workspace.History, doc *document.Document, headers [][2]string) (*payload.Problem, error) {
	if h.Status < 400 || doc.Size() > payload.MaxProblem {
		return nil, nil
	}
	var body bytes.Buffer
	if err := doc.WriteText(&body); err != nil {
		return nil, err
	}
	return payload.ProblemOf(h.Status, headers, body.Bytes()), nil
}

// tailRows is the number of last rows searched for the keys behind a long list.
const tailRows = 20

// listOf finds how many items a list has, and of how many. The envelope's own
// keys are among the first or last rows: a new document shows the children of
// its root, and of a list the first item only. A bare array is a list, too.
func listOf(rows []document.TreeRow) (items, total *int64) {
	for _, r := range rows {
		count := int64(r.Count)
		switch {
		case r.Depth == 0 && r.Kind == document.Array:
			return &count, nil
		case r.Depth != 1 || r.Key == nil:
		case *r.Key == "items" && r.Kind == document.Array:
			items = &count
		case *r.Key == "total" && r.Kind == document.Number:
			if n, err := strconv.ParseInt(*r.Text, 10, 64); err == nil {
				total = &n
			}
		}
	}
	if items == nil {
		return nil, nil
	}
	return items, total
}

// ShownHeaders returns a response's headers by name, without what makes a session
// and without secrets that come back.
func (x *Exchange) ShownHeaders(h http.Header) [][2]string {
	out := make([][2]string, 0, len(h))
	for name, all := range h {
		for _, value := range all {
			switch {
			case name == "Set-Cookie":
				value = maskCookie(value)
			case name == "X-Csrf-Token", x.Echoes(value):
				value = resource.Mask
			}
			out = append(out, [2]string{name, value})
		}
	}
	slices.SortStableFunc(out, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return out
}

// maskCookie hides the value of "name=value; Path=/".
func maskCookie(cookie string) string {
	first, rest, more := strings.Cut(cookie, ";")
	name, _, _ := strings.Cut(first, "=")
	if more {
		return name + "=" + resource.Mask + ";" + rest
	}
	return name + "=" + resource.Mask
}

// RunReport is the result of a run through pages.
type RunReport struct {
	Pages   int64    `json:"pages" doc:"received"`
	Of      int64    `json:"of" doc:"0: unknown"`
	Items   int64    `json:"items"`
	Total   *int64   `json:"total"`
	Partial string   `json:"partial" doc:"why it is incomplete, one sentence; empty if it is complete"`
	Status  int64    `json:"status" doc:"status of the page that failed; 0 for none"`
	Resume  bool     `json:"resume" doc:"it can be resumed"`
	Notes   []string `json:"notes"`
}
