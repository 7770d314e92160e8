package postgres

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"spyglass/backend/store/engine"
)

// PostgreSQL has no function that folds letters as engine.Fold does. But Fold maps
// each character alone, so a value can name all characters that fold to the same
// one.

// variants maps a folded character to all characters that Fold maps to it, where
// there is more than one.
var variants = sync.OnceValue(func() map[rune][]rune {
	all := map[rune][]rune{}
	for _, cases := range unicode.CaseRanges {
		for r := rune(cases.Lo); r <= rune(cases.Hi); r++ {
			folded := foldRune(r)
			if !slices.Contains(all[folded], r) {
				all[folded] = append(all[folded], r)
			}
		}
	}
	for folded, same := range all {
		if !slices.Contains(same, folded) {
			all[folded] = append(same, folded)
		}
	}
	return all
})

func foldRune(r rune) rune { return []rune(engine.Fold(string(r)))[0] }

// expression returns a regular expression for the texts that fold to the same as
// parts, with anything in between.
func expression(parts []string) string {
	var b strings.Builder
	b.WriteByte('^')
	for i, part := range parts {
		if i > 0 {
			b.WriteString(".*")
		}
		for _, r := range part {
			same := variants()[foldRune(r)]
			switch {
			case len(same) > 1:
				b.WriteByte('[')
				for _, one := range same {
					b.WriteRune(one)
				}
				b.WriteByte(']')
			case r < 0x80 && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r >= ' ':
				b.WriteByte('\\')
				b.WriteRune(r)
			default:
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('$')
	return b.String()
}
