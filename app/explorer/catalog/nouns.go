package catalog

import (
	"strings"

	"spyglass/backend/resource"
)

// NounOf returns the words for what an endpoint returns or removes. Where its
// portal does not name them, they follow from the path: "thing" and "things" of
// /things/{id}. Both are empty for an endpoint that removes something else.
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

// Counted returns what a number of an object counts; both are empty when it is no
// count. Where the portal does not name it, it follows from the name: "sub group"
// and "sub groups" of numOfSubGroups.
func Counted(name string, s *resource.Schema) resource.Noun {
	if s != nil && s.Counts.One != "" {
		return s.Counts
	}
	if things, ok := strings.CutPrefix(name, "numOf"); ok {
		return named(things)
	}
	return resource.Noun{}
}

// named returns the words for what a name in the plural names: "spare part" and
// "spare parts" of spareParts.
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
