package ondisk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// Kind is the kind of object in a file.
type Kind int

// The kinds of files.
const (
	Other Kind = iota
	OfCollection
	OfFolder
	OfRequest
	OfExample
)

// KindOf returns the kind of a file by its path, with slashes, below the collection's
// folder. One of OfRequest may still be a file of another program, see DecodeRequest.
func KindOf(file string) Kind {
	dir, name := path.Split(file)
	switch dir = strings.TrimSuffix(dir, "/"); {
	case path.Ext(name) != Ext:
		return Other
	case name == CollectionFile && dir == "":
		return OfCollection
	case name == CollectionFile:
		return Other // a collection inside another collection
	case name == FolderFile:
		if dir == "" {
			return Other
		}
		return OfFolder
	case strings.HasSuffix(dir, examplesExt):
		return OfExample
	}
	return OfRequest
}

// ExamplesOf returns the path of the folder with the examples of a request's file.
func ExamplesOf(file string) string { return strings.TrimSuffix(file, Ext) + examplesExt }

// RequestOf returns the path of the request's file that an example belongs to.
func RequestOf(example string) string {
	return strings.TrimSuffix(path.Dir(example), examplesExt) + Ext
}

// Hash identifies the content of a file.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Scanner lists the files of a folder again and again. It reads a file only when its size
// or time has changed.
type Scanner struct{ seen map[string]seen }

type seen struct {
	size      int64
	mod, read time.Time
	hash      string
}

// settled is the time after a change of a file from which its modification time is trusted: two changes may have
// the same time.
const settled = 2 * time.Second

// Listing is the result of a scan.
type Listing struct {
	Files    map[string]string // hashes by path, with slashes
	Problems []error           // files that are too large or cannot be read
	Unknown  map[string]bool   // their paths
}

// Scan lists the YAML files of a folder.
func (s *Scanner) Scan(ctx context.Context, root *os.Root) (*Listing, error) {
	out := &Listing{Files: map[string]string{}, Unknown: map[string]bool{}}
	now := map[string]seen{}
	requests := 0
	err := fs.WalkDir(root.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := d.Name()
		switch {
		case errors.Is(err, fs.ErrNotExist) && file != ".":
			return nil // deleted meanwhile
		case err != nil:
			return err // a folder that cannot be read is not an empty one
		case d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return fs.SkipDir
		case d.IsDir() && strings.Count(file, "/") > workspace.MaxDepth:
			return fault.New(fault.Invalid, "folders are nested more than %d levels deep", workspace.MaxDepth)
		case strings.HasPrefix(name, "."), !d.Type().IsRegular(), KindOf(file) == Other:
			return nil
		}
		if KindOf(file) == OfRequest {
			if requests++; requests > MaxRequests {
				return fault.New(fault.TooLarge, "the folder has more than %d requests", MaxRequests)
			}
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		was, ok := s.seen[file]
		if !ok || was.size != info.Size() || !was.mod.Equal(info.ModTime()) || was.read.Sub(was.mod) < settled {
			was = seen{size: info.Size(), mod: info.ModTime(), read: time.Now()}
			text, err := ReadFile(root, file)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				out.Unknown[file] = true
				out.Problems = append(out.Problems, err)
				return nil
			}
			was.hash = Hash(text)
		}
		now[file], out.Files[file] = was, was.hash
		return nil
	})
	s.seen = now
	return out, err
}

// ReadFile reads a file of a collection. fs.ErrNotExist if there is none; a link is none.
func ReadFile(root *os.Root, file string) ([]byte, error) {
	most := MaxFile
	if KindOf(file) == OfExample {
		most = MaxExample
	}
	name := filepath.FromSlash(file)
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err == nil && info.Size() > int64(most) {
		return nil, tooLarge(file, most)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	var text []byte
	if err == nil {
		text, err = readAll(root, name, most)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fs.ErrNotExist
		}
		return nil, &fault.Error{Kind: fault.Invalid, Err: err, Message: file + " cannot be read: " + reason(err)}
	}
	if len(text) > most {
		return nil, tooLarge(file, most)
	}
	return text, nil
}

