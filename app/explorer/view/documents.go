// Package view serves the responses that pages show: as a tree, a text, a table or
// the lines of a chart, filtered, compared and exported.
//
// Documents keeps the bodies in an app/document store and gives each user
// separate ids (Sealed), which no other user can use.
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
// fault.Unknown: the document is no longer stored, or belongs to another user.
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
	seal      []byte // binds document ids to users
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
	return slices.Concat(d.documentEndpoints(), d.queryEndpoints(), d.tableEndpoints())
}

func (d *Documents) documentEndpoints() []resource.Endpoint {
	node := serve.Query("node", resource.Integer("The value"))
	return []resource.Endpoint{
		get(d, "rows", "Get rows of the tree", showRows, window...),
		get(d, "lines", "Get lines of the text", showLines, window...),
		get(d, "path", "Get the path of a value", showPath, node),
		d.text("value", "Get a value to copy", serve.PlainText, showValue, node,
			serve.Query("exact", resource.Boolean("Unformatted, as received"))),
		get(d, "find", "Find a text", find, serve.Query("query", resource.Text("The text")),
			serve.Query("from", resource.Integer("Which match, from 0")),
			serve.Query("case", resource.Boolean("Match case")),
			serve.Query("raw", resource.Boolean("In the text, not in the tree"))),
		d.text("raw", "Download the body", "*/*", showRaw),
		d.text("hex", "Get the first 4 KiB of the body in hexadecimal", serve.PlainText, showHex),
		get(d, "scalars", "List the scalar values, for a list those of one item", showScalars,
			serve.Query("item", resource.Integer("The item, from 0"))),
		get(d, "keys", "List the keys at the beginning of the body", showKeys),
		get(d, "left", "Get the expanded state", showLeft),
		serve.Post("/documents/{id}/toggle", "Expand or collapse a value", &toggles, d.toggle),
		serve.Post("/documents/{id}/unfold", "Restore the expanded state", &unfolds, d.unfold),
	}
}

// of returns the handler of one document.
func of[Out any](d *Documents, do func(context.Context, *resource.Call, *document.Document) (Out, error),
) func(context.Context, *resource.Call) (Out, error) {
	return func(ctx context.Context, c *resource.Call) (out Out, err error) {
		doc, err := d.document(c)
		if err != nil {
			return out, err
		}
		return do(ctx, c, doc)
	}
}

// get returns an endpoint that shows a part of one document.
func get[Out any](d *Documents, path, summary string,
	do func(context.Context, *resource.Call, *document.Document) (Out, error), params ...resource.Param,
) resource.Endpoint {
	return serve.Get("/documents/{id}/"+path, summary, of(d, do), params...)
}

// text returns an endpoint that writes a text or a file of one document.
func (d *Documents) text(path, summary, kind string,
	do func(context.Context, *resource.Call, *document.Document) (any, error), params ...resource.Param,
) resource.Endpoint {
	return serve.File("/documents/{id}/"+path, summary, []string{kind}, of(d, do), params...)
}

// Sealed returns the id of a document for one user; no other user can use it.
func (d *Documents) Sealed(id string, userID int64) string {
	mac := hmac.New(sha256.New, d.seal)
	fmt.Fprintf(mac, "%d %s", userID, id)
	return id + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}

func (d *Documents) document(c *resource.Call) (*document.Document, error) {
	return d.Unsealed(c.Vars["id"], c.Access.UserID)
}

// Unsealed returns the document for an id from Sealed, for the same user.
func (d *Documents) Unsealed(sealed string, userID int64) (*document.Document, error) {
	id, _, _ := strings.Cut(sealed, "-")
	if !hmac.Equal([]byte(d.Sealed(id, userID)), []byte(sealed)) {
		return nil, fault.New(fault.Unknown, "this response is no longer stored; send the request again")
	}
	return d.Get(id)
}

// number parses a whole number in the query.
func number(c *resource.Call, name string, otherwise int64) (int64, error) {
	text := c.Query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.At(name, "%s must be a whole number", name)
	}
	return n, nil
}

// maxScreen limits the rows of one response.
const maxScreen = 2000

// window declares the parameters that pageOf reads.
var window = []resource.Param{
	serve.Query("from", resource.Integer("The first row, from 0")),
	serve.Query("count", resource.Integer("How many; at most 2,000")),
}

// pageOf reads from and count: rows of a tree, which is no list of the API, so
// that resource.ParseQuery with its maximum of 1,000 does not apply.
func pageOf(c *resource.Call) (from, count int, err error) {
	first, err := number(c, "from", 0)
	if err != nil {
		return 0, 0, err
	}
	n, err := number(c, "count", FirstRows)
	return int(max(first, 0)), int(min(max(n, 0), maxScreen)), err
}

