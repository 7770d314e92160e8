// Package transfer imports and exports collections, requests and the history as files
// of other programs (app/exchange has the formats).
//
// Secrets stay out of the files, and a variable whose name says that it is secret is
// imported as a secret.
//
// # Units
//
// Sizes are bytes.
//
// # Concurrency
//
// Files is safe for concurrent use. Two files are read or written at a time; others
// wait. It starts no goroutines.
//
// # Errors
//
// fault.Invalid: the file cannot be read, or the field of the query that is wrong.
package transfer

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	files "spyglass/app/exchange"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Files reads and writes files of collections.
type Files struct {
	*send.Sender
	turns chan struct{} // limits files that are read or written at the same time
}

// New returns the Files of a Sender.
func New(s *send.Sender) *Files { return &Files{Sender: s, turns: make(chan struct{}, maxExchanges)} }

// importRequest is the body of /exchange/look and /exchange/import.
type importRequest struct {
	Name, Text string
	ParentID   int64
	Variables  bool
}

var importRequests = resource.Resource[*importRequest]{Name: "import", Label: "import",
	Fields: []resource.Field[*importRequest]{
		{Name: "name", At: func(i *importRequest) any { return &i.Name }, Doc: "Of the file"},
		{Name: "text", At: func(i *importRequest) any { return &i.Text }, Doc: "The file", MaxLen: files.MaxSize},
		{Name: "parentId", At: func(i *importRequest) any { return &i.ParentID },
			Doc: "The collection to import into; 0 " +
				"for the top level"},
		{Name: "variables", At: func(i *importRequest) any { return &i.Variables }, Doc: "Add its variables, too"},
	}}

// Endpoints returns the endpoints that read and write files of collections.
func (f *Files) Endpoints() []resource.Endpoint {
	look := serve.Post("/exchange/look", "Preview an import", &importRequests, f.lookInto)
	take := serve.Post("/exchange/import", "Import a file", &importRequests, f.importFile)
	look.Limit = 2*files.MaxSize + 1<<16 // as JSON, a text may be twice as long
	take.Limit = look.Limit
	return []resource.Endpoint{look, take,
		serve.File("/exchange/export", "Export collections, requests or history", mediaTypes(), f.export,
			serve.Query("format", resource.Text("The id of a format")),
			serve.Query("collections", resource.Text("Ids of collections; default: all")),
			serve.Query("requests", resource.Text("Ids of saved requests")),
			serve.Query("history", resource.Text("Ids of requests of the history, or all: for HAR"))),
	}
}

func mediaTypes() []string {
	var types []string
	for _, format := range files.Formats {
		if plain, _, _ := strings.Cut(format.Type, ";"); plain != "" && !slices.Contains(types, plain) {
			types = append(types, plain)
		}
	}
	return types
}

// Format describes a file format for the page.
type Format struct {
	Ext       string `json:"ext"`
	Family    string `json:"family" doc:"its name where formats of one program are one"`
	History   bool   `json:"history" doc:"whether the history can be written in it"`
	ID        string `json:"id"`
	Label     string `json:"label"`
	Note      string `json:"note" doc:"what to know before writing it; empty: secrets are replaced by asterisks"`
	Several   bool   `json:"several" doc:"a collection is several files, which are read as one text"`
	Variables bool   `json:"variables" doc:"whether the variables of a file can be imported without its requests"`
	Writes    bool   `json:"writes" doc:"whether collections can be exported in it"`
}

// Shown returns the descriptions of formats.
func Shown(table []*files.Format) []Format {
	out := make([]Format, len(table))
	for i, f := range table {
		out[i] = Format{Ext: f.Ext, Family: f.Family, History: f.WriteHistory != nil, ID: f.ID, Label: f.Label,
			Note: f.Note, Several: f.Several, Variables: f.Variables,
			Writes: f.Write != nil}
	}
	return out
}

func (f *Files) readFile(ctx context.Context, c *resource.Call, in *importRequest) (*files.Found, error) {
	t, err := f.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	bases := []string{t.URL, strings.Replace(t.URL, "127.0.0.1", "localhost", 1)}
	done, err := f.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return files.Read(ctx, &files.File{Name: in.Name, Text: []byte(in.Text), Bases: bases})
}

// maxExchanges limits the files that are read or written at the same time: each
// may take many times its size of memory.
const maxExchanges = 2

