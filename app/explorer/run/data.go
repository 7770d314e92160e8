package run

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Limits of a data file.
const (
	MaxData    = 4 << 20 // bytes
	maxRows    = MaxRequests
	maxColumns = 200
)

// ReadData reads the rows of a data file, each with its values by name: a CSV file with
// names in its first line, or a JSON array of objects.
func ReadData(text []byte) ([]map[string]string, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	switch {
	case len(text) > MaxData:
		return nil, fault.At("data", "the data file has more than %d MiB", MaxData>>20)
	case !utf8.Valid(text):
		return nil, fault.At("data", "the data file is not a text in UTF-8")
	}
	read := readCSV
	if start := bytes.TrimSpace(text); len(start) > 0 && (start[0] == '[' || start[0] == '{') {
		read = readJSON
	}
	rows, err := read(text)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, fault.At("data", "the data file has no rows")
	case len(rows) > maxRows:
		return nil, fault.At("data", "the data file has more than %d rows", maxRows)
	}
	return rows, nil
}

func readCSV(text []byte) (rows []map[string]string, err error) {
	in := csv.NewReader(bytes.NewReader(text))
	in.TrimLeadingSpace = true
	if first, _, _ := bytes.Cut(text, []byte("\n")); bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		in.Comma = ';' // as spreadsheets write it where numbers have a comma
	}
	lines, err := in.ReadAll()
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		return nil, fault.At("data", "the data file is not valid CSV: line %d: %v", wrong.Line, wrong.Err)
	}
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	names := lines[0]
	if len(names) > maxColumns {
		return nil, fault.At("data", "the data file has %d columns; at most %d are possible", len(names), maxColumns)
	}
	for i, name := range names {
		if names[i] = strings.TrimSpace(name); names[i] == "" {
			return nil, fault.At("data", "column %d of the data file has no name", i+1)
		}
	}
	for _, line := range lines[1:] {
		row := make(map[string]string, len(names))
		for i, name := range names {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func readJSON(text []byte) (rows []map[string]string, err error) {
	list, err := resource.ParseJSON(text)
	if err != nil {
		return nil, fault.At("data", "the data file cannot be read: %s",
			strings.Replace(fault.Of(err).Message, "the body", "it", 1))
	}
	if list.Kind != '[' {
		return nil, fault.At("data", "the data file must be a JSON array of objects")
	}
	for i, item := range list.Items {
		if item.Kind != '{' {
			return nil, fault.At("data", "item %d of the data file is not an object", i+1)
		}
		if len(item.Keys) > maxColumns {
			return nil, fault.At("data", "item %d of the data file has more than %d keys", i+1, maxColumns)
		}
		row := make(map[string]string, len(item.Keys))
		for j, key := range item.Keys {
			row[key] = textOf(item.Items[j])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// textOf returns a value as a variable has it: a string decoded, null empty, and anything
// else as JSON.
func textOf(n resource.Node) string {
	switch n.Kind {
	case '"':
		return n.Text
	case 'n':
		return ""
	}
	return string(n.Raw)
}
