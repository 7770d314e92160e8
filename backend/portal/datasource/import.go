package datasource

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// ImportEndpoints returns the endpoints that import data sources and functions
// from files. all has the endpoints of both resources, which it calls.
func ImportEndpoints(db resource.DB, all []resource.Endpoint) []resource.Endpoint {
	x := imports{db: db, of: map[string]*resource.Endpoint{}}
	for i := range all {
		x.of[all[i].ID()] = &all[i]
	}
	return []resource.Endpoint{x.importDataSources(), x.importFunctions()}
}

// imports reads the files of data sources and functions.
type imports struct {
	db resource.DB
	of map[string]*resource.Endpoint
}

// Behavior of an import if the name exists already.
const (
	conflictError     = "ERROR"
	conflictOverwrite = "FORCE_OVERWRITE"
)

var conflictParam = resource.Param{Name: "handleConflict", In: "query", Schema: resource.Schema{
	Type: "string", Enum: []any{conflictError, conflictOverwrite}, Default: conflictError,
	Doc: "If the name exists: ERROR responds with 409, FORCE_OVERWRITE replaces it by the file. Parts with the " +
		"same names keep their ids.",
}}

func (x *imports) importDataSources() resource.Endpoint {
	names := slices.Sorted(maps.Keys(preserved))
	return x.importing(resource.Endpoint{
		Path: DataSources.Path + "/importjson", Summary: "Import data sources from JSON",
		Doc: "Adds the data source of a file that a GET with format=json wrote, here or on another portal, or " +
			"overwrites the one of that name. The file is the body, or the part file of a form. A file of several " +
			"data sources ({\"items\":[…]}) is imported completely or not at all; the response is the first of " +
			"them.",
		Params: []resource.Param{conflictParam, {Name: "fieldsToPreserve", In: "query", Schema: resource.Text(
			"What an overwritten data source keeps, comma-separated: " + strings.Join(names, ", ") +
				", or names of fields")},
			reasonParam},
		Example: resource.Example{Query: [][2]string{{"handleConflict", conflictOverwrite}}, Body: map[string]any{
			"name": "Branch_DNS", "displayName": "Branch DNS", "appliesTo": `hasCategory("branch")`,
			"collectMethod":   "dns",
			"collectInterval": 300,
			"dataPoints": []DataPoint{Gauge("time", "responseTime", "Time until the response, in ms").Alert(
				"> 200 1000", 3)},
		}},
	}, DataSources.Path)
}

func (x *imports) importFunctions() resource.Endpoint {
	return x.importing(resource.Endpoint{
		Path: FunctionPath + "/importjson", Summary: "Import functions from JSON",
		Doc: "Adds the function of a file, or overwrites the one of that name: an object with name, code and " +
			"description, as returned by GET. The file is the body, or the part file of a form. A file of several " +
			"functions ({\"items\":[…]}) is imported one after the other; the response is the first of them.",
		Params: []resource.Param{conflictParam,
			{Name: "fieldsToPreserve", In: "query",
				Schema: resource.Text("What an overwritten function keeps, comma-separated: code, description")}},
		Example: resource.Example{Query: [][2]string{{"handleConflict", conflictOverwrite}},
			Body: map[string]any{"name": "isBranch", "code": `hasCategory("branch")`, "description": "Branch offices"}},
	}, FunctionPath)
}

// importing returns an import for the rows at path.
func (x *imports) importing(e resource.Endpoint, path string) resource.Endpoint {
	post := x.of["POST "+path]
	e.Method, e.Category, e.Right, e.Upload = "POST", ground.CategoryDataSources, post.Right, "file"
	e.Body, e.Response, e.Tagged = post.Body, post.Response, post.Tagged
	e.Errors = append(slices.Clone(post.Errors),
		resource.Failure{Kind: fault.TooLarge, When: "the file has more than 4 MiB"})
	e.Handle = func(ctx context.Context, c *resource.Call) (any, error) { return x.read(ctx, c, path) }
	return e
}

// read imports a file.
func (x *imports) read(ctx context.Context, c *resource.Call, path string) (any, error) {
	overwrite := c.Query.Get("handleConflict")
	if !slices.Contains([]string{"", conflictError, conflictOverwrite}, overwrite) {
		return nil, oneOf("handleConflict", []any{conflictError, conflictOverwrite})
	}
	files, err := split(c.Body)
	if err != nil {
		return nil, err
	}
	in := arrival{x: x, path: path, call: c, keep: words(c.Query["fieldsToPreserve"])}
	calls := make([]*resource.Call, len(files))
	for i, file := range files {
		if calls[i], err = in.prepare(ctx, file, overwrite == conflictOverwrite); err != nil {
			return nil, err
		}
	}
	if len(calls) > 1 && x.of["POST "+path+"/batch"] != nil {
		return in.together(ctx, calls)
	}
	var first any
	for i, call := range calls {
		response, err := in.handle(call)(ctx, call)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = response
		}
	}
	return first, nil
}

// split returns the file's objects: itself, or its items.
func split(text []byte) ([]map[string]json.RawMessage, error) {
	if _, err := resource.ParseObject(text, "the file"); err != nil { // strict, like every body
		return nil, err
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("a file that was read strictly: %w", err)
	}
	items, several := file["items"]
	if !several {
		return []map[string]json.RawMessage{file}, nil
	}
	var files []map[string]json.RawMessage
	if json.Unmarshal(items, &files) != nil || len(files) == 0 || slices.ContainsFunc(files,
		func(f map[string]json.RawMessage) bool { return f == nil }) {
		return nil, fault.At("items", "items must be a list of at least one object")
	}
	return files, nil
}

