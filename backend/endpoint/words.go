package endpoint

import "strings"

// Article returns a label behind "a" or "an".
func Article(label string) string {
	if strings.ContainsRune("aeioAEIO", rune(label[0])) {
		return "an " + label
	}
	return "a " + label
}
