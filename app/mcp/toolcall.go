package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"spyglass/app/explorer/effect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// toolCall is one call of a tool, with the portal as its caller reaches it.
type toolCall struct {
	*Server
	caller *Caller
	target *outgoing.Target
}

func (s *Server) begin(ctx context.Context, c *Caller) (*toolCall, error) {
	t, err := s.o.Reach(ctx, c)
	if err != nil {
		return nil, err
	}
	return &toolCall{s, c, t}, nil
}

// agentOf returns the User-Agent of requests for a client: its name and version come from
// the client itself, so they are one line of plain characters.
func (s *Server) agentOf(client string) string {
	client = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) || strings.ContainsRune(`()\;`, r) {
			return -1
		}
		return r
	}, client)
	return "Spyglass/" + s.o.Version + " (MCP; " + strings.TrimSpace(client[:min(len(client), 100)]) + ")"
}

var placeholder = regexp.MustCompile(`\{([^{}/]+)\}`)

// request returns a request to a path below the portal's base, as a model writes it: with
// or without the base, with {parameters}, and with a query.
func (c *toolCall) request(method, path string, params, query map[string]any, body string) (*outgoing.Request, error) {
	base, err := url.Parse(c.target.URL)
	if err != nil {
		return nil, err
	}
	path = strings.TrimPrefix(strings.TrimSpace(path), c.target.Origin)
	if rest, ok := strings.CutPrefix(path, strings.TrimSuffix(base.Path, "/")); ok && strings.HasPrefix(rest, "/") {
		path = rest
	}
	path, typed, _ := strings.Cut(path, "?")
	for _, at := range placeholder.FindAllStringSubmatch(path, -1) {
		value, ok := params[at[1]]
		if !ok {
			return nil, fault.At("path_params", "{%s} in the path needs a value in path_params", at[1])
		}
		text, err := textOf(at[1], value)
		if err != nil {
			return nil, err
		}
		if text == "" {
			return nil, fault.At("path_params", "%s is empty", at[1])
		}
		path = strings.ReplaceAll(path, at[0], outgoing.Segment(text))
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return nil, fault.At("path", "path must begin with a slash, such as /device/devices; this server sends "+
			"to %s only", c.target.Host)
	}
	at, err := url.Parse("http://portal" + path)
	if err != nil || at.Host != "portal" || at.Fragment != "" {
		return nil, fault.At("path", "%q is not a path; write it like /device/devices/7", path)
	}
	path = at.EscapedPath()
	for segment := range strings.SplitSeq(strings.ReplaceAll(strings.ToUpper(path), "%2E", "."), "/") {
		if segment == "." || segment == ".." {
			return nil, fault.At("path", "the path must not contain the segments . and ..")
		}
	}
	values, err := url.ParseQuery(typed)
	if err != nil {
		return nil, fault.At("path", "the query in the path is not valid; use the argument query instead")
	}
	for name, value := range query {
		text, err := textOf(name, value)
		if err != nil {
			return nil, err
		}
		values[name] = []string{text}
	}
	return c.plain(method, path, values, body), nil
}

// textOf returns an argument as text: lists are joined by commas.
func textOf(name string, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case []any:
		texts := make([]string, len(v))
		for i := range v {
			var err error
			if texts[i], err = textOf(name, v[i]); err != nil {
				return "", err
			}
		}
		return strings.Join(texts, ","), nil
	}
	return "", fault.At(name, "%s must be a text, a number, true or false, or a list of these", name)
}

// plain returns a request to an escaped path.
func (c *toolCall) plain(method, path string, query url.Values, body string) *outgoing.Request {
	out := &outgoing.Request{Method: method, URL: c.target.URL + path, Path: path, Body: body,
		Endpoint: c.target.Catalog.Match(method, path),
		Headers:  [][2]string{{"User-Agent", c.agentOf(c.caller.Agent)}}}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			pairs = append(pairs, outgoing.QueryText(name)+"="+outgoing.QueryText(value))
		}
	}
	if len(pairs) > 0 {
		out.URL += "?" + strings.Join(pairs, "&")
	}
	c.target.UsualHeaders(out)
	return out
}

