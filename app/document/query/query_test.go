package query_test

import (
	"strings"
	"testing"

	"spyglass/app/document/query"
	"spyglass/backend/testkit"
)

func TestParseErrorsHaveAMessageAndAPosition(t *testing.T) {
	for src, want := range map[string]string{
		``:                  "an empty query; begin with $ or . at character 1",
		`items[*]`:          "a key begins with a dot: write .items at character 1",
		`$.items[`:          "expected a key in quotes, a number, *, : or ?, found the end at character 9",
		`$.items[0`:         "expected ] or a comma, found the end at character 10",
		`$.ä[01]`:           "a number here has no leading 0 at character 5",
		`$["a]`:             `a text without its closing " at character 3`,
		`$[?@.a == 1 == 2]`: `expected ] or a comma, found "=" at character 13`,
		`$[?@.* == 1]`: "only a path to one value can be compared; use count(…) or value(…) at " +
			"character 4",
		`$[?length(@.*) < 3]`:         "length takes one value; count(…) counts many at character 11",
		`$[?count(1) == 1]`:           "count takes a path at character 10",
		`$[?match(@.a, 'x') == true]`: "match and search are conditions; they are not compared at character 4",
		`$[?length(@.a)]`:             "this needs a comparison, as in @.id > 7 at character 4",
		`$[?sum(@.a) > 1]`: "there is no function sum; there are length, count, match, search and value " +
			"at character 4",
		`$[?@.a == dead]`: `a key starts with @., and a string is in quotes: write @.dead or "dead" at ` +
			`character 11`,
		`$[?search(@.a, "(")]`: "the pattern is wrong (missing closing )) at character 16",
		`$[?search(@.a, "a{999}a{999}a{999}a{999}a{999}a{999}a{999}a{999}a{999}a{999}a{999}")]`: "the pattern is " +
			"wrong (with its repetitions it is too large; repeat less often) at character 16",
		`$.a b`: `expected . or [ or | or the end, found "b" at character 5`,
		`.items[] | selekt(.a)`: "there is no function selekt; there are select, map, length, keys, values " +
			"and type at character 12",
		`.a[] | select(.b == dead)`: `a key starts with a dot, and a string is in quotes: write .dead or ` +
			`"dead" at character 21`,
		`.a[] | select(any(.b))`: "there is no function any in a condition; there are length, test, has, " +
			"startswith, endswith, contains and not at character 15",
		`.items | map(.id`: "expected | or ), found the end at character 17",
		`.items | map(.id) | length`: "what map(…) gives comes one by one; go on with .[] or map(…) at " +
			"character 21",
		`.items[] | select(.a = 1)`:       `expected ) or an operator, found "=" at character 22`,
		`.items[] | length | .a`:          "nothing can come after a step that makes a new value at character 21",
		`.items[] | {id, name: "x"}`:      `expected a path that begins with a dot, found "\"" at character 23`,
		`.a.`:                             "expected a key, found the end at character 4",
		`.items[] | select(.a | test(1))`: `expected a text in double quotes, found "1" at character 29`,
	} {
		_, err := query.Parse(src)
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", src, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`$..book[?@.price < 10 && match(@.title, "a.*")]['x', 1, ::2]`,
		`.items[] | select(.a == "x" and (.b | length > 3) or (.c | not)) | {id, "n": .d[0]}`, `$["\ud83d\ude00"]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		q, err := query.Parse(src)
		if (q == nil) == (err == nil) {
			t.Fatalf("%q gives %v and %v", src, q, err)
		}
	})
}

func TestParseUsesMemoryInProportionToTheQuery(t *testing.T) {
	const longest = 4096
	for _, tt := range []struct{ before, again, after string }{
		{"$[?", "(", ""}, {"$[?", "!", "@.a]"}, {"$", "[?@", ""}, {"$[?", "length(", ""}, {"$[?", "@.a||", "@.a]"},
		{"$[?", "(@.a||", "@.b)"},
		{"$", "..a", ""}, {"$", "[0,", ""}, {"$[", "1,", "1]"}, {`$["`, `\ud83d\ude00`, `"]`}, {`$["`, `\`, `"]`},
		{".", "|.", ""}, {".a", "[]", ""}, {"", "{a:", ""}, {"", "select(", ""}, {"", "map(", ""},
		{".a", "|map(.a)", ""}, {"select(", "(", ""}, {".a|select(", "not|", "not)"},
		{`$[?match(@.a,"`, "(a*)*", `")]`}, {`$[?match(@.a,"`, "[a", `")]`}, {`$[?match(@.a,"`, "(a|", `")]`},
		{`$[?match(@.a,"`, "(((a{9}){9}){9})", `")]`}, {`$[?match(@.a,"`, "a{999}", `")]`},
	} {
		src := tt.before + strings.Repeat(tt.again, (longest-len(tt.before)-len(tt.after))/len(tt.again)) + tt.after
		before := testkit.Allocated()
		_, err := query.Parse(src)
		if used := testkit.Allocated() - before; used > 4<<20 {
			t.Errorf("%.40q… of %d bytes takes %d KB and gives %v", src, len(src), used>>10, err)
		}
	}
}
