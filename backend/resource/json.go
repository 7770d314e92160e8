package resource

import (
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"spyglass/backend/fault"
)

// Node is one value of a JSON body, with its kind and position.
type Node struct {
	Kind  byte   // one of { [ " 0 t f n
	Pos   int    // byte offset
	Text  string // of a string, unescaped; of a number, the literal
	Keys  []string
	Items []Node // of an array, or the values of Keys
	Raw   []byte // the value as received
}

// Get returns the value of a key of an object; nil where it has none.
func (n *Node) Get(key string) *Node {
	if i := slices.Index(n.Keys, key); i >= 0 {
		return &n.Items[i]
	}
	return nil
}

const (
	maxDepth = 32
	maxKey   = 256     // bytes
	maxNodes = 100_000 // values in one body: each takes a hundred bytes of memory
)

// ParseJSON parses a body strictly: one value and nothing after it, valid UTF-8,
// no duplicate keys, no control characters in keys, keys of at most 256 bytes, at
// most 32 levels and 100,000 values in all (trust.md, rule 6). Errors are
// fault.Invalid and name the position in bytes.
//
// It reads what people and other programs send. encoding/json allows more than
// these rules: it is for shapes of Go, behind ParseJSON or for texts that this
// program wrote. Any other reader says in its comment why it is neither.
func ParseJSON(body []byte) (Node, error) {
	if !utf8.Valid(body) {
		return Node{}, fault.New(fault.Invalid, "the body is not valid UTF-8")
	}
	p := parser{in: body}
	p.space()
	node, err := p.value(0)
	if err != nil {
		return Node{}, err
	}
	if p.space(); p.at < len(body) {
		return Node{}, p.wrong("there is more data after the JSON value")
	}
	return node, nil
}

// ParseObject reads a body as ParseJSON does, and refuses a body that is not an object;
// what names the body in that error, such as "the body".
func ParseObject(body []byte, what string) (Node, error) {
	node, err := ParseJSON(body)
	if err == nil && node.Kind != '{' {
		err = fault.New(fault.Invalid, "%s must be a JSON object", what)
	}
	return node, err
}

type parser struct {
	in    []byte
	at    int
	nodes int
}

func (p *parser) wrong(format string, args ...any) error {
	f := fault.New(fault.Invalid, format, args...)
	f.Message = "the body is not valid JSON at byte " + strconv.Itoa(p.at) + ": " + f.Message
	return f
}

func (p *parser) space() {
	for p.at < len(p.in) {
		switch p.in[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.in) {
		return p.in[p.at]
	}
	return 0
}

func (p *parser) peekRune() rune {
	r, _ := utf8.DecodeRune(p.in[p.at:])
	return r
}

func (p *parser) value(depth int) (Node, error) {
	n := Node{Kind: p.peek(), Pos: p.at}
	if depth >= maxDepth && (n.Kind == '{' || n.Kind == '[') {
		return Node{}, p.wrong("it is nested deeper than %d levels", maxDepth)
	}
	if p.nodes++; p.nodes > maxNodes {
		return Node{}, p.wrong("it contains more than %d values", maxNodes)
	}
	var err error
	switch c := n.Kind; {
	case c == '{':
		err = p.object(&n, depth)
	case c == '[':
		err = p.array(&n, depth)
	case c == '"':
		n.Text, err = p.text()
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = '0'
		n.Text, err = p.number()
	case c == 't':
		err = p.word("true")
	case c == 'f':
		err = p.word("false")
	case c == 'n':
		err = p.word("null")
	case p.at >= len(p.in):
		err = p.wrong("expected a value, but the body ends")
	default:
		err = p.wrong("a value cannot begin with %q", p.peekRune())
	}
	n.Raw = p.in[n.Pos:p.at]
	return n, err
}

func (p *parser) word(w string) error {
	if len(p.in)-p.at < len(w) || string(p.in[p.at:p.at+len(w)]) != w {
		return p.wrong("expected %s", w)
	}
	p.at += len(w)
	return nil
}

func (p *parser) array(n *Node, depth int) error {
	p.at++
	if p.space(); p.peek() == ']' {
		p.at++
		return nil
	}
	for {
		p.space()
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return nil
		default:
			return p.wrong("expected , or ] in an array")
		}
	}
}

