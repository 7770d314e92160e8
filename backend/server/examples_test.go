package server_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base32"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"spyglass/backend/demo"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// caller sends requests to a running portal as its administrator.
type caller struct {
	t            *testing.T
	origin       string
	cookie, csrf string
}

func (c *caller) send(method, path string, body []byte) (*http.Response, []byte) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.origin+"/api"+path, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Cookie", c.cookie)
	if method != http.MethodGet {
		r.Header.Set("X-CSRF-Token", c.csrf)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response, text
}

// newCaller starts a demo portal and signs in.
func newCaller(t *testing.T) (*caller, []resource.Endpoint) {
	folder := filepath.Join(t.TempDir(), "data")
	password := demoIn(t, folder)
	s, err := server.New(t.Context(), server.Options{Data: folder, Listen: "127.0.0.1:0", Version: "test", Demo: true,
		Twice: true, Log: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	if err := s.Start(nil); err != nil {
		t.Fatal(err)
	}
	c := &caller{t: t, origin: s.Origin()}
	c.signIn("admin", password)
	return c, s.Endpoints()
}

// signIn signs the caller in as a user.
func (c *caller) signIn(user, password string) {
	c.t.Helper()
	login, err := json.Marshal(map[string]string{"username": user, "password": password})
	if err != nil {
		c.t.Fatal(err)
	}
	response, text := c.send("POST", "/session", login)
	var who struct{ CSRFToken string }
	if err := json.Unmarshal(text, &who); err != nil || response.StatusCode != 200 {
		c.t.Fatalf("sign-in returns %d %s", response.StatusCode, text)
	}
	c.cookie, c.csrf = response.Cookies()[0].Name+"="+response.Cookies()[0].Value, who.CSRFToken
}

// document reads the portal's OpenAPI document, which must be valid, and
// makes it stricter.
func (c *caller) document() *openapi3.T {
	c.t.Helper()
	_, text := c.send("GET", "/openapi.json", nil)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err == nil {
		err = doc.Validate(c.t.Context())
	}
	if err != nil {
		c.t.Fatal(err)
	}
	refuseUnnamedKeys(doc)
	return doc
}

// refuseUnnamedKeys makes the document stricter than clients need: responses must not
// have undocumented keys. The keyword belongs to JSON Schema 2020-12, so that
// kin-openapi uses its 2020-12 validator for the whole
// response.
func refuseUnnamedKeys(doc *openapi3.T) {
	no := false
	for name, ref := range doc.Components.Schemas {
		if name != "Error" && len(ref.Value.Properties) > 0 {
			ref.Value.UnevaluatedProperties = openapi3.BoolSchema{Has: &no}
		}
	}
}

// TestCatalogExamplesRespondAsDocumented sends all examples unchanged to the demo: first
// reads, at the end deletions, children before their parents, and last the
// sign-out. It changes the viewer's password before it changes the
// viewer.
func TestCatalogExamplesRespondAsDocumented(t *testing.T) {
	c, endpoints := newCaller(t)
	doc := c.document()
	published := slices.DeleteFunc(slices.Clone(endpoints), func(e resource.Endpoint) bool { return e.Category == "" })
	const password, factor = "/session/password", "/session/2fa"
	order := []string{"GET", "POST", password, "PUT", "PATCH", "DELETE"}
	by := func(e resource.Endpoint) int {
		if e.Path == password || e.Path == factor && e.Method == "PUT" {
			return slices.Index(order, password)
		}
		return slices.Index(order, e.Method)
	}
	slices.SortStableFunc(published, func(a, b resource.Endpoint) int {
		return cmp.Or(cmp.Compare(by(a), by(b)), -cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")))
	})
	if len(published) == 0 {
		t.Fatal("the portal publishes no endpoint")
	}
	for i := range published {
		t.Run(published[i].ID(), func(t *testing.T) {
			c := *c
			c.t = t
			if published[i].Right.Object == resource.Open {
				c.cookie = "" // a sign-in with a session ends that session
			}
			if published[i].Path == password {
				c.cookie = ""
				c.signIn("viewer", demo.ViewerPassword) // the example contains this password
			}
			if published[i].Path == factor {
				c.cookie = ""
				published[i].Example.Body = c.factorExample(published[i])
			}
			c.try(doc, &published[i])
		})
	}
}

// factorExample signs in as the viewer, and returns the body for an endpoint of the second
// factor: a code of the secret that the portal has just made is not the same twice.
func (c *caller) factorExample(e resource.Endpoint) any {
	if e.Method == "POST" {
		c.signIn("viewer", demo.ViewerPassword)
		return e.Example.Body
	}
	const password = "correct horse" // from the example that changes it
	c.signIn("viewer", password)
	_, text := c.send("POST", e.Path, []byte(`{"password":"`+password+`"}`))
	var made struct{ Secret string }
	err := json.Unmarshal(text, &made)
	secret, decodeErr := base32.StdEncoding.DecodeString(made.Secret)
	if err := errors.Join(err, decodeErr); err != nil || len(secret) == 0 {
		c.t.Fatalf("the set-up returns %s, %v", text, err)
	}
	return map[string]string{"code": people.FactorCode(secret, time.Now().Unix()/30)}
}

// hard lists paths with a recycle bin, where this test deletes permanently.
var hard = []string{"/device/devices", "/device/groups"}

// try sends an example and validates the response against the document.
func (c *caller) try(doc *openapi3.T, e *resource.Endpoint) {
	path := cmp.Or(e.Example.Path, e.Path)
	if strings.Contains(path, "{") {
		c.t.Fatalf("the example %s leaves an id open", path)
	}
	query := url.Values{}
	for _, q := range e.Example.Query {
		query.Add(q[0], q[1])
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var body []byte
	if e.Example.Body != nil {
		var err error
		if body, err = json.Marshal(e.Example.Body); err != nil {
			c.t.Fatal(err)
		}
	}
	response, text := c.send(e.Method, path, body)
	want := http.StatusOK
	if e.Creates {
		want = http.StatusCreated
	}
	if response.StatusCode != want {
		c.t.Fatalf("%s %s %s\nanswers %d %s, want %d", e.Method, path, body, response.StatusCode, text, want)
	}
	if made, ok := strings.CutPrefix(response.Header.Get("Location"),
		"/api"); ok { // the next example may need its name
		if slices.Contains(hard, made[:strings.LastIndexByte(made, '/')]) {
			made += "?deleteHard=true"
		}
		if response, text := c.send("DELETE", made, nil); response.StatusCode != http.StatusOK {
			c.t.Errorf("DELETE %s returns %d %s", made, response.StatusCode, text)
		}
	}
	for _, p := range e.Params {
		if _, filter, found := strings.Cut(p.Schema.Doc, "for or: "); p.Name == "filter" && found {
			address, _, _ := strings.Cut(path, "?")
			if response, text := c.send(e.Method, address+"?filter="+url.QueryEscape(filter),
				nil); response.StatusCode != http.StatusOK {
				c.t.Errorf("the filter of the docs, %s, returns %d %s", filter, response.StatusCode, text)
			}
		}
	}
	item := doc.Paths.Value(e.Path)
	err := openapi3filter.ValidateResponse(c.t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: response.Request,
			Route: &routers.Route{Spec: doc, Path: e.Path, PathItem: item, Method: e.Method,
				Operation: item.GetOperation(e.Method)},
		},
		Status: response.StatusCode, Header: response.Header, Body: io.NopCloser(bytes.NewReader(text)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		c.t.Errorf("%s %s\nanswers %s\nwhich is not as documented: %v", e.Method, path, text, err)
	}
	if query.Has("fields") ||
		!slices.ContainsFunc(e.Params, func(p resource.Param) bool { return p.Name == "fields" }) {
		return
	}
	c.checkWhole(e, text)
}

// checkWhole requires every documented key in each row, in the order of declaration.
// Without fields= the response is complete.
func (c *caller) checkWhole(e *resource.Endpoint, text []byte) {
	row, rows := e.Response, []json.RawMessage{text}
	if i := slices.IndexFunc(row.Properties, func(k resource.Key) bool { return k.Name == "items" }); i >= 0 {
		var page struct{ Items []json.RawMessage }
		if err := json.Unmarshal(text, &page); err != nil {
			c.t.Fatal(err)
		}
		row, rows = row.Properties[i].Schema.Items, page.Items
		if len(rows) == 0 {
			c.t.Error("the example lists nothing")
		}
	}
	var want []string
	for _, k := range row.Properties {
		if !k.WriteOnly && !k.Sparse && k.Name != "secret" {
			want = append(want, k.Name)
		}
	}
	for _, one := range rows {
		node, err := resource.ParseJSON(one)
		if err != nil {
			c.t.Fatal(err)
		}
		keys := slices.DeleteFunc(node.Keys, func(key string) bool {
			return key == "secret" ||
				slices.ContainsFunc(row.Properties, func(k resource.Key) bool { return k.Name == key && k.Sparse })
		}) // only for properties with the flag
		if !slices.Equal(keys, want) {
			c.t.Errorf("a row has the keys\n%v\nwant\n%v", node.Keys, want)
		}
	}
}
