package document

import "slices"

const (
	// stride is the number of bytes to scan at most between two indexed places.
	// Half of it makes the index twice as large.
	stride = 1024
	// jumpCost is the cost, in bytes of such a scan, of a jump over a span.
	jumpCost = 16
	// maxDepth is the maximum nesting, the same as in encoding/json.
	maxDepth = 10000
)

// mark is a known place among the children of a container.
type mark struct {
	at    int64 // offset of the child: of its key in an object, of its value in an array
	index int   // how many children come before it
	line  int   // its line in the pretty print, counted from the container's own
}

// span is a value that is costly to scan, so that the index remembers its end.
type span struct {
	start, end int64
	count      int // children
	lines      int // lines of its pretty print
	marks      []mark
}

// frame is a container that is still open while the body arrives.
type frame struct {
	start   int64
	covered int64 // bytes inside that a scan can jump over, minus the cost of the jumps
	marked  int64 // the cost of scanning up to the last mark
	count   int
	lines   int // lines of the children so far
	object  bool
	marks   []mark
}

// indexer reads JSON in pieces of any size and records the spans. It reads
// JSON itself, and scanner does, because bodies of 50 MB and more are shown from
// the file they are in, by offset: resource.ParseJSON and encoding/json would
// hold them, and know no positions or lose them.
//
// It records no value that is cheap to scan again: each span has to save stride
// bytes of scanning, so the index stays below about a tenth of any body.
type indexer struct {
	state   state
	at      int64 // offset of the next byte
	start   int64 // where the scalar being read began
	root    int64 // where the root value began; -1 before it
	isKey   bool  // the string being read is a key
	hex     int   // hex digits of \uXXXX still to come
	word    string
	stack   []frame
	spans   []span
	problem string
}

type state uint8

const (
	wantValue    state = iota
	wantFirst          // after [
	wantFirstKey       // after {
	wantKey            // after a comma in an object
	wantColon
	wantNext    // after a value: a comma or a closing bracket
	wantNothing // after the whole value
	failed
	inString
	inEscape
	inHex
	inWord // true, false, null
	afterMinus
	afterZero
	inInteger
	afterPoint
	inFraction
	afterE
	afterSign
	inExponent
)

