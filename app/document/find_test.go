package document_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spyglass/app/document"
)

func TestFindExpandsTheAncestorsOfAMatch(t *testing.T) {
	body := devices(1000)
	for _, inMemory := range []int{1, 1 << 20} {
		d := keep(t, body, 999, inMemory)
		f, err := d.Find(context.Background(), "rack 500", false, 0)
		want := document.Found{Count: 1, Node: int64(strings.Index(body, `"Frankfurt FR5, rack 500"`)), Row: 523,
			Total: 1030, Path: "$.items[500].customProperties[0].value"}
		if err != nil || f != want {
			t.Errorf("got %+v %v, want %+v", f, err, want)
		}
		same(t, draw(t, d, f.Row, 1), "11520           value: \"Frankfurt FR5, rack 500\"\n")
	}
}

func TestFind(t *testing.T) {
	body := `{"Name":"a\u00c4b","list":[12.50,"näme",null,"na\u006de name"],"nameless":{"x":"NAME"}}`
	for _, tt := range []struct {
		query string
		exact bool
		paths []string
	}{
		{"name", false, []string{"key $.Name", "$.list[3]", "key $.nameless", "$.nameless.x"}},
		{"name", true, []string{"$.list[3]", "key $.nameless"}},
		{"NAME", true, []string{"$.nameless.x"}},
		{"äb", false, []string{"$.Name"}},
		{"äb", true, nil},
		{"NÄM", false, []string{"$.list[1]"}},
		{"2.50", false, []string{"$.list[0]"}},
		{"null", true, []string{"$.list[2]"}},
		{`"`, false, nil},
		{"", false, nil},
	} {
		d := open(t, body)
		var paths []string
		first, err := d.Find(context.Background(), tt.query, tt.exact, 0)
		for n := range first.Count {
			f, _ := d.Find(context.Background(), tt.query, tt.exact, n-first.Count) // n wraps around
			key := ""
			if f.Key {
				key = "key "
			}
			if f.At != n {
				t.Errorf("%s: match %d says it is %d", tt.query, n, f.At)
			}
			paths = append(paths, key+f.Path)
		}
		if err != nil || !reflect.DeepEqual(paths, tt.paths) || first.Count == 0 && first.At != -1 {
			t.Errorf("%s %v: %q %v, want %q", tt.query, tt.exact, paths, err, tt.paths)
		}
	}
}

func TestFindMatchesAcrossChunksOfALongText(t *testing.T) {
	for _, at := range []int{65534, 65536, 131070, 200_000} {
		body := `["` + strings.Repeat("x", at) + `needle\n` + strings.Repeat("y", 70_000) + `"]`
		f, err := keep(t, body, 1<<20, 1).Find(context.Background(), "Needle\n", false, 0)
		if err != nil || f.Count != 1 || f.Path != "$[0]" {
			t.Errorf("at %d: %+v %v", at, f, err)
		}
	}
}

func TestFindEndsWhenItsContextIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := open(t, devices(10_000))
	if _, err := d.Find(ctx, "nowhere", false, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Find says %v", err)
	}
	if _, err := d.FindRaw(ctx, "nowhere", false, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("FindRaw says %v", err)
	}
}

func TestFindRawReturnsTheRow(t *testing.T) {
	body := strings.Repeat("ab\n", 1000) + strings.Repeat("x", 300_000) + "Needle" +
		strings.Repeat("y", 300_000) + "\nneedle"
	d := keep(t, body, 777, 1)
	for _, tt := range []struct {
		query   string
		exact   bool
		n       int
		want    document.Found
		excerpt string
	}{
		{"needle", false, 0, document.Found{Count: 2, At: 0, Node: 303_000, Row: 1300, Total: 1602}, "Needleyyy"},
		{"needle", false, 1, document.Found{Count: 2, At: 1, Node: 603_007, Row: 1601, Total: 1602}, "needle"},
		{"needle", true, 0, document.Found{Count: 1, At: 0, Node: 603_007, Row: 1601, Total: 1602}, "needle"},
		{"nowhere", true, 0, document.Found{At: -1, Total: 1602}, ""},
	} {
		f, err := d.FindRaw(context.Background(), tt.query, tt.exact, tt.n)
		if err != nil || f != tt.want {
			t.Errorf("%s: got %+v %v, want %+v", tt.query, f, err, tt.want)
		}
		lines, _, _ := d.Lines(f.Row, 1)
		if tt.excerpt != "" && !strings.HasPrefix(lines[0].Text, tt.excerpt) {
			t.Errorf("row %d is %.20q", f.Row, lines[0].Text)
		}
	}
	if f, _ := open(t, strings.Repeat("aa", 1000)).FindRaw(context.Background(), "aaa", true, 0); f.Count != 666 {
		t.Errorf("%d matches, want 666", f.Count)
	}
}

func TestLinesAreTheUnchangedBody(t *testing.T) {
	for _, tt := range []struct {
		body string
		want []string
	}{
		{"", nil},
		{"a", []string{"0 1 a"}},
		{"a\n", []string{"0 1 a"}},
		{"a\r\n\nb\xff", []string{"0 1 a", "1 2 ", "2 3 b\ufffd"}},
		{strings.Repeat("x", 1000) + "\ny", []string{"0 1 " + strings.Repeat("x", 1000), "1 2 y"}},
		{strings.Repeat("x", 1001), []string{"0 1 " + strings.Repeat("x", 1000), "1 1+ x"}},
		{strings.Repeat("x", 999) + "😀!", []string{"0 1 " + strings.Repeat("x", 999) + "😀", "1 1+ !"}},
	} {
		for _, piece := range []int{1, 7, 5000} {
			lines, total, err := keep(t, tt.body, piece, 1).Lines(0, 100)
			var got []string
			for _, l := range lines {
				part := ""
				if l.Part {
					part = "+"
				}
				got = append(got, fmt.Sprintf("%d %d%s %s", l.Row, l.Line, part, l.Text))
			}
			if err != nil || total != len(tt.want) || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%.20q in pieces of %d: %q %d %v", tt.body, piece, got, total, err)
			}
		}
	}
}

func TestLinesNearTheEndAreFound(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	d := keep(t, b.String(), 4096, 1)
	for _, from := range []int{0, 255, 256, 257, 77_777, 99_998} {
		lines, total, err := d.Lines(from, 2)
		if err != nil || total != 100_000 || len(lines) != 2 || lines[0].Text != fmt.Sprint("line ", from) ||
			lines[1].Line != from+2 {
			t.Errorf("from %d: %v %d %v", from, lines, total, err)
		}
	}
	if lines, _, err := d.Lines(100_000, 5); len(lines) != 0 || err != nil {
		t.Errorf("behind the end: %v %v", lines, err)
	}
}
