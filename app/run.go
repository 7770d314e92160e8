package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"spyglass/app/exchange"
	"spyglass/app/explorer"
	"spyglass/app/explorer/run"
	"spyglass/app/explorer/stream"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// Collection is a collection to run without a window.
type Collection struct {
	Name     string            // an exported file, or the name of a collection in the data folder
	Portal   string            // the address of the portal; empty: that of the data folder
	Token    string            // a bearer token of the portal; empty: none
	Vars     map[string]string // variables that come before those of the collection
	Data     string            // a data file; empty: none
	Parallel int
	Stop     bool // at the first failure
	Report   string
	Out      string // the report's file; empty: standard output

	Progress, Stdout io.Writer
}

// Run runs a collection and writes its report, also if ctx ends it early. It returns the
// number of failed requests, which is at least 1 unless all were sent and passed; an
// error, if the run could not begin, was cancelled, or its report could not be written.
func (r *Collection) Run(ctx context.Context, o server.Options) (failed int, err error) {
	format, err := r.format()
	if err != nil {
		return 0, err
	}
	plan, err := r.plan()
	if err != nil {
		return 0, err
	}
	text, err := readFile(r.Name, exchange.MaxSize)
	isFile := err == nil
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	var done *run.Run
	if r.Portal != "" {
		if !isFile {
			return 0, fault.New(fault.Invalid, "there is no file %s. With --portal, name a file that the Explorer "+
				"exported", r.Name)
		}
		done, err = r.remotely(ctx, o, plan, text)
	} else {
		done, err = r.locally(ctx, o, plan, text)
	}
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(r.Progress, "%s: %d of %d requests sent, %d failed, %.1f s\n", done.Title, len(done.Results),
		done.Planned, done.Failed(), done.Took.Seconds())
	if format != nil {
		if err := r.write(format, done); err != nil {
			return 0, err
		}
	}
	if ctx.Err() != nil && len(done.Results) < done.Planned {
		return done.Failed(), fault.New(fault.Invalid, "the run was cancelled; %d of %d requests were not sent",
			done.Planned-len(done.Results), done.Planned)
	}
	return done.Failed(), nil
}

// format returns the format of the report; nil for none.
func (r *Collection) format() (*run.Format, error) {
	switch {
	case r.Report != "":
		return run.FormatOf(r.Report)
	case r.Out != "":
		return nil, fault.New(fault.Invalid, "--out needs the format of the report: --report junit, json or html")
	}
	return nil, nil
}

// plan returns the plan without its requests.
func (r *Collection) plan() (*run.Plan, error) {
	p := &run.Plan{Given: r.Vars, Parallel: r.Parallel, GoOn: !r.Stop, Unkept: true}
	if r.Data == "" {
		return p, nil
	}
	text, err := readFile(r.Data, run.MaxData)
	if err == nil {
		p.Rows, err = run.ReadData(text)
	}
	return p, err
}

// readFile reads a file of at most most bytes.
func readFile(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fault.New(fault.TooLarge, "%s has more than %d MiB", path, most>>20)
	}
	return text, err
}

// remotely runs a file against a portal elsewhere, in a workspace of its own that is
// deleted afterwards.
func (r *Collection) remotely(ctx context.Context, o server.Options, plan *run.Plan,
	text []byte) (done *run.Run, err error) {
	dir, err := os.MkdirTemp("", "spyglass-run-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	quiet := slog.New(slog.DiscardHandler)
	own, err := workspace.Open(ctx, workspace.Options{Path: filepath.Join(dir, "workspace.db"), Log: quiet})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, own.Close()) }()
	nothing := func() string { return "" }
	e, err := explorer.New(explorer.Options{
		Workspace: own, BaseURL: nothing, Cookie: func(string) string { return "" }, PortalName: nothing,
		Version: o.Version, Folder: dir, DocumentDir: filepath.Join(dir, "documents"), Log: quiet,
	})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	h := &headless{Explorer: e, call: resource.Call{At: time.Now(), Query: url.Values{"portal": {"1"}},
		Access: &resource.Access{UserID: 1, User: "run", Admin: true}}}
	base, err := r.connect(ctx, h)
	if err != nil {
		return nil, err
	}
	found, err := exchange.Read(ctx, &exchange.File{Name: filepath.Base(r.Name), Text: text, Bases: []string{base}})
	if err != nil {
		return nil, err
	}
	return r.send(ctx, h, plan, found)
}

