package document_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spyglass/app/document"
)

// plainNode is a simple, slow tree that the tests compare Rows with.
type plainNode struct {
	at       int64
	text     string
	open     bool
	array    bool
	branch   bool
	keys     []string
	children []*plainNode
}

// randomJSON generates JSON text and the tree of it.
type randomJSON struct {
	*rand.Rand
	strings.Builder
	left int // nodes still to write
}

func (r *randomJSON) space() {
	if r.IntN(20) == 0 {
		r.WriteString(strings.Repeat(" \n\t\r", r.IntN(4)))
	}
}

func (r *randomJSON) node(depth int) *plainNode {
	n := &plainNode{at: int64(r.Len()), open: true}
	r.left--
	width := r.IntN(8)
	if r.IntN(40) == 0 {
		width = r.IntN(400)
	}
	switch {
	case depth < 12 && (depth == 0 || r.IntN(3) == 0):
		n.branch, n.array = true, r.IntN(2) == 0
		bracket := "{}"
		if n.array {
			bracket = "[]"
		}
		r.WriteByte(bracket[0])
		for i := 0; i < width && r.left > 0 || depth == 0 && r.left > 0; i++ {
			if i > 0 {
				r.WriteByte(',')
			}
			r.space()
			if !n.array {
				n.keys = append(n.keys, fmt.Sprint("k", r.IntN(10), strings.Repeat("x", 30*r.IntN(2)*r.IntN(90))))
				fmt.Fprintf(r, "%q", n.keys[i])
				r.space()
				r.WriteByte(':')
				r.space()
			}
			n.children = append(n.children, r.node(depth+1))
			r.space()
		}
		r.WriteByte(bracket[1])
	case r.IntN(30) == 0:
		n.text = strings.Repeat("long, ]}\" ", r.IntN(900))
		fmt.Fprintf(r, "%q", n.text)
	default:
		n.text = fmt.Sprint(r.IntN(1_000_000))
		r.WriteString(n.text)
	}
	return n
}

// draw lists the rows of n as text.
func (n *plainNode) draw(label string, line *int, shown bool, out *[]string) {
	add := func(text string) {
		*line++
		if shown {
			*out = append(*out, fmt.Sprintf("%d %d %s", *line, n.at, text))
		}
	}
	if len(n.children) == 0 || !n.open {
		add(label + cutText(n.text))
	} else {
		add(label + "open")
	}
	inside := shown && n.open
	for i, c := range n.children {
		label := fmt.Sprint(i, " ")
		if !n.array {
			label = cutText(n.keys[i]) + ": "
		}
		c.draw(label, line, inside, out)
	}
	if len(n.children) > 0 {
		shown = inside
		add("end")
	}
}

func cutText(s string) string { return s[:min(len(s), 2000)] }

func (n *plainNode) set(open bool) {
	n.open = open
	for _, c := range n.children {
		c.set(open)
	}
}

func (n *plainNode) branches(all []*plainNode) []*plainNode {
	if n.branch {
		all = append(all, n)
	}
	for _, c := range n.children {
		all = c.branches(all)
	}
	return all
}

func drawRow(r document.TreeRow) string {
	label := ""
	if r.Key != nil {
		label = *r.Key + ": "
	}
	if r.Index != nil {
		label = fmt.Sprint(*r.Index, " ")
	}
	switch {
	case r.Kind == document.End:
		label = "end"
	case r.Text != nil:
		label += *r.Text
	case r.Open:
		label += "open"
	}
	return fmt.Sprintf("%d %d %s", r.Line, r.Node, label)
}

