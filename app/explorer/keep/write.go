package keep

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spyglass/app/ondisk"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
)

// writer changes the files as the workspace did.
type writer struct {
	*pass
	names   map[string]ondisk.Names      // of each folder on disk, once a new name is needed
	puts    []*workspace.DiskFile        // to record
	deletes []*workspace.DiskFile        // to forget
	made    map[*workspace.DiskFile]bool // DiskFiles of this pass
}

// write lets the files follow the workspace.
func (p *pass) write() error {
	w := &writer{pass: p, names: map[string]ondisk.Names{}, made: map[*workspace.DiskFile]bool{}}
	err := w.all()
	if len(w.puts)+len(w.deletes) == 0 {
		return err
	}
	return errors.Join(err, p.k.Workspace.WriteOnDisk(p.ctx, p.folder, func(tx *workspace.DiskTx) error {
		for _, f := range w.puts {
			now := *f
			if err := tx.PutFile(&now); err != nil {
				return err
			}
		}
		for _, f := range w.deletes {
			if err := tx.DeleteFile(f); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (w *writer) all() error {
	if err := w.top(); err != nil {
		return err
	}
	if err := w.inside(w.have.Root.ID, ""); err != nil {
		return err
	}
	return w.remove()
}

// record records that a file matches its row.
func (w *writer) record(f *workspace.DiskFile) {
	if !w.made[f] {
		w.made[f] = true
		w.puts = append(w.puts, f)
	}
}

// top writes collection.yaml.
func (w *writer) top() error {
	c, link := w.have.Root, w.byPath[""]
	if w.frozen[""] || link != nil && link.Row == hashCollection(c) {
		return nil
	}
	out, expect := ondisk.Collection{Name: c.Name, Doc: c.Doc}, ""
	var text []byte
	var err error
	if link == nil {
		link = &workspace.DiskFile{Folder: true, RowID: c.ID}
		out.Variables, err = w.variables()
	} else {
		expect = link.File
		if text, err = w.read(ondisk.CollectionFile); err == nil {
			var was ondisk.Collection
			was, err = ondisk.DecodeCollection(ondisk.CollectionFile, text)
			out.Variables = was.Variables
		}
	}
	if err != nil {
		return err
	}
	text, err = ondisk.EncodeCollection(out, text)
	if ok, err := w.put(ondisk.CollectionFile, c.Name, text, err, expect); !ok {
		return err
	}
	link.Name, link.File, link.Row = c.Name, ondisk.Hash(text), hashCollection(c)
	w.record(link)
	return nil
}

// inside writes the contents of a collection.
func (w *writer) inside(id int64, dir string) error {
	var folders []*workspace.Collection
	for _, c := range w.have.Collections {
		if c.ParentID == id {
			folders = append(folders, c)
		}
	}
	slices.SortFunc(folders, func(a, b *workspace.Collection) int { return int(a.ID - b.ID) })
	for _, c := range folders {
		own, ok, err := w.folderFile(c, dir)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := w.inside(c.ID, own); err != nil {
			return err
		}
	}
	var requests []*workspace.Request
	for _, r := range w.have.Requests {
		if r.CollectionID == id {
			requests = append(requests, r)
		}
	}
	slices.SortFunc(requests, func(a, b *workspace.Request) int { return int(a.ID - b.ID) })
	for _, r := range requests {
		if err := w.request(r, dir); err != nil {
			return err
		}
	}
	return nil
}

// folderFile writes the folder of a collection below another one, and returns its path;
// not ok if it cannot be written.
func (w *writer) folderFile(c *workspace.Collection, above string) (dir string, ok bool, err error) {
	link := w.byRow[row{true, c.ID}]
	if link != nil && w.frozen[link.Path] {
		return link.Path, true, nil
	}
	changed := link == nil || link.Row != hashCollection(c) || link.Position != c.Position
	if link == nil {
		link = &workspace.DiskFile{Folder: true, RowID: c.ID, Path: path.Join(above, w.newName(above, c.Name, ""))}
	} else if dirOf(link.Path) != above || link.Name != c.Name && !ondisk.Fits(link.Path, c.Name, "") {
		to := path.Join(above, w.newName(above, c.Name, ""))
		if ok, err := w.moveFolder(link, to); !ok {
			return "", false, err
		}
		changed = true
	}
	if w.missing(link.Path) {
		if err := w.root.MkdirAll(filepath.FromSlash(link.Path), 0o755); err != nil {
			return "", false, w.failed(link.Path, err)
		}
		link.File, changed = "", true
	}
	if !changed {
		return link.Path, true, nil
	}
	file := path.Join(link.Path, ondisk.FolderFile)
	text, err := ondisk.EncodeFolder(ondisk.Folder{Name: c.Name, Order: c.Position, Doc: c.Doc},
		w.has(file, link.File))
	if ok, err := w.put(file, c.Name, text, err, link.File); !ok {
		return "", false, err
	}
	link.Name, link.Position, link.File, link.Row = c.Name, c.Position, ondisk.Hash(text), hashCollection(c)
	w.record(link)
	return link.Path, true, nil
}

// moveFolder renames a folder with all that is in it.
func (w *writer) moveFolder(link *workspace.DiskFile, to string) (ok bool, err error) {
	was := link.Path
	if !w.missing(was) {
		if err := w.root.Rename(filepath.FromSlash(was), filepath.FromSlash(to)); err != nil {
			return false, w.failed(was, err)
		}
	}
	for i := range w.have.Files {
		one := &w.have.Files[i]
		rest, ok := strings.CutPrefix(one.Path, was)
		if ok && (one == link || strings.HasPrefix(rest, "/")) {
			one.Path = to + rest
			w.record(one)
		}
	}
	frozen := map[string]bool{}
	for file := range w.frozen {
		if rest, ok := strings.CutPrefix(file, was+"/"); ok {
			file = path.Join(to, rest)
		}
		frozen[file] = true
	}
	w.frozen = frozen
	files := map[string]string{}
	for file, hash := range w.files.Files {
		if rest, ok := strings.CutPrefix(file, was+"/"); ok {
			file = path.Join(to, rest)
		}
		files[file] = hash
	}
	w.files.Files = files
	w.index()
	return true, nil
}

// request writes the file of a request, and those of its examples.
func (w *writer) request(r *workspace.Request, dir string) error {
	link := w.byRow[row{false, r.ID}]
	if link != nil && w.frozen[link.Path] {
		return nil
	}
	name, was := title(r), ""
	changed := link == nil || link.Row != hashRequest(r) || link.Position != r.Position
	expect := ""
	switch {
	case link == nil:
		link = &workspace.DiskFile{RowID: r.ID, Path: path.Join(dir, w.newName(dir, name, ondisk.Ext))}
	case dirOf(link.Path) != dir, link.Name != name && !ondisk.Fits(link.Path, name, ondisk.Ext):
		was, changed = link.Path, true
	case w.missing(link.Path):
		changed = true
	default:
		expect = link.File
	}
	if changed {
		to := link.Path
		text, err := w.text(r, r.Position, w.has(cmp.Or(was, to), link.File))
		if was != "" {
			to = path.Join(dir, w.newName(dir, name, ondisk.Ext))
		}
		if ok, err := w.put(to, name, text, err, expect); !ok {
			return err
		}
		if was != "" {
			if err := w.away(was, link.File); err != nil {
				return errors.Join(err, w.away(to, ondisk.Hash(text)))
			}
			if old := ondisk.ExamplesOf(was); !w.missing(old) {
				now := ondisk.ExamplesOf(to)
				if err := w.root.Rename(filepath.FromSlash(old), filepath.FromSlash(now)); err != nil {
					return w.failed(old, err)
				}
				w.again = true
			}
		}
		link.Path, link.Name, link.Position = to, name, r.Position
		link.File, link.Row = ondisk.Hash(text), hashRequest(r)
		w.record(link)
	}
	return w.writeExamples(r, link)
}

// writeExamples writes the examples of a request that changed in the window.
func (w *writer) writeExamples(r *workspace.Request, link *workspace.DiskFile) error {
	rows, dir := hashExamples(w.have.Examples[r.ID]), ondisk.ExamplesOf(link.Path)
	if rows == link.ExampleRows || w.frozen[dir] {
		return nil
	}
	examples, err := w.k.Workspace.SavedExamples(w.ctx, w.folder.UserID, r.ID)
	if err != nil {
		return err
	}
	names, want, hashes := ondisk.Names{}, map[string][]byte{}, []string{}
	for i, e := range shownExamples(examples) {
		file := path.Join(dir, names.New(ondisk.FileName(e.Name), ondisk.Ext))
		text, err := ondisk.EncodeExample(ondisk.Example{Order: int64(i) + 1, SavedExample: e},
			w.has(file, w.files.Files[file]))
		if err != nil {
			w.problem(errors.New(file + " is not written: " + fault.Of(err).Message))
			return nil
		}
		want[file] = text
	}
	for _, file := range slices.Sorted(maps.Keys(want)) {
		if ok, err := w.put(file, "", want[file], nil, w.files.Files[file]); !ok {
			return err
		}
		hashes = append(hashes, path.Base(file)+" "+ondisk.Hash(want[file]))
	}
	for _, file := range w.examplePaths(link.Path) {
		if want[file] == nil {
			if err := w.away(file, w.files.Files[file]); err != nil {
				return err
			}
		}
	}
	if link.Examples, link.ExampleRows = "", rows; len(hashes) > 0 {
		link.Examples = hashOf(hashes)
	} else {
		_ = w.root.Remove(filepath.FromSlash(dir)) // unless it has other files
	}
	w.record(link)
	return nil
}

// remove deletes the files of deleted rows.
func (w *writer) remove() error {
	var folders []*workspace.DiskFile
	for i := range w.have.Files {
		link := &w.have.Files[i]
		switch {
		case link.Path == "" && link.Folder:
		case link.Folder && w.have.Collections[link.RowID] == nil:
			folders = append(folders, link)
		case !link.Folder && w.have.Requests[link.RowID] == nil && !w.frozen[link.Path]:
			if err := w.away(link.Path, link.File); err != nil {
				return err
			}
			for _, file := range w.examplePaths(link.Path) {
				if err := w.away(file, w.files.Files[file]); err != nil {
					return err
				}
			}
			_ = w.root.Remove(filepath.FromSlash(ondisk.ExamplesOf(link.Path))) // unless it has other files
			w.deletes = append(w.deletes, link)
		}
	}
	slices.SortFunc(folders, func(a, b *workspace.DiskFile) int { return strings.Compare(b.Path, a.Path) })
	for _, link := range folders {
		if w.frozen[link.Path] {
			continue
		}
		if link.File != "" {
			if err := w.away(path.Join(link.Path, ondisk.FolderFile), link.File); err != nil {
				return err
			}
		}
		_ = w.root.Remove(filepath.FromSlash(link.Path)) // unless it has other files
		w.deletes = append(w.deletes, link)
	}
	return nil
}

// newName returns an unused name in a folder.
func (w *writer) newName(dir, name, ext string) string {
	used := w.names[dir]
	if used == nil {
		used = ondisk.Names{}
		w.names[dir] = used
		if f, err := w.root.Open(filepath.FromSlash(path.Join(".", dir))); err == nil {
			entries, _ := f.ReadDir(-1) // unlisted files are not overwritten either
			_ = f.Close()
			for _, e := range entries {
				used.Use(e.Name())
			}
		}
	}
	return used.New(ondisk.FileName(name), ext)
}

// missing reports whether there is no file or folder with that path.
func (w *writer) missing(file string) bool {
	_, err := w.root.Lstat(filepath.FromSlash(file))
	return errors.Is(err, fs.ErrNotExist)
}

// has returns the text of a file if it has the content that is expected, else nil.
func (w *writer) has(file, expect string) []byte {
	text, err := ondisk.ReadFile(w.root, file)
	if err != nil || ondisk.Hash(text) != expect {
		return nil
	}
	return text
}

// failed returns the error of a change on disk in words, after which another pass is due.
func (w *writer) failed(file string, err error) error {
	w.again = true
	w.problem(fault.New(fault.Conflict, "%s is not written: %v", file, plain(err)))
	return nil
}

// put writes a file if it has the content that is expected; empty: if there is none. It
// returns false with a nil error after a problem that is shown: wrong is one of the text.
func (w *writer) put(file, name string, text []byte, wrong error, expect string) (ok bool, err error) {
	if wrong != nil {
		w.problem(fault.New(fault.Invalid, "“%s” is not kept in the folder: %s", name, fault.Of(wrong).Message))
		return false, nil
	}
	if expect == ondisk.Hash(text) {
		return true, nil
	}
	if err := w.replace(file, text, expect); err != nil {
		if errors.Is(err, errMoved) {
			return false, err
		}
		return false, w.failed(file, err)
	}
	return true, nil
}

// replace writes a file beside the old one, and renames it.
func (w *writer) replace(file string, text []byte, expect string) error {
	name := filepath.FromSlash(file)
	dir := filepath.Dir(name)
	if err := w.root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temporary := filepath.Join(dir, ".spyglass-"+rand.Text())
	f, err := w.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = w.become(temporary, name, file, expect)
	}
	if err != nil {
		_ = w.root.Remove(temporary)
	}
	return err
}

// become puts a new file in the place of the old one, if that has the content that is
// expected.
func (w *writer) become(temporary, name, file, expect string) error {
	if expect == "" {
		err := w.root.Link(temporary, name)
		switch {
		case err == nil:
			return w.root.Remove(temporary)
		case errors.Is(err, fs.ErrExist), !w.missing(file):
			return errMoved
		}
		return w.root.Rename(temporary, name) // the file system has no links
	}
	if now, err := ondisk.ReadFile(w.root, file); err != nil || ondisk.Hash(now) != expect {
		return errMoved
	}
	err := w.exchange(temporary, name)
	if errors.Is(err, errors.ErrUnsupported) {
		return w.root.Rename(temporary, name)
	}
	if err != nil {
		return err
	}
	// the old file has the temporary name now: an editor may have replaced it just before
	if was, err := w.root.ReadFile(temporary); err != nil || ondisk.Hash(was) != expect {
		return errors.Join(errMoved, w.exchange(temporary, name))
	}
	return w.root.Remove(temporary)
}

// exchange swaps two files of one folder.
func (w *writer) exchange(a, b string) error {
	dir, err := w.root.Open(filepath.Dir(a))
	if err != nil {
		return err
	}
	defer dir.Close()
	swap := w.k.swap
	if swap == nil {
		swap = exchange
	}
	return swap(dir, filepath.Base(a), filepath.Base(b))
}

// away deletes a file if it has the content that is expected.
func (w *writer) away(file, expect string) error {
	name := filepath.FromSlash(file)
	if now, err := ondisk.ReadFile(w.root, file); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil || ondisk.Hash(now) != expect {
		return errMoved
	}
	temporary := filepath.Join(filepath.Dir(name), ".spyglass-"+rand.Text())
	err := w.root.Rename(name, temporary)
	if err == nil {
		var was []byte // an editor may have replaced it just before
		if was, err = w.root.ReadFile(temporary); err == nil && ondisk.Hash(was) != expect {
			return errors.Join(errMoved, w.root.Rename(temporary, name))
		}
	}
	if err == nil {
		err = w.root.Remove(temporary)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w.failed(file, err)
	}
	return nil
}