// fetch implements effect.Fetch.
func (c *toolCall) fetch(ctx context.Context, t *outgoing.Target, out *outgoing.Request) (*http.Response, []byte,
	error) {
	return t.Fetch(context.WithValue(ctx, remoteKey{}, c.caller.Remote), out, maxResponse)
}

// remoteKey is the key of the caller's address in the context of a request.
type remoteKey struct{}

// effects reads objects for comparisons.
func (c *toolCall) effects() effect.Fetch { return c.fetch }

// send sends a request, and returns an error response of the portal as an error.
func (c *toolCall) send(ctx context.Context, out *outgoing.Request) (*http.Response, []byte, error) {
	response, body, err := c.fetch(ctx, c.target, out)
	if err != nil {
		return nil, nil, err
	}
	if response.StatusCode >= 300 {
		return nil, nil, c.refusal(out, response, body)
	}
	return response, body, nil
}

// refusal returns the error of a response, in the portal's words and with its hints.
func (c *toolCall) refusal(out *outgoing.Request, response *http.Response, body []byte) error {
	headers := [][2]string{}
	for name := range response.Header {
		headers = append(headers, [2]string{name, response.Header.Get(name)})
	}
	p := payload.ProblemOf(int64(response.StatusCode), headers, body[:min(len(body), payload.MaxProblem)])
	f := &fault.Error{Kind: fault.Conflict,
		Message: fmt.Sprintf("%s %s failed with %s", out.Method, out.Path, response.Status)}
	if p == nil {
		return f
	}
	f.Field, f.Allowed, f.RetryAfter = p.Field, p.Allowed, time.Duration(p.RetryAfter)*time.Second
	if p.Message != "" {
		f.Message += ": " + p.Message
	}
	switch response.StatusCode {
	case http.StatusUnauthorized:
		f.Message = strings.TrimSuffix(f.Message, ".") + ". The token may be revoked or mistyped; create one with " +
			"spyglass token create, and start again with it"
	case http.StatusNotFound:
		if out.Endpoint == nil {
			f.Message += c.near(out)
		}
	}
	return f
}

// near names endpoints like that of a request without one.
func (c *toolCall) near(out *outgoing.Request) string {
	found := search(c.target.Catalog.Endpoints, strings.ReplaceAll(out.Path, "/", " "), "", "", 3)
	if len(found) == 0 {
		return ""
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.ID()
	}
	return ". Similar endpoints: " + strings.Join(names, "; ")
}

// get reads an object or a list into a value.
func (c *toolCall) get(ctx context.Context, path string, query url.Values, into any) error {
	_, body, err := c.send(ctx, c.plain("GET", path, query, ""))
	if err != nil {
		return err
	}
	if json.Unmarshal(body, into) != nil {
		return fault.New(fault.Offline, "the response to GET %s is not the JSON that a Spyglass portal sends", path)
	}
	return nil
}

// masked returns a JSON body with the values of secrets masked.
func masked(body []byte) []byte {
	var out bytes.Buffer
	mask := &outgoing.BodyMask{To: &out}
	_, _ = mask.Write(body) // a Buffer does not fail
	_ = mask.Close()
	return out.Bytes()
}

// words returns a list as "a, b and c".
func words(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// mostNamed limits the names in a sentence.
const mostNamed = 8

// someOf returns the first names of a list with n names: "a, b and 3 others".
func someOf(list []string, n int) string {
	if len(list) > mostNamed {
		list = list[:mostNamed]
	}
	if n > len(list) {
		list = append(slices.Clone(list), amount(n-len(list), "other"))
	}
	return words(list)
}

// amount returns a number with its noun: "1 item", "5 items".
func amount(n int, noun string) string {
	of := resource.Regular(noun)
	return fmt.Sprintf("%d %s", n, of.For(int64(n)))
}