func readAll(root *os.Root, name string, most int) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(most)+1))
}

// reason returns the words of an error without the path.
func reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// Has reports whether a folder is that of a collection.
func Has(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, CollectionFile))
	return err == nil && info.Mode().IsRegular()
}

// Read reads the collection in a folder. It refuses the whole collection if one file
// cannot be read.
func Read(ctx context.Context, dir string) (workspace.Folder, map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return workspace.Folder{}, nil, fault.New(fault.Invalid, "%s cannot be read: %s", dir, reason(err))
	}
	defer root.Close()
	listing, err := (&Scanner{}).Scan(ctx, root)
	if err == nil && len(listing.Problems) > 0 {
		err = listing.Problems[0]
	}
	if err != nil {
		return workspace.Folder{}, nil, err
	}
	r := &reading{root: root, listing: listing, folders: map[string]*place{"": {}}, examples: map[string][]*Example{}}
	var paths []string
	for file := range listing.Files {
		paths = append(paths, file)
	}
	slices.Sort(paths)
	for _, file := range paths {
		if err := r.file(file); err != nil {
			return workspace.Folder{}, nil, err
		}
	}
	top := r.folder(r.folders[""])
	top.Name, top.Doc = r.top.Name, r.top.Doc
	return top, r.top.Variables, nil
}

// reading is a Read in progress.
type reading struct {
	root     *os.Root
	listing  *Listing
	top      Collection
	folders  map[string]*place
	examples map[string][]*Example // by the request's file
}

// place is a folder with its contents, by path.
type place struct {
	Folder
	folders  []*place
	requests []placed
}

type placed struct {
	path string
	*Request
}

// at returns the folder with that path, and those above it.
func (r *reading) at(dir string) *place {
	if dir == "." {
		dir = ""
	}
	if p := r.folders[dir]; p != nil {
		return p
	}
	p := &place{Folder: Folder{Name: path.Base(dir)}}
	r.folders[dir] = p
	above := r.at(path.Dir(dir))
	above.folders = append(above.folders, p)
	return p
}

func (r *reading) file(file string) error {
	text, err := ReadFile(r.root, file)
	if err != nil {
		return err
	}
	switch KindOf(file) {
	case OfCollection:
		r.top, err = DecodeCollection(file, text)
	case OfFolder:
		p := r.at(path.Dir(file))
		p.Folder, err = DecodeFolder(file, text)
	case OfExample:
		var e *Example
		if e, err = DecodeExample(file, text); err == nil {
			r.examples[RequestOf(file)] = append(r.examples[RequestOf(file)], e)
		}
	case OfRequest:
		var one *Request
		if one, err = DecodeRequest(file, text); err == nil && one != nil {
			p := r.at(path.Dir(file))
			p.requests = append(p.requests, placed{file, one})
		}
	case Other:
	}
	return err
}

func (r *reading) folder(p *place) workspace.Folder {
	out := workspace.Folder{Name: p.Name, Doc: p.Doc}
	slices.SortStableFunc(p.folders, func(a, b *place) int { return cmp.Compare(a.Order, b.Order) })
	for _, inside := range p.folders {
		out.Folders = append(out.Folders, r.folder(inside))
	}
	slices.SortStableFunc(p.requests, func(a, b placed) int { return cmp.Compare(a.Order, b.Order) })
	for _, one := range p.requests {
		saved := workspace.Saved{Name: one.Name, Doc: one.Doc, Draft: one.Draft}
		examples := r.examples[one.path]
		slices.SortStableFunc(examples, func(a, b *Example) int { return cmp.Compare(a.Order, b.Order) })
		for _, e := range examples {
			saved.Examples = append(saved.Examples, e.SavedExample)
		}
		out.Requests = append(out.Requests, saved)
	}
	return out
}
