package exchange

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// Bruno is the format that Bruno saves and exports: a whole collection as JSON,
// or .bru files, one or several concatenated. OpenCollection is its later format.
var Bruno = Format{
	ID: "bruno", Label: "Bruno", Family: "Bruno",
	Ext: "bru", Type: "text/plain", Several: true,
	Is: func(f *File) bool {
		return f.has("brunoConfig") || f.has("items") && f.has("environments") && f.has("version") || f.top == nil &&
			bruBegin.Match(f.Text)
	},
	Read: func(f *File) (*Found, error) {
		f.Text = f.ownBuiltIns(f.Text, "Bruno")
		c := &brunoCollection{Name: f.stem("Bruno")}
		var err error
		if f.top == nil {
			err = f.readBru(c)
		} else {
			err = f.decode(f.Text, c)
		}
		if err != nil {
			return nil, err
		}
		return f.bruno(c)
	},
}

type brunoCollection struct {
	Name         string             `json:"name"`
	Items        []brunoItem        `json:"items"`
	Environments []brunoEnvironment `json:"environments"`
	Root         brunoRoot          `json:"root"`
}

type brunoEnvironment struct {
	Name      looseText   `json:"name"`
	Variables []brunoPair `json:"variables"`
}

// brunoRoot holds the settings for all requests in a folder.
type brunoRoot struct {
	Request brunoRequest `json:"request"`
	Docs    string       `json:"docs"`
}

type brunoItem struct {
	Type    string       `json:"type"` // "http-request" in files of some versions
	Name    looseText    `json:"name"`
	Seq     float64      `json:"seq"`
	Request brunoRequest `json:"request"`
	Items   []brunoItem  `json:"items"`
	Root    brunoRoot    `json:"root"`
}

type brunoRequest struct {
	Method     string                         `json:"method"`
	URL        string                         `json:"url"`
	Params     []brunoPair                    `json:"params"`
	Query      []brunoPair                    `json:"query"` // older
	Headers    []brunoPair                    `json:"headers"`
	Body       brunoBody                      `json:"body"`
	Auth       struct{ Mode string }          `json:"auth"`
	Script     struct{ Req, Res string }      `json:"script"`
	Vars       struct{ Req, Res []brunoPair } `json:"vars"`
	Assertions []brunoPair                    `json:"assertions"`
	Tests      string                         `json:"tests"`
	Docs       string                         `json:"docs"`
}

type brunoPair struct {
	Name        looseText `json:"name"`
	Value       looseText `json:"value"`
	Enabled     *bool     `json:"enabled"`
	Type        string    `json:"type"` // "path" for a value in the path
	Secret      bool      `json:"secret"`
	Description looseText `json:"description"`
}

func (p *brunoPair) on() bool { return p.Enabled == nil || *p.Enabled }

func (p *brunoPair) own() Variable {
	return Variable{Name: p.Name.text, Value: p.Value.text, Secret: p.Secret}
}

type brunoBody struct {
	Mode, JSON, Text, XML, Sparql string
	GraphQL                       brunoGraphQL
}

type brunoGraphQL struct {
	Query     string `json:"query"`
	Variables string `json:"variables"`
}

// bruno converts a collection.
func (f *File) bruno(c *brunoCollection) (*Found, error) {
	for _, e := range c.Environments {
		for _, v := range e.Variables {
			if v.on() {
				f.inEnvironment(cmp.Or(e.Name.text, f.stem("Bruno")), v.own())
			}
		}
	}
	top, err := f.brunoFolder(&brunoItem{Name: looseText{c.Name}, Items: c.Items, Root: c.Root}, nil, 1)
	if err != nil {
		return nil, err
	}
	found := &Found{}
	if len(top.Folders)+len(top.Requests) > 0 {
		found.Folders = []workspace.Folder{top}
	} else if len(f.taken.list) == 0 {
		return nil, fault.New(fault.Invalid,
			"%s is a Bruno file, but contains neither a request nor a variable", f.name())
	}
	return found, nil
}

func (f *File) brunoVariables(from string, list []brunoPair) {
	for _, v := range list {
		if v.on() {
			f.variable(from, v.own())
		}
	}
}

