package filter_test

import (
	"testing"

	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

func TestMissingColumnComparesAsEmpty(t *testing.T) {
	columns := []resource.Column{{Name: "name", Kind: resource.KindText},
		{Name: "gone", Kind: resource.KindText, Absent: true}}
	for text, want := range map[string]struct {
		rest     string
		possible bool
	}{
		`gone:"x"`:                       {"", false},
		`gone!:"x"`:                      {"", true},
		`gone:""`:                        {"", true},
		`gone:"*"`:                       {"", true},
		`gone~"x"`:                       {"", false},
		`gone:::empty`:                   {"", true},
		`gone!::empty`:                   {"", false},
		`name:"a",gone:"x"`:              {"", false},
		`name:"a",gone!:"x"`:             {`name:"a"`, true},
		`name:"a" || gone:"x"`:           {`name:"a"`, true},
		`name:"a" || gone!:"x"`:          {"", true},
		`name:"a",gone:"" || name~"b"|c`: {`name:"a" || name~"b"|"c"`, true},
	} {
		f, err := filter.Parse(text, columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rest, possible := f.WithoutAbsent(); rest.String() != want.rest || possible != want.possible {
			t.Errorf("%s leaves %q, %v; want %q, %v", text, rest.String(), possible, want.rest, want.possible)
		}
	}
}
