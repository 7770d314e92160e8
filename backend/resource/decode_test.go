package resource_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/testkit"
)

// sample has a field of every kind.
type sample struct {
	ID        int64
	Name      string
	Status    string
	Load      float64
	Up        bool
	Size      int64
	Groups    resource.IDs
	CreatedOn resource.Seconds
	DeletedOn resource.Millis
	Props     []resource.Property
	Password  string
	Roles     []roleRef
}

type roleRef struct {
	ID    int64   `json:"id,omitempty"`
	Name  string  `json:"name,omitempty"`
	On    bool    `json:"on,omitempty"`
	Share float64 `json:"share,omitempty"`
}

var samples = resource.Resource[*sample]{
	Name: "sample",
	Fields: []resource.Field[*sample]{
		{Name: "id", At: func(s *sample) any { return &s.ID }, ReadOnly: true},
		{Name: "name", At: func(s *sample) any { return &s.Name }, Required: true, MaxLen: 10},
		{Name: "status", At: func(s *sample) any { return &s.Status }, Default: "active",
			OneOf: []any{"active", "suspended"}},
		{Name: "load", At: func(s *sample) any { return &s.Load }},
		{Name: "up", At: func(s *sample) any { return &s.Up }, Default: true},
		{Name: "size", At: func(s *sample) any { return &s.Size }, Default: 3, Min: number(1), Max: number(9)},
		{Name: "groupIds", At: func(s *sample) any { return &s.Groups }},
		{Name: "createdOn", At: func(s *sample) any { return &s.CreatedOn }},
		{Name: "deletedOn", At: func(s *sample) any { return &s.DeletedOn }, Min: number(0)},
		{Name: "props", At: func(s *sample) any { return &s.Props }},
		{Name: "password", At: func(s *sample) any { return &s.Password }, WriteOnly: true, MaxLen: 4, Seal: seal},
		{Name: "roles", At: func(s *sample) any { return &s.Roles }, Default: []roleRef{{ID: 4}}},
	},
	Derived: []resource.Derived{{Name: "count"}},
}

func number(n int64) *int64 { return &n }

func seal(text string) (string, error) {
	switch text {
	case "short":
		return "", fault.New(fault.Invalid, "a password is longer than that")
	case "broken":
		return "", errors.New("no randomness left")
	}
	return "sealed(" + text + ")", nil
}

