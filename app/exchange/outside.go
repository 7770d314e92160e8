package exchange

import (
	"encoding/json"
	"slices"
	"strings"

	"spyglass/app/workspace"
)

// outside is a request in the terms of other programs.
type outside struct {
	Name, Doc, Method, URL, Body string

	Query   workspace.Rows // replaces the query in the URL, unless empty
	More    workspace.Rows // appended to the query
	Headers workspace.Rows
	Params  workspace.Rows // values of :names in the path
}

// Notes about requests that several formats share.
const (
	ownSignIn      = "%s with authorization: it was not imported, the portal's sign-in is used."
	ownScripts     = "%s with scripts: they were not imported."
	formBody       = "%s whose body is a form or a file: the body was not imported."
	foldersSignIn  = "The authorization of folders was not imported: the portal's sign-in is used."
	foldersScripts = "The scripts of folders were not imported."
	notHTTP        = "%s with another protocol than HTTP, such as gRPC or WebSocket: not imported."
)

// saved converts the request, or returns false for a method that no draft can
// have.
func (f *File) saved(o *outside) (workspace.Saved, bool) {
	saved := workspace.Saved{Name: o.Name, Doc: o.Doc}
	method, ok := f.methodOf(o.Method)
	if !ok {
		return saved, false
	}
	d := workspace.Draft{Method: method, Mode: "form", Body: o.Body}
	path, query := f.address(o.URL)
	if len(o.Query) > 0 {
		query = o.Query
	}
	values := map[string]workspace.Row{}
	for _, p := range o.Params {
		values[p.Key] = p
	}
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if name, ok := strings.CutPrefix(s, ":"); ok && name != "" && !strings.ContainsAny(name, "{}") {
			segments[i] = "{" + name + "}"
		}
	}
	d.Path, d.Query = strings.Join(segments, "/"), append(query, o.More...)
	d.PathParams = params(d.Path, values)
	for _, h := range o.Headers {
		if row, ok := f.header(h); ok {
			d.Headers = append(d.Headers, row)
		}
	}
	if saved.Name == d.Method+" "+d.Path {
		saved.Name = ""
	}
	saved.Draft = d
	return saved, true
}

// over returns the rows of a folder combined with those of an item in it, which
// take precedence. Each request below a folder gets its rows, so their cost is
// spent each time. When the budget is exceeded, it returns the inner rows alone,
// and the file is refused.
func (f *File) over(outer, inner workspace.Rows) workspace.Rows {
	if len(outer) == 0 || f.spendRows(outer) != nil {
		return inner
	}
	own := make(map[string]bool, len(inner))
	for _, i := range inner {
		if i.On {
			own[strings.ToLower(i.Key)] = true
		}
	}
	out := slices.DeleteFunc(slices.Clone(outer), func(o workspace.Row) bool { return own[strings.ToLower(o.Key)] })
	return append(out, inner...)
}

// looseText is a text, null, a number, or an object with the text as its content
// or data.
type looseText struct{ text string }

func (t *looseText) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		return json.Unmarshal(text, &t.text)
	case '{':
		var o struct{ Content, Data json.RawMessage }
		err := json.Unmarshal(text, &o)
		for _, inside := range []json.RawMessage{o.Content, o.Data} {
			if len(inside) > 0 && inside[0] == '"' && err == nil {
				err = json.Unmarshal(inside, &t.text)
			}
		}
		return err
	case 'n':
		return nil
	}
	t.text = string(text)
	return nil
}

func (t looseText) MarshalJSON() ([]byte, error) { return json.Marshal(t.text) }