// turn waits until a file may be read or written; done lets the next one start.
func (f *Files) turn(ctx context.Context) (done func(), err error) {
	select {
	case f.turns <- struct{}{}:
		return func() { <-f.turns }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// maxListed limits the lines of a file shown before it is imported.
const maxListed = 200

// contents describes the requests and variables of a file before its import.
type contents struct {
	Folders   int      `json:"folders"`
	Format    string   `json:"format"`
	Label     string   `json:"label" doc:"label of the format"`
	Lines     []line   `json:"lines" doc:"the first 200"`
	Notes     []string `json:"notes" doc:"what was not imported, or was changed"`
	Requests  int      `json:"requests"`
	Secrets   []string `json:"secrets" doc:"names of the variables that become secret"`
	Variables []string `json:"variables"`

	Environments []string `json:"environments"`
}

// line is a folder or a request in a file.
type line struct {
	Level  int    `json:"level"`
	Method string `json:"method,omitempty" enum:"GET|POST|PUT|PATCH|DELETE"`
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`
}

func (f *Files) lookInto(ctx context.Context, c *resource.Call, in *importRequest) (*contents, error) {
	found, err := f.readFile(ctx, c, in)
	if err != nil {
		return nil, err
	}
	s := &summary{lines: []line{}}
	s.add(found.Folders, 0)
	names, secrets, environments := []string{}, []string{}, []string{}
	note := func(v *files.Variable) {
		if hides(v) && !slices.Contains(secrets, v.Name) {
			secrets = append(secrets, v.Name)
		}
	}
	for _, v := range found.Variables {
		names = append(names, v.Name)
		note(&v)
	}
	for _, e := range found.Environments {
		environments = append(environments, e.Name)
		for _, v := range e.Variables {
			note(&v)
		}
	}
	return &contents{
		Format: found.Format.ID, Label: found.Format.Label, Folders: s.folders, Requests: s.requests,
		Variables: names, Secrets: secrets, Environments: environments, Notes: found.Notes, Lines: s.lines,
	}, nil
}

// summary counts the contents of a file and lists the first few.
type summary struct {
	folders, requests int
	lines             []line
}

func (s *summary) add(folders []workspace.Folder, level int) {
	list := func(l line) {
		if len(s.lines) < maxListed {
			s.lines = append(s.lines, l)
		}
	}
	for _, f := range folders {
		s.folders++
		list(line{Level: level, Name: f.Name})
		s.add(f.Folders, level+1)
		for _, r := range f.Requests {
			s.requests++
			list(line{Level: level + 1, Name: r.Name, Method: r.Draft.Method, Path: r.Draft.Path})
		}
	}
}

// hides reports whether a variable of a file becomes secret: a value that would
// be masked in a file must not be visible here.
func hides(v *files.Variable) bool { return v.Secret || outgoing.SecretKey(v.Name) }

func (f *Files) importFile(ctx context.Context, c *resource.Call, in *importRequest) (*workspace.Planted, error) {
	found, err := f.readFile(ctx, c, in)
	if err != nil {
		return nil, err
	}
	if !in.Variables {
		return f.Workspace.Plant(ctx, c.Access.UserID, in.ParentID, found.Folders, nil)
	}
	portal := workspace.PortalID(c)
	var environments []workspace.Set
	for _, e := range found.Environments {
		environments = append(environments, workspace.Set{Name: e.Name, PortalID: portal,
			Variables: imported(e.Variables, portal)})
	}
	return f.Workspace.Plant(ctx, c.Access.UserID, in.ParentID, found.Folders, imported(found.Variables, portal),
		environments...)
}

// imported returns the variables of a file as those of a portal.
func imported(list []files.Variable, portalID int64) []workspace.Variable {
	out := make([]workspace.Variable, len(list))
	for i := range list {
		v := &list[i]
		out[i] = workspace.Variable{PortalID: portalID, Name: v.Name, Value: v.Value, Secret: hides(v)}
	}
	return out
}

func (f *Files) export(ctx context.Context, c *resource.Call) (any, error) {
	format, err := files.ByID(c.Query.Get("format"))
	if err != nil {
		return nil, err
	}
	if c.Query.Has("history") {
		return f.exportHistory(ctx, c, format)
	}
	if format.Write == nil {
		return nil, fault.At("format", "only requests of the history can be exported as %s", format.Label)
	}
	b, err := f.bundle(ctx, c)
	if err != nil {
		return nil, err
	}
	done, err := f.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	text, err := files.Write(ctx, format, b)
	if err != nil {
		return nil, err
	}
	return &resource.Response{Type: format.Type, Filename: exportName(b.Name) + "." + format.Ext,
		Stream: func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}}, nil
}

// bundle collects the contents to export, without secrets.
func (f *Files) bundle(ctx context.Context, c *resource.Call) (*files.Bundle, error) {
	t, err := f.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	user := c.Access.UserID
	collections, err := idsOf(c, "collections")
	if err != nil {
		return nil, err
	}
	requests, err := idsOf(c, "requests")
	if err != nil {
		return nil, err
	}
	b := &files.Bundle{Name: "Spyglass", BaseURL: t.URL, UserID: user, Folders: []workspace.Folder{}}
	if len(collections) > 0 || len(requests) == 0 {
		if b.Folders, err = f.Workspace.Folders(ctx, user, collections...); err != nil {
			return nil, err
		}
	}
	if len(requests) > 0 {
		saved, err := f.Workspace.SavedRequests(ctx, user, requests)
		if err == nil {
			err = f.Workspace.WithExamples(ctx, user, requests, saved)
		}
		if err != nil {
			return nil, err
		}
		b.Folders = append(b.Folders, workspace.Folder{Name: "Requests", Requests: saved})
	}
	if len(b.Folders) == 1 {
		b.Name = b.Folders[0].Name
	}
	maskFolders(t, b.Folders)
	variables, err := f.Workspace.VariablesAt(ctx, user, workspace.PortalID(c))
	if err != nil {
		return nil, err
	}
	environments, err := f.Workspace.EnvironmentsAt(ctx, user, workspace.PortalID(c))
	b.Variables = exported(variables, 0)
	for _, e := range environments {
		b.Environments = append(b.Environments, files.Environment{Name: e.Name, Variables: exported(variables, e.ID)})
	}
	return b, err
}

// exported returns the variables of an environment, or those of none, without secrets.
func exported(all []workspace.Variable, environmentID int64) []files.Variable {
	var out []files.Variable
	for _, v := range all {
		if v.EnvironmentID == environmentID && !v.Secret && !outgoing.SecretKey(v.Name) {
			out = append(out, files.Variable{Name: v.Name, Value: v.Value})
		}
	}
	return out
}

func maskFolders(t *outgoing.Target, folders []workspace.Folder) {
	for i := range folders {
		for j := range folders[i].Requests {
			d := &folders[i].Requests[j].Draft
			endpoint := t.Catalog.Match(d.Method, d.Path)
			if endpoint == nil && d.Template != "" {
				endpoint = t.Catalog.Match(d.Method, d.Template)
			}
			*d, _ = outgoing.MaskDraft(*d, endpoint)
		}
		maskFolders(t, folders[i].Folders)
	}
}

func idsOf(c *resource.Call, name string) ([]int64, error) {
	var ids []int64
	for part := range strings.SplitSeq(c.Query.Get(name), ",") {
		if part == "" {
			continue
		}
		id, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, fault.At(name, "%s must be a list of ids, such as 3,5", name)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// exportName returns a file name that every system accepts.
func exportName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, name)
	if name = strings.Trim(name, " .-"); name == "" {
		return "Spyglass"
	}
	return name
}

func (f *Files) exportHistory(ctx context.Context, c *resource.Call, format *files.Format) (any, error) {
	if format.WriteHistory == nil {
		return nil, fault.At("format", "the history cannot be exported as %s; choose a format that has responses",
			format.Label)
	}
	var ids []int64
	if c.Query.Get("history") != "all" {
		var err error
		if ids, err = idsOf(c, "history"); err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			return nil, fault.At("history", "specify the requests of the history to export, or all")
		}
	}
	past := f.Workspace.EachPast(ctx, c.Access.UserID, workspace.PortalID(c), ids)
	return &resource.Response{Type: format.Type, Filename: "History." + format.Ext, Stream: func(w io.Writer) error {
		return format.WriteHistory(w, f.Version, sent(past))
	}}, nil
}

// sent converts requests of the history for a file, without cookies.
func sent(past iter.Seq2[*workspace.Past, error]) iter.Seq2[*files.Sent, error] {
	return func(yield func(*files.Sent, error) bool) {
		for p, err := range past {
			if err != nil {
				yield(nil, err)
				return
			}
			s := &files.Sent{
				At: time.UnixMilli(int64(p.At)), Method: p.Method, URL: p.URL, Body: p.Draft.Body, Status: p.Status,
				StatusText: p.StatusText,
				MS:         p.MS, Bytes: p.Bytes, Error: p.Error, Draft: &p.Draft,
			}
			for _, h := range p.Draft.Headers {
				if h.On {
					s.Headers = append(s.Headers, [2]string{h.Key, h.Value})
				}
			}
			if p.Reply != nil {
				var text bytes.Buffer
				if err = workspace.Unzip(p.Reply.Zipped, &text); err != nil {
					err = fmt.Errorf("the response to %s %s: %w", p.Method, p.URL, err)
				}
				s.Kept, s.Text = true, text.Bytes()
				s.Response = slices.DeleteFunc(slices.Clone(p.Reply.Headers), func(h [2]string) bool {
					return strings.EqualFold(h[0], "set-cookie") ||
						slices.Contains(outgoing.SecretHeaders, strings.ToLower(h[0]))
				})
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}
