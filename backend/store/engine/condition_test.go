package engine

import (
	"fmt"
	"testing"

	"spyglass/backend/filter"
)

func TestConditionKeysAreUnique(t *testing.T) {
	one, two := &Table{Name: "one"}, &Table{Name: "two"}
	value := func(v filter.Value) []filter.Value { return []filter.Value{v} }
	half := func(sub string, op filter.Op) []filter.Cond { return []filter.Cond{{Sub: sub, Op: op}} }
	all := []Cond{
		All{}, Any{}, All{HasID(1)}, Any{HasID(1)}, HasID(1), HasID(2), Not{HasID(1)}, Deleted(true), Deleted(false),
		All{HasID(1), HasID(2)}, All{All{HasID(1)}, HasID(2)},
		Compare{"a", "=", int64(1)}, Compare{"b", "=", int64(1)},
		Compare{"a", "<", int64(1)}, Compare{"a", "<", int64(2)},
		Compare{"a", "=", "1"}, Compare{"a", "=", true}, Compare{"a", "=", 1.5}, Compare{`a"=`, "=", int64(1)},
		Among{Column: "a", IDs: []int64{1, 2}}, Among{Column: "a", IDs: []int64{12}},
		Among{Column: "b", IDs: []int64{12}}, Among{Column: "a"}, Among{Column: "a", Texts: []string{"1"}},
		Holds{Column: "a", IDs: []int64{12}}, Names{"a", []int64{12}},
		In{Column: "a", Table: one, Where: All{}}, In{Column: "a", Table: two, Where: All{}},
		In{Column: "a", Table: one, Where: HasID(1)}, In{Column: "b", Table: one, Where: All{}},
		First{one, All{}, 1}, First{one, All{}, 2}, First{one, HasID(1), 2},
		Matches{"a", "", filter.Equal, value(filter.Value{Text: "x"})},
		Matches{"a", "", filter.NotEqual, value(filter.Value{Text: "x"})},
		Matches{"a", "b", filter.Equal, value(filter.Value{Text: "x"})},
		Matches{"a", "", filter.Equal, value(filter.Value{Text: "x*", Pattern: true, Glob: []string{"x", ""}})},
		Matches{"a", "", filter.Equal, value(filter.Value{Text: "x*", Pattern: true, Glob: []string{"x*"}})},
		Matches{"a", "", filter.Equal, value(filter.Value{Text: "x", Int: 1})},
		Matches{"a", "", filter.Equal, value(filter.Value{Text: "x", From: 1, To: 2})},
		PairValues{"a", filter.Equal, value(filter.Value{Text: "x"})},
		Pairs{"a", half("name", filter.Equal)}, Pairs{"a", half("value", filter.Equal)},
		Pairs{"a", half("name", filter.NotEqual)}, Derived{"a", "{}", half("name", filter.Equal)},
		Derived{"a", `{"x":[]}`, half("name", filter.Equal)},
	}
	seen := map[string]Cond{}
	for _, c := range all {
		key := Key(c)
		if other, ok := seen[key]; ok {
			t.Errorf("%#v and %#v have the key %s", c, other, key)
		}
		seen[key] = c
		if again := Key(All{nil, c}); again != fmt.Sprintf("all(%s,)", key) {
			t.Errorf("behind no condition, the key of %#v is %s", c, again)
		}
	}
}
