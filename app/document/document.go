// Package document stores response bodies of any size and returns them as rows.
//
// A Writer indexes a body as it arrives, so that its first rows can be read right
// after the last byte. The page requests only the rows it shows:
//
//	w := store.Create("application/json")
//	io.Copy(w, response.Body)
//	doc, err := w.Finish()
//	rows, total, err := doc.Rows(0, 40)
//
// # Units and shapes
//
// A node is the offset of a value's first byte in the body, in bytes from 0. It
// stays the same for the lifetime of the document. Rows are counted from 0, lines
// from 1. A row is a line of the tree in its current state, where a collapsed
// value takes one row. A line is a line of the pretty print with everything
// expanded. A Line is a line of the body as received. Objects keep the order of
// their keys and duplicate keys; numbers keep their digits.
//
// # How it works
//
// The index holds only values that are costly to read again: one entry for each
// value of 1 KiB or more, and in it a mark for each KiB of children. Anything
// else is found by reading the body from the nearest mark. So the index is at
// most about a tenth of any body, and far less for usual ones. The state of open
// containers is stored as exceptions from a default (see fold). Tree, table, chart, search, filter and diff
// are in one package because all of them read a body through the same scanner and index.
//
// # Concurrency
//
// One goroutine uses a Writer. A Store and a Document are safe for concurrent
// use. When its documents exceed a limit, the store drops the least recently used
// ones. A dropped document returns fault.Unknown.
//
// # Errors
//
// A body that is not JSON, or is nested too deep, is not an error: JSON returns
// the reason, Rows is empty, and Lines works. fault.Unknown means that the
// document was dropped or has no such node, and fault.Full that the disk has no
// room for a body. Any other error means that a file could not be read.
package document

import (
	"io"
	"sync"

	"spyglass/backend/fault"
)

// Document is one response body. Its methods return fault.Unknown after the store
// has dropped it.
type Document struct {
	ID          string
	ContentType string // as in the response

	size   int64 // size of the text
	length int64 // size of the body as received
	index  *indexer
	lines  *lineIndex
	root   member

	life sync.RWMutex // read-locked while the body is read
	body *body        // the text, in UTF-8; nil once dropped
	sent *body        // the bytes as received if the text is in another charset; else nil

	reading string // how the bytes were decoded, one sentence; empty for UTF-8

	folds sync.RWMutex
	fold  *fold // the root's fold; nil if the body is not JSON

	source  *Document // the document that these matches come from; nil for a received body
	origins []int64   // the nodes of the first matches in source; -1 for a match that a query created
	matches string    // the id of its newest matches, or empty; guarded by finds

	finds sync.Mutex
	last  *hits // of the newest search

	tables  sync.Mutex
	known   *table // nil until it is first used
	columns [2]*Columns
	sorted  *order // the newest sort order
}

// Size returns the length of the body in bytes, as received.
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

// use runs do with a scanner; the body cannot be dropped meanwhile.
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

// Raw returns up to n bytes of the body from offset on, as received. Fewer than n
// means the end.
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

// WriteTo writes the whole body as received.
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

// beginning returns the first n bytes of the text, or all of it if it is shorter.
func (d *Document) beginning(n int64) (head []byte, err error) {
	err = d.use(func(s *scanner) error {
		head = make([]byte, min(n, d.size))
		return s.body.all(head, 0)
	})
	return head, err
}

// asSent runs do with the bytes as received; they cannot be dropped meanwhile.
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
