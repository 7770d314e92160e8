package document

import (
	"errors"

	"golang.org/x/text/transform"

	"spyglass/backend/fault"
)

// Writer receives a body as it arrives. One goroutine uses it; end it with Finish
// or Abort.
type Writer struct {
	store *Store
	doc   *Document
	head  []byte            // received bytes that are not indexed yet
	begun bool              // the charset is known
	into  *transform.Writer // converts a body in another charset to UTF-8; nil if no conversion is needed
	size  int64             // number of received bytes
	err   error             // the first failed write; later writes are ignored
}

// Write stores the next piece. It begins to index once the body is so large that
// Finish would take long. It returns fault.Full if the disk has no room.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.err = w.take(p); w.err != nil {
		return 0, w.err
	}
	w.size += int64(len(p))
	return len(p), nil
}

func (w *Writer) take(p []byte) error {
	if !w.begun {
		if w.head = append(w.head, p...); len(w.head) < w.store.limits.AtOnce {
			return nil
		}
		return w.begin()
	}
	return w.next(p)
}

// begin determines the charset and processes the bytes received so far.
func (w *Writer) begin() error {
	w.begun = true
	from, reading := charsetOf(w.doc.ContentType, w.head[:min(len(w.head), declaredIn)])
	if w.doc.reading = reading; from != nil {
		w.doc.sent = &body{}
		w.into = transform.NewWriter(textWriter{w}, from.NewDecoder())
	}
	head := w.head
	if w.head = nil; w.into == nil && len(head) <= w.store.limits.InMemory {
		w.doc.body.mem = head // next would copy it
		w.indexed(head)
		return nil
	}
	return w.next(head)
}

// indexed reads the next piece of the text, which is stored.
func (w *Writer) indexed(p []byte) {
	w.doc.body.size += int64(len(p))
	w.doc.index.feed(p)
	w.doc.lines.feed(p)
}

func (w *Writer) next(p []byte) error {
	if w.into == nil {
		_, err := textWriter{w}.Write(p)
		return err
	}
	if err := w.store.keep(w.doc.sent, p); err != nil {
		return err
	}
	_, err := w.into.Write(p)
	return err
}

// textWriter receives the text of the body, in UTF-8.
type textWriter struct{ *Writer }

func (t textWriter) Write(p []byte) (int, error) {
	if err := t.store.keep(t.doc.body, p); err != nil {
		return 0, err
	}
	t.indexed(p)
	return len(p), nil
}

// Size returns the number of bytes received so far.
func (w *Writer) Size() int64 { return w.size }

func diskError(err error) error {
	if fault.NoRoom(err) {
		return &fault.Error{Kind: fault.Full, Message: "the disk is full; the response was not stored", Err: err}
	}
	return err
}

// Finish makes the document readable and adds it to the store. It indexes a small
// body, which takes about 2 ns per byte; another goroutine may call it.
func (w *Writer) Finish() (*Document, error) {
	if w.err != nil {
		err := w.err
		w.Abort()
		return nil, err
	}
	d := w.doc
	var err error
	if !w.begun {
		err = w.begin()
	}
	if err == nil && w.into != nil {
		d.sent.size = w.size
		err = w.into.Close()
	}
	d.size, d.length = d.body.size, w.size
	d.index.finish()
	if err == nil {
		err = d.open()
	}
	if err == nil {
		err = d.readable()
	}
	if err == nil {
		err = w.store.put(d)
	}
	if err != nil {
		w.Abort()
		return nil, err
	}
	w.err = errEnded
	return d, nil
}

// Abort discards the bytes received. After Finish it does nothing.
func (w *Writer) Abort() {
	if w.err == errEnded {
		return
	}
	w.err = errEnded
	w.doc.drop()
}

var errEnded = errors.New("the response has ended")
