package exchange

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Yaak is an export of Yaak: JSON lists of resources that name their parents.
var Yaak = Format{
	ID: "yaak", Label: "Yaak", Family: "Yaak",
	Ext: "yaak.json", Type: "application/json",
	Is: func(f *File) bool { return f.has("yaakSchema") },
	Read: func(f *File) (*Found, error) {
		var in struct {
			Resources struct {
				Workspaces        []yaakItem
				Environments      []yaakItem
				Folders           []yaakItem
				HTTPRequests      []yaakItem
				GRPCRequests      []yaakItem
				WebsocketRequests []yaakItem
			}
		}
		if err := f.decode(f.Text, &in); err != nil {
			return nil, err
		}
		r := &treeReader{File: f}
		r.text = r.yaakText
		var all []insomniaItem
		for _, list := range []struct {
			kind  string
			items []yaakItem
		}{
			{"workspace", in.Resources.Workspaces}, {"environment", in.Resources.Environments},
			{"request_group", in.Resources.Folders},
			{"request", in.Resources.HTTPRequests}, {"grpc_request", in.Resources.GRPCRequests},
			{"websocket_request", in.Resources.WebsocketRequests},
		} {
			for i := range list.items {
				all = append(all, list.items[i].item(list.kind))
			}
		}
		found, err := r.resources(all)
		r.tags.say(f, "Yaak")
		return found, err
	},
}

type yaakItem struct {
	ID, WorkspaceID, FolderID string
	ParentModel               string // for an environment: workspace for the base, environment, folder
	EnvironmentID             string // for an environment of an older version: the base
	Name, Description         looseText
	SortPriority              float64
	Method, URL               string
	URLParameters, Headers    []yaakPair
	Variables                 []yaakPair
	BodyType                  looseText
	Body                      map[string]json.RawMessage
	AuthenticationType        looseText
}

type yaakPair struct {
	Name, Value looseText
	Enabled     *bool
}

// item converts the resource to an item of Insomnia.
func (y *yaakItem) item(kind string) insomniaItem {
	out := insomniaItem{
		ID: y.ID, Kind: kind, Parent: y.WorkspaceID, SortKey: y.SortPriority, Name: y.Name, About: y.Description,
		Method: looseText{y.Method}, URL: looseText{y.URL}, Headers: yaakPairs(y.Headers),
	}
	out.Sub = kind == "environment" && (y.ParentModel == "environment" || y.EnvironmentID != "")
	if y.FolderID != "" && kind != "environment" {
		out.Parent = y.FolderID
	}
	switch y.AuthenticationType.text {
	case "", "none", "inherit":
	default:
		out.SignIn = true
	}
	for _, p := range yaakPairs(y.URLParameters) {
		if name, path := strings.CutPrefix(p.Name.text, ":"); path {
			p.Name.text = name
			out.PathParameters = append(out.PathParameters, p)
		} else {
			out.Parameters = append(out.Parameters, p)
		}
	}
	out.Body.MimeType = y.BodyType
	out.Body.Text.text = plainValue(y.Body["text"])
	if query := plainValue(y.Body["query"]); query != "" {
		g := brunoGraphQL{query, plainValue(y.Body["variables"])}
		out.Body.Text.text = g.text()
	}
	values := map[string]string{}
	for _, v := range y.Variables {
		if v.Enabled == nil || *v.Enabled {
			values[v.Name.text] = v.Value.text
		}
	}
	if len(values) > 0 {
		out.Data, _ = json.Marshal(values) // encoding texts cannot fail
	}
	return out
}

func yaakPairs(list []yaakPair) (out []insomniaPair) {
	for _, p := range list {
		out = append(out, insomniaPair{Name: p.Name, Value: p.Value, Disabled: p.Enabled != nil && !*p.Enabled})
	}
	return out
}

var (
	yaakTag  = regexp.MustCompile(`\$\{\[\s*((?s:.*?))\s*\]\}`)
	yaakCall = regexp.MustCompile(`^([\w.-]+)\(`)
)

// yaakText replaces Yaak's variables by ours in a text.
func (r *treeReader) yaakText(text string) string {
	return yaakTag.ReplaceAllStringFunc(text, func(in string) string {
		inside := yaakTag.FindStringSubmatch(in)[1]
		call := yaakCall.FindStringSubmatch(inside)
		switch {
		case call == nil:
			if name := variableName(inside); name != "" {
				return "{{" + name + "}}"
			}
			return in
		case strings.HasPrefix(call[1], "uuid."):
			return "{{$uuid}}"
		case call[1] == "timestamp.unix":
			return "{{$now}}"
		}
		return "{{" + r.tags.of(in, strings.TrimSuffix(call[1], ".path")) + "}}"
	})
}
