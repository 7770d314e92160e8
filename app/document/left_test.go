package document_test

import (
	"fmt"
	"strings"
	"testing"

	"spyglass/backend/fault"
)

func TestExpandedStateSurvivesForTheSameBytes(t *testing.T) {
	var items []string
	for i := range 400 {
		items = append(items, fmt.Sprintf(`{"id":%d,"tags":[{"a":[1,2]},{"b":[3]}]}`, i))
	}
	body := `{"items":[` + strings.Join(items, ",") + `],"total":400}`
	d := open(t, body)
	node := func(sub string, n int) int64 {
		at := -1
		for range n {
			at += 1 + strings.Index(body[at+1:], sub)
		}
		return int64(at)
	}
	toggle := func(node int64, open, deep bool) {
		t.Helper()
		if _, err := d.Toggle(node, open, deep); err != nil {
			t.Fatal(err)
		}
	}
	toggle(node(`{"id":300,`, 1), true, true)
	toggle(node(`[{"a"`, 301), false, false)
	toggle(node(`{"id":7,`, 1), true, false)
	toggle(node(`{"id":0,`, 1), false, false)
	if _, _, err := d.Reveal(node(`[3]`, 200)); err != nil {
		t.Fatal(err)
	}
	again := open(t, body)
	if err := again.Unfold(d.Left()); err != nil {
		t.Fatal(err)
	}
	_, want, _ := d.Rows(0, 0)
	_, got, _ := again.Rows(0, 0)
	if a, b := draw(t, d, 0, 2000), draw(t, again, 0, 2000); a != b || want != got {
		t.Errorf("%d rows:\n%s\nwant %d:\n%s", got, b, want, a)
	}
	if again.Left() != d.Left() {
		t.Errorf("then it tells %q, want %q", again.Left(), d.Left())
	}

	d.OpenAll()
	if err := again.Unfold(d.Left()); err != nil || d.Left() != "0*" {
		t.Errorf("all open tells %q, %v", d.Left(), err)
	}
	_, want, _ = d.Rows(0, 0)
	if _, got, _ = again.Rows(0, 0); got != want {
		t.Errorf("all open has %d rows, want %d", got, want)
	}
}

func TestExpandedStateIsLimited(t *testing.T) {
	d := open(t, `[`+strings.Repeat(`[1],`, 900)+`[1]]`)
	for i := range 900 {
		if _, err := d.Toggle(int64(1+4*i), true, false); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(strings.Fields(d.Left())); n != 500 {
		t.Errorf("it tells of %d containers", n)
	}
	if err := d.Unfold(d.Left()); err != nil {
		t.Fatal(err)
	}
	if _, total, _ := d.Rows(0, 0); total != 2+901+499*2 {
		t.Errorf("%d rows", total)
	}
}

func TestUnfoldHandlesInvalidInput(t *testing.T) {
	for _, tt := range []struct{ left, err, rows string }{
		{left: ``, rows: "1 { (1)\n2   a: [ (1)\n3     0 1\n4   ]\n5 }\n"},
		{left: `0+`, rows: "1 { (1)\n2   a: [ 1 ] (1)\n5 }\n"},
		{left: `0+ 99+ 6+ 1*`, rows: "1 { (1)\n2   a: [ 1 ] (1)\n5 }\n"},
		{left: `0+ 5+`, rows: "1 { (1)\n2   a: [ (1)\n3     0 1\n4   ]\n5 }\n"},
		{left: `5`, err: `"5" does not say what is open`},
		{left: `+`, err: `"+" does not say what is open`},
		{left: `0+ -1+`, rows: "1 { (1)\n2   a: [ 1 ] (1)\n5 }\n"},
		{left: strings.Repeat(`0+ `, 501), err: `at most 500 values are allowed`},
	} {
		t.Run(tt.left[:min(len(tt.left), 20)], func(t *testing.T) {
			d := open(t, `{"a":[1]}`)
			err := d.Unfold(tt.left)
			if tt.err != "" {
				if f := fault.Of(err); err == nil || f.Kind != fault.Invalid || f.Field != "left" ||
					f.Message != tt.err {
					t.Fatalf("error is %v, want %s", err, tt.err)
				}
				return
			}
			if got := draw(t, d, 0, 100); err != nil || got != tt.rows {
				t.Errorf("%v\n%s\nwant\n%s", err, got, tt.rows)
			}
		})
	}
	if d := open(t, `no JSON`); d.Left() != "" || d.Unfold("0+") != nil {
		t.Error("a body that is not JSON has something open")
	}
}
