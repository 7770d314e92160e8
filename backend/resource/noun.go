package resource

import (
	"cmp"
	"strings"
)

// Noun is the singular and the plural of a word, in texts for users.
type Noun struct{ One, Many string }

// For returns the form for a count.
func (n Noun) For(count int64) string {
	if count == 1 {
		return n.One
	}
	return n.Many
}

// Regular returns a word with its regular plural.
func Regular(one string) Noun {
	stem, ok := strings.CutSuffix(one, "y")
	if ok && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return Noun{one, stem + "ies"}
	}
	return Noun{one, one + "s"}
}

// Noun returns the words for the rows of the resource, "device" and "devices".
func (r *Untyped) Noun() Noun {
	if r.Single > 0 {
		return Noun{r.Label, r.Label}
	}
	return Noun{r.Label, cmp.Or(r.Plural, Regular(r.Label).Many)}
}

// FullNoun returns the words for the rows in texts without context: "device of a
// data source".
func (r *Untyped) FullNoun() Noun {
	n := r.Noun()
	if r.Whose != "" {
		n.One, n.Many = n.One+" "+r.Whose, n.Many+" "+r.Whose
	}
	return n
}
