// Package script writes requests as programs and runbooks.
//
// Variables of the requests and the address of the portal become variables of the
// program, which the environment overrides; it takes secrets from there only. What
// extractors find in a response is handed on to later requests.
//
// # Units
//
// Durations are milliseconds.
//
// # Concurrency
//
// Scripts is safe for concurrent use. It starts no goroutines.
//
// # Errors
//
// fault.Invalid names the field: ids, requests or language.
package script

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/document/query"
	"spyglass/app/expect"
	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/snippet"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Scripts writes requests as programs.
type Scripts struct{ *send.Sender }

// Endpoints returns the endpoints that write programs.
func (s *Scripts) Endpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Post("/snippets", "Convert a draft to a program", &snippetRequests, s.snippets),
		serve.Post("/tokens/plan", "Get the least role for the request of a draft", &tokenRequests, s.planToken),
		serve.Post("/tokens", "Create a token that can do no more than the request of a draft", &tokenRequests,
			s.makeToken),
		serve.Post("/script", "Convert requests to a program or runbook", &requests, s.script),
	}
}

// request is the body of /script.
type request struct {
	IDs      []int64
	Requests []int64
	Title    string
	Pages    bool
	Language string
}

// runbook is the language id of a runbook.
const runbook = "runbook"

// maxSteps limits the requests of one script.
const maxSteps = 200

var requests = resource.Resource[*request]{Name: "script", Label: "script", Fields: []resource.Field[*request]{
	{Name: "ids", At: func(s *request) any { return &s.IDs }, Doc: "Ids in the history; they run in the order " +
		"they were sent"},
	{Name: "requests", At: func(s *request) any { return &s.Requests }, Doc: "Or ids of saved requests, in the " +
		"order they run"},
	{Name: "title", At: func(s *request) any { return &s.Title }, Doc: "What they are together", MaxLen: 255},
	{Name: "pages", At: func(s *request) any { return &s.Pages }, Doc: "Get all pages of the lists among the " +
		"saved requests"},
	{Name: "language", At: func(s *request) any { return &s.Language }, Doc: "The id of one, or runbook",
		Default: snippet.Languages[0].ID},
}}

