// Package view serves the responses that pages show: as a tree, a text, a table or
// the lines of a chart, filtered, compared and exported.
//
// Documents keeps the bodies in an app/document store and gives each user ids of
// their own (Sealed), which nobody else can use.
//
// # Units
//
// Sizes are bytes; rows and lines are counted from 0. Times of a chart are epoch
// milliseconds.
//
// # Concurrency
//
// Documents is safe for concurrent use. It starts no goroutines.
//
// # Errors
//
// fault.Unknown: the document is no longer kept, or belongs to another user.
// fault.Invalid names the parameter that is wrong; of a query with its place.
package view

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/document"
	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Documents holds the responses that pages show.
type Documents struct {
	*document.Store
	Workspace *workspace.Workspace
	seal      []byte // makes document ids a user's own
}

// Open returns the documents of a folder, which it empties.
func Open(dir string, w *workspace.Workspace) (*Documents, error) {
	store, err := document.NewStore(dir, document.Limits{})
	if err != nil {
		return nil, err
	}
	d := &Documents{Store: store, Workspace: w, seal: make([]byte, 32)}
	rand.Read(d.seal)
	return d, nil
}

// Endpoints returns the endpoints of documents.
func (d *Documents) Endpoints() []resource.Endpoint {
	return slices.Concat(d.documentEndpoints(), d.askEndpoints(), d.tableEndpoints())
}

func (d *Documents) documentEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		d.get("rows", "Rows of the tree", showRows),
		d.get("lines", "Rows of the text", showLines),
		d.get("path", "Where a value stands", showPath),
		d.get("value", "A value, for copying", showValue),
		d.get("find", "Find a text", find),
		d.get("raw", "The whole body", showRaw),
		d.get("hex", "The first 4 KiB of the body in hexadecimal", showHex),
		d.get("scalars", "The single values, of a list those of one item", showScalars),
		d.get("keys", "The keys at the beginning of the body", showKeys),
		d.get("left", "What is open, to have it so again", showLeft),
		serve.Post("/documents/{id}/toggle", "Open or close a value", &toggles, d.toggle),
		serve.Post("/documents/{id}/unfold", "Open and close everything as it was left", &unfolds, d.unfold),
	}
}

// get returns an endpoint that answers from one document.
func (d *Documents) get(
	path, summary string, do func(context.Context, *resource.Call, *document.Document) (any, error),
) resource.Endpoint {
	return resource.Endpoint{
		Method: "GET", Path: "/documents/{id}/" + path, Summary: summary,
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			doc, err := d.document(c)
			if err != nil {
				return nil, err
			}
			return do(ctx, c, doc)
		},
	}
}

// Sealed is a document's id as one user gets it; nobody else can use it.
func (d *Documents) Sealed(id string, userID int64) string {
	mac := hmac.New(sha256.New, d.seal)
	fmt.Fprintf(mac, "%d %s", userID, id)
	return id + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}

func (d *Documents) document(c *resource.Call) (*document.Document, error) {
	return d.Unsealed(c.Vars["id"], c.Access.UserID)
}

// Unsealed is the document that was given to a user under that id.
func (d *Documents) Unsealed(sealed string, userID int64) (*document.Document, error) {
	id, _, _ := strings.Cut(sealed, "-")
	if !hmac.Equal([]byte(d.Sealed(id, userID)), []byte(sealed)) {
		return nil, fault.New(fault.Unknown, "this response is no longer kept; send the request again")
	}
	return d.Get(id)
}

// number reads a whole number of the query.
func number(c *resource.Call, name string, otherwise int64) (int64, error) {
	text := c.Query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.At(name, "%s is a whole number", name)
	}
	return n, nil
}

// maxScreen limits the rows of one response.
const maxScreen = 2000

// window reads from and count.
func window(c *resource.Call) (from, count int, err error) {
	first, err := number(c, "from", 0)
	if err != nil {
		return 0, 0, err
	}
	n, err := number(c, "count", FirstRows)
	return int(max(first, 0)), int(min(max(n, 0), maxScreen)), err
}

func showRows(_ context.Context, c *resource.Call, doc *document.Document) (any, error) {
	from, count, err := window(c)
	if err != nil {
		return nil, err
	}
	return rowsOf(doc, from, count)
}

func rowsOf(doc *document.Document, from, count int) (any, error) {
	rows, total, err := doc.Rows(from, count)
	return map[string]any{"rows": rows, "total": total}, err
}

func showLines(_ context.Context, c *resource.Call, doc *document.Document) (any, error) {
	from, count, err := window(c)
	if err != nil {
		return nil, err
	}
	lines, total, err := doc.Lines(from, count)
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	return map[string]any{"lines": texts, "total": total}, err
}

func showPath(_ context.Context, c *resource.Call, doc *document.Document) (any, error) {
	node, err := number(c, "node", 0)
	if err != nil {
		return nil, err
	}
	path, err := doc.Path(node)
	return map[string]any{"path": path}, err
}

