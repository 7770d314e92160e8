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
	"spyglass/app/export"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// tableEndpoints show a document as a table and as lines.
func (d *Documents) tableEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		d.get("columns", "Columns of the table", showColumns),
		d.get("table", "Rows of the table", showTable),
		d.get("export", "The table as a file or for the clipboard", exportTable),
		d.get("reveal", "Open what is around a value of the tree", reveal),
		d.get("series", "The lines of a chart", showSeries),
	}
}

func showColumns(ctx context.Context, c *resource.Call, doc *document.Document) (any, error) {
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

func showTable(ctx context.Context, c *resource.Call, doc *document.Document) (any, error) {
	q, err := tableQuery(c)
	if err != nil {
		return nil, err
	}
	rows, total, err := doc.Table(ctx, q)
	return map[string]any{"rows": rows, "total": total}, err
}

// maxClip limits the bytes copied to the clipboard; more is for a file.
const maxClip = 4 << 20

var errClipFull = errors.New("more than fits the clipboard")

// exportTable writes the table in the format asked for: all rows unless from
// and count say otherwise, and all columns unless some are named. With clip it
// is a text to be pasted, of a bounded size.
func exportTable(ctx context.Context, c *resource.Call, doc *document.Document) (any, error) {
	format, ok := export.Of(c.Query.Get("format"))
	if !ok {
		return nil, fault.At("format", "format is csv, tsv, markdown or xlsx")
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
		return &resource.Answer{Type: format.Type, Filename: FileName(c.Query.Get("name")) + "." + format.Extension,
			Stream: stream}, nil
	}
	if !format.Plain {
		return nil, fault.At("format", "%s is a file, not a text to be pasted", format.Label)
	}
	var text bytes.Buffer
	err = stream(&bounded{&text, maxClip})
	if errors.Is(err, errClipFull) {
		return nil, fault.At("clip", "as %s this is more than %d MiB, too much for the clipboard; save it as a file",
			format.Label, maxClip>>20)
	}
	return &resource.Answer{Type: "text/plain; charset=utf-8", Stream: func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	}}, err
}

// exportHead returns the headings of the columns of q; of all the document's
// columns when it names none.
func exportHead(ctx context.Context, doc *document.Document, nested bool,
	q *document.TableQuery) ([]export.Column, error) {
	all, err := doc.Columns(ctx, nested, 0)
	if err != nil {
		return nil, err
	}
	if all.Shape == document.Scalar {
		return nil, fault.At("format", "this answer is no table")
	}
	if len(q.Columns) == 0 {
		for _, column := range all.Columns {
			q.Columns = append(q.Columns, column.ID)
		}
	}
	head := make([]export.Column, len(q.Columns))
	for i, id := range q.Columns {
		at := slices.IndexFunc(all.Columns, func(column document.Column) bool { return column.ID == id })
		head[i] = export.Column{Name: columnName(id), Number: at >= 0 && all.Columns[at].Kind == document.Number}
	}
	return head, nil
}

// columnName is a column's ID as people read it.
func columnName(id string) string {
	return strings.NewReplacer(`\\`, `\`, `\.`, `.`, `\$`, `$`).Replace(id)
}

func writeTable(ctx context.Context, to io.Writer, format export.Format, head []export.Column, doc *document.Document,
	q document.TableQuery) error {
	out, err := format.Open(to, head)
	if err != nil {
		return err
	}
	line := make([]export.Cell, len(head))
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

func exportCell(c *document.Cell) export.Cell {
	if c == nil {
		return export.Cell{}
	}
	switch c.Kind {
	case document.Null:
		return export.Cell{}
	case document.Number:
		return export.Cell{Kind: export.Number, Text: c.Text}
	case document.Bool:
		return export.Cell{Kind: export.Word, Text: c.Text}
	}
	return export.Cell{Kind: export.Text, Text: c.Text}
}

var unsafeInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// FileName makes a name that is safe everywhere of what a request is called.
func FileName(wanted string) string {
	name := strings.Trim(unsafeInNames.ReplaceAllString(wanted, "-"), "-")
	if name == "" {
		return "table"
	}
	return name[:min(len(name), 80)]
}

// bounded refuses more bytes than left.
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

func showSeries(ctx context.Context, c *resource.Call, doc *document.Document) (any, error) {
	q := document.SeriesQuery{Time: c.Query.Get("time"), Lines: c.Query["line"]}
	points, err := number(c, "points", 2000)
	if err != nil {
		return nil, err
	}
	if points < 2 || points > maxPoints {
		return nil, fault.At("points", "points is between 2 and %s", fmt.Sprint(maxPoints))
	}
	q.Points = int(points)
	if q.From, err = number(c, "from", 0); err != nil {
		return nil, err
	}
	if q.To, err = number(c, "to", 0); err != nil {
		return nil, err
	}
	return doc.Series(ctx, q)
}

func reveal(_ context.Context, c *resource.Call, doc *document.Document) (any, error) {
	node, err := number(c, "node", 0)
	if err != nil {
		return nil, err
	}
	row, total, err := doc.Reveal(node)
	return map[string]any{"row": row, "total": total}, err
}