func (p *parser) object(n *Node, depth int) error {
	p.at++
	if p.space(); p.peek() == '}' {
		p.at++
		return nil
	}
	seen := map[string]bool{}
	for {
		p.space()
		key, err := p.key(seen)
		if err != nil {
			return err
		}
		p.space()
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.Keys, n.Items = append(n.Keys, key), append(n.Items, item)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			return nil
		default:
			return p.wrong("expected , or } in an object")
		}
	}
}

func (p *parser) key(seen map[string]bool) (string, error) {
	if p.peek() != '"' {
		return "", p.wrong("expected a key in double quotes")
	}
	key, err := p.text()
	if err != nil {
		return "", err
	}
	if len(key) > maxKey {
		return "", p.wrong("a key is longer than %d bytes", maxKey)
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] == 0x7f {
			return "", p.wrong("a key contains a control character")
		}
	}
	if seen[key] {
		return "", p.wrong("the key %q is there twice", key)
	}
	seen[key] = true
	if p.space(); p.peek() != ':' {
		return "", p.wrong("expected : after the key %q", key)
	}
	p.at++
	return key, nil
}

func (p *parser) number() (string, error) {
	start := p.at
	digits := func() bool {
		from := p.at
		for p.peek() >= '0' && p.peek() <= '9' {
			p.at++
		}
		return p.at > from
	}
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else if !digits() {
		return "", p.wrong("expected a digit")
	}
	if p.peek() == '.' {
		p.at++
		if !digits() {
			return "", p.wrong("expected a digit after the point")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !digits() {
			return "", p.wrong("expected a digit in the exponent")
		}
	}
	return string(p.in[start:p.at]), nil
}

func (p *parser) text() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.in) && p.in[p.at] != '"' && p.in[p.at] != '\\' && p.in[p.at] >= ' ' {
		p.at++
	}
	if p.peek() == '"' {
		p.at++
		return string(p.in[start : p.at-1]), nil
	}
	out := append([]byte(nil), p.in[start:p.at]...)
	for p.at < len(p.in) {
		switch c := p.in[p.at]; {
		case c == '"':
			p.at++
			return string(out), nil
		case c == '\\':
			var err error
			if out, err = p.escape(out); err != nil {
				return "", err
			}
		case c < ' ':
			return "", p.wrong("a string contains a raw control character; write it as \\u%04x", c)
		default:
			out = append(out, c)
			p.at++
		}
	}
	return "", p.wrong("a string is not closed")
}

func (p *parser) escape(out []byte) ([]byte, error) {
	p.at++
	if p.at == len(p.in) {
		return nil, p.wrong("a string is not closed")
	}
	c := p.peek()
	p.at++
	switch c {
	case '"', '\\', '/':
		return append(out, c), nil
	case 'b':
		return append(out, '\b'), nil
	case 'f':
		return append(out, '\f'), nil
	case 'n':
		return append(out, '\n'), nil
	case 'r':
		return append(out, '\r'), nil
	case 't':
		return append(out, '\t'), nil
	case 'u':
		r, err := p.hex()
		if err != nil {
			return nil, err
		}
		if utf16.IsSurrogate(r) {
			if p.at+1 >= len(p.in) || p.in[p.at] != '\\' || p.in[p.at+1] != 'u' {
				return nil, p.wrong("the surrogate pair is incomplete")
			}
			p.at += 2
			low, err := p.hex()
			if err != nil {
				return nil, err
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return nil, p.wrong("the surrogate pair is incomplete")
			}
		}
		return utf8.AppendRune(out, r), nil
	}
	p.at--
	return nil, p.wrong("there is no escape of \\ and %q", p.peekRune())
}

func (p *parser) hex() (rune, error) {
	if len(p.in)-p.at < 4 {
		return 0, p.wrong("\\u needs four hexadecimal digits")
	}
	v, err := strconv.ParseUint(string(p.in[p.at:p.at+4]), 16, 32)
	if err != nil {
		return 0, p.wrong("\\u needs four hexadecimal digits")
	}
	p.at += 4
	return rune(v), nil
}

// Text escapes follow RFC 8259; < > & are not escaped, because responses are
// never embedded in HTML.
const hexDigits = "0123456789abcdef"

// AppendString adds s to out as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendString(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				out = append(append(out, s[from:i]...), "\uFFFD"...)
				from = i + n
			}
			i += n
			continue
		}
		out = append(out, s[from:i]...)
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	return append(append(out, s[from:]...), '"')
}
