package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"spyglass/app/document"
	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/sheet"
)

// tableEndpoints returns the endpoints that show a document as a table and as
// lines.
func (d *Documents) tableEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		get(d, "columns", "List columns of the table", showColumns, nestedParam,
			serve.Query("look", resource.Integer("Number of rows to examine; 0 for all"))),
		get(d, "table", "Get rows of the table", showTable, tableParams...),
		serve.File("/documents/{id}/export", "Export the table, or copy it", exportTypes(),
			of(d, exportTable), append(tableParams, nestedParam,
				serve.Query("format", exportFormat()),
				serve.Query("name", resource.Text("Of the file, without its extension")),
				serve.Query("clip", resource.Boolean("Limit the size for the clipboard")))...),
		get(d, "reveal", "Expand the parents of a value", reveal,
			serve.Query("node", resource.Integer("The value"))),
		get(d, "series", "Get the lines of a chart", showSeries,
			serve.Query("time", resource.Text("For a list: the column with the times")),
			serve.Query("line", resource.List(resource.Text(""), "Columns; default: all numbers of data responses")),
			serve.Query("points", resource.Integer("Maximum number of points of a line")),
			serve.Query("from", resource.Integer("Epoch milliseconds")),
			serve.Query("to", resource.Integer("Epoch milliseconds"))),
	}
}

var (
	nestedParam = serve.Query("nested", resource.Boolean("Columns of objects inside the items, too"))
	tableParams = []resource.Param{
		serve.Query("column", resource.List(resource.Text(""), "Ids of columns")),
		serve.Query("sort", resource.Text("The id of a column")),
		serve.Query("desc", resource.Boolean("Sort in descending order")),
		serve.Query("from", resource.Integer("The first row, from 0")),
		serve.Query("count", resource.Integer("Number of rows; 0 in an export: all")),
	}
)

func exportFormat() resource.Schema {
	s := resource.Text("")
	for _, f := range sheet.Formats {
		s.Enum = append(s.Enum, f.ID)
	}
	return s
}

func exportTypes() []string {
	types := []string{serve.PlainText}
	for _, f := range sheet.Formats {
		plain, _, _ := strings.Cut(f.Type, ";")
		types = append(types, plain)
	}
	return types
}

func showColumns(ctx context.Context, c *resource.Call, doc *document.Document) (*document.Columns, error) {
	nested, err := c.Flag("nested")
	if err != nil {
		return nil, err
	}
	look, err := number(c, "look", 0)
	if err != nil {
		return nil, err
	}
	return doc.Columns(ctx, nested, int(max(look, 0)))
}

// tableQuery reads the query parameters of a table: column (any number), sort,
// desc, from and count.
func tableQuery(c *resource.Call) (q document.TableQuery, err error) {
	q.Columns, q.Sort = c.Query["column"], c.Query.Get("sort")
	if q.Desc, err = c.Flag("desc"); err != nil {
		return q, err
	}
	from, err := number(c, "from", 0)
	if err != nil {
		return q, err
	}
	count, err := number(c, "count", 0)
	q.From, q.Count = int(max(from, 0)), int(max(count, 0))
	return q, err
}

// tableRows holds rows of the table, and the total number.
type tableRows struct {
	Rows  []document.TableRow `json:"rows"`
	Total int                 `json:"total"`
}

func showTable(ctx context.Context, c *resource.Call, doc *document.Document) (*tableRows, error) {
	q, err := tableQuery(c)
	if err != nil {
		return nil, err
	}
	rows, total, err := doc.Table(ctx, q)
	return &tableRows{rows, total}, err
}

// maxClip limits the bytes copied to the clipboard; more can be saved as a file.
const maxClip = 4 << 20

var errClipFull = errors.New("too large for the clipboard")

