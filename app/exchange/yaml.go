package exchange

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/oasdiff/yaml" // what kin-openapi reads YAML with

	"spyglass/backend/fault"
)

// isYAML tells whether the file is no JSON object and has such a line.
func (f *File) isYAML(line *regexp.Regexp) bool { return f.top == nil && line.Match(f.Text) }

// decodeAny reads JSON or YAML, whichever the file is.
func (f *File) decodeAny(into any) error {
	if f.top != nil {
		return f.decode(f.Text, into)
	}
	if err := shallow(f); err != nil {
		return err
	}
	var text json.RawMessage
	if _, err := yaml.Unmarshal(f.Text, &text, yaml.DecodeOpts{DisableTimestamps: true}); err != nil {
		return fault.New(fault.Invalid, "%s is no valid YAML: %s", f.name(), firstLine(err))
	}
	return f.decode(text, into)
}

// maxNesting is how deep brackets or lines of YAML may go.
const maxNesting = 200

// shallow refuses files that would cost the library its stack.
func shallow(f *File) error {
	level, inside := 0, false
	for i, c := range f.Text {
		switch {
		case c == '"' && (i == 0 || f.Text[i-1] != '\\'):
			inside = !inside && f.top != nil // quotes of YAML may stand alone
		case inside:
		case c == '{' || c == '[':
			level++
		case c == '}' || c == ']':
			level--
		}
		if level > maxNesting {
			return fault.New(fault.Invalid, "%s is nested more than %d deep", f.name(), maxNesting)
		}
	}
	for line := range bytes.Lines(f.Text) {
		if indent := len(line) - len(bytes.TrimLeft(line, " -")); f.top == nil && indent > 4*maxNesting && len(bytes.TrimSpace(line)) > 0 {
			return fault.New(fault.Invalid, "%s is nested more than %d deep", f.name(), maxNesting)
		}
	}
	return nil
}
