package content

import "strings"

// globs is a list of patterns, any of which may match: * stands for any
// characters, ? for one; letter case is ignored.
type globs []string

// newGlobs parses patterns separated by commas or bars. Without patterns,
// everything matches.
func newGlobs(text string) globs {
	var out globs
	for one := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ',' || c == '|' }) {
		if one = strings.ToLower(strings.TrimSpace(one)); one != "" {
			out = append(out, one)
		}
	}
	return out
}

// all reports whether everything matches.
func (g globs) all() bool {
	for _, one := range g {
		if one == "*" {
			return true
		}
	}
	return len(g) == 0
}

func (g globs) match(text string) bool {
	if g.all() {
		return true
	}
	text = strings.ToLower(text)
	for _, one := range g {
		if fits([]rune(one), []rune(text)) {
			return true
		}
	}
	return false
}

// fits backtracks only to the last star, so that its time is at most the product
// of both lengths.
func fits(pattern, text []rune) bool {
	p, star, mark := 0, -1, 0
	for t := 0; t < len(text); {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark, p = p, t, p+1
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p, t = p+1, t+1
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
