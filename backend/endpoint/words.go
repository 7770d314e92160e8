package endpoint

import (
	"strings"
)

// Plural returns several of what a label names: "alert settings of a device".
func Plural(label string) string {
	name, of, part := strings.Cut(label, " of ")
	if stem, ok := strings.CutSuffix(name, "y"); ok && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		name = stem + "ies"
	} else {
		name += "s"
	}
	if part {
		name += " of " + of
	}
	return name
}

// Article returns a label behind "a" or "an".
func Article(label string) string {
	if strings.ContainsRune("aeioAEIO", rune(label[0])) {
		return "an " + label
	}
	return "a " + label
}
