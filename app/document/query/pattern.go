package query

import (
	"regexp"
	"strings"

	bounded "spyglass/backend/pattern"
)

// Compile reads a regular expression as RFC 9485 has them: a dot is anything
// but a line break. It runs in time linear in the text.
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

// maxSteps bounds the machine that a pattern becomes: {9} of {9} multiply, and
// each text takes time in proportion.
const maxSteps = 10_000
