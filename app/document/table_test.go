package document_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"spyglass/app/document"
	"spyglass/backend/testkit"
)

// heads shows the columns: "id number 3, name string 2 of 3".
func heads(t *testing.T, d *document.Document, nested bool, look int) string {
	t.Helper()
	c, err := d.Columns(t.Context(), nested, look)
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{}
	for _, column := range c.Columns {
		parts = append(parts, fmt.Sprintf("%s %s %d", column.ID, column.Kind, column.Count))
	}
	return fmt.Sprintf("%s %d: %s", c.Shape, c.Total, strings.Join(parts, ", "))
}

// grid formats rows: "0| 7 | web". A missing cell is -.
func grid(t *testing.T, d *document.Document, q document.TableQuery) string {
	t.Helper()
	if q.Count == 0 {
		q.Count = 100
	}
	rows, _, err := d.Table(t.Context(), q)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%d|", row.Index)
		for _, c := range row.Cells {
			if c == nil {
				b.WriteString(" - |")
			} else {
				fmt.Fprintf(&b, " %s |", c.Text)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTableHasTheColumnsOfAllItems(t *testing.T) {
	for _, tt := range []struct{ body, flat, nested string }{
		{`{"total":3,"items":[{"id":1,"a":null},{"id":2,"a":"x","b":{"c":1,"d":{"e":true}}},{"id":"3","b":{}}]}`,
			`items 3: id  3, a string 2, b object 2`, `items 3: id  3, a string 2, b.c number 1, b.d.e boolean 1, b ` +
				`object 1`},
		{`{"items":[{"a.b":1,"a":{"b":2},"\\":3,"$":4,"":5}],"total":9}`,
			`items 1: a\.b number 1, a object 1, \\ number 1, \$ number 1,  number 1`,
			`items 1: a\.b number 1, a.b number 1, \\ number 1, \$ number 1,  number 1`},
		{`[1,"x",[1],{"a":1},null]`, `items 5: $  4, a number 1`, `items 5: $  4, a number 1`},
		{`[{"a":1,"a":2}]`, `items 1: a number 1`, `items 1: a number 1`},
		{`[]`, `items 0: `, `items 0: `},
		{`{"name":"web","tags":[1,2]}`, `fields 2: key string 2, value  2`, `fields 2: key string 2, value  2`},
		{`{"items":7,"total":1}`, `fields 2: key string 2, value  2`, `fields 2: key string 2, value  2`},
		{`"x"`, ` 0: `, ` 0: `},
		{`<html>`, ` 0: `, ` 0: `},
		{`{"dataPoints":["in","time","in"],"values":[[1,2,3]],"time":[1790000000000],"nextPageParams":""}`,
			`points 1: time number 1, in number 1, time (2) number 1, in (2) number 1`,
			`points 1: time number 1, in number 1, time (2) number 1, in (2) number 1`},
	} {
		d := open(t, tt.body)
		same(t, heads(t, d, false, 0), tt.flat)
		same(t, heads(t, d, true, 0), tt.nested)
		if found, err := d.Columns(t.Context(), false, 0); err != nil || found.Columns == nil {
			t.Errorf("%s: the columns are %v (%v), which is null in JSON", tt.body, found, err)
		}
	}
}

func TestColumnsAreKnownAfterTheFirstRows(t *testing.T) {
	d := open(t, `[{"a":1},{"b":1},{"c":1}]`)
	c, err := d.Columns(t.Context(), false, 2)
	if err != nil || c.Whole || len(c.Columns) != 2 || c.Total != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	same(t, heads(t, d, false, 0), `items 3: a number 1, b number 1, c number 1`)
}

func TestCellsKeepTheOriginalBytes(t *testing.T) {
	long := strings.Repeat("ü", 301)
	d := open(t, `{"total":9,"items":[
		{"id":12345678901234567890,"n":1.50,"t":"a\"\u00fc","o":{"x":[1,2]},"a":[{"y":1}],"a.b":1,"dup":1,"dup":{"z":7}},
		{"t":"`+long+`","n":null,"dup":{"z":8},"dup":3},
		7]}`)
	columns := []string{"id", "n", "t", "o", "o.x", "a", `a\.b`, "dup", "dup.z", "$", "none"}
	same(t, grid(t, d, document.TableQuery{Columns: columns}),
		`0| 12345678901234567890 | 1.50 | a"ü | { x: […] } | [ 1, 2 ] | [ … ] | 1 | { z: 7 } | 7 | - | - |
1| - | null | `+long[:600]+` | - | - | - | - | 3 | - | - | - |
2| - | - | - | - | - | - | - | - | - | 7 | - |
`)
	var whole []string
	err := d.Each(t.Context(), document.TableQuery{Columns: []string{"t", "o", "a"}, From: 0, Count: 2},
		func(cells []*document.Cell) error {
			for _, c := range cells {
				if c != nil {
					whole = append(whole, c.Text)
				}
			}
			return nil
		})
	if want := []string{`a"ü`, `{"x":[1,2]}`, `[{"y":1}]`, long}; err != nil || fmt.Sprint(whole) != fmt.Sprint(want) {
		t.Errorf("got %q, %v", whole, err)
	}
}

func TestObjectBecomesATableOfKeysAndValues(t *testing.T) {
	d := open(t, `{"id":7,"o\u006b":{"a":1},"id":8}`)
	same(t, grid(t, d, document.TableQuery{Columns: []string{"key", "value"}}), "0| id | 7 |\n1| ok | { a: 1 } |\n2| "+
		"id | 8 |\n")
	same(t, grid(t, d, document.TableQuery{Columns: []string{"value", "id"}}), `this response has no column "id"`)
}

func TestSamplesBecomeATableByTime(t *testing.T) {
	for _, tt := range []struct{ body, heads, rows string }{
		{`{"dataPoints":["in","out"],"values":[[1,null],["No Data",4]],"time":[1790000060000,1790000000000]}`,
			`points 2: time number 2, in number 2, out number 2`, "0| 1790000060000 | 1 | null |\n1| 1790000000000 | " +
				"No Data | 4 |\n"},
		{`{"dataPoints":["in"],"instances":{"eth0":{"values":[[1]],"time":[1790000000000]},"eth1":{"values":[],` +
			`"time":[]},"eth2":{"values":[[3],[4]],"time":[1790000000000,1790000060000]}}}`,
			`points 3: instance string 3, time number 3, in number 3`, "0| eth0 | 1790000000000 | 1 |\n1| eth2 | " +
				"1790000000000 | 3 |\n2| eth2 | 1790000060000 | 4 |\n"},
		{`{"total":2,"items":[{"instanceId":"7","dataPoints":["a"],"values":[[1]],"time":[1790000000000]},` +
			`{"instanceId":"8","dataPoints":["b"],"values":[[2]],"time":[1790000000000]}]}`,
			`points 2: instance string 2, time number 2, a number 2, b number 2`,
			"0| 7 | 1790000000000 | 1 | - |\n1| 8 | 1790000000000 | - | 2 |\n"},
		{`{"title":"Load","timestamps":[1790000000000,1790000060000],"lines":[{"label":"load1","data":[0.5,0.6]},` +
			`{"legend":"load5","data":[null,0.4]}]}`,
			`points 2: time number 2, load1 number 2, load5 number 2`, "0| 1790000000000 | 0.5 | null |\n1| " +
				"1790000060000 | 0.6 | 0.4 |\n"},
	} {
		d := open(t, tt.body)
		same(t, heads(t, d, false, 0), tt.heads)
		c, _ := d.Columns(t.Context(), false, 0)
		ids := []string{}
		for _, column := range c.Columns {
			ids = append(ids, column.ID)
		}
		same(t, grid(t, d, document.TableQuery{Columns: ids}), tt.rows)
	}
}

func TestTableSortsByValueWithMissingValuesLast(t *testing.T) {
	d := open(t, `[{"v":"b"},{"v":10},{},{"v":9},{"v":9007199254740993},{"v":9007199254740992},{"v":true},{"v":null},`+
		`{"v":"A"},{"v":[1]},{"v":-1.5}]`)
	order := func(desc bool) string {
		rows, _, err := d.Table(t.Context(), document.TableQuery{Columns: []string{"v"}, Sort: "v", Desc: desc,
			Count: 100})
		if err != nil {
			t.Fatal(err)
		}
		out := []int{}
		for _, r := range rows {
			out = append(out, r.Index)
		}
		return fmt.Sprint(out)
	}
	same(t, order(false), "[10 3 1 5 4 8 0 6 9 2 7]")
	same(t, order(true), "[9 6 0 8 4 5 1 3 10 2 7]")
}

func TestWindowOfALongListIsReadAtAnyOffset(t *testing.T) {
	const n = 100_000
	d := keep(t, devices(n), 64<<10, 1<<20)
	same(t, heads(t, d, false, 0), fmt.Sprintf("items %[1]d: id number %[1]d, displayName string %[1]d, hostStatus "+
		"string %[1]d, updatedOn number %[1]d, groups array %[1]d, customProperties array %[1]d", n))
	same(t, grid(t, d, document.TableQuery{Columns: []string{"displayName", "id"}, From: 54_321, Count: 2}),
		"54321| web-54321.fra | 54322 |\n54322| web-54322.fra | 54323 |\n")
	same(t, grid(t, d, document.TableQuery{Columns: []string{"id"}, Sort: "id", Desc: true, From: n - 1, Count: 9}),
		"0| 1 |\n")
	same(t, grid(t, d, document.TableQuery{Columns: []string{"id"}, From: n, Count: 9}), "")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := d.Table(stopped, document.TableQuery{Columns: []string{"hostStatus"}, Sort: "hostStatus",
		Count: 1}); err != context.Canceled {
		t.Errorf("a cancelled sort returns %v", err)
	}
}

func TestRowsOf50MBAreReadInPartAtAnyOffset(t *testing.T) {
	one := len(devices(1000)) / 1000
	n := 50<<20/one + 1
	d := keep(t, devices(n), 1<<20, 1<<20)
	for _, from := range []int{0, n / 2, n - 100} {
		before := testkit.Allocated()
		rows, total, err := d.Table(t.Context(), document.TableQuery{Columns: []string{"id", "displayName"}, From: from,
			Count: 100})
		if used := testkit.Allocated() - before; used > 8<<20 {
			t.Errorf("100 rows from %d on take %d MB", from, used>>20)
		}
		if err != nil || total != n || len(rows) != 100 || rows[0].Cells[0].Text != strconv.Itoa(from+1) ||
			rows[99].Index != from+99 {
			t.Errorf("from %d: %d of %d rows, %v", from, len(rows), total, err)
		}
	}
}

func TestColumnsAreLimitedForItemsWithManyKeys(t *testing.T) {
	var b strings.Builder
	b.WriteString("[")
	for i := range 20_000 {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"k%d":1}`, i)
	}
	b.WriteString("]")
	d := open(t, b.String())
	c, err := d.Columns(t.Context(), true, 0)
	if err != nil || len(c.Columns) != 500 || c.More != 500 {
		t.Errorf("%d columns and %d more, %v", len(c.Columns), c.More, err)
	}
}
