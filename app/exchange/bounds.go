package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	yaml "github.com/oasdiff/yaml3"

	"spyglass/app/budget"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// Limits of the work for a file, apart from its size.
const (
	spareBytes = 4 << 20
	spareSteps = 16 << 20

	stepsPerByte = 64
	bytesPerByte = 4
)

// budgetFor returns the budget for reading or writing that many bytes.
func budgetFor(ctx context.Context, size int) *budget.Budget {
	return budget.New(ctx, budget.Limits{Bytes: spareBytes + bytesPerByte*int64(size), Steps: spareSteps +
		stepsPerByte*int64(size)})
}

// tooMuch converts the error of an exceeded budget to a sentence.
func (f *File) tooMuch(err error) error {
	if !budget.Spent(err) {
		return err
	}
	return fault.New(fault.TooLarge, "%s repeats its contents so often that it would become many times larger. "+
		"Remove the repetitions and try again.", f.name())
}

// rowSize is the size of a row of a draft without its texts, in bytes.
const rowSize = 64

// spendRows spends the cost of a copy of the rows, in memory and in the
// workspace.
func (f *File) spendRows(rows workspace.Rows) error {
	n := len(rows) * rowSize
	for _, r := range rows {
		n += len(r.Key) + len(r.Value) + len(r.Doc)
	}
	return f.budget.Bytes(n)
}

// maxNesting limits the nesting of brackets or lines.
const maxNesting = 200

// A value takes some hundred bytes of memory, however short it is in the file.
// Ordinary files have many bytes per value; these limits refuse files that
// consist of hardly anything but values.
const (
	bytesPerValue = 16
	spareValues   = 10_000

	// A reference in an API description takes kilobytes.
	bytesPerReference = 100
	spareReferences   = 10_000
)

func (f *File) tooDeep() error {
	return fault.New(fault.Invalid, "%s is nested more than %d deep", f.name(), maxNesting)
}

func (f *File) tooMany(values, size int) error {
	if values <= spareValues+size/bytesPerValue {
		return nil
	}
	return fault.New(fault.Invalid, "%s contains too many values: more than one in %d bytes", f.name(),
		bytesPerValue)
}

// shapeOfJSON refuses JSON that is nested too deep or has too many values for
// its size. Text that is not JSON passes; it is refused when it is read. It counts
// brackets itself, before encoding/json takes memory for each value.
func (f *File) shapeOfJSON(text []byte) error {
	var lists [maxNesting + 1]bool // whether each level is a list
	level, values := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if level++; level > maxNesting {
				return f.tooDeep()
			}
			lists[level] = text[i] == '['
			values++
		case '}', ']':
			level = max(level-1, 0)
		case ',':
			if lists[level] {
				values++
			}
		}
	}
	return f.tooMany(values, len(text))
}

// shapeOfYAML refuses YAML that is nested too deep, has too many values for its
// size, or becomes too large when its aliases are expanded. The library counts
// the nodes of aliases, but not their bytes.
func (f *File) shapeOfYAML() error {
	level, values := 0, 0
	for _, c := range f.Text { // quotes may be unpaired, so brackets in texts count as well
		switch c {
		case '{', '[':
			level++
			values++
		case '}', ']':
			level--
		case ',':
			values++
		}
		if level > maxNesting {
			return f.tooDeep()
		}
	}
	for line := range bytes.Lines(f.Text) {
		rest := bytes.TrimLeft(line, " -?:\t")
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		marks := line[:len(line)-len(rest)]
		if len(marks) > 4*maxNesting {
			return f.tooDeep()
		}
		values += 1 + bytes.Count(marks, []byte("- "))
	}
	if err := f.tooMany(values/2, len(f.Text)); err != nil { // lines are counted, although many belong to texts
		return err
	}
	if bytes.IndexByte(f.Text, '*') < 0 {
		return nil
	}
	var top yaml.Node
	if yaml.Unmarshal(f.Text, &top) != nil {
		return nil // reading will fail
	}
	w := weigher{sizes: map[*yaml.Node]int64{}}
	if w.of(&top); w.most > spareBytes+bytesPerByte*int64(len(f.Text)) {
		return f.tooMuch(errSpent)
	}
	return nil
}

