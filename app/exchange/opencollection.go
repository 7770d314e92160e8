package exchange

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

var (
	openCollectionLine = regexp.MustCompile(`(?m)^(?:opencollection\s*:|info\s*:\s*$|variables\s*:\s*$)`)
	openCollectionPart = regexp.MustCompile(`(?m)^(?:opencollection|http|graphql|grpc|websocket|variables)\s*:`)
)

// OpenCollection is the format of Bruno since version 3, in YAML: a whole
// collection in one file, one request, or one environment.
var OpenCollection = Format{
	ID: "opencollection", Label: "OpenCollection (Bruno)", Family: "Bruno",
	Ext: "opencollection.yml", Type: "application/yaml",
	Is: func(f *File) bool {
		return f.has("opencollection") || f.isYAML(openCollectionLine) && openCollectionPart.Match(f.Text)
	},
	Read: func(f *File) (*Found, error) {
		f.Text = f.ownBuiltIns(f.Text, "Bruno")
		var top openItem
		if err := f.decodeAny(&top); err != nil {
			return nil, err
		}
		c := &brunoCollection{Name: f.stem("Bruno"), Environments: append(top.Config.Environments.own(),
			top.Environments.own()...)}
		if top.Variables != nil {
			c.Environments = append(c.Environments, openEnvironments{{top.Name, top.Variables}}.own()...)
		}
		switch whole := top.own(); {
		case top.HTTP != nil, top.GraphQL != nil:
			c.Items = []brunoItem{*whole}
		case top.Items != nil:
			c.Name, c.Items, c.Root = cmp.Or(top.Info.Name.text, c.Name), whole.Items, whole.Root
		}
		return f.bruno(c)
	},
}

// openItem is a collection, a folder or a request.
type openItem struct {
	Info struct {
		Name looseText `json:"name"`
		Type string    `json:"type"`
		Seq  float64   `json:"seq"`
	} `json:"info"`
	Config struct {
		Environments openEnvironments `json:"environments"`
	} `json:"config"`
	Environments openEnvironments `json:"environments"`
	Items        []openItem       `json:"items"`
	Name         looseText        `json:"name"` // for an environment
	Variables    []openPair       `json:"variables"`
	HTTP         *openRequest     `json:"http"`
	GraphQL      *openRequest     `json:"graphql"`
	Request      openRequest      `json:"request"` // settings for all requests in a folder
	Runtime      openRuntime      `json:"runtime"`
	Docs         looseText        `json:"docs"`
}

type openRequest struct {
	Method  string     `json:"method"`
	URL     string     `json:"url"`
	Params  []openPair `json:"params"`
	Headers []openPair `json:"headers"`
	Body    openBody   `json:"body"`
	Auth    openSignIn `json:"auth"`
	openRuntime
}

type openRuntime struct {
	Variables  []openPair        `json:"variables"`
	Scripts    []json.RawMessage `json:"scripts"`
	Assertions []json.RawMessage `json:"assertions"`
	Actions    []json.RawMessage `json:"actions"`
	SignIn     openSignIn        `json:"auth"`
}

type openPair struct {
	Name        looseText `json:"name"`
	Value       looseText `json:"value"`
	Type        string    `json:"type"`
	Disabled    bool      `json:"disabled"`
	Secret      bool      `json:"secret"`
	Description looseText `json:"description"`
}

// openSignIn is the kind of authentication: the word inherit, or an object.
type openSignIn struct{ kind string }

func (s *openSignIn) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &s.kind) == nil {
		return nil
	}
	var in struct{ Type string }
	_ = json.Unmarshal(text, &in)
	s.kind = in.Type
	return nil
}

// openBody is a body, or a list of them of which one is selected.
type openBody struct{ openOneBody }

// openOneBody is a body that is not a list: nested lists would be read again at
// each level.
type openOneBody struct {
	kind, data string
	graphQL    brunoGraphQL
}