func showValue(_ context.Context, c *resource.Call, doc *document.Document) (any, error) {
	node, err := number(c, "node", 0)
	if err != nil {
		return nil, err
	}
	exact, err := c.Flag("exact")
	if err != nil {
		return nil, err
	}
	write := doc.Value
	if exact {
		write = doc.Exact
	}
	return &resource.Answer{Type: "text/plain; charset=utf-8", Stream: func(w io.Writer) error {
		return write(node, w)
	}}, nil
}

func find(ctx context.Context, c *resource.Call, doc *document.Document) (any, error) {
	from, err := number(c, "from", 0)
	if err != nil {
		return nil, err
	}
	exact, err := c.Flag("case")
	if err != nil {
		return nil, err
	}
	inText, err := c.Flag("raw")
	if err != nil {
		return nil, err
	}
	search := doc.Find
	if ok, _ := doc.JSON(); inText || !ok {
		search = doc.FindRaw
	}
	f, err := search(ctx, c.Query.Get("query"), exact, int(from))
	return map[string]any{"count": f.Count, "index": f.At, "row": f.Row, "node": f.Node, "path": f.Path,
		"total": f.Total}, err
}

func showRaw(_ context.Context, _ *resource.Call, doc *document.Document) (any, error) {
	kind, name := doc.ContentType, "response.txt"
	if kind == "" {
		kind = "application/octet-stream"
	}
	if ok, _ := doc.JSON(); ok {
		name = "response.json"
	}
	return &resource.Answer{Type: kind, Filename: name, Stream: func(w io.Writer) error {
		_, err := doc.WriteTo(w)
		return err
	}}, nil
}

func showHex(_ context.Context, _ *resource.Call, doc *document.Document) (any, error) {
	head, err := doc.Raw(0, document.HeadSize)
	if err != nil {
		return nil, err
	}
	return &resource.Answer{Type: "text/plain; charset=utf-8", Stream: func(w io.Writer) error {
		_, err := io.WriteString(w, hex.Dump(head))
		return err
	}}, nil
}

// toggleRequest is the body of /documents/{id}/toggle. Node -1 with Deep is
// everything.
type toggleRequest struct {
	Node, From, Count int64
	Open, Deep        bool
}

var toggles = resource.Resource[*toggleRequest]{Name: "toggle", Label: "toggle",
	Fields: []resource.Field[*toggleRequest]{
		{Name: "node", At: func(t *toggleRequest) any { return &t.Node }, Doc: "-1 for all", Required: true},
		{Name: "open", At: func(t *toggleRequest) any { return &t.Open }, Required: true},
		{Name: "deep", At: func(t *toggleRequest) any { return &t.Deep }, Doc: "And all inside"},
		{Name: "from", At: func(t *toggleRequest) any { return &t.From }, Doc: "The first row to answer"},
		{Name: "count", At: func(t *toggleRequest) any { return &t.Count }, Default: FirstRows},
	}}

func (d *Documents) toggle(_ context.Context, c *resource.Call, in *toggleRequest) (any, error) {
	doc, err := d.document(c)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Node == -1 && in.Deep && in.Open:
		doc.OpenAll()
	case in.Node == -1 && in.Deep:
		doc.CloseAll()
	default:
		if _, err := doc.Toggle(in.Node, in.Open, in.Deep); err != nil {
			return nil, err
		}
	}
	return rowsOf(doc, int(max(in.From, 0)), int(min(max(in.Count, 0), maxScreen)))
}

func showLeft(_ context.Context, _ *resource.Call, doc *document.Document) (any, error) {
	return map[string]any{"left": doc.Left()}, nil
}

// unfoldRequest is the body of /documents/{id}/unfold.
type unfoldRequest struct {
	Left        string
	From, Count int64
}

var unfolds = resource.Resource[*unfoldRequest]{Name: "unfold", Label: "unfold",
	Fields: []resource.Field[*unfoldRequest]{
		{Name: "left", At: func(u *unfoldRequest) any { return &u.Left }, Doc: "What /documents/{id}/left has told",
			Required: true, MaxLen: 16384},
		{Name: "from", At: func(u *unfoldRequest) any { return &u.From }, Doc: "The first row to answer"},
		{Name: "count", At: func(u *unfoldRequest) any { return &u.Count }, Default: FirstRows},
	}}

func (d *Documents) unfold(_ context.Context, c *resource.Call, in *unfoldRequest) (any, error) {
	doc, err := d.document(c)
	if err != nil {
		return nil, err
	}
	if err := doc.Unfold(in.Left); err != nil {
		return nil, err
	}
	return rowsOf(doc, int(max(in.From, 0)), int(min(max(in.Count, 0), maxScreen)))
}

// FirstRows is the number of a document's rows sent with the reply: one page of
// rows as the frontend requests them, which is more than a screen.
const FirstRows = 100