// script writes requests as one program or runbook.
func (s *Scripts) script(ctx context.Context, c *resource.Call, in *request) (*snippet.Written, error) {
	language, ok := snippet.Find(in.Language)
	if !ok && in.Language != runbook {
		return nil, unknownLanguage(in.Language)
	}
	all, err := s.conversions(ctx, c.Access.UserID, in)
	if err != nil {
		return nil, err
	}
	t, err := s.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	t = s.ForPrograms(t)
	v, err := outgoing.NewValues(ctx, c, s.Workspace)
	if err != nil {
		return nil, err
	}
	m := newMarks(v)
	if m.extractors, err = s.Workspace.ExtractorsOf(ctx, c.Access.UserID); err != nil {
		return nil, err
	}
	var steps []snippet.Step
	for i := range all {
		step, err := m.step(t, &all[i])
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	title := fmt.Sprintf("%d requests to %s", len(steps), t.Name)
	if len(steps) == 1 {
		title = "One request to " + t.Name
	}
	if in.Title != "" {
		title = in.Title + ": " + title
	}
	text, lexer, name := "", snippet.Markdown, "runbook.md"
	if in.Language == runbook {
		text = snippet.Runbook(title, steps, m.variables)
	} else {
		text = language.Script(snippet.Head{Title: title, Notes: m.notes}, steps, m.variables)
		lexer, name = language.Lexer, "script."+language.Extension
	}
	return snippet.Write(lexer, name, text), nil
}

// conversion is a request to convert.
type conversion struct {
	field    string // of the body, for errors
	title    string
	draft    workspace.Draft
	expect   int
	pageSize int64 // of a list that was fetched page by page; 0: none, or every one
	every    bool  // all pages of a list
	saved    bool  // typed secrets are not masked yet
}

func (s *Scripts) conversions(ctx context.Context, user int64, in *request) (out []conversion, err error) {
	if n := len(in.IDs) + len(in.Requests); n == 0 || n > maxSteps {
		return nil, fault.At("ids", "select 1 to %d requests, not %d", maxSteps, n)
	}
	if len(in.IDs) > 0 && len(in.Requests) > 0 {
		return nil, fault.At("requests", "select requests of the history or saved ones, not both")
	}
	saved, err := s.Workspace.SavedRequests(ctx, user, in.Requests)
	if err != nil {
		return nil, err
	}
	for _, r := range saved {
		out = append(out, conversion{field: "requests", title: cmp.Or(r.Name, r.Draft.Method+" "+r.Draft.Path),
			draft: r.Draft, expect: statusOf(r.Draft.Checks), every: in.Pages, saved: true})
	}
	if len(in.IDs) == 0 {
		return out, nil
	}
	past, err := s.Workspace.Requests(ctx, user, in.IDs)
	for i := range past {
		h := &past[i]
		one := conversion{field: "ids", title: h.Method + " " + h.Path, draft: h.Draft, expect: int(h.Status)}
		if h.Status == http.StatusOK || h.Status == 0 {
			one.pageSize = h.PageSize
		}
		out = append(out, one)
	}
	return out, err
}

// statusOf returns the status that checks expect; 0 for any success.
func statusOf(checks []expect.Check) int {
	for _, c := range checks {
		if c.On && c.Kind == expect.Status.ID && c.Op == expect.Is.ID {
			if code, err := strconv.Atoi(strings.TrimSpace(c.Value)); err == nil && code >= 100 && code <= 599 {
				return code
			}
		}
	}
	return 0
}

// pageSize is the size of the pages of a list whose request names none.
const pageSize = 500

// marks replaces every variable of some requests by a mark.
type marks struct {
	*outgoing.Values
	variables []snippet.Variable
	places    map[string]int    // index in variables, by name
	masked    int               // number of masked secrets so far
	round     int               // the current request: each has its own UUID
	taken     map[string]string // names of variables, by those in the environment

	extractors []workspace.Extractor
	notes      []string // what the program does not do
}

func newMarks(v *outgoing.Values) *marks {
	m := &marks{Values: v, places: map[string]int{}, taken: map[string]string{"SPYGLASS_TOKEN": ""}}
	v.Stand = m.mark
	return m
}

// hidden is the reference that replaces a typed secret.
const hidden = "{{$hidden}}"

func (m *marks) step(t *outgoing.Target, c *conversion) (snippet.Step, error) {
	m.round++
	draft := c.draft
	var out *outgoing.Request
	var err error
	if c.saved {
		if out, err = t.Build(m.Filler(outgoing.Anyway, &draft), &draft); err == nil {
			draft, _ = outgoing.MaskDraft(draft, out.Endpoint)
		}
	}
	if err == nil {
		draft = unmask(draft)
		out, err = t.Build(m.Filler(outgoing.Anyway, &draft), &draft)
	}
	if err != nil {
		f := fault.Of(err)
		return snippet.Step{}, &fault.Error{Kind: fault.Invalid, Field: c.field,
			Message: fmt.Sprintf("%s cannot be converted: %s", c.title, f.Message), Err: err}
	}
	step := snippet.Step{Title: c.title, Request: plainRequest(out), Expect: c.expect}
	list := payload.PagedOf(out.URL)
	switch {
	case c.pageSize > 0:
		list.Size = c.pageSize
	case c.every && out.Method == http.MethodGet && catalog.IsList(out.Endpoint):
		list.Size = cmp.Or(list.Size, pageSize)
	default:
		list.Size = 0
	}
	if list.Size > 0 {
		step.URL, step.Pages = list.UpToOffset(), snippet.Pages{Size: list.Size, Offset: list.Offset}
	}
	if rest, ok := strings.CutPrefix(step.URL, t.URL); ok {
		step.URL = m.add(snippet.Variable{Name: "$portal", Value: t.URL, Override: m.environment("$portal"),
			Doc: "the address of the API"}) + rest
	}
	m.extract(&step, out)
	if slices.ContainsFunc(draft.Checks, func(c expect.Check) bool { return c.On && c.Kind != expect.Status.ID }) {
		m.note("It does not check more of a response than its status; spyglass run does.")
	}
	return step, nil
}

// extract adds what the extractors find in the response to a request.
func (m *marks) extract(step *snippet.Step, out *outgoing.Request) {
	endpoint := ""
	if out.Endpoint != nil {
		endpoint = out.Endpoint.Method + " " + out.Endpoint.Path
	}
	for i := range m.extractors {
		x := &m.extractors[i]
		status := strconv.Itoa(cmp.Or(step.Expect, http.StatusOK))
		if step.Expect == 0 && strings.HasPrefix(x.Status, "2") && !strings.HasSuffix(x.Status, "xx") {
			status = x.Status // any success is expected, including this status
		}
		if !x.Matches(endpoint, status) {
			continue
		}
		if path, ok := keysOf(x.Path); ok {
			step.Extract = append(step.Extract, snippet.Extract{Variable: x.Variable, Path: path})
		} else {
			m.note(fmt.Sprintf("It does not set %s to %s: only names and indexes are supported.", x.Variable, x.Path))
		}
	}
}

func (m *marks) note(text string) {
	if !slices.Contains(m.notes, text) {
		m.notes = append(m.notes, text)
	}
}

// keysOf returns the names and indexes of a query that is a plain path; its first
// match is the first item where it selects all.
func keysOf(text string) (keys []any, ok bool) {
	q, err := query.Parse(text)
	if err != nil || len(q.Steps) != 1 {
		return nil, false
	}
	path, ok := q.Steps[0].(*query.Path)
	if !ok {
		return nil, false
	}
	for _, segment := range path.Segments {
		if segment.Descend || len(segment.Selectors) != 1 {
			return nil, false
		}
		switch s := segment.Selectors[0]; {
		case s.Kind == query.ByName:
			keys = append(keys, s.Name)
		case s.Kind == query.ByIndex && s.Index >= 0:
			keys = append(keys, int(s.Index))
		case s.Kind == query.Wildcard:
			keys = append(keys, 0)
		default:
			return nil, false
		}
	}
	return keys, true
}

// mark returns the mark of a variable.
func (m *marks) mark(u outgoing.Used) string {
	v := snippet.Variable{Name: u.Name, Value: u.Value}
	switch {
	case u.Name == "$uuid":
		v.Name, v.Source = fmt.Sprintf("$uuid %d", m.round), snippet.Random
	case u.Name == "$hidden":
		m.masked++
		v.Name = fmt.Sprintf("secret %d", m.masked)
		v.Source, v.Value = snippet.Environment, m.environment(v.Name)
	case u.Secret || !u.Known || resource.SecretName(u.Name):
		v.Source, v.Value = snippet.Environment, m.environment(u.Name)
	case strings.HasPrefix(u.Name, "$now"):
		v.Source, v.Value = snippet.Clock, m.sinceNow(u.Value)
	default:
		v.Override = m.environment(u.Name)
	}
	return m.add(v)
}

// add returns the mark of a variable, which it adds unless it is there.
func (m *marks) add(v snippet.Variable) string {
	if i, have := m.places[v.Name]; have {
		return m.variables[i].Mark
	}
	m.places[v.Name] = len(m.variables)
	v.Mark = fmt.Sprintf("7%d%06d", 1_000_000_007_000_000_009, len(m.variables))
	m.variables = append(m.variables, v)
	return v.Mark
}

// environment returns the name of a variable in the environment, which no other has.
func (m *marks) environment(name string) string {
	plain := snippet.EnvironmentName(name)
	for n, out := 2, plain; ; n++ {
		if other, have := m.taken[out]; !have || other == name {
			m.taken[out] = name
			return out
		}
		out = fmt.Sprintf("%s_%d", plain, n)
	}
}

// sinceNow returns the seconds from now to a time in epoch seconds.
func (m *marks) sinceNow(text string) string {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "0"
	}
	return strconv.FormatInt(seconds-m.Now.Unix(), 10)
}

// unmask replaces masked secrets by references.
func unmask(d workspace.Draft) workspace.Draft {
	show := func(text string) string { return strings.ReplaceAll(text, resource.Mask, hidden) }
	rows := func(all workspace.Rows) workspace.Rows {
		out := slices.Clone(all)
		for i := range out {
			out[i].Value = show(out[i].Value)
		}
		return out
	}
	d.Path, d.Body = show(d.Path), show(d.Body)
	d.Query, d.Headers, d.PathParams = rows(d.Query), rows(d.Headers), rows(d.PathParams)
	return d
}
