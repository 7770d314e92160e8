package pages

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/view"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/sheet"
)

// fileKind is a kind of file for the pages of a list.
type fileKind struct {
	id, extension, mediaType string
	open                     func(io.Writer) itemWriter
}

var fileKinds = []fileKind{
	{"csv", "csv", "text/csv; charset=utf-8", func(w io.Writer) itemWriter { return &csvItems{to: w} }},
	{"ndjson", "ndjson", "application/x-ndjson", func(w io.Writer) itemWriter { return &lineItems{w} }},
	{"json", "json", "application/json", func(w io.Writer) itemWriter { return &jsonItems{to: w} }},
}

func mediaTypes() []string {
	var types []string
	for _, k := range fileKinds {
		plain, _, _ := strings.Cut(k.mediaType, ";")
		types = append(types, plain)
	}
	return types
}

// itemWriter writes the items of a list. partial is the reason if the list is
// incomplete, or "".
type itemWriter interface {
	page(first *int64, items []json.RawMessage) error
	end(partial string) error
}

// disk is the sink of a run to a download. It holds one page in memory. After its
// first page, the run waits at ready for the download, so that an error of the
// first page can be returned as an error.
type disk struct {
	kind  fileKind
	name  string
	ready func() // notifies the page that the download can start
	ctx   context.Context

	came  chan io.Writer // receives the download once
	ended chan struct{}  // closed when writing has ended

	bytes counted64
	to    *bufio.Writer
	itemWriter
}

// startTime limits how long a run waits for its download.
const startTime = 30 * time.Second

var (
	errNotFetched = fault.New(fault.Offline, "the download did not start within %g seconds", startTime.Seconds())
	errHungUp     = errors.New("the download was cancelled")
)

// counted64 counts the bytes written to it.
type counted64 struct {
	io.Writer
	n int64
}

func (c *counted64) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n += int64(n)
	return n, err
}

func (d *disk) page(first *int64, all []json.RawMessage) error {
	if d.to == nil {
		d.ready()
		select {
		case w := <-d.came:
			d.bytes.Writer = w
			d.to = bufio.NewWriterSize(&d.bytes, 64<<10)
			d.itemWriter = d.kind.open(d.to)
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		case <-time.After(startTime):
			return errNotFetched
		}
	}
	if err := d.itemWriter.page(first, all); err != nil {
		return err
	}
	return d.to.Flush()
}

// close completes the file.
func (d *disk) close(partial string) error {
	if d.to == nil {
		return nil
	}
	if err := d.itemWriter.end(partial); err != nil {
		return err
	}
	return d.to.Flush()
}

// savedFile is the response for a list that was saved to a file.
type savedFile struct {
	Name      string          `json:"name"`
	Bytes     int64           `json:"bytes"`
	HistoryID int64           `json:"historyId"`
	Run       *send.RunReport `json:"run" null:"no"`
}

// toFile runs with a file as the sink. If the first page is not a page, it
// returns the same as a single request.
func (r *run) toFile(ctx context.Context, in *request) (*outcome, error) {
	at := slices.IndexFunc(fileKinds, func(k fileKind) bool { return k.id == in.File })
	d := &disk{kind: fileKinds[at], ctx: ctx, came: make(chan io.Writer), ended: make(chan struct{}),
		ready: func() { r.publish("ready", 0) }}
	d.name = view.FileName(in.Name) + "." + d.kind.extension
	defer close(d.ended)
	r.pager.runs.offer(runKey{r.User, r.In.SendID}, d)
	r.to = d
	r.Watch.Began = r.at
	_, why := r.walk(r.Watch.Watch(ctx))
	took := time.Since(r.at)
	r.History.MS = send.Lasted(took)
	if out, over, err := r.without(ctx, why, took); over {
		return &outcome{reply: out}, err
	}
	report := r.report()
	r.explainPartial(report, why)
	report.Resume = false // a closed file cannot be resumed
	if d.to == nil {
		return nil, r.Failed(ctx, fault.Of(why))
	}
	if c, ok := d.itemWriter.(*csvItems); ok {
		report.Notes = append(report.Notes, c.notes()...)
	}
	if err := d.close(report.Partial); err != nil && report.Partial == "" {
		report.Partial = "the file is incomplete: " + err.Error()
	}
	r.ended(report, d.bytes.n)
	r.AddToHistory(ctx, r.History, nil, 0)
	return &outcome{saved: &saved{&savedFile{d.name, d.bytes.n, r.History.ID, report}}}, nil
}

// offer registers a run's file for its download.
func (r *runs) offer(key runKey, d *disk) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.under[key].file = d
}

