package exchange

import (
	"encoding/json"
	"net/url"
	"strings"

	"spyglass/app/workspace"
)

func writePostman(b *Bundle) ([]byte, error) {
	var c postmanCollection
	c.Info.Name, c.Info.Schema = b.Name, postmanSchema
	folders := b.Folders
	if len(folders) == 1 { // write a collection as its own file
		c.Info.Name, c.Info.Description = folders[0].Name, looseText{folders[0].Doc}
		c.Item = postmanItems(folders[0].Folders, folders[0].Requests)
	} else {
		c.Item = postmanItems(folders, nil)
	}
	c.Variable = []postmanRow{{Key: "baseUrl", Value: looseText{b.BaseURL}}}
	for _, v := range b.Variables {
		c.Variable = append(c.Variable, postmanRow{Key: v.Name, Value: looseText{v.Value}})
	}
	text, err := json.MarshalIndent(c, "", "  ")
	return b.postmanBuiltIns(text), err
}

func postmanItems(folders []workspace.Folder, requests []workspace.Saved) []postmanItem {
	items := []postmanItem{}
	for _, f := range folders {
		inside := postmanItems(f.Folders, f.Requests)
		items = append(items, postmanItem{Name: f.Name, Description: looseText{f.Doc}, Item: &inside})
	}
	for _, r := range requests {
		name := r.Name
		if name == "" {
			name = r.Draft.Method + " " + r.Draft.Path
		}
		item := postmanItem{Name: name, Request: postmanOf(&r), Event: testsOf(r.Draft.Checks)}
		for _, e := range r.Examples {
			one := postmanResponse{Name: e.Name, OriginalRequest: item.Request, Status: e.StatusText, Code: e.Status,
				Header: postmanRows{}, Body: e.Body}
			for _, h := range e.Headers {
				one.Header = append(one.Header, postmanRow{Key: h[0], Value: looseText{h[1]}})
			}
			item.Response = append(item.Response, one)
		}
		items = append(items, item)
	}
	return items
}

func postmanOf(r *workspace.Saved) *postmanRequest {
	d := &r.Draft
	out := &postmanRequest{Method: d.Method, Header: postmanRows{}, Description: looseText{r.Doc}}
	for _, h := range d.Headers {
		out.Header = append(out.Header, rowOf(h))
	}
	path, search, _ := strings.Cut(d.Path, "?")
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		if m := wholeParam.FindStringSubmatch(s); m != nil {
			segments[i] = ":" + m[1]
		}
	}
	u := &out.URL
	u.Host, u.Path = []string{"{{baseUrl}}"}, segments
	for _, p := range d.PathParams {
		u.Variable = append(u.Variable, rowOf(workspace.Row{On: true, Key: p.Key, Value: p.Value, Doc: p.Doc}))
	}
	f := &File{}
	_, typed := f.address("?" + search)
	for _, q := range append(typed, d.Query...) {
		u.Query = append(u.Query, rowOf(q))
	}
	pairs := make([]string, len(u.Query))
	for i, q := range u.Query {
		pairs[i] = rawPart(q.Key) + "=" + rawPart(q.Value.text)
	}
	u.Raw = "{{baseUrl}}/" + strings.Join(segments, "/")
	if len(pairs) > 0 {
		u.Raw += "?" + strings.Join(pairs, "&")
	}
	if d.Body != "" {
		out.Body = &postmanBody{Mode: "raw", Raw: d.Body,
			Options: map[string]any{"raw": map[string]any{"language": "json"}}}
	}
	return out
}

// rawPart escapes characters that would end a key or a value; {{variables}}
// stay readable.
func rawPart(text string) string {
	return readable.Replace(url.QueryEscape(text))
}

var readable = strings.NewReplacer("%7B%7B", "{{", "%7D%7D", "}}")

func rowOf(r workspace.Row) postmanRow {
	return postmanRow{Key: r.Key, Value: looseText{r.Value}, Disabled: !r.On, Description: looseText{r.Doc}}
}
