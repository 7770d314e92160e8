package document

import (
	"container/list"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// Limits configures the limits of a Store. Sizes are in bytes; zero means the
// default.
type Limits struct {
	AtOnce   int   // Finish indexes a smaller body; a larger one is indexed as it arrives (256 KiB)
	InMemory int   // a body up to this size stays in memory (1 MiB)
	Memory   int64 // all bodies in memory (64 MiB)
	Disk     int64 // all bodies in files (2 GiB)
}

// Store keeps the newest documents by ID. A single body may exceed the limits;
// the store then drops all others.
type Store struct {
	dir    string
	limits Limits

	mu     sync.Mutex
	closed bool
	docs   map[string]*list.Element // of *Document
	used   *list.List               // newest use first
	memory int64
	disk   int64
}

const filePattern = "body-*.spool"

// NewStore returns a store that keeps large bodies in files in dir. No other
// process may use dir: the store deletes files that an earlier process left
// there. It creates dir when needed.
func NewStore(dir string, limits Limits) (*Store, error) {
	if limits.AtOnce == 0 {
		limits.AtOnce = 256 << 10
	}
	if limits.InMemory == 0 {
		limits.InMemory = 1 << 20
	}
	if limits.Memory == 0 {
		limits.Memory = 64 << 20
	}
	if limits.Disk == 0 {
		limits.Disk = 2 << 30
	}
	left, err := filepath.Glob(filepath.Join(dir, filePattern))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return &Store{dir: dir, limits: limits, docs: map[string]*list.Element{}, used: list.New()}, err
}

// Create begins a document. Finish adds it to the store.
func (s *Store) Create(contentType string) *Writer {
	return &Writer{
		store: s,
		doc: &Document{ID: rand.Text(), ContentType: contentType, body: &body{}, index: newIndexer(),
			lines: newLineIndex()},
	}
}

// Get returns a document and counts as a use of it. It returns fault.Unknown if
// the document was dropped or never existed.
func (s *Store) Get(id string) (*Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.docs[id]
	if e == nil {
		return nil, errGone
	}
	s.used.MoveToFront(e)
	return e.Value.(*Document), nil
}

// Drop deletes a document if it exists.
func (s *Store) Drop(id string) {
	s.mu.Lock()
	d := s.remove(s.docs[id])
	s.mu.Unlock()
	d.drop()
}

// Close drops every document and its file. A body still being written is
// refused at its Finish.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	var gone []*Document
	for s.used.Len() > 0 {
		gone = append(gone, s.remove(s.used.Back()))
	}
	s.mu.Unlock()
	for _, d := range gone {
		d.drop()
	}
}

// put adds a finished document and drops the oldest ones to make room.
func (s *Store) put(d *Document) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errGone
	}
	s.docs[d.ID] = s.used.PushFront(d)
	s.account(d, 1)
	var gone []*Document
	for e := s.used.Back(); e != s.used.Front() && (s.memory > s.limits.Memory || s.disk > s.limits.Disk); {
		old := e
		e = e.Prev()
		if inFile := old.Value.(*Document).body.file != nil; inFile && s.disk > s.limits.Disk || !inFile &&
			s.memory > s.limits.Memory {
			gone = append(gone, s.remove(old))
		}
	}
	s.mu.Unlock()
	for _, d := range gone {
		d.drop()
	}
	return nil
}

func (s *Store) remove(e *list.Element) *Document {
	if e == nil {
		return nil
	}
	d := s.used.Remove(e).(*Document)
	delete(s.docs, d.ID)
	s.account(d, -1)
	return d
}

func (s *Store) account(d *Document, sign int64) {
	for _, b := range []*body{d.body, d.sent} {
		switch {
		case b == nil:
		case b.file != nil:
			s.disk += sign * b.size
		default:
			s.memory += sign * b.size
		}
	}
}

// keep appends bytes to a body that is still being written.
func (s *Store) keep(b *body, p []byte) error {
	if b.file == nil {
		if len(b.mem)+len(p) <= s.limits.InMemory {
			b.mem = append(b.mem, p...)
			return nil
		}
		if err := s.spool(b); err != nil {
			return diskError(err)
		}
	}
	_, err := b.file.Write(p)
	return diskError(err)
}

// spool moves a body from memory to a file that only this user can read.
func (s *Store) spool(b *body) error {
	f, err := s.file()
	if err != nil {
		return err
	}
	b.file = f
	_, err = f.Write(b.mem)
	b.mem = nil
	return err
}

// file creates a file for one body.
func (s *Store) file() (*os.File, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(s.dir, filePattern)
}

// drop waits until the document is not being read, and deletes its body.
func (d *Document) drop() {
	if d == nil {
		return
	}
	d.life.Lock()
	defer d.life.Unlock()
	d.body.drop()
	d.sent.drop()
	d.body, d.sent = nil, nil
}
