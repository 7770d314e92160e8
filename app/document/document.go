// Package document stores response bodies of any size and shows them by rows.
//
// A body is written to a Writer as it arrives and indexed on the way, so that
// right after the last byte its first rows can be read. The page requests only
// the rows it shows:
//
//	w := store.Create("application/json")
//	io.Copy(w, response.Body)
//	doc, err := w.Finish()
//	rows, total, err := doc.Rows(0, 40)
//
// # Units and shapes
//
// A node is the offset in the body of a value's first byte, in bytes from 0; it
// is the same as long as the document lives. Rows are counted from 0, lines from
// 1. A row is one line of the tree in its current state, in which a collapsed
// value is one row; a line is one of the pretty print with everything expanded; a
// Line is one of the body as it was sent. Keys keep their order and their
// duplicates, numbers their digits.
//
// # How it works
//
// The index holds only values that are costly to read again: one entry for a
// value of 1 KiB or more, and in it a mark for each KiB of children. Anything
// else is found by reading the body from the nearest mark. An entry pays for
// itself in bytes of body, so the index is at most about a tenth of the body,
// of whatever shape, and far less for usual ones. Which containers are open is
// kept as exceptions from a rule (see fold). Tree, table, chart, search, filter and diff
// are in one package because all of them read a body through the same scanner and index.
//
// # Concurrency
//
// A Writer belongs to one goroutine. A Store and a Document may be used by
// many. Documents are dropped by the store, oldest use first, when they are
// too large together; a dropped one returns fault.Unknown.
//
// # Errors
//
// A body that is not JSON is no error: JSON says why, Rows is empty, and Lines
// works. The same goes for JSON that is nested too deep. fault.Unknown: the
// document was dropped, or a node is not of it. fault.Full: no room on the
// disk for a body. Anything else is a file that could not be read.
package document

import (
	"io"
	"sync"

	"spyglass/backend/fault"
)

// Document is one response body. Its methods return fault.Unknown once the
// store has dropped it.
type Document struct {
	ID          string
	ContentType string // as it was sent

	size   int64 // of the text
	length int64 // of what was sent
	index  *indexer
	lines  *lineIndex
	root   member

	life sync.RWMutex // read-locked while the body is read
	body *body        // the text, in UTF-8; nil once dropped
	sent *body        // the bytes that came, where the text is in another charset; else nil

	reading string // how the bytes became text, one sentence; empty for UTF-8

	folds sync.RWMutex
	fold  *fold // of the root; nil when it is not JSON

	source  *Document // whose matches these are; nil for a body that was sent
	origins []int64   // the first matches' nodes in it; -1 for one that a query made
	matches string    // the id of its newest matches, or empty; guarded by finds

	finds sync.Mutex
	last  *hits // of the newest search

	tables  sync.Mutex
	known   *table // nil until it is first used
	columns [2]*Columns
	sorted  *order // of the newest sort
}

// Size returns the length of the body in bytes, as it was sent.
func (d *Document) Size() int64 { return d.length }

// JSON reports whether the body can be shown as a tree, or else why not, in one
// sentence with a position in bytes from 0.
func (d *Document) JSON() (ok bool, problem string) {
	return d.index.problem == "", d.index.problem
}

// open prepares a finished body for reading.
func (d *Document) open() error {
	if d.index.problem != "" {
		return nil
	}
	return d.use(func(s *scanner) error {
		d.root = member{value: s.value(d.index.root), key: -1, keyEnd: -1, index: -1}
		d.openFirst(s)
		return s.err
	})
}

// use runs do with a scanner, and keeps the body from being dropped meanwhile.
func (d *Document) use(do func(*scanner) error) error {
	return d.read(smallWindow, do)
}

func (d *Document) read(window int, do func(*scanner) error) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.body == nil {
		return errGone
	}
	s := &scanner{cursor: newCursor(d.body, window), spans: d.index.spans}
	if err := do(s); err != nil {
		return err
	}
	return s.err
}

// Raw returns up to n bytes of the body from offset on, as they were sent.
// Fewer than n means the end.
func (d *Document) Raw(offset int64, n int) (raw []byte, err error) {
	err = d.asSent(func(b *body) error {
		if offset < 0 || offset > d.length || n < 0 {
			return fault.At("offset", "the offset is outside of the body, which has %d bytes", d.length)
		}
		raw = make([]byte, min(int64(n), d.length-offset))
		return b.all(raw, offset)
	})
	return raw, err
}

// WriteTo writes the whole body as it was sent.
func (d *Document) WriteTo(w io.Writer) (n int64, err error) {
	err = d.asSent(func(b *body) error {
		n, err = io.Copy(w, io.NewSectionReader(b, 0, d.length))
		return err
	})
	return n, err
}

// WriteText writes the whole body in UTF-8.
func (d *Document) WriteText(w io.Writer) error {
	return d.read(largeWindow, func(s *scanner) error {
		_, err := io.Copy(w, io.NewSectionReader(s.body, 0, d.size))
		return err
	})
}

// beginning returns the first n bytes of the text, or all of it.
func (d *Document) beginning(n int64) (head []byte, err error) {
	err = d.use(func(s *scanner) error {
		head = make([]byte, min(n, d.size))
		return s.body.all(head, 0)
	})
	return head, err
}

// asSent runs do with the bytes that came, and keeps them from being dropped
// meanwhile.
func (d *Document) asSent(do func(*body) error) error {
	d.life.RLock()
	defer d.life.RUnlock()
	if d.body == nil {
		return errGone
	}
	if d.sent != nil {
		return do(d.sent)
	}
	return do(d.body)
}

var errGone = fault.New(fault.Unknown, "this response is no longer stored; send the request again")

func errNoNode(node int64) error {
	return fault.New(fault.Unknown, "this response has no value to open at byte %d", node)
}

// find returns the members from the root down to a node.
func (d *Document) find(s *scanner, node int64) ([]member, error) {
	if d.index.problem == "" {
		if chain := d.chain(s, node); chain != nil {
			return chain, s.err
		}
	}
	return nil, errNoNode(node)
}