// expected describes, for error messages, the input allowed in each state.
var expected = [...]string{
	wantValue: "a value", wantFirst: "a value or ]", wantFirstKey: "a key in double quotes or }",
	wantKey: "a key in double quotes", wantColon: ": after the key", wantNext: "a comma or a closing bracket",
	wantNothing: "nothing after the value", inString: "the rest of a text", inEscape: `one of "\/bfnrtu after \`,
	inHex: `four hex digits after \u`, inWord: "true, false or null", afterMinus: "a digit after -",
	afterZero: "no digit after a leading 0", afterPoint: "a digit after the decimal point",
	afterE: "an exponent", afterSign: "an exponent", inInteger: "a number", inFraction: "a number",
	inExponent: "a number",
}

func newIndexer() *indexer { return &indexer{root: -1} }

// feed reads the next piece of the body. After a problem it does nothing.
func (x *indexer) feed(p []byte) {
	i := 0
	for i < len(p) && x.state != failed {
		switch {
		case x.state < failed:
			i = x.structure(p, i)
		case x.state == inString:
			i = x.text(p, i)
		case x.state >= afterMinus:
			i = x.number(p, i)
		default:
			i = x.piece(p, i)
		}
	}
	x.at += int64(len(p))
}

// finish marks the body as complete.
func (x *indexer) finish() {
	switch x.state {
	case failed:
	case afterZero, inInteger, inFraction, inExponent:
		x.scalar(x.at)
	}
	if x.state != failed && x.state != wantNothing {
		x.problem = "the body is not JSON: it ends at byte " + itoa(x.at) + ", where " + expected[x.state] +
			" is missing"
		if x.root < 0 {
			x.problem = "the body is empty"
		}
		x.state = failed
	}
	x.stack = nil
	if x.state == failed {
		x.spans = nil
		return
	}
	slices.SortFunc(x.spans, func(a, b span) int { return int(a.start - b.start) })
	x.spans = slices.Clip(x.spans)
}

func (x *indexer) fail(at int64, found byte) {
	x.problem = "the body is not JSON: expected " + expected[x.state] + " at byte " + itoa(at) + ", found " +
		quoteByte(found)
	x.state, x.stack, x.spans = failed, nil, nil
}

// structure reads tokens between scalars from p[i] on, and returns the index
// where it stopped.
func (x *indexer) structure(p []byte, i int) int {
	for ; i < len(p); i++ {
		c := p[i]
		switch {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		case x.state == wantNext && c == ',':
			x.state = wantValue
			if x.stack[len(x.stack)-1].object {
				x.state = wantKey
			}
		case x.state == wantColon && c == ':':
			x.state = wantValue
		case c == '"' && (x.state == wantKey || x.state == wantFirstKey):
			x.child(x.at + int64(i))
			x.isKey, x.start, x.state = true, x.at+int64(i), inString
			if i = x.text(p, i+1) - 1; x.state >= failed {
				return i + 1
			}
		case c == '}' && (x.state == wantFirstKey || x.state == wantNext && x.stack[len(x.stack)-1].object),
			c == ']' && (x.state == wantFirst || x.state == wantNext && !x.stack[len(x.stack)-1].object):
			x.close(x.at + int64(i) + 1)
		case x.state == wantValue || x.state == wantFirst:
			if !x.open(c, x.at+int64(i)) {
				return i + 1
			}
			if x.state == inString {
				i = x.text(p, i+1) - 1
			}
			if x.state >= failed {
				return i + 1
			}
		default:
			x.fail(x.at+int64(i), c)
			return i
		}
	}
	return i
}

// open begins a value whose first byte is c.
func (x *indexer) open(c byte, at int64) bool {
	var next state
	switch {
	case c == '"':
		next = inString
	case c == '{':
		next = wantFirstKey
	case c == '[':
		next = wantFirst
	case c == '-':
		next = afterMinus
	case c == '0':
		next = afterZero
	case '1' <= c && c <= '9':
		next = inInteger
	case c == 't':
		next, x.word = inWord, "rue"
	case c == 'f':
		next, x.word = inWord, "alse"
	case c == 'n':
		next, x.word = inWord, "ull"
	default:
		x.fail(at, c)
		return false
	}
	if len(x.stack) == 0 {
		x.root = at
	} else if !x.stack[len(x.stack)-1].object {
		x.child(at)
	}
	x.state = next
	if next < failed {
		return x.push(at, c == '{')
	}
	x.isKey, x.start = false, at
	return true
}

// push opens a container.
func (x *indexer) push(at int64, object bool) bool {
	n := len(x.stack)
	if n == maxDepth {
		x.problem = "the JSON is nested more than " + itoa(maxDepth) + " levels deep at byte " + itoa(at) +
			", too deep to show as a tree"
		x.state, x.stack, x.spans = failed, nil, nil
		return false
	}
	var marks []mark
	if n < cap(x.stack) {
		marks = x.stack[:n+1][n].marks[:0]
	}
	x.stack = append(x.stack, frame{start: at, object: object, marks: marks})
	return true
}

// child counts a child of the innermost container that begins at at.
func (x *indexer) child(at int64) {
	f := &x.stack[len(x.stack)-1]
	if cost := at - f.start - f.covered; cost-f.marked >= stride {
		f.marks = append(f.marks, mark{at: at, index: f.count, line: f.lines + 1})
		f.marked = cost
	}
	f.count++
	f.lines++
}

// close ends the innermost container just before end.
func (x *indexer) close(end int64) {
	n := len(x.stack) - 1
	f := &x.stack[n]
	lines, covered := 1, f.covered
	if f.count > 0 {
		lines = f.lines + 2
	}
	if end-f.start-covered >= stride {
		x.spans = append(x.spans, span{f.start, end, f.count, lines, slices.Clone(f.marks)})
		covered = end - f.start - jumpCost
	}
	x.stack = x.stack[:n]
	if n == 0 {
		x.state = wantNothing
		return
	}
	x.stack[n-1].lines += lines - 1
	x.stack[n-1].covered += covered
	x.state = wantNext
}

// scalar ends a text, number or word just before end.
func (x *indexer) scalar(end int64) {
	n := len(x.stack)
	if size := end - x.start; size >= stride {
		x.spans = append(x.spans, span{start: x.start, end: end, lines: 1})
		if n > 0 {
			x.stack[n-1].covered += size - jumpCost
		}
	}
	switch {
	case x.isKey:
		x.state = wantColon
	case n == 0:
		x.state = wantNothing
	default:
		x.state = wantNext
	}
}

// plain marks the bytes of a text that need no check.
var plain = func() (t [256]bool) {
	for c := ' '; c < 256; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// text continues reading a string.
func (x *indexer) text(p []byte, i int) int {
	for i < len(p) && plain[p[i]] {
		i++
	}
	if i == len(p) {
		return i
	}
	switch p[i] {
	case '"':
		x.scalar(x.at + int64(i) + 1)
	case '\\':
		x.state = inEscape
	default:
		x.fail(x.at+int64(i), p[i])
	}
	return i + 1
}

// piece reads one byte of an escape or of a word.
func (x *indexer) piece(p []byte, i int) int {
	c, ok := p[i], false
	switch x.state {
	case inEscape:
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			x.state, ok = inString, true
		case 'u':
			x.state, x.hex, ok = inHex, 4, true
		}
	case inHex:
		ok = isHex(c)
		if x.hex--; ok && x.hex == 0 {
			x.state = inString
		}
	case inWord:
		if ok = c == x.word[0]; ok {
			if x.word = x.word[1:]; x.word == "" {
				x.scalar(x.at + int64(i) + 1)
			}
		}
	}
	if !ok {
		x.fail(x.at+int64(i), c)
	}
	return i + 1
}

// number continues reading a number, up to the first byte after it.
func (x *indexer) number(p []byte, i int) int {
	for ; i < len(p); i++ {
		c := p[i]
		digit := '0' <= c && c <= '9'
		switch {
		case digit && (x.state == inInteger || x.state == inFraction || x.state == inExponent):
		case digit && x.state == afterMinus && c == '0':
			x.state = afterZero
		case digit && x.state == afterMinus:
			x.state = inInteger
		case digit && x.state == afterPoint:
			x.state = inFraction
		case digit && (x.state == afterE || x.state == afterSign):
			x.state = inExponent
		case c == '.' && (x.state == afterZero || x.state == inInteger):
			x.state = afterPoint
		case (c == 'e' || c == 'E') && (x.state == afterZero || x.state == inInteger || x.state == inFraction):
			x.state = afterE
		case (c == '+' || c == '-') && x.state == afterE:
			x.state = afterSign
		case !digit && (x.state == afterZero || x.state == inInteger || x.state == inFraction || x.state == inExponent):
			x.scalar(x.at + int64(i))
			return i
		default:
			x.fail(x.at+int64(i), c)
			return i
		}
	}
	return i
}
