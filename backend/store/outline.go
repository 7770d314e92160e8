package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

	"spyglass/backend/resource"
)

// outline holds the parts that the JSON of all rows of a table shares: the names of the
// fields, in order, and their usual values. The column body holds the rest of a row's
// JSON, a fifth of its size:
//
//	mark                     which outline
//	for each unusual field
//	  uvarint                forms × the number of usual fields before it + its form
//	  uvarint and bytes      asText
//	  varint                 asInteger
//
// The zero value has no fields and packs nothing.
type outline struct {
	mark   []byte // never begins as JSON does
	sum    string // differs if anything else does
	fields []outlined
	text   []byte   // the usual fields, as ,"name":value, at their offsets
	wide   []string // the columns of inColumn, which every reader of a body reads too
}

type outlined struct {
	name  string
	head  []byte // ,"name":
	usual []byte // the raw value; nil if a row usually lacks the field
	at    int    // the offset in outline.text
	wide  int    // an index in outline.wide; -1 for none
}

// form says how the value of an unusual field is stored.
type form uint64

const (
	asText    form = iota // its raw JSON
	asInteger             // as a number
	inColumn              // nowhere: the column of the field has the same text
	missing               // the row lacks the field
	forms
)

// newOutline takes the usual values from a new row. If the declaration has a wrong
// default, which fails each creation, it takes none.
func newOutline(r *resource.Untyped) outline {
	row, err := r.Defaults()
	if err != nil {
		row = r.New()
	}
	usual, err := r.AppendJSON(nil, row)
	if err != nil {
		return outline{}
	}
	var o outline
	h := sha256.New()
	add := func(name string, wide bool) {
		f := outlined{name: name, head: append(resource.AppendString([]byte{','}, name), ':'), wide: -1,
			usual: resource.FindKey(usual, name), at: len(o.text)}
		if f.usual != nil {
			o.text = append(append(o.text, f.head...), f.usual...)
		}
		if wide {
			f.wide = len(o.wide)
			o.wide = append(o.wide, name)
		}
		o.fields = append(o.fields, f)
		_, _ = h.Write(slices.Concat(f.head, f.usual, []byte{0, byte(f.wide + 1)})) // it never fails
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		for _, k := range f.Keeps {
			add(k.Name, false)
		}
		if f.Keeps == nil && !f.WriteOnly {
			_, pairs := f.At(row).(*[]resource.Property)
			add(f.Name, pairs)
		}
	}
	sum := h.Sum(nil)
	o.mark, o.sum = append([]byte{1}, sum[:3]...), hex.EncodeToString(sum)
	return o
}

// pack returns the JSON of a row as its table stores it; wide has the texts of its wide
// columns. JSON with other fields, or in another order, stays as it is.
func (o *outline) pack(body []byte, wide []string) []byte {
	if len(o.fields) == 0 {
		return body
	}
	p := packer{out: append(make([]byte, 0, len(body)/2), o.mark...), fields: o.fields}
	for at := 1; at < len(body)-1; {
		var key, value []byte
		key, value, at = resource.NextKey(body, at)
		i := slices.IndexFunc(p.fields, func(f outlined) bool { return f.name == string(key) })
		if i < 0 {
			return body
		}
		p.skip(i)
		p.add(value, wide)
	}
	p.skip(len(p.fields))
	return p.out
}

type packer struct {
	out    []byte
	fields []outlined // the fields that follow
	usual  uint64     // the number of usual fields since the last unusual one
}

// head begins an unusual field.
func (p *packer) head(of form) {
	p.out = binary.AppendUvarint(p.out, p.usual*uint64(forms)+uint64(of))
	p.usual = 0
}

// skip goes past fields that the row lacks.
func (p *packer) skip(n int) {
	for _, f := range p.fields[:n] {
		if f.usual == nil {
			p.usual++
		} else {
			p.head(missing)
		}
	}
	p.fields = p.fields[n:]
}

// add adds the value of the next field.
func (p *packer) add(value []byte, wide []string) {
	f := p.fields[0]
	p.fields = p.fields[1:]
	number, whole := integer(value)
	switch {
	case f.usual != nil && bytes.Equal(f.usual, value):
		p.usual++
	case f.wide >= 0 && wide[f.wide] == string(value):
		p.head(inColumn)
	case whole:
		p.head(asInteger)
		p.out = binary.AppendVarint(p.out, number)
	default:
		p.head(asText)
		p.out = append(binary.AppendUvarint(p.out, uint64(len(value))), value...)
	}
}

// integer reads a raw value that strconv.AppendInt would write the same way.
func integer(value []byte) (n int64, ok bool) {
	const most = 18 // digits, which cannot overflow
	digits := bytes.TrimPrefix(value, []byte("-"))
	if len(digits) == 0 || len(digits) > most || digits[0] == '0' && len(value) > 1 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if len(digits) < len(value) {
		n = -n
	}
	return n, true
}

// unpack appends the JSON of a row to room; wide has the texts of its wide columns. ok is
// false if another version packed it with its own outline, or if it is damaged.
func (o *outline) unpack(room, body []byte, wide []string) (_ []byte, ok bool) {
	if len(body) == 0 || body[0] == '{' {
		return append(room, body...), true
	}
	rest, ok := bytes.CutPrefix(body, o.mark)
	if !ok || len(o.fields) == 0 {
		return room, false
	}
	size := len(o.text) + 3*len(rest) // about
	for _, text := range wide {
		size += len(text)
	}
	out := slices.Grow(room, size)
	from := 0 // the first field that is not in out
	for len(rest) > 0 {
		head, n := binary.Uvarint(rest)
		usual, of := head/uint64(forms), form(head%uint64(forms))
		if n <= 0 || usual >= uint64(len(o.fields)-from) {
			return room, false
		}
		rest = rest[n:]
		f := &o.fields[from+int(usual)]
		out = append(out, o.text[o.fields[from].at:f.at]...)
		if out, rest, ok = f.unpack(out, rest, of, wide); !ok {
			return room, false
		}
		from += int(usual) + 1
	}
	if from < len(o.fields) {
		out = append(out, o.text[o.fields[from].at:]...)
	}
	if len(out) == len(room) {
		out = append(out, ',')
	}
	out[len(room)] = '{' // instead of a comma
	return append(out, '}'), true
}

// unpack moves the value of an unusual field from rest to out.
func (f *outlined) unpack(out, rest []byte, of form, wide []string) (_, _ []byte, ok bool) {
	if of != missing {
		out = append(out, f.head...)
	}
	switch of {
	case asText:
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) {
			return out, rest, false
		}
		rest = rest[n:]
		return append(out, rest[:size]...), rest[size:], true
	case asInteger:
		number, n := binary.Varint(rest)
		if n <= 0 {
			return out, rest, false
		}
		return strconv.AppendInt(out, number, 10), rest[n:], true
	case inColumn:
		if f.wide < 0 {
			return out, rest, false
		}
		out = append(out, wide[f.wide]...)
	}
	return out, rest, true
}
