package document

import (
	"errors"
	"os"
	"syscall"

	"spyglass/backend/fault"
)

// Writer takes a body as it arrives. It belongs to one goroutine; end it with
// Finish or Abort.
type Writer struct {
	store *Store
	doc   *Document
	body  *body
	path  string
	size  int64
	err   error // the first failed write; nothing is taken after it
}

// Write keeps and indexes the next piece. fault.Full: no room on the disk.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.err = w.keep(p); w.err != nil {
		return 0, w.err
	}
	w.size += int64(len(p))
	w.doc.index.feed(p)
	w.doc.lines.feed(p)
	return len(p), nil
}

// Size is how many bytes have come so far.
func (w *Writer) Size() int64 { return w.size }

func (w *Writer) keep(p []byte) error {
	if w.body.file == nil {
		if len(w.body.mem)+len(p) <= w.store.limits.InMemory {
			w.body.mem = append(w.body.mem, p...)
			return nil
		}
		if err := w.spool(); err != nil {
			return diskError(err)
		}
	}
	_, err := w.body.file.Write(p)
	return diskError(err)
}

// spool moves what is in memory to a file that only this user may read.
func (w *Writer) spool() error {
	f, err := w.store.file()
	if err != nil {
		return err
	}
	w.body.file, w.path = f, f.Name()
	_, err = f.Write(w.body.mem)
	w.body.mem = nil
	return err
}

func diskError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &fault.Error{Kind: fault.Full, Message: "the disk is full; the response was not kept", Err: err}
	}
	return err
}

// Finish makes the document readable and puts it into the store.
func (w *Writer) Finish() (*Document, error) {
	if w.err != nil {
		err := w.err
		w.Abort()
		return nil, err
	}
	d := w.doc
	d.size, w.body.size = w.size, w.size
	d.index.finish()
	d.body, d.path = w.body, w.path
	err := d.open()
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

// Abort forgets what has come. After Finish it does nothing.
func (w *Writer) Abort() {
	if w.err == errEnded {
		return
	}
	w.err = errEnded
	w.doc.body = nil
	if w.body.file != nil {
		w.body.file.Close()
		os.Remove(w.path)
	}
}

var errEnded = errors.New("the response has ended")
