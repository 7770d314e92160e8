package document

import (
	"io"
	"os"
)

// body holds the bytes of a document: in memory, or in a file if they exceed the
// store's limit for memory.
type body struct {
	mem  []byte
	file *os.File
	size int64
}

// all fills p with the bytes from at on. The end of the body is not an error.
func (b *body) all(p []byte, at int64) error {
	_, err := b.ReadAt(p, at)
	if err == io.EOF {
		return nil
	}
	return err
}

// drop deletes the file of a body; b may be nil.
func (b *body) drop() {
	if b != nil && b.file != nil {
		b.file.Close()
		os.Remove(b.file.Name())
	}
}

func (b *body) ReadAt(p []byte, at int64) (int, error) {
	if b.file != nil {
		return b.file.ReadAt(p, at)
	}
	if at >= int64(len(b.mem)) {
		return 0, io.EOF
	}
	n := copy(p, b.mem[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

const (
	smallWindow = 16 << 10  // for random access
	largeWindow = 256 << 10 // for reading in sequence
)

// cursor reads a body through a window. One goroutine uses it.
type cursor struct {
	body   *body
	window int
	buf    []byte
	base   int64 // offset of buf[0]
	err    error // the first failed read; afterwards the body seems to end
}

func newCursor(b *body, window int) *cursor {
	c := &cursor{body: b, window: window}
	if b.file == nil {
		c.buf = b.mem
	}
	return c
}

// rest returns the bytes from at on that the window holds: at least one, or none
// at the end of the body. They are valid until the next call.
func (c *cursor) rest(at int64) []byte {
	if at >= c.base && at < c.base+int64(len(c.buf)) {
		return c.buf[at-c.base:]
	}
	if c.body.file == nil || at < 0 || at >= c.body.size || c.err != nil {
		return nil
	}
	if c.buf == nil {
		c.buf = make([]byte, c.window)
	}
	n, err := c.body.file.ReadAt(c.buf[:cap(c.buf)], at)
	if n == 0 && err != nil && err != io.EOF {
		c.err = err
	}
	c.buf, c.base = c.buf[:n], at
	return c.buf
}

// byteAt returns the byte at at, 0 at the end of the body.
func (c *cursor) byteAt(at int64) byte {
	if w := c.rest(at); len(w) > 0 {
		return w[0]
	}
	return 0
}

// bytes returns the bytes of [from, to), which are valid until the next call.
func (c *cursor) bytes(from, to int64) []byte {
	w := c.rest(from)
	if n := to - from; n <= int64(len(w)) {
		return w[:n]
	}
	b := make([]byte, max(0, min(to, c.body.size)-from))
	n, err := c.body.ReadAt(b, from)
	if n < len(b) && c.err == nil {
		c.err = err
	}
	return b[:n]
}

// skipSpace returns the offset of the next byte that is not JSON white space.
func (c *cursor) skipSpace(at int64) int64 {
	for {
		w := c.rest(at)
		if len(w) == 0 {
			return at
		}
		for i, b := range w {
			if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
				return at + int64(i)
			}
		}
		at += int64(len(w))
	}
}