func (b *openBody) UnmarshalJSON(text []byte) error {
	if text[0] != '[' {
		return b.openOneBody.UnmarshalJSON(text)
	}
	var list []struct {
		Selected bool
		Body     openOneBody
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for i := range list {
		if i == 0 || list[i].Selected {
			b.openOneBody = list[i].Body
		}
	}
	return nil
}

func (b *openOneBody) UnmarshalJSON(text []byte) error {
	var in struct {
		Type, Data, Query, Variables looseText
	}
	err := json.Unmarshal(text, &in)
	b.kind, b.data, b.graphQL = in.Type.text, in.Data.text, brunoGraphQL{in.Query.text, in.Variables.text}
	return err
}

type openEnvironment struct {
	Name      looseText  `json:"name"`
	Variables []openPair `json:"variables"`
}

type openEnvironments []openEnvironment

// own converts environments to the older format of Bruno.
func (list openEnvironments) own() (out []brunoEnvironment) {
	for _, e := range list {
		out = append(out, brunoEnvironment{e.Name, ownPairs(e.Variables)})
	}
	return out
}

func ownPairs(list []openPair) (out []brunoPair) {
	for _, p := range list {
		on := !p.Disabled
		out = append(out, brunoPair{Name: p.Name, Value: p.Value, Enabled: &on, Type: p.Type, Secret: p.Secret,
			Description: p.Description})
	}
	return out
}

// own converts an item to the older format of Bruno.
func (o *openItem) own() *brunoItem {
	out := &brunoItem{Type: o.Info.Type, Name: o.Info.Name, Seq: o.Info.Seq}
	for i := range o.Items {
		out.Items = append(out.Items, *o.Items[i].own())
	}
	switch {
	case o.HTTP != nil:
		out.Type, out.Request = "http", o.HTTP.own(&o.Runtime)
	case o.GraphQL != nil:
		out.Type, out.Request = "graphql", o.GraphQL.own(&o.Runtime)
	case o.Items != nil || out.Type == "folder":
		out.Type, out.Root.Request = "folder", o.Request.own(&o.Runtime)
	}
	out.Request.Docs, out.Root.Docs = o.Docs.text, o.Docs.text
	return out
}

func (r *openRequest) own(beside *openRuntime) brunoRequest {
	out := brunoRequest{Method: r.Method, URL: r.URL, Params: ownPairs(r.Params), Headers: ownPairs(r.Headers)}
	out.Body = brunoBody{Mode: r.Body.kind, JSON: r.Body.data, Text: r.Body.data, XML: r.Body.data, Sparql: r.Body.data}
	if r.Body.graphQL.Query != "" {
		out.Body = brunoBody{Mode: "graphql", GraphQL: r.Body.graphQL}
		if out.Method == "" {
			out.Method = "POST"
		}
	}
	out.Auth.Mode = r.Auth.kind
	for _, run := range []*openRuntime{&r.openRuntime, beside} {
		out.Vars.Req = append(out.Vars.Req, ownPairs(run.Variables)...)
		run.checks(&out)
		for range run.Actions {
			out.Vars.Res = append(out.Vars.Res, brunoPair{})
		}
		out.Auth.Mode = strings.TrimSpace(out.Auth.Mode + run.SignIn.kind)
	}
	return out
}

// checks adds the scripts and the assertions to a request.
func (r *openRuntime) checks(out *brunoRequest) {
	for _, raw := range r.Scripts {
		var script struct{ Type, Code string }
		if json.Unmarshal(raw, &script) != nil || script.Type != "tests" {
			out.Script.Req = "x" // only its presence matters
			continue
		}
		out.Tests += "\n" + script.Code
	}
	for _, raw := range r.Assertions {
		var in struct {
			Expression, Operator string
			Value                looseText
			Disabled             bool
		}
		if json.Unmarshal(raw, &in) != nil {
			in.Expression = string(raw) // it is named in the note
		}
		on := !in.Disabled
		out.Assertions = append(out.Assertions, brunoPair{Name: looseText{in.Expression}, Enabled: &on,
			Value: looseText{strings.TrimSpace(in.Operator + " " + in.Value.text)}})
	}
}
