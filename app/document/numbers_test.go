package document_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestNumberPathsSurviveReordering(t *testing.T) {
	for _, tt := range []struct {
		body string
		most int
		want string // path=value, with a + if there are more
	}{
		{`{"total":2,"items":[{"id":7,"load":0.5,"tags":[1,2]},{"id":9,"load":3}]}`, 9,
			`$.total=2 $.items[?@.id == 7].load=0.5 $.items[?@.id == 7].tags[0]=1 $.items[?@.id == 7].tags[1]=2 ` +
				`$.items[?@.id == 9].load=3`},
		{`[{"name":"a","n":1},{"name":"b","n":2}]`, 9, `$[?@.name == "a"].n=1 $[?@.name == "b"].n=2`},
		{`{"a":[{"x":1},{"x":2}],"b c":3,"t":true,"s":"4","n":null}`, 9, `$.a[0].x=1 $.a[1].x=2 $['b c']=3`},
		{`[1,2,3]`, 2, `$[0]=1 $[1]=2 +`},
		{`{"a":{"b":1,"c":2},"d":3}`, 1, `$.a.b=1 +`},
		{`7`, 9, `$=7`},
		{`{}`, 9, ``},
		{`no JSON`, 9, ``},
	} {
		all, more, err := open(t, tt.body).Numbers(t.Context(), tt.most)
		got := []string{}
		for _, n := range all {
			got = append(got, fmt.Sprintf("%s=%v", n.Path, n.Value))
		}
		if more {
			got = append(got, "+")
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s has %v, %v; want %s", tt.body, got, err, tt.want)
		}
	}
}

func TestExpandedStateIsAppliedToTheNextBody(t *testing.T) {
	body := func(first string) string {
		return `{"` + first + `":1,"list":[{"a":[1,2]},{"a":[3,4],"b":{"c":[5]}}],"last":{"x":[6]}}`
	}
	d, next := open(t, body("n")), open(t, body("another"))
	for _, at := range []string{`{"a":[3`, `{"c"`, `[6]`} {
		if _, err := d.Toggle(int64(strings.Index(body("n"), at)), true, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Toggle(int64(strings.Index(body("n"), `{"a":[1`)), false, false); err != nil {
		t.Fatal(err)
	}
	if err := next.FoldLike(d); err != nil {
		t.Fatal(err)
	}
	same(t, strings.ReplaceAll(draw(t, next, 0, 99), "another", "n"), draw(t, d, 0, 99))
	other := open(t, `{"list":{"a":[1]},"last":[7]}`) // values of other types
	if err := other.FoldLike(d); err != nil {
		t.Fatal(err)
	}
	if list := open(t, `[1]`); list.FoldLike(d) != nil || list.FoldLike(open(t, `no JSON`)) != nil ||
		list.FoldLike(list) != nil {
		t.Error("a body of another kind is refused")
	}
}
