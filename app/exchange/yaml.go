package exchange

import (
	"encoding/json"
	"regexp"

	"github.com/oasdiff/yaml" // the YAML library of kin-openapi

	"spyglass/backend/fault"
)

// isYAML reports whether the file is not a JSON object and has such a line.
func (f *File) isYAML(line *regexp.Regexp) bool { return f.top == nil && line.Match(f.Text) }

// decodeAny decodes a JSON or YAML file.
func (f *File) decodeAny(into any) error {
	if err := f.asJSON(); err != nil {
		return err
	}
	return f.decode(f.Text, into)
}

// asJSON converts a YAML file to JSON.
func (f *File) asJSON() error {
	if f.top != nil {
		return nil
	}
	if err := f.shapeOfYAML(); err != nil {
		return err
	}
	var text json.RawMessage
	if _, err := yaml.Unmarshal(f.Text, &text, yaml.DecodeOpts{DisableTimestamps: true}); err != nil {
		return fault.New(fault.Invalid, "%s is not valid YAML: %s", f.name(), firstLine(err))
	}
	if err := f.shapeOfJSON(text); err != nil {
		return err
	}
	f.Text = text
	return f.decode(text, &f.top)
}