func TestRowsMatchANaiveImplementation(t *testing.T) {
	for seed := range uint64(16) {
		r := &randomJSON{Rand: rand.New(rand.NewPCG(seed, 1)), left: 20 + int(seed)*150}
		root := r.node(0)
		body := r.String()
		if !json.Valid([]byte(body)) {
			t.Fatalf("seed %d: the test made bad JSON", seed)
		}
		d := keep(t, body, 1+r.IntN(5000), []int{0, 1 << 20}[seed%2]+1)
		d.OpenAll()
		branches := root.branches(nil)
		for step := range 40 {
			n := branches[r.IntN(len(branches))]
			open, deep := r.IntN(2) == 0, r.IntN(4) == 0
			if step == 20 {
				d.CloseAll()
				root.set(false)
				root.open = true
			}
			total, err := d.Toggle(n.at, open, deep)
			if n.open = open; deep {
				n.set(open)
			}
			if step%9 == 0 {
				row, total2, err := d.Reveal(n.at)
				reveal(root, n)
				total = total2
				rows, _, _ := d.Rows(row, 1)
				if err != nil || len(rows) != 1 || rows[0].Node != n.at || rows[0].Kind == document.End {
					t.Fatalf("seed %d: node %d is not at its row %d: %v %v", seed, n.at, row, rows, err)
				}
			}
			var want []string
			root.draw("", new(int), true, &want)
			from := r.IntN(len(want))
			count := r.IntN(50)
			rows, total2, err2 := d.Rows(from, count)
			if err != nil || err2 != nil || total != len(want) || total2 != total {
				t.Fatalf("seed %d step %d: %d and %d rows, want %d; %v %v", seed, step, total, total2,
					len(want), err, err2)
			}
			var got []string
			for _, row := range rows {
				got = append(got, drawRow(row))
			}
			want = want[from:min(from+count, len(want))]
			if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
				t.Fatalf("seed %d step %d, from %d:\n%.2000s\nwant:\n%.2000s", seed, step, from, g, w)
			}
		}
	}
}

// reveal opens the ancestors of target.
func reveal(n, target *plainNode) bool {
	for _, c := range n.children {
		if c == target || reveal(c, target) {
			n.open = true
			return true
		}
	}
	return false
}

func FuzzIndex(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `{"a":[1,-0.5e+3,"\u00e9\\",true,false,null,{}],"a":[]}`, `[[[[`, `]`, `01`, `-`, `1.`, `1e`,
		`"\ud83d"`, "\"\x00\"", "\xff", `{"a"`, `[1,]`, `tru`, `nulll`,
		"\xff\xfe", "\xff\xfe1\x00", "\xfe\xff\x00", "\xef\xbb\xbf1",
	} {
		f.Add([]byte(seed), uint16(1))
		f.Add([]byte(seed), uint16(3))
	}
	f.Fuzz(func(t *testing.T, body []byte, piece uint16) {
		for _, inMemory := range []int{1, 1 << 20} {
			d := keep(t, string(body), int(piece)+1, inMemory)
			var asText bytes.Buffer // the body as UTF-8; a byte order mark selects another charset
			if err := d.WriteText(&asText); err != nil {
				t.Fatal(err)
			}
			text := asText.Bytes()
			ok, problem := d.JSON()
			if ok != json.Valid(text) || ok != (problem == "") {
				t.Fatalf("JSON is %v, %q; encoding/json says %v", ok, problem, json.Valid(text))
			}
			if sent, err := d.Raw(0, len(body)); err != nil || string(sent) != string(body) {
				t.Fatalf("the body as it was sent is %q, %v", sent, err)
			}
			total := d.OpenAll()
			rows, total2, err := d.Rows(0, total)
			if err != nil || total2 != total || len(rows) != min(total, 10000) {
				t.Fatalf("%d rows of %d and %d, %v", len(rows), total, total2, err)
			}
			for i, r := range rows {
				if _, err := d.Path(r.Node); err != nil || r.Line != i+1 {
					t.Fatalf("row %d has line %d, %v", i, r.Line, err)
				}
			}
			var joined []byte
			lines, _, err := d.Lines(0, 10000)
			for i, l := range lines {
				end := int64(len(text))
				if i+1 < len(lines) {
					end = lines[i+1].Offset
				}
				joined = append(joined, text[l.Offset:end]...)
			}
			if err != nil || len(lines) < 10000 && string(joined) != string(text) {
				t.Fatalf("lines give %q of %q, %v", joined, text, err)
			}
		}
	})
}
