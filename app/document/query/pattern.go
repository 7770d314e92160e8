package query

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
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
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		var why *syntax.Error
		if errors.As(err, &why) {
			return nil, errors.New(why.Code.String())
		}
		return nil, err
	}
	if steps(tree) > maxSteps {
		return nil, errors.New("with its repetitions it is too large; repeat less often")
	}
	if whole {
		text = `\A(?:` + text + `)\z`
	}
	return regexp.Compile(text)
}

// maxSteps bounds the machine that a pattern becomes: {9} of {9} multiply, and
// each text takes time in proportion.
const maxSteps = 10_000

// steps is about how large a machine a pattern needs.
func steps(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += steps(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min+1, re.Max)
	}
	return n
}
