package run

import (
	"io"
	"strings"

	"spyglass/app/explorer/stream"
	"spyglass/backend/fault"
)

// Format is a format of reports.
type Format struct {
	ID, Label string
	Ext, Type string // "html", "text/html; charset=utf-8"

	Write func(w io.Writer, r *Run) error
}

// Formats lists the formats of reports. To add one, add a file and its name here.
var Formats = []*Format{&HTML, &JUnit, &JSON}

// FormatOf returns the format with that id.
func FormatOf(id string) (*Format, error) {
	var ids []string
	for _, f := range Formats {
		if f.ID == id {
			return f, nil
		}
		ids = append(ids, f.ID)
	}
	return nil, fault.At("format", "there is no report %q; choose one of %s", id, strings.Join(ids, ", "))
}

// ShownFormat is a format as the page receives it.
type ShownFormat struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// Shown returns the table of formats for the page.
func Shown(table []*Format) []ShownFormat {
	out := make([]ShownFormat, len(table))
	for i, f := range table {
		out[i] = ShownFormat{f.ID, f.Label}
	}
	return out
}

func mediaTypes() []string {
	var types []string
	for _, f := range Formats {
		plain, _, _ := strings.Cut(f.Type, ";")
		types = append(types, plain)
	}
	return types
}

// nameOf returns the name of a request in a report.
func nameOf(r *stream.Ran) string {
	if r.Name != "" {
		return r.Name
	}
	if name := strings.TrimSpace(r.Method + " " + r.Path); name != "" {
		return name
	}
	return "deleted request"
}