func showRows(_ context.Context, c *resource.Call, doc *document.Document) (*treeRows, error) {
	from, count, err := pageOf(c)
	if err != nil {
		return nil, err
	}
	return rowsOf(doc, from, count)
}

// treeRows holds rows of the tree, and the total number.
type treeRows struct {
	Rows  []document.TreeRow `json:"rows"`
	Total int                `json:"total"`
}

func rowsOf(doc *document.Document, from, count int) (*treeRows, error) {
	rows, total, err := doc.Rows(from, count)
	return &treeRows{rows, total}, err
}

// textLines holds rows of the text, and the total number.
type textLines struct {
	Lines   []string `json:"lines"`
	Numbers []int    `json:"numbers" doc:"the line of each row, from 1; 0 for a row that continues the one before"`
	Total   int      `json:"total"`
}

func showLines(_ context.Context, c *resource.Call, doc *document.Document) (*textLines, error) {
	from, count, err := pageOf(c)
	if err != nil {
		return nil, err
	}
	lines, total, err := doc.Lines(from, count)
	out := &textLines{make([]string, len(lines)), make([]int, len(lines)), total}
	for i, l := range lines {
		out.Lines[i] = l.Text
		if !l.Part {
			out.Numbers[i] = l.Line
		}
	}
	return out, err
}

type nodePath struct {
	Path string `json:"path" doc:"JSONPath"`
}

func showPath(_ context.Context, c *resource.Call, doc *document.Document) (*nodePath, error) {
	node, err := number(c, "node", 0)
	if err != nil {
		return nil, err
	}
	path, err := doc.Path(node)
	return &nodePath{path}, err
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
	return &resource.Response{Type: "text/plain; charset=utf-8", Stream: func(w io.Writer) error {
		return write(node, w)
	}}, nil
}

// match is one match of a search.
type match struct {
	Count int    `json:"count" doc:"matches in the whole document"`
	Index int    `json:"index" doc:"index of the match, from 0; -1 if there is none"`
	Node  int64  `json:"node" doc:"the value it is in, or whose key it is in"`
	Path  string `json:"path"`
	Row   int    `json:"row" doc:"row of the tree, or a line of the text"`
	Total int    `json:"total" doc:"current number of rows"`
}

func find(ctx context.Context, c *resource.Call, doc *document.Document) (*match, error) {
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
	return &match{f.Count, f.At, f.Node, f.Path, f.Row, f.Total}, err
}

func showRaw(_ context.Context, _ *resource.Call, doc *document.Document) (any, error) {
	kind, name := doc.ContentType, "response.txt"
	if kind == "" {
		kind = "application/octet-stream"
	}
	if ok, _ := doc.JSON(); ok {
		name = "response.json"
	}
	return &resource.Response{Type: kind, Filename: name, Stream: func(w io.Writer) error {
		_, err := doc.WriteTo(w)
		return err
	}}, nil
}

func showHex(_ context.Context, _ *resource.Call, doc *document.Document) (any, error) {
	head, err := doc.Raw(0, document.HeadSize)
	if err != nil {
		return nil, err
	}
	return &resource.Response{Type: "text/plain; charset=utf-8", Stream: func(w io.Writer) error {
		_, err := io.WriteString(w, hex.Dump(head))
		return err
	}}, nil
}

// toggleRequest is the body of /documents/{id}/toggle. Node -1 with Deep means
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
		{Name: "from", At: func(t *toggleRequest) any { return &t.From }, Doc: "The first row to return"},
		{Name: "count", At: func(t *toggleRequest) any { return &t.Count }, Default: FirstRows},
	}}

func (d *Documents) toggle(_ context.Context, c *resource.Call, in *toggleRequest) (*treeRows, error) {
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

type leftOpen struct {
	Left string `json:"left" doc:"for /documents/{id}/unfold, of any document of the same bytes"`
}

func showLeft(_ context.Context, _ *resource.Call, doc *document.Document) (*leftOpen, error) {
	return &leftOpen{doc.Left()}, nil
}

// unfoldRequest is the body of /documents/{id}/unfold.
type unfoldRequest struct {
	Left        string
	From, Count int64
}

var unfolds = resource.Resource[*unfoldRequest]{Name: "unfold", Label: "unfold",
	Fields: []resource.Field[*unfoldRequest]{
		{Name: "left", At: func(u *unfoldRequest) any { return &u.Left }, Doc: "The state of /documents/{id}/left",
			Required: true, MaxLen: 16384},
		{Name: "from", At: func(u *unfoldRequest) any { return &u.From }, Doc: "The first row to return"},
		{Name: "count", At: func(u *unfoldRequest) any { return &u.Count }, Default: FirstRows},
	}}

func (d *Documents) unfold(_ context.Context, c *resource.Call, in *unfoldRequest) (*treeRows, error) {
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
