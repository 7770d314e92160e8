// Package ondisk reads and writes collections as folders of text files that git can
// hold.
//
// A collection is a folder with a file collection.yaml. A folder of the collection is a
// folder with a file folder.yaml, a request is a file of its own, and its examples are in
// a folder beside it:
//
//	fleet/
//	  collection.yaml
//	  Devices/
//	    folder.yaml
//	    List devices.yaml
//	    List devices.examples/
//	      Found.yaml
//
// The files are YAML, because a body of several lines is a block of several lines there,
// so that a diff shows the lines that changed; in JSON it would be one line. Keys have
// one order, and what is empty is left out, so the same request is always the same text,
// except in an edited file: a change keeps its comments and its order.
// build/docs/collections.md describes the keys.
//
// # Names and order
//
// The name of a request is in its file. New files are named after it, see FileName. The
// key order gives the place among its neighbours, ties by the file's path: a list of all
// names would be a conflict whenever two branches add a request.
//
// # Secrets
//
// Callers mask drafts before they write them. Files have no variables but those of
// collection.yaml.
//
// # Bounds
//
// A file has at most MaxFile bytes, one of an example MaxExample, and a folder MaxRequests
// requests. Links are not followed, and hidden folders not read.
//
// # Concurrency and errors
//
// A Scanner belongs to one goroutine; functions are safe for concurrent use. A file that
// cannot be read is fault.Invalid with a sentence that names the file and the line.
package ondisk

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"spyglass/app/expect"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// Limits of a folder.
const (
	MaxFile     = 1 << 20 // bytes of a file
	MaxExample  = 4 << 20 // bytes of a file with an example, whose body has at most 1 MiB
	MaxRequests = 10_000
)

// Names of files.
const (
	CollectionFile = "collection.yaml"
	FolderFile     = "folder.yaml"
	Ext            = ".yaml"
	examplesExt    = ".examples"
)

const version = 1

// Collection is the content of collection.yaml.
type Collection struct {
	Spyglass  int               `yaml:"spyglass"` // version of the format
	Name      string            `yaml:"name"`
	Doc       string            `yaml:"doc"`
	Variables map[string]string `yaml:"variables"` // none is secret
}

// Folder is the content of folder.yaml.
type Folder struct {
	Name  string `yaml:"name"`
	Order int64  `yaml:"order"`
	Doc   string `yaml:"doc"`
}

// Request is the content of a request's file.
type Request struct {
	Name  string
	Doc   string
	Order int64
	Draft workspace.Draft
}

// Example is the content of an example's file.
type Example struct {
	Order int64
	workspace.SavedExample
}

type requestFile struct {
	Name       string  `yaml:"name"`
	Order      int64   `yaml:"order"`
	Method     string  `yaml:"method"`
	Path       string  `yaml:"path"`
	Template   string  `yaml:"template"`
	Doc        string  `yaml:"doc"`
	PathParams []row   `yaml:"pathParams"`
	Query      []row   `yaml:"query"`
	Headers    []row   `yaml:"headers"`
	Mode       string  `yaml:"mode"`
	Body       string  `yaml:"body"`
	Timeout    int64   `yaml:"timeout"`
	Checks     []check `yaml:"checks"`
}

type row struct {
	Key      string `yaml:"key"`
	Value    string `yaml:"value"`
	Doc      string `yaml:"doc"`
	Disabled bool   `yaml:"disabled"`
}

type check struct {
	Kind     string `yaml:"kind"`
	Target   string `yaml:"target"`
	Op       string `yaml:"op"`
	Value    string `yaml:"value"`
	Disabled bool   `yaml:"disabled"`
}

type exampleFile struct {
	Name       string `yaml:"name"`
	Order      int64  `yaml:"order"`
	Status     int64  `yaml:"status"`
	StatusText string `yaml:"statusText"`
	Headers    []row  `yaml:"headers"`
	Body       string `yaml:"body"`
}

func (c *Collection) build(o *object) {
	o.number("spyglass", int64(c.Spyglass))
	o.text("name", c.Name)
	o.text("doc", c.Doc)
	o.texts("variables", c.Variables)
}

func (f *Folder) build(o *object) {
	o.text("name", f.Name)
	o.number("order", f.Order)
	o.text("doc", f.Doc)
}

func (r *requestFile) build(o *object) {
	o.text("name", r.Name)
	o.number("order", r.Order)
	o.text("method", r.Method)
	o.text("path", r.Path)
	o.text("template", r.Template)
	o.text("doc", r.Doc)
	list(o, "pathParams", r.PathParams)
	list(o, "query", r.Query)
	list(o, "headers", r.Headers)
	o.text("mode", r.Mode)
	o.text("body", r.Body)
	o.number("timeout", r.Timeout)
	list(o, "checks", r.Checks)
}

func (r row) build(o *object) {
	o.must("key", r.Key)
	o.text("value", r.Value)
	o.text("doc", r.Doc)
	o.flag("disabled", r.Disabled)
}

func (c check) build(o *object) {
	o.must("kind", c.Kind)
	o.text("target", c.Target)
	o.text("op", c.Op)
	o.text("value", c.Value)
	o.flag("disabled", c.Disabled)
}

func (e *exampleFile) build(o *object) {
	o.text("name", e.Name)
	o.number("order", e.Order)
	o.number("status", e.Status)
	o.text("statusText", e.StatusText)
	list(o, "headers", e.Headers)
	o.text("body", e.Body)
}

// EncodeCollection returns the text of collection.yaml. As for all files, comments in the
// text that it has stay; was is nil for a new file.
func EncodeCollection(c Collection, was []byte) ([]byte, error) {
	c.Spyglass = version
	if len(c.Variables) == 0 {
		c.Variables = nil
	}
	return encode(&c, MaxFile, was)
}