func (f *File) brunoFolder(item *brunoItem, headers workspace.Rows, level int) (workspace.Folder, error) {
	root := &item.Root.Request
	folder := workspace.Folder{Name: item.Name.text, Doc: cmp.Or(item.Root.Docs, root.Docs)}
	if level > workspace.MaxDepth {
		return folder, fault.New(fault.Invalid, "folders in %s are nested more than %d levels deep", f.name(),
			workspace.MaxDepth)
	}
	if signsIn(root.Auth.Mode) {
		f.notes.say(foldersSignIn)
	}
	if root.scripted() {
		f.notes.say(foldersScripts)
	}
	f.brunoVariables("the folder "+folder.Name, root.Vars.Req)
	headers = f.over(headers, brunoRows(root.Headers, ""))
	slices.SortStableFunc(item.Items, func(a, b brunoItem) int {
		// items without a number come last
		return cmp.Compare(cmp.Or(a.Seq, math.MaxFloat64), cmp.Or(b.Seq, math.MaxFloat64))
	})
	for i := range item.Items {
		switch inside := &item.Items[i]; inside.Type {
		case "folder":
			next, err := f.brunoFolder(inside, headers, level+1)
			if err != nil {
				return folder, err
			}
			folder.Folders = append(folder.Folders, next)
		case "http", "http-request", "graphql", "graphql-request", "":
			if saved, ok := f.brunoRequest(inside, headers); ok {
				folder.Requests = append(folder.Requests, saved)
			}
		case "js", "script", "app":
			f.notes.say("Script files were not imported.")
		default:
			f.notes.add(notHTTP)
		}
	}
	return folder, nil
}

func signsIn(mode string) bool { return mode != "" && mode != "none" && mode != "inherit" }

// scripted reports whether a request has scripts.
func (r *brunoRequest) scripted() bool {
	return r.Script.Req+r.Script.Res+r.Tests != "" || len(r.Assertions) > 0
}

func (f *File) brunoRequest(item *brunoItem, headers workspace.Rows) (workspace.Saved, bool) {
	r := &item.Request
	saved, ok := f.saved(&outside{
		Name: item.Name.text, Doc: r.Docs, Method: r.Method, URL: r.URL, Body: f.brunoBody(&r.Body),
		Query: brunoRows(append(slices.Clone(r.Params), r.Query...), "query"), Params: brunoRows(r.Params, "path"),
		Headers: f.over(headers, brunoRows(r.Headers, "")),
	})
	if !ok {
		return saved, false
	}
	if signsIn(r.Auth.Mode) {
		f.notes.add(ownSignIn)
	}
	saved.Draft.Checks = f.brunoChecks(item.Name.text, r)
	if r.Script.Req+r.Script.Res != "" {
		f.notes.add(ownScripts)
	}
	if len(r.Vars.Res) > 0 {
		f.notes.add("%s with variables from the response: set them up as extractors under Tools, Helpers.")
	}
	f.brunoVariables("the request "+item.Name.text, r.Vars.Req)
	return saved, true
}

// brunoRows returns the pairs of a kind; the default kind is "query".
func brunoRows(pairs []brunoPair, kind string) (rows workspace.Rows) {
	for _, p := range pairs {
		if kind == "" || cmp.Or(p.Type, "query") == kind {
			rows = append(rows, workspace.Row{On: p.on(), Key: p.Name.text, Value: p.Value.text,
				Doc: p.Description.text})
		}
	}
	return rows
}

func (f *File) brunoBody(b *brunoBody) string {
	switch b.Mode {
	case "", "none":
		return ""
	case "json":
		return b.JSON
	case "text":
		return b.Text
	case "xml":
		return b.XML
	case "sparql":
		return b.Sparql
	case "graphql":
		return b.GraphQL.text()
	}
	f.notes.add(formBody)
	return ""
}

// text returns the JSON body of the request.
func (g *brunoGraphQL) text() string {
	body := map[string]any{"query": g.Query}
	if json.Valid([]byte(g.Variables)) {
		body["variables"] = json.RawMessage(g.Variables)
	}
	text, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		return ""
	}
	return string(text)
}
