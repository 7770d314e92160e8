package filter_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/filter"
	"spyglass/backend/resource"
)

var (
	id      = resource.Column{Name: "id", Kind: resource.KindInteger}
	load    = resource.Column{Name: "load", Kind: resource.KindNumber}
	up      = resource.Column{Name: "up", Kind: resource.KindBoolean}
	name    = resource.Column{Name: "displayName", Kind: resource.KindText}
	created = resource.Column{Name: "createdOn", Kind: resource.KindSeconds}
	deleted = resource.Column{Name: "deletedTimeInMs", Kind: resource.KindMillis}
	props   = resource.Column{Name: "customProperties", Kind: resource.KindPairs}
	groups  = resource.Column{Name: "hostGroupIds", Kind: resource.KindIDs}
	roles   = resource.Column{Name: "roles", Kind: resource.KindOther}
	secret  = resource.Column{Name: "password", Kind: resource.KindText, Hidden: true}
	anyText = resource.Column{Name: "_all", Kind: resource.KindText}

	columns = []resource.Column{id, load, up, name, created, deleted, props, groups, roles, secret}
)

func one(c resource.Column, op filter.Op, values ...filter.Value) filter.Cond {
	return filter.Cond{Column: c, Op: op, Values: values}
}

func sub(c resource.Column, half string, op filter.Op, values ...filter.Value) filter.Cond {
	return filter.Cond{Column: c, Sub: half, Op: op, Values: values}
}

func word(text string) filter.Value { return filter.Value{Text: text} }

func whole(text string, n int64) filter.Value { return filter.Value{Text: text, Int: n} }

func glob(text string, parts ...string) filter.Value {
	return filter.Value{Text: text, Pattern: true, Glob: parts}
}

func during(text string, from, to int64) filter.Value {
	return filter.Value{Text: text, From: from, To: to}
}

