package resource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
)

// Kind is the type of a column's values. It determines which operators a filter
// may use.
type Kind int

// The kinds of column.
const (
	KindInteger Kind = iota
	KindNumber
	KindBoolean
	KindText
	KindSeconds // epoch seconds
	KindMillis  // epoch milliseconds
	KindPairs   // [{"name","value"}]
	KindIDs     // "1,2,3"
	KindOther   // JSON: shown, but not filtered or sorted
)

// Column is a field as queries may use it.
type Column struct {
	Name   string
	Kind   Kind
	Hidden bool   // write-only: a query must not name it
	Prefix string // prefix of an id that is sent as text
	Absent bool   // no row has it: it compares like an empty value
}

// Columns returns the stored fields, in the order of the declaration.
func (r *Untyped) Columns() []Column {
	row := r.New()
	columns := make([]Column, len(r.Fields))
	for i := range r.Fields {
		f := &r.Fields[i]
		columns[i] = Column{Name: f.Name, Kind: kindOf(f.At(row)), Hidden: f.WriteOnly, Prefix: f.Prefix}
	}
	return columns
}

// DerivedColumns returns the columns of the derived values, for filters.
func (r *Untyped) DerivedColumns() []Column {
	var columns []Column
	for _, d := range r.Derived {
		c := Column{Name: d.Name, Kind: KindOther}
		if d.Pairs {
			c.Kind = KindPairs
		}
		columns = append(columns, c)
	}
	return columns
}

// AbsentColumns returns the fields that published clients may request and that
// rows do not have.
func (r *Untyped) AbsentColumns() []Column {
	var columns []Column
	for _, name := range append(r.KeptNames(), strings.Fields(r.Absent)...) {
		columns = append(columns, Column{Name: name, Kind: KindText, Absent: true})
	}
	return columns
}

func kindOf(at any) Kind {
	switch at.(type) {
	case *int64, *TextID:
		return KindInteger
	case *float64:
		return KindNumber
	case *bool:
		return KindBoolean
	case *string:
		return KindText
	case *Seconds:
		return KindSeconds
	case *Millis:
		return KindMillis
	case *[]Property:
		return KindPairs
	case *IDs:
		return KindIDs
	}
	return KindOther
}

// Query holds the parameters of a list request.
type Query struct {
	Size   int64 // 1 to MaxSize
	Offset int64
	Filter string
	Sort   []Order  // by id when empty; ties are always sorted by id
	Fields []string // the only keys of each item; all when empty
}

// Order is one sort key.
type Order struct {
	Field string
	Down  bool
}

// PageOf returns those of a list's rows that a query shows: where all of them are
// in memory, already filtered and sorted.
func PageOf[T any](q Query, rows []T) []T {
	rows = rows[min(q.Offset, int64(len(rows))):]
	return rows[:min(q.Size, int64(len(rows)))]
}

// ReadList reads the rows and the total of a page that the handler of a list
// returned. Code of the portal calls a handler, rather than Find, where the filter,
// the order and the permissions of a request decide.
func ReadList[T any](response any) (rows []T, total int, err error) {
	if whole, ok := response.(*Response); ok {
		response = whole.Body
	}
	text, ok := response.(JSON)
	if !ok {
		return nil, 0, fmt.Errorf("a list is a %any", response)
	}
	var page struct {
		Total int
		Items []T
	}
	err = json.Unmarshal(text, &page)
	return page.Items, page.Total, err
}

// MaxSize is the maximum page size, DefaultSize the default.
const (
	MaxSize     = 1000
	DefaultSize = 50
)

// ParseQuery reads the common parameters of a list. A size over MaxSize is an
// error, or MaxSize when lenient.
func ParseQuery(values url.Values, lenient bool) (Query, error) {
	q := Query{Size: DefaultSize, Filter: values.Get("filter"), Fields: ParseFields(values)}
	if text := values.Get("size"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if lenient && err == nil && n > MaxSize {
			n = MaxSize
		}
		if err != nil || n < 1 || n > MaxSize {
			return q, fault.At("size", "size must be a whole number from 1 to %d", MaxSize)
		}
		q.Size = n
	}
	if text := values.Get("offset"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return q, fault.At("offset", "offset must be a whole number of at least 0")
		}
		q.Offset = n
	}
	for key := range strings.SplitSeq(values.Get("sort"), ",") {
		key = strings.TrimSpace(key) // a + that arrived as a space
		order := Order{Down: strings.HasPrefix(key, "-")}
		if order.Field = strings.TrimLeft(key, "+- "); order.Field != "" {
			q.Sort = append(q.Sort, order)
		}
	}
	if len(q.Sort) > 8 {
		return q, fault.At("sort", "sort can have at most 8 fields")
	}
	return q, nil
}

// ParseFields parses fields=a,b.
func ParseFields(values url.Values) []string {
	var fields []string
	for name := range strings.SplitSeq(values.Get("fields"), ",") {
		if name = strings.TrimSpace(name); name != "" && name != "*" && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	return fields
}

// Nearest returns the known name closest to a mistyped one, or "" when none is close: a third of
// its letters may differ, at least two, but only one in a name of up to three letters, where two
// would match almost anything. Such a short name may also be the beginning of a known one.
func Nearest(name string, known []string) string {
	if len(name) > 128 { // not a typing mistake, and slow to compare
		return ""
	}
	name = strings.ToLower(name)
	short := len(name) <= 3
	best, distance, begins := "", max(2, len(name)/3)+1, ""
	if short {
		distance = 2
	}
	for _, k := range known {
		other := strings.ToLower(k)
		if d := edits(name, other); d < distance {
			best, distance = k, d
		}
		if short && len(name) > 1 && begins == "" && strings.HasPrefix(other, name) {
			begins = k
		}
	}
	return cmp.Or(best, begins)
}

// DidYouMean returns "; did you mean x?" or nothing.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// edits returns how many letters to insert, delete or replace, or neighbors to swap.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			if a[i] == b[j] {
				row[j+1] = last[j]
				continue
			}
			row[j+1] = 1 + min(last[j], last[j+1], row[j])
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
