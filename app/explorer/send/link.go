package send

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/link"
	"spyglass/app/pairs"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// linkRequest is the body of /links: what to link to.
type linkRequest struct {
	Target link.Target
	Draft  workspace.Draft
}

var linkRequests = resource.Resource[*linkRequest]{Name: "linkTo", Label: "link",
	Fields: []resource.Field[*linkRequest]{
		{Name: "target", At: func(l *linkRequest) any { return &l.Target },
			Doc: "A screen, or what is in the history; " +
				"empty for the draft"},
		{Name: "draft", At: func(l *linkRequest) any { return &l.Draft }, Doc: "The request to link to"},
	}}

// madeLink is a link with the list of the parts it omits.
type madeLink struct {
	Link    string   `json:"link" doc:"spyglass://…; behind the # of the portal's address without spyglass://"`
	Without []string `json:"without" doc:"what is not in the link: names of secret parameters, headers, body"`
}

// writeLink returns the link to a screen, a draft, or a response or a comparison of
// the history. Secrets, headers and bodies are never in it.
func (s *Sender) writeLink(ctx context.Context, c *resource.Call, in *linkRequest) (*madeLink, error) {
	made := &madeLink{Without: []string{}}
	t := in.Target
	if len(t.Filters) == 0 {
		t.Filters = nil // as in a link without any
	}
	if workspace.PortalID(c) != workspace.BuiltIn && t.Screen == "" {
		return nil, fault.New(fault.Conflict, "Links lead to the built-in portal. Other portals cannot be linked to.")
	}
	var err error
	switch {
	case t.Diff != nil:
		t.Diff.Folder = s.Instance
		err = s.compared(ctx, c.Access.UserID, t.Diff)
	case t.Past != nil:
		t.Past.Folder = s.Instance
		t.Call, err = s.callOfPast(ctx, c, t.Past.HistoryID, made)
		if t.Past.View == nil {
			t.Past.View = []link.Pair{}
		}
	case t.Screen == "":
		t.Call, err = s.callOfDraft(ctx, c, &in.Draft, made)
	}
	if err != nil {
		return nil, err
	}
	made.Link, err = link.Write(t)
	return made, err
}

// compared returns an error if the user does not have both sides of a comparison.
func (s *Sender) compared(ctx context.Context, userID int64, d *link.LinkedDiff) error {
	for _, example := range []int64{d.LeftExample, d.RightExample} {
		if example == 0 {
			continue
		}
		if _, err := s.Workspace.ExampleBody(ctx, userID, example); err != nil {
			return err
		}
	}
	past := []int64{}
	if d.LeftExample == 0 {
		past = append(past, d.Left)
	}
	if d.RightExample == 0 {
		past = append(past, d.Right)
	}
	_, err := s.Workspace.Requests(ctx, userID, past)
	return err
}

func (s *Sender) callOfPast(ctx context.Context, c *resource.Call, id int64, made *madeLink) (*link.Call, error) {
	past, err := s.Workspace.Requests(ctx, c.Access.UserID, []int64{id})
	if err != nil {
		return nil, err
	}
	t, err := s.Target(ctx, c)
	if err != nil {
		return nil, err
	}
	h := past[0]
	u, err := url.Parse(h.URL)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The request went to an address that no link can contain.")
	}
	return callOf(&h.Draft, t.Below(u.EscapedPath()), u.RawQuery, made), nil
}

func (s *Sender) callOfDraft(ctx context.Context, c *resource.Call, d *workspace.Draft, made *madeLink) (*link.Call,
	error) {
	_, _, out, err := s.Outgoing(ctx, c, d, outgoing.Shown)
	if err != nil {
		return nil, err
	}
	_, query, _ := strings.Cut(out.Masked(), "?")
	return callOf(d, out.Path, query, made), nil
}

// callOf returns the sent path and query of a draft without the masked parameters, and
// notes in made the parts that it omits.
func callOf(d *workspace.Draft, path, query string, made *madeLink) *link.Call {
	call := &link.Call{Method: d.Method, Path: strings.TrimSuffix(path, "/"), Query: []link.Pair{}}
	for _, part := range pairs.Split(query) {
		rawKey, rawValue, _ := strings.Cut(part, "=")
		key, value := plain(rawKey), plain(rawValue)
		if strings.Contains(value, resource.Mask) {
			made.Without = append(made.Without, key)
			continue
		}
		call.Query = append(call.Query, link.Pair{Key: key, Value: value})
	}
	if slices.ContainsFunc(d.Headers, func(r workspace.Row) bool { return r.On && r.Key != "" }) {
		made.Without = append(made.Without, "headers")
	}
	if d.Body != "" && workspace.HasBody(d.Method) {
		made.Without = append(made.Without, "body")
	}
	return call
}

// plain returns a part of a query without escapes, or as it is if they are wrong.
func plain(text string) string {
	if out, err := url.QueryUnescape(text); err == nil {
		return out
	}
	return text
}

// openLinkRequest is the body of /links/open.
type openLinkRequest struct{ Link string }

var openLinkRequests = resource.Resource[*openLinkRequest]{Name: "openLink", Label: "link",
	Fields: []resource.Field[*openLinkRequest]{
		{Name: "link", At: func(l *openLinkRequest) any { return &l.Link }, Doc: "spyglass://…", Required: true,
			MaxLen: 8192},
	}}

// readLink returns the target of a link from the address of a page.
func (s *Sender) readLink(_ context.Context, _ *resource.Call, in *openLinkRequest) (*link.Target, error) {
	t, err := link.Read(in.Link)
	return &t, err
}
