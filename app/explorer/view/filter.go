package view

import (
	"context"
	"errors"
	"strings"

	"spyglass/app/document"
	"spyglass/app/document/query"
	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// queryEndpoints returns the endpoints that filter and compare documents.
func (d *Documents) queryEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Post("/documents/{id}/filter", "Find values by JSONPath or jq, as a new document",
			&filterRequests, d.filter),
		serve.Post("/compare", "Compare two responses", &compareRequests, d.compare),
	}
}

// filterRequest is the body of /documents/{id}/filter.
type filterRequest struct{ Query string }

var filterRequests = resource.Resource[*filterRequest]{Name: "filter", Label: "filter",
	Fields: []resource.Field[*filterRequest]{
		{Name: "query", At: func(f *filterRequest) any { return &f.Query }, Doc: "JSONPath as of RFC 9535, or jq",
			Required: true, MaxLen: 4096},
	}}

// filtered holds the matches of a query, with what the page needs to show them.
type filtered struct {
	Matches   int                `json:"matches"`
	Document  string             `json:"document"`
	Bytes     int64              `json:"bytes"`
	Rows      []document.TreeRow `json:"rows"`
	RowCount  int                `json:"rowCount"`
	LineCount int                `json:"lineCount"`
}

// filter returns the matches as a new document, and drops the matches of the
// document's previous filter.
func (d *Documents) filter(ctx context.Context, c *resource.Call, in *filterRequest) (*filtered, error) {
	doc, err := d.document(c)
	if err != nil {
		return nil, err
	}
	q, err := CheckQuery("query", in.Query)
	if err != nil {
		return nil, err
	}
	result, n, err := d.Filter(ctx, doc, q)
	if err != nil {
		return nil, err
	}
	d.Drop(doc.Replace(result.ID))
	out := &filtered{Matches: n, Document: d.Sealed(result.ID, c.Access.UserID), Bytes: result.Size()}
	if out.Rows, out.RowCount, err = result.Rows(0, FirstRows); err != nil {
		return nil, err
	}
	_, out.LineCount, err = result.Lines(0, 0)
	return out, err
}

func showScalars(ctx context.Context, c *resource.Call, doc *document.Document) (*document.Scalars, error) {
	item, err := number(c, "item", 0)
	if err != nil {
		return nil, err
	}
	return doc.Scalars(ctx, int(item))
}

type keyNames struct {
	Keys []string `json:"keys"`
}

func showKeys(_ context.Context, _ *resource.Call, doc *document.Document) (*keyNames, error) {
	keys, err := doc.Keys()
	return &keyNames{keys}, err
}

// compareRequest is the body of /compare: for each side a document, a response of
// the history, or an example.
type compareRequest struct {
	Left, Right               string
	LeftHistory, RightHistory int64
	LeftExample, RightExample int64
	Ignore                    []string
}

var compareRequests = resource.Resource[*compareRequest]{Name: "comparison", Label: "comparison",
	Fields: []resource.Field[*compareRequest]{
		{Name: "left", At: func(r *compareRequest) any { return &r.Left },
			Doc: "A document; empty with leftHistory"},
		{Name: "right", At: func(r *compareRequest) any { return &r.Right },
			Doc: "A document; empty when rightHistory " +
				"says it"},
		{Name: "leftHistory", At: func(r *compareRequest) any { return &r.LeftHistory },
			Doc: "A request of the history"},
		{Name: "rightHistory", At: func(r *compareRequest) any { return &r.RightHistory },
			Doc: "A request of the history"},
		{Name: "leftExample", At: func(r *compareRequest) any { return &r.LeftExample },
			Doc: "An example of a saved request"},
		{Name: "rightExample", At: func(r *compareRequest) any { return &r.RightExample },
			Doc: "An example of a saved request"},
		{Name: "ignore", At: func(r *compareRequest) any { return &r.Ignore },
			Doc: "Keys to ignore at any " +
				"depth", Default: []string{}},
	}}

func (d *Documents) compare(ctx context.Context, c *resource.Call, in *compareRequest) (*document.Comparison, error) {
	left, done, err := d.side(ctx, c, in.Left, in.LeftHistory, in.LeftExample)
	if err != nil {
		return nil, err
	}
	defer done()
	right, done, err := d.side(ctx, c, in.Right, in.RightHistory, in.RightExample)
	if err != nil {
		return nil, err
	}
	defer done()
	return document.Diff(ctx, left, right, in.Ignore)
}

// side opens one side of a comparison; done closes it.
func (d *Documents) side(ctx context.Context, c *resource.Call, sealed string,
	historyID, exampleID int64) (*document.Document, func(), error) {
	if strings.TrimSpace(sealed) != "" {
		doc, err := d.Unsealed(sealed, c.Access.UserID)
		return doc, func() {}, err
	}
	zipped, err := d.zipped(ctx, c.Access.UserID, historyID, exampleID)
	if err != nil {
		return nil, nil, err
	}
	w := d.Create("application/json")
	defer w.Abort()
	if err := workspace.Unzip(zipped, w); err != nil {
		return nil, nil, err
	}
	doc, err := w.Finish()
	if err != nil {
		return nil, nil, err
	}
	return doc, func() { d.Drop(doc.ID) }, nil
}

// zipped returns the body of a response of the history, or of an example.
func (d *Documents) zipped(ctx context.Context, userID, historyID, exampleID int64) ([]byte, error) {
	switch {
	case exampleID != 0:
		return d.Workspace.ExampleBody(ctx, userID, exampleID)
	case historyID != 0:
		_, kept, err := d.Workspace.Recall(ctx, userID, historyID)
		if err != nil {
			return nil, err
		}
		return kept.Zipped, nil
	}
	return nil, fault.At("left", "select two responses to compare")
}

// CheckQuery returns an error in a query as a fault with that field.
func CheckQuery(field, text string) (*query.Query, error) {
	q, err := query.Parse(text)
	var problem *query.Error
	if errors.As(err, &problem) {
		return nil, &fault.Error{Kind: fault.Invalid, Field: field, Message: problem.Error(),
			Detail: serve.Detail{At: &problem.At}, Err: err}
	}
	return q, err
}
