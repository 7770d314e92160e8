package resource_test

import (
	"net/url"
	"reflect"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

func TestParseQuery(t *testing.T) {
	for _, tt := range []struct {
		query   string
		lenient bool
		want    resource.Query
	}{
		{query: ``, want: resource.Query{Size: 50}},
		{query: `size=1&offset=3&filter=id:7`, want: resource.Query{Size: 1, Offset: 3, Filter: "id:7"}},
		{query: `size=1000`, want: resource.Query{Size: 1000}},
		{query: `size=1001`, lenient: true, want: resource.Query{Size: 1000}},
		{query: `offset=9223372036854775807`, want: resource.Query{Size: 50, Offset: 9223372036854775807}},
		{query: `sort=name`, want: resource.Query{Size: 50, Sort: []resource.Order{{Field: "name"}}}},
		{query: `sort=%2Bname,-id`,
			want: resource.Query{Size: 50, Sort: []resource.Order{{Field: "name"}, {Field: "id", Down: true}}}},
		{query: `sort=+name,+id,`,
			want: resource.Query{Size: 50, Sort: []resource.Order{{Field: "name"}, {Field: "id"}}}},
		{query: `sort=name,+-id`,
			want: resource.Query{Size: 50, Sort: []resource.Order{{Field: "name"}, {Field: "id", Down: true}}}},
		{query: `fields=id,+name,id,,*`, want: resource.Query{Size: 50, Fields: []string{"id", "name"}}},
	} {
		t.Run(tt.query, func(t *testing.T) {
			got, err := resource.ParseQuery(values(t, tt.query), tt.lenient)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestInvalidQueryNamesTheParameter(t *testing.T) {
	for _, tt := range []struct {
		query       string
		lenient     bool
		field, want string
	}{
		{`size=0`, false, "size", `size must be a whole number from 1 to 1000`},
		{`size=0`, true, "size", `size must be a whole number from 1 to 1000`},
		{`size=-1`, true, "size", `size must be a whole number from 1 to 1000`},
		{`size=1001`, false, "size", `size must be a whole number from 1 to 1000`},
		{`size=ten`, false, "size", `size must be a whole number from 1 to 1000`},
		{`size=1.5`, false, "size", `size must be a whole number from 1 to 1000`},
		{`offset=-1`, false, "offset", `offset must be a whole number of at least 0`},
		{`offset=9223372036854775808`, false, "offset", `offset must be a whole number of at least 0`},
		{`sort=a,b,c,d,e,f,g,h,i`, false, "sort", `sort can have at most 8 fields`},
	} {
		t.Run(tt.query, func(t *testing.T) {
			_, err := resource.ParseQuery(values(t, tt.query), tt.lenient)
			if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != tt.field || f.Message != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func values(t *testing.T, query string) url.Values {
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPageIsCutFromRowsInMemory(t *testing.T) {
	rows := []int{0, 1, 2, 3, 4}
	for q, want := range map[[2]int64][]int{{0, 2}: {0, 1}, {3, 50}: {3, 4}, {5, 1}: {}, {1 << 62, 1}: {}} {
		if got := resource.PageOf(resource.Query{Offset: q[0], Size: q[1]}, rows); !reflect.DeepEqual(got, want) {
			t.Errorf("from %d, %d rows: %v, want %v", q[0], q[1], got, want)
		}
	}
}

func TestListReadsItsResponseWithAndWithoutAnETag(t *testing.T) {
	type row struct{ ID int64 }
	text := resource.JSON(`{"total":7,"searchId":null,"items":[{"id":1},{"id":3}],"data":null}`)
	for _, response := range []any{text, &resource.Response{Body: text, ETag: `"x"`}} {
		rows, total, err := resource.ReadList[row](response)
		if err != nil || total != 7 || !reflect.DeepEqual(rows, []row{{1}, {3}}) {
			t.Errorf("%T: %v of %d, %v", response, rows, total, err)
		}
	}
	for _, response := range []any{nil, "text", &resource.Response{}, resource.JSON(`{"items":{}}`)} {
		if rows, _, err := resource.ReadList[row](response); err == nil {
			t.Errorf("%v is read as %v", response, rows)
		}
	}
}

func TestColumnsFollowTheDeclaration(t *testing.T) {
	want := []resource.Column{
		{Name: "id", Kind: resource.KindInteger}, {Name: "name", Kind: resource.KindText},
		{Name: "status", Kind: resource.KindText},
		{Name: "load", Kind: resource.KindNumber}, {Name: "up", Kind: resource.KindBoolean},
		{Name: "size", Kind: resource.KindInteger},
		{Name: "groupIds", Kind: resource.KindIDs}, {Name: "createdOn", Kind: resource.KindSeconds},
		{Name: "deletedOn", Kind: resource.KindMillis},
		{Name: "props", Kind: resource.KindPairs}, {Name: "password", Kind: resource.KindText, Hidden: true},
		{Name: "roles", Kind: resource.KindOther},
	}
	if got := samples.Untyped().Columns(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"id", "name", "displayName", "hostGroupIds", "customProperties.name"}
	for _, tt := range []struct{ name, want string }{
		{"displaynam", "displayName"},
		{"DISPLAYNAME", "displayName"},
		{"dsiplayName", "displayName"},
		{"hostGroupId", "hostGroupIds"},
		{"nmae", "name"},
		{"idd", "id"},
		{"customProperty.name", "customProperties.name"},
		{"temperature", ""},

		// up to three letters: one mistake, or a beginning
		{"nam", "name"},
		{"nme", "name"},
		{"di", "id"},
		{"dis", "displayName"},
		{"Hos", "hostGroupIds"},
		{"ack", ""},
		{"ada", ""},
		{"x", ""},
	} {
		if got := resource.Nearest(tt.name, known); got != tt.want {
			t.Errorf("nearest to %q is %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := resource.DidYouMean("nmae", known) + "|" +
		resource.DidYouMean("temperature", known); got != "; did you mean name?|" {
		t.Errorf("got %q", got)
	}
	if got := resource.Nearest("name", nil); got != "" {
		t.Errorf("nearest of none is %q", got)
	}
}
