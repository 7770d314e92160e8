package catalog

import (
	"strings"

	"spyglass/backend/resource"
)

// NounOf returns the words for the objects that an endpoint returns or removes.
// If its portal does not name them, they are derived from the path: "thing" and
// "things" from /things/{id}. Both are empty for an endpoint that removes
// something else.
func NounOf(e *resource.Endpoint) resource.Noun {
	parts := strings.Split(e.Path, "/")
	last := len(parts) - 1
	row := strings.HasPrefix(parts[last], "{")
	switch {
	case e.Noun.One != "":
		return e.Noun
	case row && last > 0:
		last--
	case row || e.Method == "DELETE":
		return resource.Noun{}
	}
	return named(parts[last])
}

// Counted returns the words for what a number of an object counts; both are empty
// if it is not a count. If the portal does not name it, they are derived from the
// key: "sub group" and "sub groups" from numOfSubGroups.
func Counted(name string, s *resource.Schema) resource.Noun {
	if s != nil && s.Counts.One != "" {
		return s.Counts
	}
	if things, ok := strings.CutPrefix(name, "numOf"); ok {
		return named(things)
	}
	return resource.Noun{}
}

// named returns the words for a plural name: "spare part" and "spare parts" for
// spareParts.
func named(many string) resource.Noun {
	var words strings.Builder
	for i, r := range many {
		if i > 0 && 'A' <= r && r <= 'Z' {
			words.WriteByte(' ')
		}
		words.WriteRune(r)
	}
	many = strings.ToLower(words.String())
	if one, ok := strings.CutSuffix(many, "ies"); ok {
		return resource.Noun{One: one + "y", Many: many}
	}
	return resource.Noun{One: strings.TrimSuffix(many, "s"), Many: many}
}