// DecodeCollection reads collection.yaml; path is for errors.
func DecodeCollection(path string, text []byte) (Collection, error) {
	var c Collection
	if err := decode(path, text, MaxFile, &c); err != nil {
		return c, err
	}
	if c.Spyglass != version {
		return c, fault.New(fault.Invalid, "%s has the format %d; this version of Spyglass reads format %d", path,
			c.Spyglass, version)
	}
	return c, named(path, &c.Name, c.Doc, true)
}

// EncodeFolder returns the text of folder.yaml.
func EncodeFolder(f Folder, was []byte) ([]byte, error) { return encode(&f, MaxFile, was) }

// DecodeFolder reads folder.yaml; path is for errors.
func DecodeFolder(path string, text []byte) (Folder, error) {
	var f Folder
	if err := decode(path, text, MaxFile, &f); err != nil {
		return f, err
	}
	return f, named(path, &f.Name, f.Doc, true)
}

// EncodeRequest returns the text of a request's file.
func EncodeRequest(r Request, was []byte) ([]byte, error) {
	d := &r.Draft
	out := requestFile{Name: r.Name, Order: r.Order, Doc: r.Doc, Method: d.Method, Path: d.Path, Template: d.Template,
		PathParams: fileRows(d.PathParams), Query: fileRows(d.Query), Headers: fileRows(d.Headers), Body: d.Body,
		Timeout: d.Timeout}
	if d.Mode != "form" {
		out.Mode = d.Mode
	}
	for _, c := range d.Checks {
		out.Checks = append(out.Checks, check{c.Kind, c.Target, c.Op, c.Value, !c.On})
	}
	return encode(&out, MaxFile, was)
}

// DecodeRequest reads a request's file; path is for errors. It returns nil for a file
// that has no method: there may be other YAML files in the folder.
func DecodeRequest(path string, text []byte) (*Request, error) {
	var in requestFile
	if top, err := parse(path, text, MaxFile); err != nil {
		return nil, err
	} else if !top.has("method") {
		return nil, nil
	}
	if err := decode(path, text, MaxFile, &in); err != nil {
		return nil, err
	}
	r := &Request{Name: in.Name, Doc: in.Doc, Order: in.Order, Draft: workspace.Draft{Method: in.Method,
		Path: in.Path, Template: in.Template, PathParams: draftRows(in.PathParams), Query: draftRows(in.Query),
		Headers: draftRows(in.Headers), Body: in.Body, Mode: cmp.Or(in.Mode, "form"), Timeout: in.Timeout}}
	for _, c := range in.Checks {
		r.Draft.Checks = append(r.Draft.Checks, expect.Check{On: !c.Disabled, Kind: c.Kind, Target: c.Target,
			Op: c.Op, Value: c.Value})
	}
	if err := r.Draft.Check("draft"); err != nil {
		return nil, fault.New(fault.Invalid, "%s: %s", path, fault.Of(err).Message)
	}
	return r, named(path, &r.Name, r.Doc, false)
}

// EncodeExample returns the text of an example's file.
func EncodeExample(e Example, was []byte) ([]byte, error) {
	out := exampleFile{Name: e.Name, Order: e.Order, Status: e.Status, StatusText: e.StatusText, Body: e.Body}
	for _, h := range e.Headers {
		out.Headers = append(out.Headers, row{Key: h[0], Value: h[1]})
	}
	return encode(&out, MaxExample, was)
}

// DecodeExample reads an example's file; path is for errors.
func DecodeExample(path string, text []byte) (*Example, error) {
	var in exampleFile
	if err := decode(path, text, MaxExample, &in); err != nil {
		return nil, err
	}
	e := &Example{Order: in.Order, SavedExample: workspace.SavedExample{Name: in.Name, Status: in.Status,
		StatusText: in.StatusText, Body: in.Body}}
	for _, h := range in.Headers {
		e.Headers = append(e.Headers, [2]string{h.Key, h.Value})
	}
	if len(e.Body) > workspace.MaxExampleBody {
		return nil, fault.New(fault.Invalid, "%s: the body of an example has at most %d KiB", path,
			workspace.MaxExampleBody>>10)
	}
	return e, named(path, &e.Name, "", true)
}

func fileRows(rows workspace.Rows) (out []row) {
	for _, r := range rows {
		out = append(out, row{r.Key, r.Value, r.Doc, !r.On})
	}
	return out
}

func draftRows(rows []row) workspace.Rows {
	out := workspace.Rows{}
	for _, r := range rows {
		out = append(out, workspace.Row{On: !r.Disabled, Key: r.Key, Value: r.Value, Doc: r.Doc})
	}
	return out
}

// Limits of names and notes, as the workspace has them.
const (
	maxName = 255    // characters
	maxDoc  = 65_536 // bytes
)

// named refuses names and notes that the workspace does not accept.
func named(path string, name *string, doc string, required bool) error {
	for _, c := range *name {
		if c < ' ' || c == 0x7f {
			return fault.New(fault.Invalid, "%s: the name must be one line without control characters", path)
		}
	}
	switch {
	case required && *name == "":
		return fault.New(fault.Invalid, "%s: the name is missing", path)
	case utf8.RuneCountInString(*name) > maxName:
		return fault.New(fault.Invalid, "%s: the name has more than %d characters", path, maxName)
	case len(doc) > maxDoc:
		return fault.New(fault.Invalid, "%s: the note has more than %d KiB", path, maxDoc>>10)
	}
	return nil
}

func tooLarge(path string, most int) error {
	return fault.New(fault.TooLarge, "%s has more than %d MiB, which is too large for a file of a collection", path,
		most>>20)
}

// at names a place in a file.
func at(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s, line %d", path, line)
}
