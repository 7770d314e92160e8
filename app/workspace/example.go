package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// RequestExample is a response that is stored with a saved request.
type RequestExample struct {
	ID         int64
	UserID     int64
	RequestID  int64
	At         resource.Millis
	Name       string
	Status     int64
	StatusText string
	Headers    [][2]string
	Bytes      int64
}

// exampleBody is the body of an example. It is a table of its own: listing examples
// reads no bodies.
type exampleBody struct {
	ID     int64 // of the example
	UserID int64
	Zipped []byte // S2
}

const (
	exampleRows     resource.Name[*RequestExample] = "requestExample"
	exampleBodyRows resource.Name[*exampleBody]    = "exampleBody"
)

// Limits of examples.
const (
	MaxExamples    = 20      // of one request
	MaxExampleBody = 1 << 20 // bytes of a body
)

// Examples declares /examples. They are created from the history, and by imports.
var Examples = resource.Resource[*RequestExample]{
	Name: exampleRows, Label: "example", Path: "/examples", Object: resource.Anyone, Owner: "userId",
	Doc: "A response that is kept beside a saved request.",
	Fields: []resource.Field[*RequestExample]{
		{Name: "id", At: func(e *RequestExample) any { return &e.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(e *RequestExample) any { return &e.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "requestId", At: func(e *RequestExample) any { return &e.RequestID }, Doc: "Its saved request",
			ReadOnly: true, Index: true},
		{Name: "at", At: func(e *RequestExample) any { return &e.At }, Doc: "When it arrived; 0: unknown",
			ReadOnly: true},
		{Name: "name", At: func(e *RequestExample) any { return &e.Name }, Doc: "Any text", Required: true,
			MaxLen: 255},
		{Name: "status", At: func(e *RequestExample) any { return &e.Status }, Doc: "Of the response", ReadOnly: true},
		{Name: "statusText", At: func(e *RequestExample) any { return &e.StatusText }, Doc: "The words of the status",
			ReadOnly: true},
		{Name: "headers", At: func(e *RequestExample) any { return &e.Headers }, Doc: "Those that were kept",
			ReadOnly: true},
		{Name: "bytes", At: func(e *RequestExample) any { return &e.Bytes }, Doc: "Size of the body", ReadOnly: true},
	},
	Without: []resource.Verb{resource.OnCreate, resource.OnReplace},
	Remove: func(w *resource.Write, e *RequestExample) error {
		return resource.DeleteAll(w.Context, w.Tx, exampleBodyRows, resource.Where{Field: "id", Op: "=", Value: e.ID})
	},
}

// exampleBodies is a table without endpoints.
var exampleBodies = resource.Resource[*exampleBody]{
	Name: exampleBodyRows, Label: "body of an example", Owner: "userId",
	Fields: []resource.Field[*exampleBody]{
		{Name: "id", At: func(b *exampleBody) any { return &b.ID }, ReadOnly: true},
		{Name: "userId", At: func(b *exampleBody) any { return &b.UserID }, ReadOnly: true, WriteOnly: true,
			Index: true},
		{Name: "zipped", At: func(b *exampleBody) any { return &b.Zipped }, ReadOnly: true, WriteOnly: true},
	},
}

// SavedExample is an example without ids.
type SavedExample struct {
	Name       string      `json:"name"`
	Status     int64       `json:"status"`
	StatusText string      `json:"statusText,omitempty"`
	Headers    [][2]string `json:"headers,omitempty"`
	Body       string      `json:"body"`
}

// toExample is the body of /requests/{id}/examples.
type toExample struct {
	HistoryID int64
	Name      string
	Headers   []string
}

var toExamples = resource.Resource[*toExample]{Name: "toExample", Label: "example",
	Fields: []resource.Field[*toExample]{
		{Name: "historyId", At: func(e *toExample) any { return &e.HistoryID }, Doc: "A request of the history; its " +
			"response becomes the example, with secrets masked as they are there", Required: true},
		{Name: "name", At: func(e *toExample) any { return &e.Name }, Doc: "Of the example", Required: true,
			MaxLen: 255},
		{Name: "headers", At: func(e *toExample) any { return &e.Headers }, Doc: "Names of the headers to keep",
			Default: []string{}},
	}}

// exampleEndpoints returns the endpoints of examples that are not declared by the
// resource.
func (w *Workspace) exampleEndpoints() []resource.Endpoint {
	schema := toExamples.Schema()
	return []resource.Endpoint{
		{Method: "POST", Path: "/requests/{id}/examples", Summary: "Keep a response of the history as an example",
			Right: anyone, Params: idParam, Body: &schema, Response: declared(struct {
				ID int64 `json:"id"`
			}{}), Handle: w.keepExample},
		{Method: "GET", Path: "/examples/{id}/body", Summary: "The body of an example", Right: anyone, Params: idParam,
			Response: declared(struct {
				Text string `json:"text"`
			}{}), Handle: w.exampleText},
	}
}

func (w *Workspace) keepExample(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	body, err := toExamples.Read(c.Body, c.Lenient)
	if err != nil {
		return nil, err
	}
	in := &toExample{}
	if err := toExamples.Apply(body, in, true); err != nil {
		return nil, err
	}
	h, reply, err := w.Recall(ctx, c.Access.UserID, in.HistoryID)
	if err != nil {
		return nil, err
	}
	if h.Bytes > MaxExampleBody {
		return nil, fault.At("historyId",
			"the response has %d KiB, and an example at most %d; send a request for fewer fields or items",
			(h.Bytes+1023)>>10, MaxExampleBody>>10)
	}
	var text bytes.Buffer
	if err := Unzip(reply.Zipped, &text); err != nil {
		return nil, err
	}
	if !utf8.Valid(text.Bytes()) {
		return nil, fault.At("historyId", "the response is not text, so it cannot be an example")
	}
	e := &RequestExample{UserID: c.Access.UserID, RequestID: id, At: h.At, Name: in.Name, Status: h.Status,
		StatusText: h.StatusText, Headers: [][2]string{}, Bytes: int64(text.Len())}
	for _, header := range reply.Headers {
		if slices.ContainsFunc(in.Headers, func(name string) bool { return strings.EqualFold(name, header[0]) }) {
			e.Headers = append(e.Headers, header)
		}
	}
	err = w.db.Write(ctx, func(tx resource.Tx) error {
		e.ID = 0 // reset for a second run
		r, err := resource.Get(ctx, tx, requestRows, id)
		if err == nil && r.UserID != c.Access.UserID {
			err = fault.New(fault.Unknown, "there is no saved request %d", id)
		}
		if err != nil {
			return err
		}
		have, err := examplesOf(ctx, tx, c.Access.UserID, id)
		if err != nil {
			return err
		}
		if len(have) >= MaxExamples {
			return fault.New(fault.Conflict, "this request already has %d examples; delete some first", MaxExamples)
		}
		return putExample(ctx, tx, e, reply.Zipped)
	})
	if err != nil {
		return nil, err
	}
	return struct {
		ID int64 `json:"id"`
	}{e.ID}, nil
}

func putExample(ctx context.Context, tx resource.Tx, e *RequestExample, zipped []byte) error {
	if err := resource.Put(ctx, tx, exampleRows, e); err != nil {
		return err
	}
	return resource.Put(ctx, tx, exampleBodyRows, &exampleBody{ID: e.ID, UserID: e.UserID, Zipped: zipped})
}

func (w *Workspace) exampleText(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	zipped, err := w.ExampleBody(ctx, c.Access.UserID, id)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	err = Unzip(zipped, &text)
	return struct {
		Text string `json:"text"`
	}{text.String()}, err
}

// ExampleBody returns the compressed body of an example of the user, for Unzip.
func (w *Workspace) ExampleBody(ctx context.Context, userID, id int64) ([]byte, error) {
	body, err := resource.Get(ctx, w.db, exampleBodyRows, id)
	if err == nil && body.UserID != userID || fault.Is(err, fault.Unknown) {
		err = fault.New(fault.Unknown, "there is no example %d", id)
	}
	if err != nil {
		return nil, err
	}
	return body.Zipped, nil
}

// examplesOf returns the examples of some requests, in the order of their ids.
func examplesOf(ctx context.Context, from resource.Reader, userID int64,
	requests ...int64) ([]RequestExample, error) {
	rows, err := resource.Find(ctx, from, exampleRows, mine(userID),
		resource.Where{Field: "requestId", Op: "in", Value: requests})
	slices.SortFunc(rows, func(a, b RequestExample) int { return cmp.Compare(a.ID, b.ID) })
	return rows, err
}

// savedExamples returns the examples of some requests with their bodies, by request.
func savedExamples(ctx context.Context, from resource.Reader, userID int64,
	requests []int64) (map[int64][]SavedExample, error) {
	rows, err := examplesOf(ctx, from, userID, requests...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	out := map[int64][]SavedExample{}
	for i := range rows {
		e := &rows[i]
		body, err := resource.Get(ctx, from, exampleBodyRows, e.ID)
		if err != nil {
			return nil, err
		}
		var text strings.Builder
		if err := Unzip(body.Zipped, &text); err != nil {
			return nil, err
		}
		out[e.RequestID] = append(out[e.RequestID], SavedExample{Name: e.Name, Status: e.Status,
			StatusText: e.StatusText, Headers: e.Headers, Body: text.String()})
	}
	return out, nil
}

// plantExamples adds the examples of an imported request.
func plantExamples(ctx context.Context, tx resource.Tx, r *Request, examples []SavedExample) error {
	for i, s := range examples[:min(len(examples), MaxExamples)] {
		if len(s.Body) > MaxExampleBody {
			return fault.New(fault.TooLarge, "the example %q has more than %d KiB", s.Name, MaxExampleBody>>10)
		}
		z := NewZipper()
		_, _ = z.Write([]byte(s.Body)) // as in Write, it does not fail
		e := &RequestExample{UserID: r.UserID, RequestID: r.ID, Name: cmp.Or(s.Name, fmt.Sprint("Example ", i+1)),
			Status: s.Status, StatusText: s.StatusText, Headers: s.Headers, Bytes: int64(len(s.Body))}
		if e.Headers == nil {
			e.Headers = [][2]string{}
		}
		if err := putExample(ctx, tx, e, z.Zipped()); err != nil {
			return err
		}
	}
	return nil
}

// forgetExamples deletes the examples of requests that are deleted for good.
func forgetExamples(ctx context.Context, tx resource.Tx, requests ...Request) error {
	for i := range requests {
		rows, err := examplesOf(ctx, tx, requests[i].UserID, requests[i].ID)
		if err != nil {
			return err
		}
		for _, e := range rows {
			if err := resource.DeleteAll(ctx, tx, exampleBodyRows,
				resource.Where{Field: "id", Op: "=", Value: e.ID}); err != nil {
				return err
			}
			if err := resource.Delete(ctx, tx, exampleRows, e.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
