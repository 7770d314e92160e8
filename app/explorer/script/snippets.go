package script

import (
	"context"
	"slices"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/snippet"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// snippetRequest is the body of /snippets.
type snippetRequest struct {
	Draft    workspace.Draft
	Language string
}

var snippetRequests = resource.Resource[*snippetRequest]{Name: "snippet", Label: "snippet",
	Fields: []resource.Field[*snippetRequest]{
		{Name: "draft", At: func(s *snippetRequest) any { return &s.Draft }, Doc: "What to write", Required: true},
		{Name: "language", At: func(s *snippetRequest) any { return &s.Language }, Doc: "The id of one",
			Default: snippet.Languages[0].ID},
	}}

// shownSnippet is a draft as a program.
type shownSnippet struct {
	Lines [][]snippet.Token `json:"lines"`
	Text  string            `json:"text"`
}

// snippets converts a draft to a program with a placeholder for the token. The
// program reads secret variables from the environment, like a script.
func (s *Scripts) snippets(ctx context.Context, c *resource.Call, in *snippetRequest) (*shownSnippet, error) {
	language, ok := snippet.Find(in.Language)
	if !ok {
		return nil, unknownLanguage(in.Language)
	}
	t, v, out, err := s.Program(ctx, c, &in.Draft)
	if err != nil {
		return nil, err
	}
	text := language.Write(plainRequest(out))
	if slices.ContainsFunc(v.Seen, func(u outgoing.Used) bool { return u.Secret }) {
		m := newMarks(v)
		if out, err = t.Build(v.Filler(outgoing.Anyway, &in.Draft), &in.Draft); err != nil {
			return nil, err
		}
		step := snippet.Step{Title: out.Method + " " + out.Path, Request: plainRequest(out)}
		text = language.Script(snippet.Head{}, []snippet.Step{step}, m.variables)
	}
	return &shownSnippet{snippet.Highlight(language.Lexer, text), text}, nil
}

// plainRequest converts a request to that of a standalone program.
func plainRequest(out *outgoing.Request) snippet.Request {
	request := snippet.Request{Method: out.Method, URL: out.URL, Body: out.Body}
	for _, h := range out.Headers {
		if h[0] != "User-Agent" && (out.Body != "" || h[0] != "Content-Type") {
			request.Headers = append(request.Headers, snippet.Header{Name: h[0], Value: h[1]})
		}
	}
	return request
}

func unknownLanguage(id string) error {
	f := fault.At("language", "there are no snippets for %q", id)
	for _, l := range snippet.Languages {
		f.Allowed = append(f.Allowed, l.ID)
	}
	return f
}