func TestBodyIsAppliedToARow(t *testing.T) {
	was := sample{ID: 7, Name: "web", Status: "active", Props: []resource.Property{{Name: "a.pass", Value: "kept"}}}
	with := func(change func(s *sample)) sample {
		now := was
		change(&now)
		return now
	}
	const native, lenient = 1, 2
	for _, tt := range []struct {
		mounts int
		body   string
		want   sample
	}{
		{native | lenient, `{}`, was},
		{native | lenient, `{"id":8,"count":5}`, was}, // skips read-only and derived fields
		{native | lenient, `{"id":"nonsense"}`, was},
		{native | lenient, `{"name":"db","load":-1.5e1,"up":true,"size":9}`,
			with(func(s *sample) { s.Name, s.Load, s.Up, s.Size = "db", -15, true, 9 })},
		{native | lenient, `{"name":"ÄÖÜäöüß🙂12"}`, with(func(s *sample) { s.Name = "ÄÖÜäöüß🙂12" })},
		{native | lenient, `{"status":"suspended"}`, with(func(s *sample) { s.Status = "suspended" })},
		{native | lenient, `{"groupIds":"2, 1,2,"}`, with(func(s *sample) { s.Groups = resource.IDs{2, 1} })},
		{native | lenient, `{"groupIds":5}`, with(func(s *sample) { s.Groups = resource.IDs{5} })},
		{native | lenient, `{"createdOn":1769853600,"deletedOn":0}`,
			with(func(s *sample) { s.CreatedOn = 1769853600 })},
		{native | lenient, `{"props":[{"name":"a.pass","value":"********"},{"value":"x","name":"b"}]}`,
			with(func(s *sample) {
				s.Props = []resource.Property{{Name: "a.pass", Value: "kept"}, {Name: "b", Value: "x"}}
			})},
		{native | lenient, `{"props":[]}`, with(func(s *sample) { s.Props = []resource.Property{} })},
		{native | lenient, `{"password":"longer than four"}`,
			with(func(s *sample) { s.Password = "sealed(longer than four)" })},
		{native | lenient, `{"roles":[{"id":2},{"name":"readonly"}]}`,
			with(func(s *sample) { s.Roles = []roleRef{{ID: 2}, {Name: "readonly"}} })},

		{lenient, `{"nmae":"db","Name":"db"}`, was},
		{lenient, `{"name":null,"size":null,"props":null,"password":null,"roles":null}`, was},
		{lenient, `{"up":"True"}`, with(func(s *sample) { s.Up = true })},
		{lenient, `{"up":"False"}`, was},
		{lenient, `{"size":"4","load":"2.5"}`, with(func(s *sample) { s.Size, s.Load = 4, 2.5 })},
		{lenient, `{"password":12345}`, with(func(s *sample) { s.Password = "sealed(12345)" })},
		{lenient, `{"name":42}`, with(func(s *sample) { s.Name = "42" })},
		{lenient, `{"size":4.0,"deletedOn":"5e0"}`, with(func(s *sample) { s.Size, s.DeletedOn = 4, 5 })},
		{lenient, `{"roles":[{"id":2,"extra":true}]}`, with(func(s *sample) { s.Roles = []roleRef{{ID: 2}} })},
		{
			lenient, `{"roles":[{"extra":[{}],"id":"2","ID":3,"name":12,"on":"True","share":"2.5"},{"id":null,` +
				`"share":5}]}`,
			with(func(s *sample) { s.Roles = []roleRef{{ID: 2, Name: "12", On: true, Share: 2.5}, {Share: 5}} })},
		{lenient, `{"props":[{"name":"b","value":5,"type":"custom","inheritList":[]},{"name":"c","value":null}]}`,
			with(func(s *sample) { s.Props = []resource.Property{{Name: "b", Value: "5"}, {Name: "c"}} })},
	} {
		for mount, bit := range map[bool]int{false: native, true: lenient} {
			if tt.mounts&bit == 0 {
				continue
			}
			got := was
			body, err := samples.Read([]byte(tt.body), mount)
			if err == nil {
				err = samples.Apply(body, &got, false)
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%s (lenient %v) gives %+v %v, want %+v", tt.body, mount, got, err, tt.want)
			}
		}
	}
	if was.Props[0].Value != "kept" {
		t.Errorf("the row before was changed: %+v", was)
	}
}

