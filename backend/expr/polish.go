package expr

import (
	"strings"
)

// isPolish reports whether the text is reverse Polish notation: it has commas,
// but no parentheses.
func isPolish(text string) bool {
	return strings.Contains(text, ",") && !strings.Contains(text, "(")
}

// polish parses values and operators separated by commas.
func (p *parser) polish() (node, error) {
	var stack []node
	depth := map[int]int{} // of the node at each position of the stack
	for word := range strings.SplitSeq(p.in, ",") {
		start := p.at
		p.at += len(word) + 1
		word = strings.TrimSpace(word)
		if err := p.count(); err != nil {
			return node{}, err
		}
		do := polishWord(word)
		if do == nil {
			one, err := p.polishValue(start, word)
			if err != nil {
				return node{}, err
			}
			depth[len(stack)] = 0
			stack = append(stack, one)
			continue
		}
		base := len(stack) - do.rpn
		if base < 0 {
			return node{}, p.wrong(start, "%s takes %d values, and there are %d before it", word, do.rpn, len(stack))
		}
		deepest := 0
		for i := base; i < len(stack); i++ {
			deepest = max(deepest, depth[i])
		}
		if depth[base] = deepest + 1; depth[base] > MaxTerms {
			return node{}, p.wrong(start, "nested too deep")
		}
		stack = append(stack[:base:base], node{do: do, kids: stack[base:]})
	}
	if len(stack) != 1 {
		return node{},
			p.wrong(0, "reverse Polish notation leaves one value, and this leaves %d: an operator is missing",
				len(stack))
	}
	return stack[0], nil
}

// polishValue returns a number or a name.
func (p *parser) polishValue(at int, word string) (node, error) {
	sub := &parser{in: word, names: p.names}
	one, err := sub.sign()
	if sub.space(); err != nil || sub.at < len(word) || one.do != nil && one.do != &negate || one.do == &negate &&
		one.kids[0].do != nil {
		return node{}, p.wrong(at, "expected a value or an operator before each comma, not %q", word)
	}
	p.names = sub.names
	return one, nil
}

// polishWord returns the operator or function for a word; nil for a value.
func polishWord(word string) *function {
	switch strings.ToUpper(word) {
	case "^", "POW":
		return &power
	case "LT", "LE", "GT", "GE", "EQ", "NE":
		word = map[string]string{"LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "EQ": "==",
			"NE": "!="}[strings.ToUpper(word)]
	}
	for i := range operators {
		for k := range operators[i] {
			if operators[i][k].name == word {
				return &operators[i][k]
			}
		}
	}
	return called(word)
}
