package ondisk

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	yaml "github.com/oasdiff/yaml3" // the YAML library of kin-openapi

	"spyglass/backend/fault"
)

// object is a YAML mapping that is written. Its keys have the order of the calls.
type object struct {
	node   yaml.Node
	quoted bool // all texts in quotes
}

type builder interface{ build(o *object) }

func newObject(quoted bool) *object {
	return &object{node: yaml.Node{Kind: yaml.MappingNode}, quoted: quoted}
}

func (o *object) add(key string, value *yaml.Node) {
	o.node.Content = append(o.node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}

// text adds a text, unless it is empty.
func (o *object) text(key, value string) {
	if value != "" {
		o.must(key, value)
	}
}

// must adds a text, even if it is empty.
func (o *object) must(key, value string) { o.add(key, o.scalar(value)) }

func (o *object) number(key string, value int64) {
	if value != 0 {
		o.add(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(value, 10)})
	}
}

func (o *object) flag(key string, value bool) {
	if value {
		o.add(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
}

// texts adds a mapping of texts in the order of their keys.
func (o *object) texts(key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	inside := newObject(o.quoted)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		inside.must(name, values[name])
	}
	o.add(key, &inside.node)
}

func list[T builder](o *object, key string, items []T) {
	if len(items) == 0 {
		return
	}
	all := &yaml.Node{Kind: yaml.SequenceNode}
	for _, item := range items {
		inside := newObject(o.quoted)
		item.build(inside)
		all.Content = append(all.Content, &inside.node)
	}
	o.add(key, all)
}

// scalar returns a text: a block for several lines, unless the lines would not be read
// back as they are.
func (o *object) scalar(value string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	unsafe := strings.ContainsFunc(value, func(c rune) bool {
		return c != '\n' && c != '\t' && unicode.IsControl(c) || c == '\u2028' || c == '\u2029' || c == '\ufeff'
	})
	switch {
	case o.quoted, unsafe, strings.HasPrefix(value, "\n"), value == "\n":
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(value, "\n"):
		n.Style = yaml.LiteralStyle
	}
	return n
}

// encode returns the text of a file. With the text that the file has, it changes only what
// differs, and keeps comments and blank lines. It reads the text again: what would be another request is
// never written.
func encode[T any, P interface {
	*T
	builder
}](in P, most int, was []byte) ([]byte, error) {
	var old yaml.Node
	if _, err := parse("it", was, most); err != nil || yaml.Unmarshal(was, &old) != nil {
		old = yaml.Node{} // the text is new
	}
	for _, try := range []struct{ merge, spaced, quoted bool }{{true, true, false}, {true, true, true},
		{true, false, false}, {true, false, true}, {}, {quoted: true}} {
		o := newObject(try.quoted)
		in.build(o)
		document := &o.node
		if try.merge {
			if old.Kind == 0 {
				continue
			}
			document = merged(&old, &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{&o.node}})
		}
		var out bytes.Buffer
		e := yaml.NewEncoder(&out)
		e.SetIndent(2)
		if errors.Join(e.Encode(document), e.Close()) != nil {
			continue
		}
		text := out.Bytes()
		if try.merge && bytes.HasSuffix(text, []byte("\n\n")) && !bytes.HasSuffix(was, []byte("\n\n")) {
			text = text[:len(text)-1] // below a comment at the end
		}
		if try.spaced {
			text = spaced(was, text)
		}
		var back T
		err := decode("it", text, most, &back)
		if fault.Is(err, fault.TooLarge) {
			return nil, err
		}
		if err == nil && reflect.DeepEqual(back, *(*T)(in)) {
			return text, nil
		}
	}
	return nil, fault.New(fault.Invalid, "it has characters that a text file cannot have")
}

// mapping is the top level of a file.
type mapping struct{ *yaml.Node }

func (m mapping) has(key string) bool {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return true
		}
	}
	return false
}

// Marks of git in a file with an unresolved conflict. They are at the beginning of a
// line, where the lines of a block are indented.
var conflictMark = regexp.MustCompile(`(?m)^(<{7}|={7}|>{7}|\|{7})([ \r].*)?$`)

// Errors of the YAML library.
var (
	errorLine    = regexp.MustCompile(`line (\d+): (.*)`)
	unknownField = regexp.MustCompile(`^field (.*) not found in type .*`)
	wrongType    = regexp.MustCompile(`^cannot unmarshal .* into .*`)
)

// parse checks a file and returns its top level.
func parse(path string, text []byte, most int) (mapping, error) {
	if len(text) > most {
		return mapping{}, tooLarge(path, most)
	}
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return mapping{}, fault.New(fault.Invalid, "%s is not a text in UTF-8", path)
	}
	if mark := conflictMark.FindIndex(text); mark != nil {
		return mapping{}, fault.New(fault.Invalid, "%s: there is an unresolved conflict of git. Resolve it in an "+
			"editor", at(path, 1+bytes.Count(text[:mark[0]], []byte("\n"))))
	}
	var top yaml.Node
	if err := yaml.Unmarshal(text, &top); err != nil {
		return mapping{}, wrong(path, err)
	}
	if len(top.Content) != 1 || top.Content[0].Kind != yaml.MappingNode {
		return mapping{}, fault.New(fault.Invalid, "%s must have lines such as “name: …”", path)
	}
	if n := alias(&top); n != nil {
		return mapping{}, fault.New(fault.Invalid, "%s: references (*%s) are not supported; repeat the text",
			at(path, n.Line), n.Value)
	}
	return mapping{top.Content[0]}, nil
}

// alias returns the first reference to another place in the file; nil if there is none.
func alias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n
	}
	for _, inside := range n.Content {
		if found := alias(inside); found != nil {
			return found
		}
	}
	return nil
}

// decode reads a file. It refuses unknown keys: they would be lost when it is written.
func decode(path string, text []byte, most int, into any) error {
	if _, err := parse(path, text, most); err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	d.DisableTimestamps(true)
	if err := d.Decode(into); err != nil {
		return wrong(path, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "%s has several documents, separated by ---; a file has one", path)
	}
	return nil
}

// wrong describes an error of the YAML library in words.
func wrong(path string, err error) error {
	first := err.Error()
	var several *yaml.TypeError
	if errors.As(err, &several) {
		first = several.Errors[0]
	}
	line, what := 0, strings.TrimPrefix(first, "yaml: ")
	if found := errorLine.FindStringSubmatch(first); found != nil {
		line, _ = strconv.Atoi(found[1])
		what = found[2]
	}
	if found := unknownField.FindStringSubmatch(what); found != nil {
		what = "unknown key “" + found[1] + "”"
	} else if wrongType.MatchString(what) {
		what = "the value has the wrong type"
	}
	return fault.New(fault.Invalid, "%s: %s", at(path, line), what)
}
