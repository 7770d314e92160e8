package exchange

import (
	"encoding/json"
	"fmt"
	"strings"

	"spyglass/app/expect"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

const postmanSchema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

// Postman is a Postman collection, version 2.1. It omits authorization and scripts.
// Tests of the usual forms become checks, and checks tests; saved responses are
// examples.
var Postman = Format{
	ID: "postman", Label: "Postman collection v2.1", Family: "Postman v2.1",
	Ext: "postman_collection.json", Type: "application/json",
	Is: func(f *File) bool {
		return f.has("info") && f.has("item") || f.has("requests") && f.has("folders_order")
	},
	Read: func(f *File) (*Found, error) {
		if !f.has("item") {
			return nil, fault.New(fault.Invalid, "%s is a Postman collection of version 1; export it from Postman as "+
				"version 2.1", f.name())
		}
		var c postmanCollection
		if err := f.decode(f.ownBuiltIns(f.Text, "Postman"), &c); err != nil {
			return nil, err
		}
		if c.Auth.signsIn() {
			f.notes.say("The collection's authorization was not imported: the portal's sign-in is used.")
		}
		if len(c.Event) > 0 {
			f.notes.say("The collection's scripts were not imported.")
		}
		for _, v := range c.Variable {
			if !v.Disabled {
				f.variable("the collection", Variable{Name: v.Key, Value: v.Value.text, Secret: v.Type == "secret"})
			}
		}
		top, err := f.postmanFolder(&postmanItem{Name: c.Info.Name, Description: c.Info.Description, Item: &c.Item}, 1)
		if err != nil {
			return nil, err
		}
		return &Found{Folders: []workspace.Folder{top}}, nil
	},
	Write: writePostman,
}

type postmanCollection struct {
	Info struct {
		Name        string    `json:"name"`
		Description looseText `json:"description,omitzero"`
		Schema      string    `json:"schema"`
	} `json:"info"`
	Item     []postmanItem   `json:"item"`
	Variable []postmanRow    `json:"variable,omitempty"`
	Auth     *postmanAuth    `json:"auth,omitempty"`
	Event    []postmanScript `json:"event,omitempty"`
}

type postmanAuth struct{ kind string }

func (a *postmanAuth) UnmarshalJSON(text []byte) error {
	var in struct{ Type string }
	_ = json.Unmarshal(text, &in) // anything else is ignored
	a.kind = in.Type
	return nil
}

func (a *postmanAuth) signsIn() bool { return a != nil && a.kind != "noauth" }

// postmanScript is a script that runs before a request, or on its response.
type postmanScript struct {
	Listen string      `json:"listen"`
	Script postmanCode `json:"script"`
}

// UnmarshalJSON ignores scripts of other shapes.
func (s *postmanScript) UnmarshalJSON(text []byte) error {
	type plain postmanScript
	if json.Unmarshal(text, (*plain)(s)) != nil {
		*s = postmanScript{}
	}
	return nil
}

// postmanCode is the source of a script.
type postmanCode struct {
	Type string       `json:"type"`
	Exec postmanLines `json:"exec"`
}

// postmanLines is a list of lines; older files have one text.
type postmanLines []string

func (l *postmanLines) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*l = []string{""}
		return json.Unmarshal(text, &(*l)[0])
	}
	return json.Unmarshal(text, (*[]string)(l))
}

type postmanItem struct {
	Name        string          `json:"name"`
	Description looseText       `json:"description,omitzero"`
	Item        *[]postmanItem  `json:"item,omitempty"`
	Request     *postmanRequest `json:"request,omitempty"`
	Auth        *postmanAuth    `json:"auth,omitempty"`
	Event       []postmanScript `json:"event,omitempty"`

	Response postmanResponses `json:"response,omitempty"`
}

// postmanResponse is an example.
type postmanResponse struct {
	Name            string          `json:"name"`
	OriginalRequest *postmanRequest `json:"originalRequest,omitempty"`
	Status          string          `json:"status"`
	Code            int64           `json:"code"`
	Header          postmanRows     `json:"header"`
	Body            string          `json:"body"`
}

// postmanResponses is a list; entries with another shape are omitted.
type postmanResponses []postmanResponse

// UnmarshalJSON implements json.Unmarshaler.
func (r *postmanResponses) UnmarshalJSON(text []byte) error {
	var all []json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		return nil
	}
	for _, one := range all {
		var in struct {
			Name, Status, Body string
			Code               int64
			Header             postmanRows
		}
		if json.Unmarshal(one, &in) == nil {
			*r = append(*r, postmanResponse{Name: in.Name, Status: in.Status, Code: in.Code, Header: in.Header,
				Body: in.Body})
		}
	}
	return nil
}

type postmanRequest struct {
	Method      string       `json:"method"`
	Header      postmanRows  `json:"header"`
	URL         postmanURL   `json:"url"`
	Body        *postmanBody `json:"body,omitempty"`
	Auth        *postmanAuth `json:"auth,omitempty"`
	Description looseText    `json:"description,omitzero"`
}

// UnmarshalJSON also accepts a request that is only a URL.
func (r *postmanRequest) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &r.URL)
	}
	type plain postmanRequest
	return json.Unmarshal(text, (*plain)(r))
}

