package document_test

import (
	"fmt"
	"strings"
	"testing"

	"spyglass/app/document"
)

func compare(t *testing.T, left, right string, ignore ...string) string {
	t.Helper()
	s := newStore(t, document.Limits{})
	got, err := document.Diff(t.Context(), put(t, s, left), put(t, s, right), ignore)
	if err != nil {
		t.Fatal(err)
	}
	text := func(p *string) string {
		if p == nil {
			return "-"
		}
		return *p
	}
	lines := []string{}
	for _, c := range got.Changes {
		lines = append(lines, fmt.Sprintf("%s %s %s → %s", c.Kind, c.Path, text(c.Before), text(c.After)))
	}
	if n := got.Added + got.Removed + got.Changed; n != len(lines) {
		t.Errorf("%d differences are counted, %d listed", n, len(lines))
	}
	return strings.Join(lines, "\n")
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct{ name, left, right, want string }{
		{"the order of keys and the spelling of values mean nothing", `{"a":1.0,"b":"é"}`,
			"{\"b\":\"\\u00e9\",\n\"a\":1e0}", ``},
		{"a value changes", `{"a":1,"b":{"c":[1]}}`, `{"a":2,"b":{"c":[1]}}`, `changed $.a 1 → 2`},
		{"64-bit integers differ in their last digit", `{"id":9007199254740993}`, `{"id":9007199254740992}`,
			`changed $.id 9007199254740993 → 9007199254740992`},
		{"keys come and go", `{"a":1,"odd key":2}`, `{"a":1,"c":[3]}`, "removed $['odd key'] 2 → -\nadded $.c - → [3]"},
		{"objects in lists are matched by id, in any order", `{"items":[{"id":1,"n":"x"},{"id":2,"n":"y"}]}`,
			`{"items":[{"id":3,"n":"z"},{"id":2,"n":"Y"}]}`,
			"removed $.items[?@.id == 1] {\"id\":1,\"n\":\"x\"} → -\nchanged $.items[?@.id == 2].n \"y\" → \"Y\"\n" +
				"added $.items[?@.id == 3] - → {\"id\":3,\"n\":\"z\"}"},
		{"or by name, when ids repeat", `[{"id":1,"name":"a","v":1},{"id":1,"name":"b","v":2}]`,
			`[{"id":1,"name":"b","v":3},{"id":1,"name":"a","v":1}]`, `changed $[?@.name == "b"].v 2 → 3`},
		{"other lists keep their order", `[1,2,3,4]`, `[1,3,4,5]`, "removed $[1] 2 → -\nadded $[3] - → 5"},
		{"what stands in the same place is compared", `[[1],[2]]`, `[[1],[3]]`, `changed $[1][0] 2 → 3`},
		{"kinds differ", `{"a":null}`, `{"a":{}}`, `changed $.a null → {}`},
		{"a duplicate key is compared with its like", `{"a":1,"a":2}`, `{"a":1,"a":3}`, `changed $.a 2 → 3`},
	} {
		if got := compare(t, tt.left, tt.right); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestCompareIgnoresKeysAtEveryLevel(t *testing.T) {
	got := compare(t, `{"updatedOn":1,"l":[{"a":1,"updatedOn":2}]}`, `{"l":[{"updatedOn":3,"a":1}]}`, "updatedOn")
	if got != "" {
		t.Errorf("got %s", got)
	}
}

func TestCompareOfLongListsIsLimited(t *testing.T) {
	s := newStore(t, document.Limits{})
	left, right := devices(20_000), strings.ReplaceAll(devices(20_000), `"dead"`, `"normal"`)
	got, err := document.Diff(t.Context(), put(t, s, left), put(t, s, right), nil)
	if err != nil || got.Changed != 20_000 || len(got.Changes) != 5000 || got.By[0] != "$.items by id" {
		t.Errorf("%d changed, %d listed, by %v: %v", got.Changed, len(got.Changes), got.By, err)
	}
}

func TestLongListsAreMatchedByAKeyThatBothHave(t *testing.T) {
	s := newStore(t, document.Limits{})
	left := devices(5_000)
	right := strings.Replace(left, `"id":`, `"no":`, 1)
	for _, way := range [][2]string{{left, right}, {right, left}} {
		got, err := document.Diff(t.Context(), put(t, s, way[0]), put(t, s, way[1]), nil)
		if err != nil || len(got.By) != 1 || got.By[0] == "$.items by id" || got.Added != 1 || got.Removed != 1 {
			t.Errorf("%d added, %d removed, by %v: %v", got.Added, got.Removed, got.By, err)
		}
	}
}

func TestScalarsOfAListComeFromOneItem(t *testing.T) {
	s := newStore(t, document.Limits{})
	d := put(t, s, `{"total":2,"items":[{"id":7,"name":"web"},{"id":8,"displayName":"DB","p":[{"a b":null}]}]}`)
	got, err := d.Scalars(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, v := range got.Scalars {
		lines = append(lines, v.Path+"="+v.Text)
	}
	if want := "$.total=2 $.items[1].id=8 $.items[1].displayName=DB $.items[1].p[0]['a b']=null"; strings.Join(lines,
		" ") != want {
		t.Errorf("got %s", lines)
	}
	names := []document.ListItem{{Name: "web", ID: "7"}, {Name: "DB", ID: "8"}}
	want := document.List{Path: "$.items", Count: 2, Item: 1, Names: names}
	if fmt.Sprint(*got.List) != fmt.Sprint(want) {
		t.Errorf("got %v", *got.List)
	}
	if keys, err := d.Keys(); strings.Join(keys, " ") != "total items id name displayName p a b" || err != nil {
		t.Errorf("keys are %q, %v", keys, err)
	}
}
