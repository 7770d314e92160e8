package query

import (
	"regexp"
	"strings"

	bounded "spyglass/backend/pattern"
)

// Compile compiles a regular expression of RFC 9485: a dot matches anything
// except a line break. Matching takes time linear in the text.
func Compile(pattern string, whole bool) (*regexp.Regexp, error) {
	var b strings.Builder
	inClass := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteByte(c)
			i++
			b.WriteByte(pattern[i])
			continue
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		case c == '.' && !inClass:
			b.WriteString(`[^\n\r]`)
			continue
		}
		b.WriteByte(pattern[i])
	}
	text := b.String()
	if whole {
		text = `\A(?:` + text + `)\z`
	}
	compiled, _, err := bounded.Compile(text, maxSteps)
	return compiled, err
}

// maxSteps limits the size of the compiled pattern: repetitions such as {9}
// inside {9} multiply, and matching takes time in proportion.
const maxSteps = 10_000
