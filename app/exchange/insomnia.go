package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

var insomniaLine = regexp.MustCompile(`(?m)^(?:type:\s*["']?[a-z]+\.insomnia\.rest/|_type:\s*["']?export\b)`)

// Insomnia is an export of Insomnia: version 4, a list of resources in JSON, or
// version 5, one collection, document or environment in YAML.
var Insomnia = Format{
	ID: "insomnia", Label: "Insomnia", Family: "Insomnia",
	Ext: "insomnia.yaml", Type: "application/yaml",
	Is: func(f *File) bool {
		return f.has("__export_format") || bytes.Contains(f.top["type"], []byte(".insomnia.rest/")) ||
			f.isYAML(insomniaLine)
	},
	Read: func(f *File) (*Found, error) {
		var in insomniaFile
		if err := f.decodeAny(&in); err != nil {
			return nil, err
		}
		r := &treeReader{File: f}
		r.text = r.insomniaText
		defer func() { r.tags.say(f, "Insomnia") }()
		if in.Resources != nil {
			return r.resources(insomniaItems(in.Resources))
		}
		return r.document(&in)
	},
}

// insomniaFile is an export of either version.
type insomniaFile struct {
	Resources []insomniaWire `json:"resources"` // version 4

	Name         looseText            `json:"name"`
	Meta         insomniaMeta         `json:"meta"`
	Collection   []insomniaWire       `json:"collection"`
	Environments *insomniaEnvironment `json:"environments"`
	Spec         *struct{}            `json:"spec"`
}

// insomniaMeta holds the metadata that version 5 has for every item.
type insomniaMeta struct {
	ID    string    `json:"id"`
	About looseText `json:"description"`
	Sort  float64   `json:"sortKey"`
}

type insomniaEnvironment struct {
	Name looseText             `json:"name"`
	Data json.RawMessage       `json:"data"`
	Subs []insomniaEnvironment `json:"subEnvironments"`
}

// insomniaItem is a request or a folder; in version 4 it may also be another kind
// of item.
type insomniaItem struct {
	ID, Parent, Kind string
	SortKey          float64
	Name, About      looseText
	Children         *[]insomniaItem

	Method, URL    looseText
	Body           struct{ MimeType, Text looseText }
	Parameters     []insomniaPair
	PathParameters []insomniaPair
	Headers        []insomniaPair
	SignIn         insomniaSignIn
	Scripts        bool

	Data json.RawMessage // of an environment, or of a folder
	Sub  bool            // an environment beside the base one
}

// insomniaWire is an item in the format of either version. Decoding and
// conversion are two passes, because an UnmarshalJSON would read each level again
// for every level above it.
type insomniaWire struct {
	ID             string                                     `json:"_id"`
	Parent         string                                     `json:"parentId"`
	Kind           string                                     `json:"_type"`
	Sort           float64                                    `json:"metaSortKey"`
	About          looseText                                  `json:"description"`
	Meta           insomniaMeta                               `json:"meta"`
	Name           looseText                                  `json:"name"`
	Children       *[]insomniaWire                            `json:"children"`
	Method         looseText                                  `json:"method"`
	URL            looseText                                  `json:"url"`
	Body           struct{ MimeType, Text looseText }         `json:"body"`
	Parameters     []insomniaPair                             `json:"parameters"`
	PathParameters []insomniaPair                             `json:"pathParameters"`
	Headers        []insomniaPair                             `json:"headers"`
	SignIn         insomniaSignIn                             `json:"authentication"`
	Before         string                                     `json:"preRequestScript"`
	After          string                                     `json:"afterResponseScript"`
	Scripts        struct{ PreRequest, AfterResponse string } `json:"scripts"`
	Data           json.RawMessage                            `json:"data"`
	Environment    json.RawMessage                            `json:"environment"`
}

// insomniaItems converts a list and its contents.
func insomniaItems(list []insomniaWire) []insomniaItem {
	out := make([]insomniaItem, len(list))
	for i := range list {
		out[i] = list[i].item()
	}
	return out
}

