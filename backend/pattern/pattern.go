// Package pattern compiles regular expressions that others have written.
//
// Go's expressions take time in proportion to the text and to the machine that
// an expression becomes, and repetitions multiply: (.?){1000} is four characters
// of a text and thousands of steps for each of its characters. Compile refuses
// an expression whose machine is larger than the caller allows.
package pattern

import (
	"errors"
	"regexp"
	"regexp/syntax"
)

// ErrLarge is the error for an expression that takes more steps than allowed.
var ErrLarge = errors.New("with its repetitions it is too large; repeat less often")

// Compile compiles an expression that takes at most most steps for each character
// of a text, and returns the number of steps. The error is a reason in a few
// words.
func Compile(text string, most int) (compiled *regexp.Regexp, steps int, err error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		var why *syntax.Error
		if errors.As(err, &why) {
			return nil, 0, errors.New(why.Code.String())
		}
		return nil, 0, err
	}
	if steps = count(tree); steps > most {
		return nil, steps, ErrLarge
	}
	compiled, err = regexp.Compile(text)
	return compiled, steps, err
}

// count returns the approximate number of steps of an expression.
func count(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n += len(re.Rune)
	}
	for _, sub := range re.Sub {
		n += count(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min+1, re.Max)
	}
	return n
}
