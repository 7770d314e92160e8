package pairs_test

import (
	"slices"
	"strings"
	"testing"

	"spyglass/app/pairs"
)

func TestQuotedAmpersandBelongsToTheValue(t *testing.T) {
	for _, tt := range []struct {
		query   string
		want    []string
		escaped string
	}{
		{``, nil, ``},
		{`&&`, nil, `&&`},
		{`a=1&b=2`, []string{`a=1`, `b=2`}, `a=1&b=2`},
		{`size=2&filter=displayName~"a b&c"`, []string{`size=2`, `filter=displayName~"a b&c"`},
			`size=2&filter=displayName~"a b%26c"`},
		{`f="a&b","c&d"&x=1`, []string{`f="a&b","c&d"`, `x=1`}, `f="a%26b","c%26d"&x=1`},
		{`f="a\"&b"&x`, []string{`f="a\"&b"`, `x`}, `f="a\"%26b"&x`},
		{`f="a&b`, []string{`f="a`, `b`}, `f="a&b`},
		{`f="a&b"&g="c&d`, []string{`f="a&b"`, `g="c`, `d`}, `f="a%26b"&g="c&d`},
		{`f="a&b\"&c`, []string{`f="a`, `b\"`, `c`}, `f="a&b\"&c`},
		{`f=%22a&b%22`, []string{`f=%22a`, `b%22`}, `f=%22a&b%22`},
		{`f="&&"`, []string{`f="&&"`}, `f="%26%26"`},
	} {
		if got := pairs.Split(tt.query); !slices.Equal(got, tt.want) {
			t.Errorf("%s: split into %q, want %q", tt.query, got, tt.want)
		}
		if got := pairs.Escape(tt.query, tt.query); got != tt.escaped {
			t.Errorf("%s: escaped %s, want %s", tt.query, got, tt.escaped)
		}
	}
	if n := len(pairs.Split(strings.Repeat(`"\`, 1<<20) + "&b")); n != 2 { // in linear time
		t.Errorf("%d pairs, want 2", n)
	}
}