// words splits a parameter that may be repeated, or contain commas.
func words(values []string) []string {
	var all []string
	for word := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if word = strings.TrimSpace(word); word != "" {
			all = append(all, word)
		}
	}
	return all
}

// arrival is the import of one file.
type arrival struct {
	x    *imports
	path string
	call *resource.Call
	keep []string
}

// prepare returns the call that imports one object of the file: a POST, or a
// PUT of the row that it overwrites.
func (a *arrival) prepare(ctx context.Context, file map[string]json.RawMessage, overwrite bool) (*resource.Call,
	error) {
	c := *a.call
	c.Query, c.Vars, c.IfMatch, c.NotIf = maps.Clone(c.Query), map[string]string{}, "", ""
	c.Query.Del("createGraph")
	if c.Query.Get("reason") == "" {
		c.Query.Set("reason", "Imported from a file")
	}
	var name string
	if json.Unmarshal(file["name"], &name) != nil || strings.TrimSpace(name) == "" {
		return nil, fault.At("name", "name is required and must not be empty")
	}
	if overwrite {
		id, err := a.overwrites(ctx, strings.TrimSpace(name), file)
		if err != nil {
			return nil, err
		}
		if id > 0 {
			c.Vars["id"] = fmt.Sprint(id)
		}
	}
	text, err := json.Marshal(file)
	c.Body = text
	return &c, err
}

// overwrites returns the id of the row with that name, or 0. It copies the fields
// that the row keeps into the file.
func (a *arrival) overwrites(ctx context.Context, name string, file map[string]json.RawMessage) (int64, error) {
	byName := resource.Where{Field: "name", Op: "=", Value: name}
	if a.path == FunctionPath {
		rows, err := resource.Find(ctx, a.x.db, FunctionRows, byName)
		if err != nil || len(rows) == 0 {
			return 0, err
		}
		return rows[0].ID, a.keepOfFunction(file, &rows[0])
	}
	rows, err := resource.Find(ctx, a.x.db, DataSourceRows, byName)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	mine, err := asFile(&rows[0])
	if err != nil {
		return 0, err
	}
	for _, word := range a.keep {
		keeps := preserved[strings.ToUpper(word)]
		if keeps == nil && mine[word] != nil {
			keeps = keep(word)
		}
		if keeps == nil {
			return 0,
				fault.At("fieldsToPreserve", "fieldsToPreserve: there is no %q; it takes %s, and names of fields", word,
					strings.Join(slices.Sorted(maps.Keys(preserved)), ", "))
		}
		if err := keeps(file, &rows[0]); err != nil {
			return 0, err
		}
	}
	return rows[0].ID, nil
}

func (a *arrival) keepOfFunction(file map[string]json.RawMessage, was *Function) error {
	for _, word := range a.keep {
		value := map[string]string{"name": was.Name, "code": was.Code, "description": was.Description}
		if _, ok := value[strings.ToLower(word)]; !ok {
			return fault.At("fieldsToPreserve", "fieldsToPreserve: there is no %q; it takes code and description", word)
		}
		text, err := json.Marshal(value[strings.ToLower(word)])
		if err != nil {
			return err
		}
		file[strings.ToLower(word)] = text
	}
	return nil
}

// handle returns the handler of a prepared call.
func (a *arrival) handle(c *resource.Call) func(context.Context, *resource.Call) (any, error) {
	if c.Vars["id"] != "" {
		return a.x.of["PUT "+a.path+"/{id}"].Handle
	}
	return a.x.of["POST "+a.path].Handle
}

// together runs all calls in one transaction.
func (a *arrival) together(ctx context.Context, calls []*resource.Call) (any, error) {
	type operation struct {
		Op   string          `json:"op"`
		ID   int64           `json:"id,omitempty"`
		Body json.RawMessage `json:"body"`
	}
	batch := struct {
		Operations []operation `json:"operations"`
	}{}
	for _, call := range calls {
		o := operation{Op: "create", Body: call.Body}
		if id, err := call.ID("id"); err == nil {
			whole, err := wholeFile(call.Body)
			if err != nil {
				return nil, err
			}
			o = operation{Op: "patch", ID: id, Body: whole}
		}
		batch.Operations = append(batch.Operations, o)
	}
	c := *calls[0]
	text, err := json.Marshal(batch)
	if err != nil {
		return nil, err
	}
	c.Body, c.Vars = text, map[string]string{}
	response, err := a.x.of["POST "+a.path+"/batch"].Handle(ctx, &c)
	if err != nil {
		return nil, err
	}
	results, ok := response.(*resource.Results)
	if !ok || len(results.Results) == 0 {
		return nil, fmt.Errorf("a batch returned %T", response)
	}
	c.Vars["id"] = fmt.Sprint(results.Results[0].ID)
	return a.x.of["GET "+a.path+"/{id}"].Handle(ctx, plainly(&c))
}

// wholeFile returns the file with every field: omitted fields have their
// defaults, as with PUT.
func wholeFile(text []byte) ([]byte, error) {
	fresh, err := DataSources.Defaults()
	if err != nil {
		return nil, err
	}
	whole, err := asFile(fresh)
	if err != nil {
		return nil, err
	}
	for _, required := range []string{"name", "collectMethod", "collectInterval"} {
		delete(whole, required)
	}
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}
