package appliesto

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// categories is the property that hasCategory searches.
const categories = "system.categories"

func (n *node) match(s Subject) bool {
	switch n.op {
	case opOr:
		for _, kid := range n.kids {
			if kid.match(s) {
				return true
			}
		}
		return false
	case opAnd:
		for _, kid := range n.kids {
			if !kid.match(s) {
				return false
			}
		}
		return true
	case opNot:
		return !n.kids[0].match(s)
	case opCall:
		return n.kids[0].match(s)
	case opConst:
		return n.truth
	case opCategory:
		return n.hasCategory(s)
	case opGroup:
		for _, path := range s.Groups() {
			if Globs(n.glob, strings.ToLower(path)) {
				return true
			}
		}
		return false
	}
	return n.compare(s)
}

func (n *node) hasCategory(s Subject) bool {
	list, _ := s.Property(categories)
	for one := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(strings.TrimSpace(one), n.right.text) {
			return true
		}
	}
	return false
}

func (n *node) compare(s Subject) bool {
	left := n.left.of(s)
	switch n.op {
	case opTruth:
		return left != "" && !strings.EqualFold(left, "false")
	case opExists:
		return left != ""
	case opEqual:
		if n.left.kind != isNumber && n.right.kind != isNumber {
			return strings.EqualFold(left, n.right.of(s))
		}
		return n.numbers(s, left)
	case opLess, opLessEq, opMore, opMoreEq:
		return n.numbers(s, left)
	case opLike:
		if n.pattern != nil {
			return len(left) <= *n.longest && n.pattern.MatchString(left)
		}
		return Globs(n.glob, strings.ToLower(left))
	}
	left = strings.ToLower(left)
	right := n.right.lower
	if n.right.kind != isText {
		right = strings.ToLower(n.right.of(s))
	}
	switch n.op {
	case opContains:
		return strings.Contains(left, right)
	case opStarts:
		return strings.HasPrefix(left, right)
	default:
		return strings.HasSuffix(left, right)
	}
}

func (n *node) numbers(s Subject, left string) bool {
	a, b := n.left.number, n.right.number
	ok := true
	if n.left.kind != isNumber {
		a, ok = number(left)
	}
	if ok && n.right.kind != isNumber {
		b, ok = number(n.right.of(s))
	}
	if !ok {
		return false
	}
	switch n.op {
	case opLess:
		return a < b
	case opLessEq:
		return a <= b
	case opMore:
		return a > b
	case opMoreEq:
		return a >= b
	}
	return a == b
}

// number parses a decimal number; most values are not numbers, and creating
// errors is slow.
func number(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.IndexByte("0123456789+-.", text[0]) < 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

func (v *value) of(s Subject) string {
	switch v.kind {
	case isProperty:
		text, _ := s.Property(v.text)
		return text
	case isJoin:
		return strings.ReplaceAll(v.join.list.of(s), ",", v.join.with)
	}
	return v.text
}

// Globs reports whether the glob matches the whole text: * matches anything, ?
// one character. Both are in lower case.
func Globs(glob, text string) bool {
	star, from := -1, 0 // the last *, and the end of the text it matches
	g, t := 0, 0
	for t < len(text) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, from = g, t
			g++
		case g < len(glob) && glob[g] == '?':
			_, size := utf8.DecodeRuneInString(text[t:])
			g, t = g+1, t+size
		case g < len(glob) && glob[g] == text[t]:
			g, t = g+1, t+1
		case star >= 0:
			from++
			g, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(glob[g:], "*") == ""
}