// exportTable writes the table in the requested format: all rows unless from and
// count are set, and all columns unless some are named. With clip, it writes a
// text for the clipboard, with a limited size.
func exportTable(ctx context.Context, c *resource.Call, doc *document.Document) (any, error) {
	format, ok := sheet.Of(c.Query.Get("format"))
	if !ok {
		return nil, fault.At("format", "format must be csv, tsv, markdown or xlsx")
	}
	q, err := tableQuery(c)
	if err != nil {
		return nil, err
	}
	nested, err := c.Flag("nested")
	if err != nil {
		return nil, err
	}
	clip, err := c.Flag("clip")
	if err != nil {
		return nil, err
	}
	head, err := exportHead(ctx, doc, nested, &q)
	if err != nil {
		return nil, err
	}
	stream := func(w io.Writer) error { return writeTable(ctx, w, format, head, doc, q) }
	if !clip {
		return &resource.Response{Type: format.Type, Filename: FileName(c.Query.Get("name")) + "." + format.Extension,
			Stream: stream}, nil
	}
	if !format.Plain {
		return nil, fault.At("format", "%s cannot be copied as text; save it as a file", format.Label)
	}
	var text bytes.Buffer
	err = stream(&bounded{&text, maxClip})
	if errors.Is(err, errClipFull) {
		return nil, fault.At("clip", "as %s, this is more than %d MiB, too much for the clipboard; save it as a file",
			format.Label, maxClip>>20)
	}
	return &resource.Response{Type: "text/plain; charset=utf-8", Stream: func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	}}, err
}

// exportHead returns the headings of the columns of q, or of all columns if q
// names none.
func exportHead(ctx context.Context, doc *document.Document, nested bool,
	q *document.TableQuery) ([]sheet.Column, error) {
	all, err := doc.Columns(ctx, nested, 0)
	if err != nil {
		return nil, err
	}
	if all.Shape == document.Scalar {
		return nil, fault.At("format", "this response cannot be shown as a table")
	}
	if len(q.Columns) == 0 {
		for _, column := range all.Columns {
			q.Columns = append(q.Columns, column.ID)
		}
	}
	head := make([]sheet.Column, len(q.Columns))
	for i, id := range q.Columns {
		at := slices.IndexFunc(all.Columns, func(column document.Column) bool { return column.ID == id })
		head[i] = sheet.Column{Name: columnName(id), Number: at >= 0 && all.Columns[at].Kind == document.Number}
	}
	return head, nil
}

// columnName returns a readable form of a column's ID.
func columnName(id string) string {
	return strings.NewReplacer(`\\`, `\`, `\.`, `.`, `\$`, `$`).Replace(id)
}

func writeTable(ctx context.Context, to io.Writer, format sheet.Format, head []sheet.Column, doc *document.Document,
	q document.TableQuery) error {
	out, err := format.Open(to, head)
	if err != nil {
		return err
	}
	line := make([]sheet.Cell, len(head))
	err = doc.Each(ctx, q, func(cells []*document.Cell) error {
		for i, cell := range cells {
			line[i] = exportCell(cell)
		}
		return out.Row(line)
	})
	if err != nil {
		return err
	}
	return out.Close()
}

func exportCell(c *document.Cell) sheet.Cell {
	if c == nil {
		return sheet.Cell{}
	}
	switch c.Kind {
	case document.Null:
		return sheet.Cell{}
	case document.Number:
		return sheet.Cell{Kind: sheet.Number, Text: c.Text}
	case document.Bool:
		return sheet.Cell{Kind: sheet.Word, Text: c.Text}
	}
	return sheet.Cell{Kind: sheet.Text, Text: c.Text}
}

var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// FileName converts the name of a request to a file name that is valid on every
// system.
func FileName(wanted string) string {
	name := strings.Trim(unsafeInNames.ReplaceAllString(wanted, "-"), "-")
	if name == "" {
		return "table"
	}
	return name[:min(len(name), 80)]
}

// bounded refuses to write more than left bytes.
type bounded struct {
	io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errClipFull
	}
	return b.Writer.Write(p)
}

const maxPoints = 20_000 // of a line in a chart

func showSeries(ctx context.Context, c *resource.Call, doc *document.Document) (*document.Series, error) {
	q := document.SeriesQuery{Time: c.Query.Get("time"), Lines: c.Query["line"]}
	points, err := number(c, "points", 2000)
	if err != nil {
		return nil, err
	}
	if points < 2 || points > maxPoints {
		return nil, fault.At("points", "points must be from 2 to %s", fmt.Sprint(maxPoints))
	}
	q.Points = int(points)
	if q.From, err = number(c, "from", 0); err != nil {
		return nil, err
	}
	if q.To, err = number(c, "to", 0); err != nil {
		return nil, err
	}
	series, err := doc.Series(ctx, q)
	return &series, err
}

type revealed struct {
	Row   int `json:"row"`
	Total int `json:"total" doc:"current number of rows"`
}

func reveal(_ context.Context, c *resource.Call, doc *document.Document) (*revealed, error) {
	node, err := number(c, "node", 0)
	if err != nil {
		return nil, err
	}
	row, total, err := doc.Reveal(node)
	return &revealed{row, total}, err
}