type postmanRow struct {
	Key         string    `json:"key"`
	Value       looseText `json:"value"`
	Disabled    bool      `json:"disabled,omitempty"`
	Type        string    `json:"type,omitempty"`
	Description looseText `json:"description,omitzero"`
}

// postmanRows is a list; older files have one text with all headers.
type postmanRows []postmanRow

func (r *postmanRows) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		var lines string
		if err := json.Unmarshal(text, &lines); err != nil {
			return err
		}
		for line := range strings.Lines(lines) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
				*r = append(*r, postmanRow{Key: key, Value: looseText{strings.TrimSpace(value)}})
			}
		}
		return nil
	}
	return json.Unmarshal(text, (*[]postmanRow)(r))
}

type postmanURL struct {
	Raw      string       `json:"raw"`
	Host     []string     `json:"host,omitempty"`
	Path     []string     `json:"path,omitempty"`
	Query    []postmanRow `json:"query,omitempty"`
	Variable []postmanRow `json:"variable,omitempty"`
}

// UnmarshalJSON also accepts a URL as text, and path and host as text.
func (u *postmanURL) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &u.Raw)
	}
	var loose struct {
		Raw      string
		Protocol string
		Host     any
		Path     any
		Query    []postmanRow
		Variable []postmanRow
	}
	if err := json.Unmarshal(text, &loose); err != nil {
		return err
	}
	u.Raw, u.Query, u.Variable = loose.Raw, loose.Query, loose.Variable
	if u.Raw == "" {
		host := joined(loose.Host, ".")
		if loose.Protocol != "" {
			host = loose.Protocol + "://" + host
		}
		u.Raw = host + "/" + joined(loose.Path, "/")
	}
	return nil
}

func joined(v any, by string) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		parts := make([]string, len(v))
		for i, p := range v {
			if o, ok := p.(map[string]any); ok {
				p = o["value"]
			}
			parts[i] = fmt.Sprint(p)
		}
		return strings.Join(parts, by)
	}
	return ""
}

type postmanBody struct {
	Mode    string          `json:"mode"`
	Raw     string          `json:"raw"`
	GraphQL json.RawMessage `json:"graphql,omitempty"`
	Options any             `json:"options,omitempty"`
}

func (f *File) postmanFolder(item *postmanItem, level int) (workspace.Folder, error) {
	folder := workspace.Folder{Name: item.Name, Doc: item.Description.text}
	if level > workspace.MaxDepth {
		return folder, fault.New(fault.Invalid, "folders in %s are nested more than %d levels deep", f.name(),
			workspace.MaxDepth)
	}
	for i := range *item.Item {
		inside := &(*item.Item)[i]
		if inside.Item != nil {
			if inside.Auth.signsIn() {
				f.notes.say(foldersSignIn)
			}
			if len(inside.Event) > 0 {
				f.notes.say(foldersScripts)
			}
			next, err := f.postmanFolder(inside, level+1)
			if err != nil {
				return folder, err
			}
			folder.Folders = append(folder.Folders, next)
		} else if inside.Request != nil {
			if r, ok := f.postmanRequest(inside); ok {
				folder.Requests = append(folder.Requests, r)
			}
		}
	}
	return folder, nil
}

func (f *File) postmanRequest(item *postmanItem) (workspace.Saved, bool) {
	r := item.Request
	o := &outside{Name: item.Name, Doc: r.Description.text, Method: r.Method, URL: r.URL.Raw,
		Body: f.postmanBody(r.Body)}
	for _, q := range r.URL.Query {
		o.Query = append(o.Query, workspace.Row{On: !q.Disabled, Key: q.Key, Value: q.Value.text,
			Doc: q.Description.text})
	}
	for _, v := range r.URL.Variable {
		o.Params = append(o.Params, workspace.Row{Key: v.Key, Value: v.Value.text, Doc: v.Description.text})
	}
	for _, h := range r.Header {
		o.Headers = append(o.Headers, workspace.Row{On: !h.Disabled, Key: h.Key, Value: h.Value.text,
			Doc: h.Description.text})
	}
	saved, ok := f.saved(o)
	if ok && r.Auth.signsIn() {
		f.notes.add(ownSignIn)
	}
	if !ok {
		return saved, false
	}
	for _, e := range item.Event {
		code := strings.Join(e.Script.Exec, "\n")
		switch {
		case e.Listen == "test":
			saved.Draft.Checks = append(saved.Draft.Checks, f.tests(item.Name, code)...)
		case strings.TrimSpace(code) != "" || e.Listen != "prerequest":
			f.notes.add(ownScripts)
		}
	}
	saved.Draft.Checks = saved.Draft.Checks[:min(len(saved.Draft.Checks), expect.MaxChecks)]
	for _, one := range item.Response {
		e := workspace.SavedExample{Name: one.Name, Status: one.Code, StatusText: one.Status, Body: one.Body}
		for _, h := range one.Header {
			e.Headers = append(e.Headers, [2]string{h.Key, h.Value.text})
		}
		saved.Examples = append(saved.Examples, e)
	}
	return saved, true
}

func (f *File) postmanBody(b *postmanBody) string {
	switch {
	case b == nil || b.Mode == "":
	case b.Mode == "raw":
		return b.Raw
	case b.Mode == "graphql":
		return string(b.GraphQL)
	default:
		f.notes.add(formBody)
	}
	return ""
}