// fetchFile streams the file of a running run.
func (p *Pager) fetchFile(ctx context.Context, c *resource.Call) (any, error) {
	p.runs.mu.Lock()
	s := p.runs.under[runKey{c.Access.UserID, c.Vars["sendId"]}]
	var d *disk
	if s != nil {
		d = s.file
	}
	p.runs.mu.Unlock()
	if d == nil {
		return nil, fault.New(fault.Unknown, "this download no longer exists")
	}
	return &resource.Response{Type: d.kind.mediaType, Filename: d.name, Stream: func(w io.Writer) error {
		gone := context.AfterFunc(ctx, func() { s.stop(errHungUp) })
		defer gone()
		select {
		case d.came <- w:
			<-d.ended // the run writes to w until then
		case <-d.ended:
		}
		return nil
	}}, nil
}

// jsonItems writes the list like one response of the portal.
type jsonItems struct {
	to          io.Writer
	begun, some bool
}

func (j *jsonItems) page(first *int64, all []json.RawMessage) error {
	var out bytes.Buffer
	if !j.begun {
		j.begun = true
		out.WriteByte('{')
		if first != nil {
			out.WriteString(`"total":` + strconv.FormatInt(*first, 10) + `,`)
		}
		out.WriteString(`"items":[`)
	}
	for _, item := range all {
		if j.some {
			out.WriteByte(',')
		}
		j.some = true
		out.WriteByte('\n')
		out.Write(item)
	}
	_, err := out.WriteTo(j.to)
	return err
}

func (j *jsonItems) end(partial string) error {
	text := "\n]}\n"
	if partial != "" {
		text = "\n],\"partial\":" + payload.Quoted(partial) + "}\n"
	}
	_, err := io.WriteString(j.to, text)
	return err
}

// lineItems writes one item per line.
type lineItems struct{ to io.Writer }

func (l *lineItems) page(_ *int64, all []json.RawMessage) error {
	var out bytes.Buffer
	for _, item := range all {
		if err := json.Compact(&out, item); err != nil {
			return err
		}
		out.WriteByte('\n')
	}
	_, err := out.WriteTo(l.to)
	return err
}

func (l *lineItems) end(partial string) error {
	if partial == "" {
		return nil
	}
	_, err := fmt.Fprintf(l.to, "{\"partial\":%s}\n", payload.Quoted(partial))
	return err
}

// csvItems writes a table whose columns are the fields of the first page, in
// order. Nested values are JSON.
type csvItems struct {
	to      io.Writer
	out     sheet.Writer
	columns []string
	late    []string // fields that appeared after the first page
}

// valueColumn is the column for items that are not objects.
const valueColumn = "value"

func (c *csvItems) page(_ *int64, all []json.RawMessage) error {
	objects := make([]*payload.Object, len(all))
	for i, item := range all {
		o, ok := payload.ReadObject(item)
		if !ok {
			o = &payload.Object{Keys: []string{valueColumn}, Values: map[string]json.RawMessage{valueColumn: item}}
		}
		objects[i] = o
		for _, key := range o.Keys {
			switch {
			case slices.Contains(c.columns, key):
			case c.out == nil:
				c.columns = append(c.columns, key)
			case !slices.Contains(c.late, key):
				c.late = append(c.late, key)
			}
		}
	}
	if c.out == nil {
		head := make([]sheet.Column, len(c.columns))
		for i, name := range c.columns {
			head[i].Name = name
		}
		var err error
		if c.out, err = sheet.CSV.Open(c.to, head); err != nil {
			return err
		}
	}
	cells := make([]sheet.Cell, len(c.columns))
	for _, o := range objects {
		for i, name := range c.columns {
			cells[i] = cellOf(o.Values[name])
		}
		if err := c.out.Row(cells); err != nil {
			return err
		}
	}
	return nil
}

func (c *csvItems) end(partial string) error {
	if partial != "" && len(c.columns) > 0 {
		cells := make([]sheet.Cell, len(c.columns))
		cells[0] = sheet.Cell{Kind: sheet.Text, Text: "Incomplete: " + partial}
		if err := c.out.Row(cells); err != nil {
			return err
		}
	}
	return c.out.Close()
}

func (c *csvItems) notes() []string {
	if len(c.late) == 0 {
		return nil
	}
	return []string{"The file lacks fields that only later pages have: " + payload.Listed(c.late) + "."}
}

// cellOf converts a value to a cell of a table.
func cellOf(value json.RawMessage) sheet.Cell {
	text := string(bytes.TrimSpace(value))
	switch {
	case text == "" || text == "null":
		return sheet.Cell{}
	case text == "true" || text == "false":
		return sheet.Cell{Kind: sheet.Word, Text: text}
	case text[0] == '"':
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		return sheet.Cell{Kind: sheet.Text, Text: text}
	case text[0] == '{' || text[0] == '[':
		var out bytes.Buffer
		if json.Compact(&out, value) == nil {
			text = out.String()
		}
		return sheet.Cell{Kind: sheet.Text, Text: text}
	}
	return sheet.Cell{Kind: sheet.Number, Text: text}
}