func and(conds ...filter.Cond) [][]filter.Cond { return [][]filter.Cond{conds} }

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		filter string
		any    [][]filter.Cond
	}{
		{``, nil},
		{" \t\r\n ", nil},
		{`id:7`, and(one(id, filter.Equal, whole("7", 7)))},
		{`id:"7"`, and(one(id, filter.Equal, whole("7", 7)))},
		{`id!:-7`, and(one(id, filter.NotEqual, whole("-7", -7)))},
		{`id>7,id<9`, and(one(id, filter.Greater, whole("7", 7)), one(id, filter.Less, whole("9", 9)))},
		{`id>:7,id<:9`, and(one(id, filter.GreaterEq, whole("7", 7)), one(id, filter.LessEq, whole("9", 9)))},
		{`id>=7,id<=9`, and(one(id, filter.GreaterEq, whole("7", 7)), one(id, filter.LessEq, whole("9", 9)))},
		{`id:1|2|"3"`, and(one(id, filter.Equal, whole("1", 1), whole("2", 2), whole("3", 3)))},
		{` id : 1 | 2 , up : true `, and(one(id, filter.Equal, whole("1", 1), whole("2", 2)),
			one(up, filter.Equal, filter.Value{Text: "true", Bool: true}))},
		{`up!:"False"`, and(one(up, filter.NotEqual, word("False")))},
		{`up:"*"`, and(one(up, filter.Equal, glob("*", "", "")))},
		{`load>.5`, and(one(load, filter.Greater, filter.Value{Text: ".5", Float: .5}))},
		{`load<-1.5e3`, and(one(load, filter.Less, filter.Value{Text: "-1.5e3", Float: -1500}))},

		{`displayName:web`, and(one(name, filter.Equal, word("web")))},
		{`displayName:""`, and(one(name, filter.Equal, word("")))},
		{`displayName~"50%_"`, and(one(name, filter.Contains, word("50%_")))},
		{`displayName!~"a|b,c||d"`, and(one(name, filter.NotContains, word("a|b,c||d")))},
		{`displayName:"a\"b\\c\d"`, and(one(name, filter.Equal, word(`a"b\cd`)))},
		{`displayName:a\,b\|c\ d`, and(one(name, filter.Equal, word(`a,b|c d`)))},
		{`displayName:"x' OR 1=1 --"`, and(one(name, filter.Equal, word(`x' OR 1=1 --`)))},
		{`displayName:"Größe 🙂"`, and(one(name, filter.Equal, word("Größe 🙂")))},
		{`displayName:\é`, and(one(name, filter.Equal, word("é")))},
		{`displayName:"web*"`, and(one(name, filter.Equal, glob("web*", "web", "")))},
		{`displayName!:*b*|c`, and(one(name, filter.NotEqual, glob("*b*", "", "b", ""), word("c")))},
		{`displayName:"a\**"`, and(one(name, filter.Equal, glob("a**", "a*", "")))},
		{`displayName:"a\*"`, and(one(name, filter.Equal, word("a*")))},
		{`displayName~"a*"`, and(one(name, filter.Contains, word("a*")))},
		{`displayName:::1`, and(one(name, filter.Equal, word("::1")))},
		{`displayName:::emptyish`, and(one(name, filter.Equal, word("::emptyish")))},

		{`displayName:::empty`, and(one(name, filter.Empty))},
		{`displayName!::empty,id:1`, and(one(name, filter.NotEmpty), one(id, filter.Equal, whole("1", 1)))},
		{`id:::null||up!::null`, [][]filter.Cond{{one(id, filter.Null)}, {one(up, filter.NotNull)}}},

		{`id:1,id:2||id:3`, [][]filter.Cond{
			{one(id, filter.Equal, whole("1", 1)), one(id, filter.Equal, whole("2", 2))},
			{one(id, filter.Equal, whole("3", 3))}}},
		{`id:1|2 || id:3`, [][]filter.Cond{
			{one(id, filter.Equal, whole("1", 1), whole("2", 2))},
			{one(id, filter.Equal, whole("3", 3))}}},

		{`customProperties.name:"location",customProperties.value~fr`,
			and(sub(props, "name", filter.Equal, word("location")), sub(props, "value", filter.Contains, word("fr")))},
		{`customProperties.name:"snmp.*"`, and(sub(props, "name", filter.Equal, glob("snmp.*", "snmp.", "")))},
		{`customProperties.value:::empty`, and(sub(props, "value", filter.Empty))},
		{`hostGroupIds~12`, and(one(groups, filter.Contains, word("12")))},
		{`hostGroupIds:"1,2"`, and(one(groups, filter.Equal, word("1,2")))},
		{`_all~"x"`, and(one(anyText, filter.Contains, word("x")))},

		{`createdOn>1769817600`, and(one(created, filter.Greater, during("1769817600", 1769817600, 1769817601)))},
		{`createdOn:2026-01-31`, and(one(created, filter.Equal, during("2026-01-31", 1769814000, 1769900400)))},
		{`deletedTimeInMs:"2026-01-31"`,
			and(one(deleted, filter.Equal, during("2026-01-31", 1769814000000, 1769900400000)))},
		{`createdOn<2026-01-31T10:00:00Z`,
			and(one(created, filter.Less, during("2026-01-31T10:00:00Z", 1769853600, 1769853601)))},
		{`deletedTimeInMs<"2026-01-31T10:00:00.25Z"`,
			and(one(deleted, filter.Less, during("2026-01-31T10:00:00.25Z", 1769853600250, 1769853600251)))},
		{`createdOn:"2026-01-31T10:00:00 02:00"`,
			and(one(created, filter.Equal, during("2026-01-31T10:00:00 02:00", 1769846400, 1769846401)))},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			var want *filter.Filter
			if tt.any != nil {
				want = &filter.Filter{Any: tt.any}
			}
			got, err := filter.Parse(tt.filter, columns, time.FixedZone("CET", 3600))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v %v, want %+v", got, err, want)
			}
		})
	}
}