func TestInvalidBodyNamesTheFieldAndTheReason(t *testing.T) {
	const native, lenient = 1, 2
	const both = native | lenient
	for _, tt := range []struct {
		mounts      int
		body        string
		field, want string
	}{
		{both, `[]`, "", `the body must be a JSON object`},
		{both, `{"name":"a","name":"b"}`, "", `the body is not valid JSON at byte 18: the key "name" is there twice`},
		{native, `{"nmae":"db"}`, "nmae", `sample has no field "nmae"; did you mean name?`},
		{native, `{"Name":"db"}`, "Name", `sample has no field "Name"; did you mean name?`},
		{native, `{"name":null}`, "name", `name must not be null; leave it out instead`},
		{native, `{"password":null}`, "password", `password must not be null; leave it out instead`},
		{native, `{"name":42}`, "name", `name must be a text in double quotes`},
		{both, `{"name":["db"]}`, "name", `name must be a text in double quotes`},
		{both, `{"name":" "}`, "name", `name must not be empty`},
		{both, `{"name":"12345678901"}`, "name", `name must have at most 10 characters`},
		{both, `{"name":"a\u0000"}`, "name", `name must be a text without NUL characters`},
		{both, `{"status":"gone"}`, "status", `status must be one of active, suspended`},
		{native, `{"up":"True"}`, "up", `up must be true or false`},
		{both, `{"up":"yes"}`, "up", `up must be true or false`},
		{both, `{"up":1}`, "up", `up must be true or false`},
		{native, `{"size":"4"}`, "size", `size must be a whole number`},
		{native, `{"size":4.0}`, "size", `size must be a whole number`},
		{both, `{"size":4.5}`, "size", `size must be a whole number`},
		{both, `{"size":"four"}`, "size", `size must be a whole number`},
		{both, `{"size":true}`, "size", `size must be a whole number`},
		{both, `{"size":0}`, "size", `size must be a whole number from 1 to 9`},
		{both, `{"size":10}`, "size", `size must be a whole number from 1 to 9`},
		{both, `{"size":9223372036854775808}`, "size", `size must be a whole number`},
		{both, `{"deletedOn":-1}`, "deletedOn", `deletedOn must be at least 0`},
		{native, `{"load":"2.5"}`, "load", `load must be a number`},
		{both, `{"load":1e999}`, "load", `load must be a number`},
		{both, `{"load":"NaN"}`, "load", `load must be a number`},
		{both, `{"load":"0x10"}`, "load", `load must be a number`},
		{both, `{"groupIds":[1]}`, "groupIds", `groupIds must be ids joined by commas in double quotes, "1,2"`},
		{both, `{"groupIds":"1,x"}`, "groupIds", `groupIds must be a list of ids joined by commas: "x" is not an id`},
		{both, `{"groupIds":"0"}`, "groupIds", `groupIds must be a list of ids joined by commas: "0" is not an id`},
		{both, `{"props":{}}`, "props", `props must be a list of {"name":"…","value":"…"}`},
		{both, `{"props":["a"]}`, "props", `props must be a list of {"name":"…","value":"…"}`},
		{native, `{"props":[{"name":"a","value":1}]}`, "props", `props must be a list of {"name":"…","value":"…"}`},
		{both, `{"props":[{"value":"x"}]}`, "props", `props: a property needs a name`},
		{native, `{"props":[{"name":"a","value":"x","type":"custom"}]}`, "props",
			`props: a property has name, value and secret, but no "type"`},
		{both, `{"props":[{"name":"a","value":""},{"name":"A","value":""}]}`, "props", `props has "A" twice`},
		{both, `{"props":[{"name":"a\nb","value":""}]}`, "props", `props: "a\nb" contains a control character`},
		{both, `{"props":[{"name":"a","value":"\u0000"}]}`, "props", `props: "a" contains a control character`},
		{both, `{"password":"short"}`, "password", `a password is longer than that`},
		{native, `{"password":12345}`, "password", `password must be a text in double quotes`},
		{native, `{"roles":[{"id":2,"extra":true}]}`, "roles[0].extra", `roles[0] has no field "extra"`},
		{native, `{"roles":[{"ID":2}]}`, "roles[0].ID", `roles[0] has no field "ID"; did you mean id?`},
		{lenient, `{"roles":[{"id":"two"}]}`, "roles", `roles does not have the documented shape: cannot unmarshal ` +
			`string into Go struct field roleRef.id of type int64`},
		{both, `{"roles":{"id":2}}`, "roles", `roles does not have the documented shape: cannot unmarshal object ` +
			`into Go value of type []resource_test.roleRef`},
	} {
		for mount, bit := range map[bool]int{false: native, true: lenient} {
			if tt.mounts&bit == 0 {
				continue
			}
			body, err := samples.Read([]byte(tt.body), mount)
			if err == nil {
				err = samples.Apply(body, &sample{Name: "web"}, false)
			}
			if f := fault.Of(err); err == nil || f.Kind != fault.Invalid || f.Field != tt.field ||
				f.Message != tt.want {
				t.Errorf("%s (lenient %v): %q at %q, want %q at %q", tt.body, mount, f.Message, f.Field,
					tt.want, tt.field)
			}
		}
	}
}

func TestInvalidEnumValueListsTheValidOnes(t *testing.T) {
	body, err := samples.Read([]byte(`{"status":"gone"}`), false)
	if err != nil {
		t.Fatal(err)
	}
	err = samples.Apply(body, &sample{}, false)
	if got := fault.Of(err).Allowed; !reflect.DeepEqual(got, []any{"active", "suspended"}) {
		t.Errorf("allowed is %v", got)
	}
}

func TestFullBodyNeedsItsRequiredFields(t *testing.T) {
	for _, tt := range []struct {
		lenient bool
		body    string
	}{{false, `{"up":true}`}, {true, `{"up":true}`}, {true, `{"name":null}`}} {
		body, err := samples.Read([]byte(tt.body), tt.lenient)
		if err != nil {
			t.Fatal(err)
		}
		err = samples.Apply(body, &sample{}, true)
		if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "name" || f.Message != "name is required" {
			t.Errorf("%s: %v, want name is required", tt.body, err)
		}
	}
}