// errSpent is the error for an exceeded budget.
var errSpent = fault.New(fault.TooLarge, "too large")

// weigher computes the size of nodes with expanded aliases.
type weigher struct {
	sizes map[*yaml.Node]int64 // of anchored nodes; -1 while one is being computed
	most  int64
}

// enough is the size at which the computation stops, because sizes can double
// with each line.
const enough = 1 << 40

func (w *weigher) of(n *yaml.Node) int64 {
	if size, known := w.sizes[n]; known {
		if size < 0 { // it contains itself
			w.most = enough
			return enough
		}
		return size
	}
	if n.Anchor != "" {
		w.sizes[n] = -1
	}
	size := int64(len(n.Value)) + 2
	if n.Alias != nil {
		size += w.of(n.Alias)
	}
	for _, in := range n.Content {
		size = min(size+w.of(in), enough)
	}
	if n.Anchor != "" {
		w.sizes[n] = size
	}
	w.most = max(w.most, size)
	return size
}

// localReference matches a reference within an API description.
var localReference = regexp.MustCompile(`"\$ref"\s*:\s*"#/?([^"]*)"`)

// references spends the cost of the references in an API description: the library
// visits the target of each, and copies targets other than components and paths.
func (f *File) references() error {
	sizes := targets(f.top)
	found := localReference.FindAllSubmatch(f.Text, -1)
	if len(found) > spareReferences+len(f.Text)/bytesPerReference {
		return fault.New(fault.Invalid, "%s contains too many references: more than one in %d bytes",
			f.name(), bytesPerReference)
	}
	for _, m := range found {
		if err := f.budget.Steps(costOf(string(m[1]), sizes, len(f.Text))); err != nil {
			return f.tooMuch(err)
		}
	}
	return nil
}

// targets returns the sizes of the usual targets of references, by the beginning
// of the pointer.
func targets(top map[string]json.RawMessage) map[string]int {
	sizes := map[string]int{}
	add := func(place string, text json.RawMessage) {
		var named map[string]json.RawMessage
		if json.Unmarshal(text, &named) == nil {
			for name, in := range named {
				sizes[place+"/"+name] = len(in)
			}
		}
	}
	for _, place := range []string{"paths", "definitions", "parameters", "responses"} {
		add(place, top[place])
	}
	var kinds map[string]json.RawMessage
	if json.Unmarshal(top["components"], &kinds) == nil {
		for kind, in := range kinds {
			add("components/"+kind, in)
		}
	}
	return sizes
}

// costOf returns the number of steps to follow a pointer.
func costOf(pointer string, sizes map[string]int, all int) int {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		parts[i] = pointerPart.Replace(unescape(part))
	}
	depth := 2
	if parts[0] == "components" {
		depth = 3
	}
	size, known := sizes[strings.Join(parts[:min(depth, len(parts))], "/")]
	if !known || slices.ContainsFunc(parts, copied) {
		return all
	}
	return size
}

var pointerPart = strings.NewReplacer("~1", "/", "~0", "~")

// copied reports whether the library copies values at such a part of a pointer.
func copied(part string) bool {
	return strings.HasPrefix(part, "x-") || slices.Contains([]string{"example", "examples", "default", "enum"}, part)
}

// weigh spends the cost of a value written in lines, at that level of nesting,
// and reports whether the budget suffices.
func (f *File) weigh(v any, level int) bool {
	size := 2*level + 2
	switch v := v.(type) {
	case string:
		size += len(v)
	case []any:
		for _, in := range v {
			if !f.weigh(in, level+1) {
				return false
			}
		}
	case map[string]any:
		for key, in := range v {
			size += len(key)
			if !f.weigh(in, level+1) {
				return false
			}
		}
	}
	return f.budget.Bytes(size) == nil
}
