package endpoint

import "strings"

// Article returns a label with "a" or "an" before it.
func Article(label string) string {
	if strings.ContainsRune("aeioAEIO", rune(label[0])) {
		return "an " + label
	}
	return "a " + label
}
