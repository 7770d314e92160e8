// Package script writes requests as programs and runbooks.
//
// Variables of the requests become variables of the program; it takes secrets from
// the environment.
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
// fault.Invalid names the field: ids or language.
package script

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

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
		serve.Post("/script", "Convert requests of the history to a program or runbook", &requests, s.script),
	}
}

// request is the body of /script.
type request struct {
	IDs      []int64
	Language string
}

// runbook is the language id of a runbook.
const runbook = "runbook"

// maxSteps limits the requests of one script.
const maxSteps = 200

var requests = resource.Resource[*request]{Name: "script", Label: "script", Fields: []resource.Field[*request]{
	{Name: "ids", At: func(s *request) any { return &s.IDs }, Doc: "Ids in the history; they run in the order " +
		"they were sent", Required: true},
	{Name: "language", At: func(s *request) any { return &s.Language }, Doc: "The id of one, or runbook",
		Default: snippet.Languages[0].ID},
}}

// written is a program or a runbook.
type written struct {
	Lines [][]snippet.Token `json:"lines"`
	Name  string            `json:"name" doc:"of the file to save it in"`
	Text  string            `json:"text"`
}

// script writes requests of the history as one program or runbook. Their
// variables become variables of the program; it takes secret ones, and secrets
// that the history does not have, from the environment.
func (s *Scripts) script(ctx context.Context, c *resource.Call, in *request) (*written, error) {
	language, ok := snippet.Find(in.Language)
	if !ok && in.Language != runbook {
		return nil, unknownLanguage(in.Language)
	}
	if n := len(in.IDs); n == 0 || n > maxSteps {
		return nil, fault.At("ids", "select 1 to %d requests, not %d", maxSteps, n)
	}
	requests, err := s.Workspace.Requests(ctx, c.Access.UserID, in.IDs)
	if err != nil {
		return nil, err
	}
	t, err := s.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	v, err := outgoing.NewValues(ctx, c, s.Workspace)
	if err != nil {
		return nil, err
	}
	m := newMarks(v)
	var steps []snippet.Step
	for i := range requests {
		step, err := m.step(t, &requests[i])
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	text, lexer, name := "", "markdown", "runbook.md"
	if in.Language == runbook {
		text = snippet.Runbook(fmt.Sprintf("%d requests to %s", len(steps), t.Name), steps, m.variables)
	} else {
		text, lexer, name = language.Script(steps, m.variables), language.Lexer, "script."+language.Extension
	}
	return &written{snippet.Highlight(lexer, text), name, text}, nil
}

// marks replaces every variable of some requests by a mark.
type marks struct {
	*outgoing.Values
	variables []snippet.Variable
	places    map[string]int // index in variables, by name
	masked    int            // number of masked secrets so far
	round     int            // the current request: each has its own UUID
}

func newMarks(v *outgoing.Values) *marks {
	m := &marks{Values: v, places: map[string]int{}}
	v.Stand = m.mark
	return m
}

// hidden is the reference that replaces a typed secret.
const hidden = "{{$hidden}}"

func (m *marks) step(t *outgoing.Target, h *workspace.History) (snippet.Step, error) {
	m.round++
	draft := unmask(h.Draft)
	out, err := t.Build(m.Filler(outgoing.Anyway, &draft), &draft)
	if err != nil {
		f := fault.Of(err)
		return snippet.Step{}, &fault.Error{Kind: fault.Invalid, Field: "ids",
			Message: fmt.Sprintf("%s %s cannot be converted: %s", h.Method, h.Path, f.Message), Err: err}
	}
	step := snippet.Step{Title: h.Method + " " + h.Path, Request: plainRequest(out), Expect: int(h.Status)}
	if h.PageSize > 0 && (h.Status == http.StatusOK || h.Status == 0) {
		list := payload.PagedOf(out.URL)
		list.Size = h.PageSize
		step.URL, step.Pages = list.UpToOffset(), snippet.Pages{Size: list.Size, Offset: list.Offset}
	}
	return step, nil
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
		v.Source, v.Value = snippet.Environment, snippet.EnvironmentName(v.Name)
	case u.Secret || !u.Known:
		v.Source, v.Value = snippet.Environment, snippet.EnvironmentName(u.Name)
	case strings.HasPrefix(u.Name, "$now"):
		v.Source, v.Value = snippet.Clock, m.sinceNow(u.Value)
	}
	if i, have := m.places[v.Name]; have {
		return m.variables[i].Mark
	}
	m.places[v.Name] = len(m.variables)
	v.Mark = fmt.Sprintf("7%d%06d", 1_000_000_007_000_000_009, len(m.variables))
	m.variables = append(m.variables, v)
	return v.Mark
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
