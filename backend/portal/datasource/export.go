package datasource

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// extras adds the download with format=json to the endpoints of data sources, and
// documents changes.
var extras = map[resource.Verb]resource.Extra{
	resource.OnList: {Params: []resource.Param{formatParam}, Files: []string{exportType}, Around: exportingAll},
	resource.OnGet:  {Params: []resource.Param{formatParam}, Files: []string{exportType}, Around: exportingOne},
	resource.OnCreate: {Params: []resource.Param{{Name: "createGraph", In: "query",
		Schema: resource.Schema{Type: "boolean", Default: false,
			Doc: "If the body has no graphs, create one for each data point"}}}},
	resource.OnReplace: {Params: changeParams},
	resource.OnPatch:   {Params: changeParams},
	resource.OnDelete: {Doc: "Deletes the data source, and removes it and its instances from all devices. Past " +
		"samples and alerts are kept."},
}

// exportType is the media type of a file for importjson: its format differs
// from the data sources in other responses of GET.
const exportType = "application/vnd.spyglass.datasources+json"

var (
	formatParam = resource.Param{Name: "format", In: "query",
		Schema: resource.Schema{Type: "string", Enum: []any{"json"},
			Doc: "json: return a file for importjson instead, without ids and computed fields. For the list, " +
				"everything that matches the filter."}}
	reasonParam = resource.Param{Name: "reason", In: "query",
		Schema: resource.Schema{Type: "string", MaxLen: maxReason,
			Doc: "Reason for the change, listed by updatereasons"}}
	changeParams = []resource.Param{reasonParam, {Name: "forceUniqueIdentifier", In: "query",
		Schema: resource.Schema{Type: "boolean", Default: false,
			Doc: "Append a number to a name that is taken, instead of responding with 409"}}}
)

// wantsFile reports whether the request is for a file.
func wantsFile(c *resource.Call) (bool, error) {
	switch c.Query.Get("format") {
	case "":
		return false, nil
	case "json":
		return true, nil
	}
	return false, &fault.Error{Kind: fault.Invalid, Field: "format",
		Message: "format must be json; data sources can be exported as JSON only", Allowed: []any{"json"}}
}

// exportingOne returns a handler that returns one data source, or its file.
func exportingOne(db resource.DB, read resource.Handler) resource.Handler {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		file, err := wantsFile(c)
		if err != nil {
			return nil, err
		}
		if !file {
			return read(ctx, c)
		}
		if _, err := read(ctx, plainly(c)); err != nil { // it exists, and the caller may view it
			return nil, err
		}
		id, err := c.ID("id")
		if err != nil {
			return nil, err
		}
		d, err := resource.Get(ctx, db, DataSourceRows, id)
		if err != nil {
			return nil, err
		}
		return download(c, d.Name+".json", d.definition()), nil
	}
}

// plainly returns the call without the parameters of a download.
func plainly(c *resource.Call) *resource.Call {
	plain := *c
	plain.Query, plain.Lines, plain.NotIf = maps.Clone(c.Query), false, ""
	for _, name := range []string{"format", "fields"} {
		plain.Query.Del(name)
	}
	return &plain
}

// exportingAll returns a handler that lists data sources, or a file of them.
func exportingAll(db resource.DB, list resource.Handler) resource.Handler {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		file, err := wantsFile(c)
		if err != nil {
			return nil, err
		}
		if !file {
			return list(ctx, c)
		}
		ids, err := found(ctx, c, list)
		if err != nil {
			return nil, err
		}
		rows, err := resource.Find(ctx, db, DataSourceRows, resource.Where{Field: "id", Op: "in", Value: ids})
		if err != nil {
			return nil, err
		}
		files := struct {
			Items []*dataSourceFile `json:"items"`
		}{make([]*dataSourceFile, 0, len(rows))}
		for _, id := range ids { // in the order of the list
			if i := slices.IndexFunc(rows, func(d DataSource) bool { return d.ID == id }); i >= 0 {
				files.Items = append(files.Items, rows[i].definition())
			}
		}
		return download(c, "datasources.json", files), nil
	}
}

// found returns the ids of a list: of the requested page, or all. It walks the
// pages of the list's own handler, which alone knows the filter and the order of the
// request.
func found(ctx context.Context, c *resource.Call, list resource.Handler) ([]int64, error) {
	plain := plainly(c)
	plain.Query.Set("fields", "id")
	paged := plain.Query.Has("size") || plain.Query.Has("offset")
	if !paged {
		plain.Query.Set("size", fmt.Sprint(resource.MaxSize))
	}
	ids := []int64{}
	for {
		response, err := list(ctx, plain)
		if err != nil {
			return nil, err
		}
		rows, total, err := resource.ReadList[struct{ ID int64 }](response)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		if paged || len(rows) == 0 || len(ids) >= total {
			return ids, nil
		}
		plain.Query.Set("offset", fmt.Sprint(len(ids)))
	}
}

// download returns a value as a file of indented JSON.
func download(c *resource.Call, name string, value any) *resource.Response {
	kind := exportType
	if c.Lenient { // its clients support no other type
		kind = "application/json"
	}
	return &resource.Response{Type: kind, Filename: name, Stream: func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(value)
	}}
}