// connect adds the portal of the run, and reads its catalog if it has one. It returns the
// address of its API.
func (r *Collection) connect(ctx context.Context, h *headless) (base string, err error) {
	u, err := url.Parse(r.Portal)
	if err != nil || u.Host == "" {
		return "", fault.New(fault.Invalid, "%q is not the address of a portal; use one like "+
			"https://portal.example:8443", r.Portal)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/api" // a portal of ours prints its address without it
	}
	auth := workspace.AuthNone
	if r.Token != "" {
		auth = workspace.AuthToken
	}
	if err := h.do(ctx, "POST", "/portals", map[string]any{"name": u.Host, "baseUrl": u.String(), "auth": auth,
		"secret": r.Token, "readOnly": false}); err != nil {
		return "", err
	}
	if err := h.do(ctx, "POST", "/portals/{id}/catalog", nil); err != nil && ctx.Err() == nil {
		fmt.Fprintf(r.Progress, "%s has no catalog, so bodies are not compared with it: %s\n", u.Host,
			fault.Of(err).Message)
	}
	return u.String(), ctx.Err()
}

// headless calls endpoints of an Explorer as its page would.
type headless struct {
	*explorer.Explorer
	call resource.Call
}

// do calls one endpoint, about the portal with the id 1.
func (h *headless) do(ctx context.Context, method, path string, body any) error {
	all := h.Endpoints()
	at := slices.IndexFunc(all, func(e resource.Endpoint) bool { return e.Method == method && e.Path == path })
	if at < 0 {
		return fmt.Errorf("there is no endpoint %s %s", method, path)
	}
	c := h.call
	if c.Query = nil; strings.Contains(path, "{id}") {
		c.Vars = map[string]string{"id": "1"}
	}
	var err error
	if body != nil {
		if c.Body, err = json.Marshal(body); err != nil {
			return err
		}
	}
	_, err = all[at].Handle(ctx, &c)
	return err
}

// locally runs a collection against the portal of the data folder, which it starts for
// the run.
func (r *Collection) locally(ctx context.Context, o server.Options, plan *run.Plan,
	text []byte) (done *run.Run, err error) {
	o.Listen, o.NoLimits = "127.0.0.1:0", true
	o.Log = slog.New(slog.DiscardHandler)
	if _, err := os.Stat(filepath.Join(o.Data, "portal.db")); err != nil {
		return nil, fault.New(fault.Unknown, "there is no portal in %s; name another folder with --data, or a portal "+
			"with --portal", o.Data)
	}
	a, err := Open(ctx, o)
	if fault.Is(err, fault.Conflict) {
		return nil, fault.New(fault.Conflict, "%s, or run against it with --portal", fault.Of(err).Message)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.close(ctx)) }()
	userID, err := a.Sessions.UserID(ctx, administrator)
	if err != nil {
		return nil, err
	}
	s, err := a.Sessions.Redeem(ctx, a.Sessions.Launch(userID, false))
	if err != nil {
		return nil, err
	}
	h := &headless{Explorer: a.explorer, call: resource.Call{At: time.Now(), Access: s.Access,
		Session: resource.Session{Cookie: s.Secret, CSRF: s.CSRF}}}
	found := &exchange.Found{}
	if text != nil {
		found, err = exchange.Read(ctx, &exchange.File{Name: filepath.Base(r.Name), Text: text,
			Bases: []string{a.Origin() + "/api"}})
	} else {
		found.Folders, err = r.named(ctx, a, userID)
	}
	if err != nil {
		return nil, err
	}
	return r.send(ctx, h, plan, found)
}

