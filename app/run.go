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
	"maps"
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
	"spyglass/app/ondisk"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// Collection is a collection to run without a window.
type Collection struct {
	Name     string            // an exported file, the folder of a collection, or the name of one in the data folder
	Portal   string            // the address of the portal; empty: that of the data folder
	Token    string            // a bearer token of the portal; empty: none
	Vars     map[string]string // variables that come before those of the collection
	Env      string            // the name of an environment; empty: the active one, or the first of the file
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
	j, err := r.job(ctx)
	if err != nil {
		return 0, err
	}
	var done *run.Run
	if r.Portal != "" {
		if j.Text == nil {
			return 0, fault.New(fault.Invalid, "there is no file %s. With --portal, name a file that the Explorer "+
				"exported, or a folder with a %s", r.Name, ondisk.CollectionFile)
		}
		done, err = r.remotely(ctx, o, j)
	} else {
		done, err = r.locally(ctx, o, j)
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

// job is a run as it is sent to the process that has the data folder open.
type job struct {
	Name     string              `json:"name"`
	Text     []byte              `json:"text"` // of the file; null: Name is that of a collection
	Vars     map[string]string   `json:"vars"`
	Env      string              `json:"env"`
	Rows     []map[string]string `json:"rows"` // of the data file; null: none
	Parallel int                 `json:"parallel"`
	Stop     bool                `json:"stop"`

	// other jobs than a run
	Mock     bool       `json:"mock,omitempty"` // return the recorded responses of Name
	Rehearse *Rehearsal `json:"rehearse,omitempty"`
}

// job reads the files of the run.
func (r *Collection) job(ctx context.Context) (*job, error) {
	j := &job{Name: r.Name, Vars: r.Vars, Env: r.Env, Parallel: r.Parallel, Stop: r.Stop}
	if r.Data != "" {
		text, err := readFile(r.Data, run.MaxData)
		if err == nil {
			j.Rows, err = run.ReadData(text)
		}
		if err != nil {
			return nil, err
		}
	}
	text, err := r.text(ctx)
	switch {
	case err == nil:
		j.Text = append([]byte{}, text...) // an empty file is a file
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	return j, nil
}

// text returns the collection as a file that exchange reads; os.ErrNotExist if Name is
// neither a file nor the folder of a collection.
func (r *Collection) text(ctx context.Context) ([]byte, error) {
	info, err := os.Stat(r.Name)
	switch {
	case err != nil || !info.IsDir():
		return readFile(r.Name, exchange.MaxSize)
	case !ondisk.Has(r.Name):
		return nil, os.ErrNotExist
	}
	folder, variables, err := ondisk.Read(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	b := &exchange.Bundle{Name: folder.Name, Folders: []workspace.Folder{folder}}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		b.Variables = append(b.Variables, exchange.Variable{Name: name, Value: variables[name]})
	}
	return exchange.Write(ctx, &exchange.Spyglass, b)
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
func (r *Collection) remotely(ctx context.Context, o server.Options, j *job) (done *run.Run, err error) {
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
	h := &headless{Explorer: e, workspace: own, call: resource.Call{At: time.Now(), Query: url.Values{"portal": {"1"}},
		Access: &resource.Access{UserID: 1, User: "run", Admin: true}}}
	base, err := r.connect(ctx, h)
	if err != nil {
		return nil, err
	}
	return h.run(ctx, j, base, r.line)
}

// line writes a line of progress.
func (r *Collection) line(text string) { fmt.Fprintln(r.Progress, text) }

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
	workspace *workspace.Workspace
	call      resource.Call
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

// locally runs a collection against the portal of the data folder: in the process that has
// it open, or else in this one, which starts the portal for the run.
func (r *Collection) locally(ctx context.Context, o server.Options, j *job) (done *run.Run, err error) {
	if err := hasPortal(o); err != nil {
		return nil, err
	}
	err = inFolder(ctx, o, func(a *App) (err error) {
		done, err = a.run(ctx, j, r.line)
		return err
	}, func(taken error) (err error) {
		done, err = r.there(ctx, o.Data, taken, j)
		return err
	})
	return done, err
}

// hasPortal refuses a data folder without a portal.
func hasPortal(o server.Options) error {
	if _, err := os.Stat(filepath.Join(o.Data, "portal.db")); err != nil {
		return fault.New(fault.Unknown, "there is no portal in %s; name another folder with --data, or a portal "+
			"with --portal", o.Data)
	}
	return nil
}

// inFolder calls here with the portal of the data folder, which it opens for that; or
// there, if another process has it open, with the error that says so.
func inFolder(ctx context.Context, o server.Options, here func(*App) error, there func(error) error) (err error) {
	o.Listen, o.NoLimits = "127.0.0.1:0", true
	o.Log = slog.New(slog.DiscardHandler)
	a, err := Open(ctx, o)
	if fault.Is(err, fault.Conflict) {
		return there(err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close(ctx)) }()
	return here(a)
}

// there runs a job in the process that has the data folder open.
func (r *Collection) there(ctx context.Context, data string, taken error, j *job) (*run.Run, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	if text, err = server.Run(ctx, data, taken, text, r.line); err != nil {
		return nil, err
	}
	done := &run.Run{}
	return done, json.Unmarshal(text, done)
}

// runJob runs a job that another process sent.
func (a *App) runJob(ctx context.Context, text json.RawMessage, line func(string)) (json.RawMessage, error) {
	j := &job{}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, err
	}
	switch {
	case j.Mock:
		return json.RawMessage("{}"), a.record(ctx, j, line)
	case j.Rehearse != nil:
		text, err := a.rehearse(ctx, j.Rehearse, line)
		if err != nil {
			return nil, err
		}
		return json.Marshal(text)
	}
	done, err := a.run(ctx, j, line)
	if err != nil {
		return nil, err
	}
	return json.Marshal(done)
}

// run runs a job as the administrator.
func (a *App) run(ctx context.Context, j *job, line func(string)) (done *run.Run, err error) {
	err = a.headless(ctx, func(h *headless) error {
		done, err = h.run(ctx, j, a.Link()+"/api", line)
		return err
	})
	return done, err
}

// headless calls do with the Explorer of the administrator.
func (a *App) headless(ctx context.Context, do func(*headless) error) (err error) {
	userID, err := a.Sessions.UserID(ctx, administrator)
	if err != nil {
		return err
	}
	s, err := a.Sessions.Redeem(ctx, a.Sessions.Launch(userID, false))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Sessions.SignOut(context.WithoutCancel(ctx), s.Secret)) }()
	return do(&headless{Explorer: a.explorer, workspace: a.workspace, call: resource.Call{At: time.Now(),
		Access: s.Access, Session: resource.Session{Cookie: s.Secret, CSRF: s.CSRF}}})
}

// run runs a job against the portal whose API is at base.
func (h *headless) run(ctx context.Context, j *job, base string, line func(string)) (*run.Run, error) {
	found := &exchange.Found{}
	var err error
	if j.Text != nil {
		found, err = exchange.Read(ctx, &exchange.File{Name: filepath.Base(j.Name), Text: j.Text,
			Bases: []string{base}})
	} else {
		found.Folders, err = h.named(ctx, j.Name)
	}
	if err != nil {
		return nil, err
	}
	for _, note := range found.Notes {
		line(note)
	}
	plan := &run.Plan{Title: filepath.Base(j.Name), Steps: stepsOf(found.Folders), Rows: j.Rows, Parallel: j.Parallel,
		GoOn: !j.Stop, Unkept: true, Given: map[string]string{}}
	if len(found.Folders) == 1 {
		plan.Title = found.Folders[0].Name
	}
	if len(plan.Steps) == 0 {
		return nil, fault.New(fault.Invalid, "%s has no requests", j.Name)
	}
	for _, v := range found.Variables {
		plan.Given[v.Name] = v.Value
	}
	if err := h.environment(ctx, j.Env, found.Environments, plan); err != nil {
		return nil, err
	}
	maps.Copy(plan.Given, j.Vars)
	plan.Waits = func(one *stream.Ran, wait time.Duration) {
		line(shown(fmt.Sprintf("WAITS   %s  %s  %d: the portal limits the rate, next try in %s",
			one.Method, cmp.Or(one.Name, one.Path), one.Status, wait.Round(time.Second))))
	}
	return h.Run(ctx, &h.call, plan, func(one stream.Ran) { line(lineOf(&one)) })
}

// named returns the collection with that name: that of a collection, or the names of
// folders with slashes.
func (h *headless) named(ctx context.Context, wanted string) ([]workspace.Folder, error) {
	all, err := h.workspace.Folders(ctx, h.call.Access.UserID)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range all {
		names = append(names, "“"+f.Name+"”")
	}
	in := all
	for name := range strings.SplitSeq(wanted, "/") {
		at := slices.IndexFunc(in, func(f workspace.Folder) bool { return f.Name == name })
		if at < 0 {
			return nil, fault.New(fault.Unknown, "there is no file and no collection %q; the data folder has %s",
				wanted, cmp.Or(strings.Join(names, ", "), "no collections"))
		}
		all, in = in[at:at+1], in[at].Folders
	}
	return all, nil
}

// environment adds the variables of an environment to the plan: of the file, or else of the
// workspace. Without a name, it is the first one of the file; the active one of the
// workspace applies in any case.
func (h *headless) environment(ctx context.Context, name string, inFile []exchange.Environment, plan *run.Plan) error {
	own, err := h.workspace.EnvironmentsAt(ctx, h.call.Access.UserID, workspace.PortalID(&h.call))
	if err != nil {
		return err
	}
	var names []string
	for _, e := range inFile {
		names = append(names, "“"+e.Name+"”")
		if name != "" && name != e.Name {
			continue
		}
		for _, v := range e.Variables {
			plan.Given[v.Name] = v.Value
		}
		if name != "" {
			plan.Environment = new(int64) // no other
		}
		return nil
	}
	if name == "" {
		return nil
	}
	for _, e := range own {
		names = append(names, "“"+e.Name+"”")
		if name == e.Name {
			plan.Environment = &e.ID
			return nil
		}
	}
	if names == nil {
		return fault.New(fault.Unknown, "there is no environment %q, and no other", name)
	}
	return fault.New(fault.Unknown, "there is no environment %q; choose one of %s", name, strings.Join(names, ", "))
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
	verdict := "ok    "
	if one.Problem != "" {
		verdict = "FAILED"
	}
	line := append(make([]byte, 0, 200), verdict...)
	if one.Row > 0 {
		line = fmt.Appendf(line, "  row %d", one.Row)
	}
	line = append(line, "  "+one.Method+"  "+cmp.Or(one.Name, one.Path)...)
	if one.Status > 0 {
		line = fmt.Appendf(line, "  %d, %d ms", one.Status, one.MS)
	}
	if n := one.Passed + one.Failed; n > 0 {
		line = fmt.Appendf(line, "  %d/%d checks", one.Passed, n)
	}
	if one.Problem != "" {
		line = append(line, "\n        "+one.Problem...)
	}
	return shown(string(line))
}

// shown replaces control characters: a name must not move the cursor of a terminal.
func shown(line string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && unicode.IsControl(c) {
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
	return writeFile(r.Out, report.Bytes())
}

// writeFile writes a result to its file, whole or not at all.
func writeFile(path string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".spyglass-")
	if err == nil {
		_, err = file.Write(text)
		if err = errors.Join(err, file.Chmod(0o644), file.Close()); err == nil {
			err = os.Rename(file.Name(), path)
		}
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}
	if err != nil {
		return &fault.Error{Kind: fault.Conflict, Err: err, Message: "nothing was written to " + path + ": " +
			err.Error()}
	}
	return nil
}