func TestParseErrorsHaveAMessageAndAPosition(t *testing.T) {
	for _, tt := range []struct{ filter, err string }{
		{`displaynam~"x"`, `filter: no field "displaynam" at 0; did you mean displayName?`},
		{`id:1,DISPLAYNAME:x`, `filter: no field "DISPLAYNAME" at 5; did you mean displayName?`},
		{`nothing.like.it:1`, `filter: no field "nothing.like.it" at 0`},
		{`displayName:"é",nothinglikeit:1`, `filter: no field "nothinglikeit" at 16`},
		{`password:x`, `filter: no field "password" at 0`},
		{`passwor:x`, `filter: no field "passwor" at 0`},
		{`role:x`, `filter: no field "role" at 0`},
		{`roles:x`, `filter: cannot filter by roles at 0`},
		{`customProperties:x`, `filter: customProperties is a list of name/value pairs at 0; use ` +
			`customProperties.name and customProperties.value`},
		{`customProperties.nam:x`, `filter: no field "customProperties.nam" at 0; did you mean customProperties.name?`},
		{`id.name:1`, `filter: no field "id.name" at 0`},
		{strings.Repeat("x", 50) + `:1`, `filter: no field "` + strings.Repeat("x", 40) + `…" at 0`},

		{`id`, `filter: expected an operator after id at 2`},
		{`id=7`, `filter: expected an operator after id at 2`},
		{`id !7`, `filter: expected an operator after id at 3`},
		{`id~3`, `filter: ~ cannot be used with id (a whole number) at 2`},
		{`displayName>"a"`, `filter: > cannot be used with displayName (a text) at 11`},
		{`up>=true`, `filter: >= cannot be used with up (true or false) at 2`},
		{`createdOn~2026`, `filter: ~ cannot be used with createdOn (a time) at 9`},
		{`hostGroupIds>1`, `filter: > cannot be used with hostGroupIds (a list of ids) at 12`},
		{`customProperties.value>1`, `filter: > cannot be used with customProperties.value (a text) at 22`},
		{`_all:::empty`, `filter: :::empty cannot be used with _all (a text) at 4`},

		{`id:abc`, `filter: id needs a whole number, not "abc", at 3`},
		{`id:*`, `filter: id needs a whole number, not "*", at 3`},
		{`id:7.5`, `filter: id needs a whole number, not "7.5", at 3`},
		{`id:9223372036854775808`, `filter: id needs a whole number, not "9223372036854775808", at 3`},
		{`load:NaN`, `filter: load needs a number, not "NaN", at 5`},
		{`load:0x10`, `filter: load needs a number, not "0x10", at 5`},
		{`load:1e999`, `filter: load needs a number, not "1e999", at 5`},
		{`up:1`, `filter: up needs true or false, not "1", at 3`},
		{`up:t*`, `filter: up needs true or false, not "t*", at 3`},
		{`createdOn:2026-02-30`, `filter: createdOn needs a date "2026-01-31", a date and time ` +
			`"2026-01-31T10:00:00Z" or an epoch number, not "2026-02-30", at 10`},

		{`id:`, `filter: expected a value after : at 3`},
		{`id!:,`, `filter: expected a value after !: at 4`},
		{`id:1|`, `filter: expected a value after : at 5`},
		{`id:1|||2`, `filter: expected a field at 6`},
		{`id:1,`, `filter: expected a field at 5`},
		{`id:1||`, `filter: expected a field at 6`},
		{`,id:1`, `filter: expected a field at 0`},
		{`"id":1`, `filter: expected a field at 0`},
		{`displayName:"a`, `filter: the value has no closing quote at 12`},
		{`displayName:a\`, `filter: nothing follows the \ at 13`},
		{`displayName:my web`, `filter: expected , or || before "web" at 15; a value with spaces, commas or bars ` +
			`needs double quotes`},
		{`displayName:"a"b`, `filter: expected , or || before "b" at 15; a value with spaces, commas or bars needs ` +
			`double quotes`},
		{"displayName:a\x00b\xff", `filter: it is not valid UTF-8`},
		{"displayName:a\x00b", `filter: it contains a NUL character`},

		{`id:1` + strings.Repeat(`|1`, 100), `filter: more than 100 values at 203`},
		{`id:::null` + strings.Repeat(`,id:::null`, 100), `filter: more than 100 values at 1009`},
		{`displayName:` + strings.Repeat(`x`, 4<<10), `filter: it is longer than 4096 bytes`},
	} {
		t.Run(tt.filter, func(t *testing.T) {
			got, err := filter.Parse(tt.filter, columns, time.UTC)
			f := fault.Of(err)
			if got != nil || f.Kind != fault.Invalid || f.Field != "filter" || f.Message != tt.err {
				t.Errorf("got %+v and %v, want invalid at filter: %s", got, err, tt.err)
			}
		})
	}
}

func TestUnknownFieldOrOperatorListsTheValidOnes(t *testing.T) {
	for _, tt := range []struct {
		filter  string
		allowed []any
	}{
		{`nope:1`, []any{"id", "load", "up", "displayName", "createdOn", "deletedTimeInMs", "customProperties.name",
			"customProperties.value", "hostGroupIds", "_all"}},
		{`up~x`, []any{":", "!:", ":::empty", "!::empty", ":::null", "!::null"}},
		{`_all:::null`, []any{":", "!:", "~", "!~"}},
	} {
		_, err := filter.Parse(tt.filter, columns, time.UTC)
		if got := fault.Of(err).Allowed; !reflect.DeepEqual(got, tt.allowed) {
			t.Errorf("%s allows %v, want %v", tt.filter, got, tt.allowed)
		}
	}
}

func TestFilterAtItsLimitsIsParsed(t *testing.T) {
	for _, text := range []string{
		`id:1` + strings.Repeat(`|1`, 99),
		`id:1` + strings.Repeat(`||id:1`, 99),
		`displayName:` + strings.Repeat(`x`, 4<<10-12),
	} {
		if _, err := filter.Parse(text, columns, time.UTC); err != nil {
			t.Errorf("%.20s…: %v", text, err)
		}
	}
}

func TestDateIsTheWholeDayInTheTimeZone(t *testing.T) {
	for _, tt := range []struct {
		zone, day string
		from, to  string
	}{
		{"UTC", "2024-02-29", "2024-02-29T00:00:00Z", "2024-03-01T00:00:00Z"},
		{"Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}, // 23 hours
		{"Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"}, // 25 hours
		// the next day starts at 01:00
		{"America/Sao_Paulo", "2018-11-03", "2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z"},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"},
		{"America/Havana", "2025-11-02", "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"}, // 00:00 occurs twice
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"},   // Samoa skipped this day
	} {
		t.Run(tt.zone+" "+tt.day, func(t *testing.T) {
			zone, err := time.LoadLocation(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			f, err := filter.Parse("createdOn:"+tt.day, columns, zone)
			if err != nil {
				t.Fatal(err)
			}
			v := f.Any[0][0].Values[0]
			stamp := func(sec int64) string { return time.Unix(sec, 0).UTC().Format(time.RFC3339) }
			if from, to := stamp(v.From), stamp(v.To); from != tt.from || to != tt.to {
				t.Errorf("got %s to %s, want %s to %s", from, to, tt.from, tt.to)
			}
		})
	}
}

func TestOperators(t *testing.T) {
	ordered := []string{":", "!:", ">", "<", ">:", "<:", ":::empty", "!::empty", ":::null", "!::null"}
	texts := []string{":", "!:", "~", "!~", ":::empty", "!::empty", ":::null", "!::null"}
	for kind, want := range map[resource.Kind][]string{
		resource.KindInteger: ordered,
		resource.KindNumber:  ordered,
		resource.KindSeconds: ordered,
		resource.KindMillis:  ordered,
		resource.KindText:    texts,
		resource.KindPairs:   texts,
		resource.KindIDs:     texts,
		resource.KindBoolean: {":", "!:", ":::empty", "!::empty", ":::null", "!::null"},
		resource.KindOther:   nil,
	} {
		if got := filter.Operators(kind); !reflect.DeepEqual(got, want) {
			t.Errorf("operators of kind %d are %q, want %q", kind, got, want)
		}
	}
}

func TestStringIsCanonical(t *testing.T) {
	f, err := filter.Parse(` id >= 7 , displayName : we\"b* | "\*" || customProperties.name!~x ||up:::null`,
		columns, nil)
	want := `id>:"7",displayName:"we\"b*"|"\*" || customProperties.name!~"x" || up:::null`
	if err != nil || f.String() != want {
		t.Errorf("got %s %v, want %s", f, err, want)
	}
	if f, err := filter.Parse(" ", columns, nil); err != nil || f.String() != "" {
		t.Errorf("the filter of spaces is %q %v, want nothing", f, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		``, `id:7`, `id>=1|2,up:true||load<1e5`, `displayName:"we*b\*\\\""`, `displayName:::1`, `up:*`,
		`customProperties.name:"a",customProperties.value!~"b"`, `_all~"x"`, `hostGroupIds!:1\,2`,
		`createdOn>2026-01-31`, `deletedTimeInMs<"2026-01-31T10:00:00 02:00"`, `createdOn:9223372036854775807`,
		`displayName!::empty||id:::null`, `password:x`, `roles:x`, `customProperties:x`, `displaynam:x`,
	} {
		f.Add(seed)
	}
	zone := time.FixedZone("", -5*3600)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := filter.Parse(text, columns, zone)
		if err != nil {
			if f := fault.Of(err); got != nil || f.Kind != fault.Invalid || f.Field != "filter" ||
				!strings.HasPrefix(f.Message, "filter: ") {
				t.Fatalf("%+v and %#v for %q", got, err, text)
			}
			return
		}
		written := got.String()
		if len(written) > filter.MaxBytes {
			return // quotes and escapes can make it exceed the limit
		}
		again, err := filter.Parse(written, columns, zone)
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("%q was read as %+v, written as %s and then read as %+v %v", text, got, written, again, err)
		}
	})
}
