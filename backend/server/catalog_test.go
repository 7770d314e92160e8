package server_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/resource"
)

// fixed holds the headers of every response.
var fixed = map[string]string{
	"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
	"X-Version":                  "3",
	"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}

// TestEveryEndpointFollowsTheWireRules calls every endpoint of the catalog. Each response, even an
// error, has the quota and security headers; GET paths support HEAD; every list has the same
// envelope; and endpoints refuse unknown query parameters.
func TestEveryEndpointFollowsTheWireRules(t *testing.T) {
	c, endpoints := newCaller(t)
	for i := range endpoints {
		e := &endpoints[i]
		if e.Category == "" {
			continue
		}
		t.Run(e.ID(), func(t *testing.T) {
			c := *c
			c.t = t
			path := cmp.Or(e.Example.Path, e.Path)
			c.refuses(e, path+"?fiter=x", http.StatusBadRequest, `has no query parameter \"fiter\"`)
			for _, p := range e.Params {
				if p.In == "query" && p.Schema.Type != "array" {
					c.refuses(e, path+"?"+p.Name+"=", http.StatusBadRequest, p.Name+" has no value in the query")
					c.refuses(e, path+"?"+p.Name+"=1&"+p.Name+"=1", http.StatusBadRequest, p.Name+
						" is in the query 2 times")
				}
			}
			if e.Right.Object != resource.Open {
				nobody := c
				nobody.cookie = ""
				nobody.refuses(e, path, http.StatusUnauthorized, "you are not signed in")
			}
			if e.Method == http.MethodGet {
				c.looks(e, path)
			}
		})
	}
}

// refuses expects an error with every header.
func (c *caller) refuses(e *resource.Endpoint, path string, status int, words string) {
	c.t.Helper()
	response, text := c.send(e.Method, path, nil)
	if response.StatusCode != status || !strings.Contains(string(text), words) {
		c.t.Errorf("%s %s returns %d %s, want %d and %q", e.Method, path, response.StatusCode, text, status, words)
	}
	c.hasHeaders(response)
}

func (c *caller) hasHeaders(response *http.Response) {
	c.t.Helper()
	for name, want := range fixed {
		if got := response.Header.Get(name); got != want {
			c.t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Window"} {
		if response.Header.Get(name) == "" {
			c.t.Errorf("the response %d has no %s", response.StatusCode, name)
		}
	}
	if limit, left := response.Header.Get("X-Rate-Limit-Limit"),
		response.Header.Get("X-Rate-Limit-Remaining"); limit == left {
		c.t.Errorf("the response %d was not charged: %s of %s remain", response.StatusCode, left, limit)
	}
	policy := response.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") {
		c.t.Errorf("the policy is %q", policy)
	}
}

// looks sends GET and HEAD, and expects only the headers for HEAD.
func (c *caller) looks(e *resource.Endpoint, path string) {
	c.t.Helper()
	query := url.Values{}
	for _, q := range e.Example.Query {
		query.Add(q[0], q[1])
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	got, body := c.send(http.MethodGet, path, nil)
	c.hasHeaders(got)
	head, none := c.send(http.MethodHead, path, nil)
	c.hasHeaders(head)
	if got.StatusCode != http.StatusOK || head.StatusCode != http.StatusOK || len(none) > 0 {
		c.t.Errorf("GET %s returns %d %.300s, HEAD %d %s", path, got.StatusCode, body, head.StatusCode, none)
	}
	for name := range got.Header {
		if _, there := head.Header[name]; !there && name != "Content-Length" {
			c.t.Errorf("HEAD %s has no %s", path, name)
		}
	}
	for _, name := range []string{"Content-Type", "Content-Disposition", "Content-Security-Policy"} {
		if got.Header.Get(name) != head.Header.Get(name) {
			c.t.Errorf("%s is %q, of HEAD %q", name, got.Header.Get(name), head.Header.Get(name))
		}
	}
	if e.Response == nil ||
		!slices.ContainsFunc(e.Response.Properties, func(k resource.Key) bool { return k.Name == "items" }) {
		return
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		c.t.Fatal(err)
	}
	if len(list["total"]) == 0 || string(list["searchId"]) != "null" || string(list["data"]) != "null" ||
		!strings.HasPrefix(string(list["items"]), "[") {
		c.t.Errorf("GET %s is not the envelope of a list: %.300s", path, body)
	}
}