func (in *insomniaWire) item() insomniaItem {
	out := insomniaItem{
		ID: cmp.Or(in.ID, in.Meta.ID), Parent: in.Parent, Kind: in.Kind, SortKey: cmp.Or(in.Sort, in.Meta.Sort),
		Name:  in.Name,
		About: cmp.Or(in.About, in.Meta.About), Method: in.Method, URL: in.URL, Body: in.Body,
		Parameters: in.Parameters, PathParameters: in.PathParameters, Headers: in.Headers, SignIn: in.SignIn,
		Scripts: in.Before+in.After+in.Scripts.PreRequest+in.Scripts.AfterResponse != "", Data: in.Data,
	}
	if in.Children != nil {
		children := insomniaItems(*in.Children)
		out.Children = &children
	}
	if out.Data == nil {
		out.Data = in.Environment
	}
	if out.Kind == "" {
		out.Kind = kindOf(&out)
	}
	return out
}

var otherProtocol = regexp.MustCompile(`^(?:ws-req|greq|socketio-req|mcp-req)_`)

// kindOf guesses the kind of a version 5 item from its fields, in the terms of
// version 4.
func kindOf(i *insomniaItem) string {
	switch {
	case i.Children != nil, strings.HasPrefix(i.ID, "fld_"):
		return "request_group"
	case otherProtocol.MatchString(i.ID), i.Method.text == "" && i.URL.text == "":
		return ""
	}
	return "request"
}

type insomniaPair struct {
	Name        looseText `json:"name"`
	Value       looseText `json:"value"`
	Disabled    bool      `json:"disabled"`
	Description looseText `json:"description"`
}

// insomniaSignIn reports whether a request has authorization.
type insomniaSignIn bool

func (s *insomniaSignIn) UnmarshalJSON(text []byte) error {
	var in struct {
		Type     string
		Disabled bool
	}
	_ = json.Unmarshal(text, &in) // some files have a list instead of nothing
	*s = insomniaSignIn(in.Type != "" && in.Type != "none" && !in.Disabled)
	return nil
}

// treeReader reads one file of Insomnia or of Yaak, whose format is similar.
type treeReader struct {
	*File
	text func(string) string // replaces the format's variables by ours
	tags placeholders
}

// resources reads version 4, whose items name their parents.
func (r *treeReader) resources(all []insomniaItem) (*Found, error) {
	inside := map[string][]insomniaItem{}
	for _, i := range all {
		if i.Kind != "workspace" {
			inside[i.Parent] = append(inside[i.Parent], i)
		}
	}
	found := &Found{}
	done := map[string]bool{} // ids whose environments were read; a file may repeat an id
	for _, i := range all {
		if i.Kind != "workspace" || done[i.ID] {
			continue
		}
		done[i.ID] = true
		for _, base := range inside[i.ID] {
			if base.Kind != "environment" {
				continue
			}
			r.environment(&insomniaEnvironment{Name: base.Name, Data: base.Data}, base.Sub)
			if done[base.ID] {
				continue
			}
			done[base.ID] = true
			for _, sub := range inside[base.ID] {
				r.environment(&insomniaEnvironment{Name: sub.Name, Data: sub.Data}, true)
			}
		}
	}
	for _, i := range all {
		if i.Kind != "workspace" {
			continue
		}
		i.Children = r.below(i.ID, inside, 1)
		folder, err := r.folder(&i, nil, 1)
		if err != nil {
			return nil, err
		}
		if len(folder.Folders)+len(folder.Requests) > 0 {
			found.Folders = append(found.Folders, folder)
		}
	}
	return found, nil
}

// below returns the tree of the items in an item; it omits ids in a cycle.
func (r *treeReader) below(id string, inside map[string][]insomniaItem, level int) *[]insomniaItem {
	items := inside[id]
	delete(inside, id)
	for i := range items {
		if items[i].Kind == "request_group" && level <= workspace.MaxDepth {
			items[i].Children = r.below(items[i].ID, inside, level+1)
		}
	}
	return &items
}

// document reads version 5.
func (r *treeReader) document(in *insomniaFile) (*Found, error) {
	if in.Environments != nil {
		r.environment(in.Environments, false)
	}
	if in.Spec != nil {
		r.notes.say("The API description in the file was not imported: import it separately, as OpenAPI.")
	}
	items := insomniaItems(in.Collection)
	folder, err := r.folder(&insomniaItem{Name: in.Name, About: in.Meta.About, Children: &items}, nil, 1)
	if err != nil {
		return nil, err
	}
	if len(folder.Folders)+len(folder.Requests) == 0 {
		if len(r.taken.list) == 0 {
			return nil, fault.New(fault.Invalid, "%s contains neither a request nor a variable", r.name())
		}
		return &Found{}, nil
	}
	return &Found{Folders: []workspace.Folder{folder}}, nil
}

