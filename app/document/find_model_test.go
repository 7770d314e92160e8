package document_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// tokensOf returns the keys and scalars of a body, as text.
func tokensOf(body string) (tokens []string) {
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return tokens
		}
		switch token.(type) {
		case json.Delim:
		case nil:
			tokens = append(tokens, "null")
		default:
			tokens = append(tokens, fmt.Sprint(token))
		}
	}
}

func slowCount(tokens []string, needle string, exact bool) (n int) {
	if !exact {
		needle = strings.ToLower(needle)
	}
	for _, text := range tokens {
		if !exact {
			text = strings.ToLower(text)
		}
		if strings.Contains(text, needle) {
			n++
		}
	}
	return n
}

// TestFindCountsLikeANaiveSearch searches for letters in every JSON spelling,
// close together and far apart, in bodies in memory and on disk.
func TestFindCountsLikeANaiveSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	letters := append([]string{"\u212a", "\u0130"},
		strings.Split(`k K \u212A \u212a i I \u0130 a A \u0041 \u0061 ä \u00c4 \\u0061 \\ \/ \n \" 1 \ud83d\ude00 `+
			`\ud83d n u l`, " ")...)
	text := func() string {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		if random.IntN(200) == 0 {
			b.WriteString(strings.Repeat("x", random.IntN(200_000)))
		}
		return `"` + b.String() + `"`
	}
	for round := range 12 {
		var b strings.Builder
		b.WriteString(`{"items":[`)
		for i := range 1 + random.IntN(900) {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, `{%s:%s,"list":[%d,null,%s],"far":%q}`, text(), text(), random.IntN(2000), text(),
				strings.Repeat("z", random.IntN(200)))
		}
		b.WriteString("]}")
		body := b.String()
		tokens := tokensOf(body)
		d := keep(t, body, 1<<10+random.IntN(1<<20), round%2*(64<<20))
		for _, needle := range []string{"a", "ak", "ki", "Ka", "i", "ä", "\\", "\\u", "\n", "/", "nu", "null", "12",
			"list", "items", "far", "zzzz", "😀", "\uFFFD", "a a", "xx", ":", "},", "nowhere"} {
			for _, exact := range []bool{true, false} {
				f, err := d.Find(context.Background(), needle, exact, 0)
				if want := slowCount(tokens, needle, exact); err != nil || f.Count != want {
					t.Fatalf("round %d: %q, exact %v: %d %v, want %d", round, needle, exact, f.Count, err, want)
				}
			}
		}
	}
}