// named returns the collection with the name of the run: that of a collection, or the
// names of folders with slashes.
func (r *Collection) named(ctx context.Context, a *App, userID int64) ([]workspace.Folder, error) {
	all, err := a.workspace.Folders(ctx, userID)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range all {
		names = append(names, "“"+f.Name+"”")
	}
	in := all
	for name := range strings.SplitSeq(r.Name, "/") {
		at := slices.IndexFunc(in, func(f workspace.Folder) bool { return f.Name == name })
		if at < 0 {
			return nil, fault.New(fault.Unknown, "there is no file and no collection %q; the data folder has %s",
				r.Name, cmp.Or(strings.Join(names, ", "), "no collections"))
		}
		all, in = in[at:at+1], in[at].Folders
	}
	return all, nil
}

// send runs all requests of a collection.
func (r *Collection) send(ctx context.Context, h *headless, plan *run.Plan, found *exchange.Found) (*run.Run, error) {
	for _, note := range found.Notes {
		fmt.Fprintln(r.Progress, note)
	}
	plan.Title = filepath.Base(r.Name)
	if len(found.Folders) == 1 {
		plan.Title = found.Folders[0].Name
	}
	plan.Steps = stepsOf(found.Folders)
	if len(plan.Steps) == 0 {
		return nil, fault.New(fault.Invalid, "%s has no requests", r.Name)
	}
	given := map[string]string{}
	for _, v := range found.Variables {
		given[v.Name] = v.Value
	}
	for name, value := range r.Vars {
		given[name] = value
	}
	plan.Given = given
	return h.Run(ctx, &h.call, plan, func(one stream.Ran) { fmt.Fprintln(r.Progress, lineOf(&one)) })
}

// stepsOf returns the requests of folders, in the order of the tree.
func stepsOf(folders []workspace.Folder) (steps []run.Step) {
	for _, f := range folders {
		steps = append(steps, stepsOf(f.Folders)...)
		for _, saved := range f.Requests {
			steps = append(steps, run.Step{Name: saved.Name,
				Draft: func(context.Context) (string, workspace.Draft, error) { return saved.Name, saved.Draft, nil }})
		}
	}
	return steps
}

// lineOf returns the line of progress of one request.
func lineOf(one *stream.Ran) string {
	words := []string{"ok    "}
	if one.Problem != "" {
		words[0] = "FAILED"
	}
	if one.Row > 0 {
		words = append(words, fmt.Sprintf("row %d", one.Row))
	}
	words = append(words, one.Method, cmp.Or(one.Name, one.Path))
	if one.Status > 0 {
		words = append(words, fmt.Sprintf("%d, %d ms", one.Status, one.MS))
	}
	if n := one.Passed + one.Failed; n > 0 {
		words = append(words, fmt.Sprintf("%d/%d checks", one.Passed, n))
	}
	line := strings.Join(words, "  ")
	if one.Problem != "" {
		line += "\n        " + one.Problem
	}
	return strings.Map(func(c rune) rune {
		if c != '\n' && unicode.IsControl(c) { // a name must not move the cursor of a terminal
			return '?'
		}
		return c
	}, line)
}

// write writes the report to its file, whole or not at all, or to standard output.
func (r *Collection) write(format *run.Format, done *run.Run) error {
	if r.Out == "" {
		return format.Write(r.Stdout, done)
	}
	var report bytes.Buffer
	if err := format.Write(&report, done); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(r.Out), ".spyglass-")
	if err == nil {
		_, err = file.Write(report.Bytes())
		if err = errors.Join(err, file.Chmod(0o644), file.Close()); err == nil {
			err = os.Rename(file.Name(), r.Out)
		}
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}
	if err != nil {
		return &fault.Error{Kind: fault.Conflict, Err: err, Message: "the report was not written to " + r.Out + ": " +
			err.Error()}
	}
	return nil
}