// environment imports the base environment, or one beside it.
func (r *treeReader) environment(e *insomniaEnvironment, sub bool) {
	name := cmp.Or(e.Name.text, "Environment")
	take := func(v Variable) { r.variable("the environment "+name, v) }
	if sub {
		take = func(v Variable) { r.inEnvironment(name, v) }
	}
	r.values(take, "", e.Data)
	for i := range e.Subs {
		r.environment(&e.Subs[i], true)
	}
}

// values takes variables; those inside objects get names with a dot.
func (r *treeReader) values(take func(Variable), prefix string, data json.RawMessage) {
	var object map[string]json.RawMessage
	if r.budget.Steps(len(data)) != nil || json.Unmarshal(data, &object) != nil {
		return
	}
	if len(prefix) > 4*longestName { // names are truncated anyway, and every value in here has the prefix
		prefix = prefix[:4*longestName]
	}
	for _, key := range sortedKeys(object) {
		name, value := prefix+key, object[key]
		switch {
		case name == "__insomnia_vault":
			r.notes.say("The secrets of Insomnia's vault were not imported: they are encrypted in the file.")
		case len(value) > 0 && value[0] == '{':
			r.values(take, name+".", value)
		default:
			take(Variable{Name: name, Value: r.text(plainValue(value))})
		}
	}
}

func (r *treeReader) folder(item *insomniaItem, headers workspace.Rows, level int) (workspace.Folder, error) {
	folder := workspace.Folder{Name: item.Name.text, Doc: item.About.text}
	if level > workspace.MaxDepth {
		return folder, fault.New(fault.Invalid, "folders in %s are nested more than %d levels deep", r.name(),
			workspace.MaxDepth)
	}
	if item.SignIn {
		r.notes.say(foldersSignIn)
	}
	if item.Scripts {
		r.notes.say(foldersScripts)
	}
	r.values(func(v Variable) { r.variable("the folder "+folder.Name, v) }, "", item.Data)
	headers = r.over(headers, r.rows(item.Headers))
	if item.Children == nil {
		return folder, nil
	}
	items := *item.Children
	slices.SortStableFunc(items, func(a, b insomniaItem) int { return cmp.Compare(a.SortKey, b.SortKey) })
	for i := range items {
		switch inside := &items[i]; inside.Kind {
		case "request_group":
			next, err := r.folder(inside, headers, level+1)
			if err != nil {
				return folder, err
			}
			folder.Folders = append(folder.Folders, next)
		case "request":
			if saved, ok := r.request(inside, headers); ok {
				folder.Requests = append(folder.Requests, saved)
			}
		case "", "grpc_request", "websocket_request", "socketio_request":
			r.notes.add(notHTTP)
		case "api_spec":
			r.notes.say("The API description in the file was not imported: import it separately, as OpenAPI.")
		}
	}
	return folder, nil
}

func (r *treeReader) request(item *insomniaItem, headers workspace.Rows) (workspace.Saved, bool) {
	saved, ok := r.saved(&outside{
		Name: item.Name.text, Doc: item.About.text, Method: item.Method.text, URL: r.text(item.URL.text),
		Body: r.body(item),
		More: r.rows(item.Parameters), Params: r.rows(item.PathParameters),
		Headers: r.over(headers, r.rows(item.Headers)),
	})
	if ok && bool(item.SignIn) {
		r.notes.add(ownSignIn)
	}
	if ok && item.Scripts {
		r.notes.add(ownScripts)
	}
	return saved, ok
}

func (r *treeReader) body(item *insomniaItem) string {
	kind := item.Body.MimeType.text
	if strings.Contains(kind, "form") || kind == "application/octet-stream" || kind == "binary" {
		r.notes.add(formBody)
		return ""
	}
	return r.text(item.Body.Text.text)
}

func (r *treeReader) rows(pairs []insomniaPair) (rows workspace.Rows) {
	for _, p := range pairs {
		if p.Name.text+p.Value.text != "" {
			rows = append(rows, workspace.Row{On: !p.Disabled, Key: r.text(p.Name.text), Value: r.text(p.Value.text),
				Doc: p.Description.text})
		}
	}
	return rows
}