func TestDefaultsComeFromTheDeclaration(t *testing.T) {
	got, err := samples.Defaults()
	want := &sample{Status: "active", Up: true, Size: 3, Roles: []roleRef{{ID: 4}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v %v, want %+v", got, err, want)
	}
}

func TestGivenNamesTheKeysOfTheBody(t *testing.T) {
	body, err := samples.Read([]byte(`{"name":"web","up":null}`), true)
	if err != nil || !body.Given("name") || !body.Given("up") || body.Given("size") {
		t.Errorf("%+v %v, want name and up given, size not", body, err)
	}
}

func TestSealingErrorIsInternal(t *testing.T) {
	_, err := samples.Read([]byte(`{"password":"broken"}`), false)
	if err == nil || fault.Of(err).Kind != fault.Internal || fault.Of(err).Message != "internal error" {
		t.Errorf("got %v, want an internal error", err)
	}
}

func TestInvalidBodyIsNotSealed(t *testing.T) {
	_, err := samples.Read([]byte(`{"password":"broken","size":99}`), false)
	if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "size" {
		t.Errorf("got %v, want size to be refused before the password is sealed", err)
	}
}

func TestReadRowCanBeWrittenBack(t *testing.T) {
	was := sample{ID: 7, Name: "web", Status: "active", Load: 0.1, Up: true, Size: 9, Groups: resource.IDs{3, 1},
		CreatedOn: 5, DeletedOn: 6,
		Props:    []resource.Property{{Name: "snmp.community", Value: "public"}, {Name: "a", Value: "\"\\\n"}},
		Password: "hash", Roles: []roleRef{{ID: 2}}}
	text, err := samples.AppendJSON(nil, &was)
	if err != nil {
		t.Fatal(err)
	}
	body, err := samples.Read(text, false)
	if err != nil {
		t.Fatal(err)
	}
	now := was
	if err := samples.Apply(body, &now, true); err != nil || !reflect.DeepEqual(now, was) {
		t.Errorf("%s gives %+v %v, want %+v", text, now, err, was)
	}
}

func TestCheckPropertyLimitsNameAndValue(t *testing.T) {
	for _, tt := range []struct {
		prop resource.Property
		want string
	}{
		{resource.Property{Name: strings.Repeat("ß", 255), Value: strings.Repeat("ß", 24000)}, ``},
		{resource.Property{Name: "a", Value: "two\nlines"}, ``},
		{resource.Property{Name: "\t"}, `p: a property needs a name`},
		{resource.Property{Name: strings.Repeat("n", 256)}, `p: the name of a property can have at most 255 ` +
			`characters`},
		{resource.Property{Name: "a", Value: strings.Repeat("v", 24001)}, `p: the value of "a" has more than 24,000 ` +
			`characters`},
		{resource.Property{Name: "a\x7f"}, `p: "a\x7f" contains a control character`},
	} {
		err := resource.CheckProperty("p", tt.prop)
		if tt.want == "" && err == nil {
			continue
		}
		if f := fault.Of(err); f.Field != "p" || f.Message != tt.want {
			t.Errorf("%.10q: %v, want %q", tt.prop.Name, err, tt.want)
		}
	}
}

// largest returns bodies of the maximum request size. BenchmarkLargestBody
// measures the time to read them.
func largest() []string {
	var ids, props strings.Builder
	for i := range 560_000 {
		fmt.Fprintf(&ids, "%d,", i+1)
	}
	for i := range 100_000 {
		fmt.Fprintf(&props, `,{"name":"a%d.key","value":"********"}`, i)
	}
	return []string{
		`{"groupIds":"` + ids.String() + `"}`,
		`{"props":[` + props.String()[1:] + `]}`,
		`{"` + strings.Repeat("nmae", 1_000_000) + `":1}`,
	}
}

// readTwice applies a body to a row, and then again to the result.
func readTwice(body string) error {
	read, err := samples.Read([]byte(body), false)
	if err != nil {
		return err
	}
	row := sample{}
	return errors.Join(samples.Apply(read, &row, false), samples.Apply(read, &row, false))
}

func TestLargestBodiesUseMemoryInProportion(t *testing.T) {
	for _, body := range largest() {
		before := testkit.Allocated()
		err := readTwice(body)
		if used := testkit.Allocated() - before; used > 50*uint64(len(body)) {
			t.Errorf("%.12s… of %d KB takes %d KB (%.60v)", body, len(body)>>10, used>>10, err)
		}
	}
}

func BenchmarkLargestBody(b *testing.B) {
	for _, body := range largest() {
		b.Run(body[2:8], func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				_ = readTwice(body) // most bodies are refused, which takes as long
			}
		})
	}
}
