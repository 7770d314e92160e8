package keep

import (
	"bytes"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"spyglass/app/explorer/stream"
	"spyglass/app/ondisk"
	"spyglass/app/workspace"
)

// follower changes the workspace as the files did. It first finds out what to do, and
// then does it in one transaction, which may run twice: so each change is a function that
// begins with what the pass has read.
type follower struct {
	*pass
	changes  []func(tx *workspace.DiskTx) error
	dirs     map[string]bool // with requests, or with a folder.yaml
	made     map[string]*workspace.Collection
	fresh    map[string]*ondisk.Request // files without a row
	examples map[string]string          // hashes of the files of examples
	moved    map[int64]bool             // ids of DiskFiles that have another folder on disk
}

// follow lets the workspace follow the files.
func (p *pass) follow() error {
	f := &follower{pass: p, dirs: map[string]bool{}, made: map[string]*workspace.Collection{},
		fresh: map[string]*ondisk.Request{}, examples: p.exampleHashes(), moved: map[int64]bool{}}
	for _, step := range []func() error{f.find, f.renamedFolders, f.renamedRequests, f.folders, f.requests, f.added} {
		if err := step(); err != nil {
			return err
		}
	}
	if len(f.changes) == 0 {
		return nil
	}
	return p.k.Workspace.WriteOnDisk(p.ctx, p.folder, func(tx *workspace.DiskTx) error {
		for _, change := range f.changes {
			if err := change(tx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *follower) change(do func(tx *workspace.DiskTx) error) { f.changes = append(f.changes, do) }

// methodLine distinguishes an invalid request file from a file of another program.
var methodLine = regexp.MustCompile(`(?m)^method\s*:`)

// find decodes files without a row, and finds the folders on disk.
func (f *follower) find() error {
	add := func(file string) {
		for dir := dirOf(file); dir != "" && !f.dirs[dir]; dir = dirOf(dir) {
			f.dirs[dir] = true
		}
	}
	for file := range f.files.Files {
		switch ondisk.KindOf(file) {
		case ondisk.OfFolder:
			add(file)
		case ondisk.OfRequest:
			if f.byPath[file] != nil {
				add(file)
				continue
			}
			text, err := f.read(file)
			if errors.Is(err, errMoved) {
				return err
			}
			var r *ondisk.Request
			if err == nil {
				r, err = ondisk.DecodeRequest(file, text)
			}
			switch {
			case err != nil && (text == nil || methodLine.Match(text)):
				f.problem(err)
				add(file) // it is a request that will be read some day
			case err == nil && r != nil:
				f.fresh[file] = r
				add(file)
			}
		default:
		}
	}
	for file := range f.files.Unknown {
		if f.byPath[file] != nil || ondisk.KindOf(file) == ondisk.OfFolder {
			add(file)
		}
	}
	return nil
}

// renamedFolders finds folders that were renamed or moved on disk: the one with the most
// files that are the same.
func (f *follower) renamedFolders() error {
	unlinked := map[string][]string{} // paths by hash
	for file, hash := range f.files.Files {
		folder := ondisk.KindOf(file) == ondisk.OfFolder && f.byPath[dirOf(file)] == nil
		if folder || f.fresh[file] != nil {
			unlinked[hash] = append(unlinked[hash], file)
		}
	}
	for _, link := range f.sorted() {
		if !link.Folder || link.Path == "" || f.dirs[link.Path] {
			continue
		}
		votes, best := map[string]int{}, ""
		for _, inside := range f.sorted() {
			file := inside.Path
			if inside.Folder {
				file = path.Join(file, ondisk.FolderFile)
			}
			rest, ok := strings.CutPrefix(file, link.Path)
			if !ok || !strings.HasPrefix(rest, "/") || inside.File == "" {
				continue
			}
			for _, other := range unlinked[inside.File] {
				if dir, ok := strings.CutSuffix(other, rest); ok && dir != "" && f.byPath[dir] == nil {
					votes[dir]++
				}
			}
		}
		for dir, n := range votes {
			if n > votes[best] || n == votes[best] && (best == "" || dir < best) {
				best = dir
			}
		}
		if best != "" {
			f.rename(link, best)
		}
	}
	return nil
}

// rename gives a DiskFile another path, and those below it.
func (f *follower) rename(link *workspace.DiskFile, to string) {
	was := link.Path
	if dirOf(was) != dirOf(to) {
		f.moved[link.ID] = true
	}
	for i := range f.have.Files {
		one := &f.have.Files[i]
		rest, ok := strings.CutPrefix(one.Path, was)
		if !ok || rest != "" && !strings.HasPrefix(rest, "/") || rest != "" && !link.Folder {
			continue
		}
		one.Path = to + rest
		delete(f.fresh, one.Path)
		now := *one
		f.change(func(tx *workspace.DiskTx) error { return tx.PutFile(&now) })
	}
	f.index()
}

// sorted returns the DiskFiles by path.
func (f *follower) sorted() (all []*workspace.DiskFile) {
	for i := range f.have.Files {
		all = append(all, &f.have.Files[i])
	}
	slices.SortFunc(all, func(a, b *workspace.DiskFile) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// gone reports whether a request's file no longer exists.
func (f *follower) gone(link *workspace.DiskFile) bool {
	_, there := f.files.Files[link.Path]
	return !there && !f.files.Unknown[link.Path]
}

// renamedRequests finds files that were renamed or moved on disk: those with the same
// content, or else with the same name and path.
func (f *follower) renamedRequests() error {
	for _, exact := range []bool{true, false} {
		for _, link := range f.sorted() {
			if link.Folder || !f.gone(link) {
				continue
			}
			was := f.have.Requests[link.RowID]
			for _, file := range sortedKeys(f.fresh) {
				now := f.fresh[file]
				if exact && f.files.Files[file] == link.File || !exact && was != nil && was.Name == now.Name &&
					was.Draft.Method == now.Draft.Method && was.Draft.Path == now.Draft.Path {
					f.rename(link, file)
					break
				}
			}
		}
	}
	return nil
}

// dir returns the collection of a folder on disk. If it has none, it is created, or
// restored.
func (f *follower) dir(dir string) *workspace.Collection {
	if dir == "" {
		return f.have.Root
	}
	link := f.byPath[dir]
	if link != nil && f.have.Collections[link.RowID] != nil {
		return f.have.Collections[link.RowID]
	}
	if c := f.made[dir]; c != nil {
		return c
	}
	above := f.dir(dirOf(dir))
	folder, hash := f.folderFile(dir)
	if c := f.adoptedFolder(above, &folder); c != nil && link == nil {
		now := workspace.DiskFile{Folder: true, RowID: c.ID, Path: dir, Name: c.Name, Position: folder.Order,
			File: hash, Row: hashCollection(c)}
		f.byRow[row{true, c.ID}], f.made[dir] = &now, c
		f.change(func(tx *workspace.DiskTx) error {
			now := now
			return tx.PutFile(&now)
		})
		return c
	}
	c, want := &workspace.Collection{}, workspace.Collection{Name: folder.Name, Doc: folder.Doc, Position: folder.Order}
	f.made[dir] = c
	f.change(func(tx *workspace.DiskTx) error {
		*c = want
		now := workspace.DiskFile{Folder: true, Path: dir}
		if link != nil {
			now = *link
			was, err := tx.Collection(link.RowID)
			if err != nil {
				return err
			}
			if was != nil && was.Trashed != 0 {
				c.ID = was.ID
			}
		}
		c.ParentID = above.ID
		if err := tx.PutCollection(c); err != nil {
			return err
		}
		now.RowID, now.Name, now.Position, now.File, now.Row = c.ID, c.Name, c.Position, hash, hashCollection(c)
		return tx.PutFile(&now)
	})
	return c
}

// adoptedFolder returns the collection that a folder.yaml without a row is the text of, as
// adopted does for requests.
func (f *follower) adoptedFolder(above *workspace.Collection, folder *ondisk.Folder) *workspace.Collection {
	for _, c := range f.have.Collections {
		if c.ParentID == above.ID && c.Name == folder.Name && c.Doc == folder.Doc && f.byRow[row{true, c.ID}] == nil {
			return c
		}
	}
	return nil
}

// folderFile reads the folder.yaml of a folder; one without it has the name on disk.
func (f *follower) folderFile(dir string) (ondisk.Folder, string) {
	plain, file := ondisk.Folder{Name: path.Base(dir)}, path.Join(dir, ondisk.FolderFile)
	hash, there := f.files.Files[file]
	if !there {
		return plain, ""
	}
	text, err := f.read(file)
	var folder ondisk.Folder
	if err == nil {
		folder, err = ondisk.DecodeFolder(file, text)
	}
	if err != nil {
		f.problem(err)
		f.frozen[dir] = true
		return plain, ""
	}
	return folder, hash
}

// folders follows the folders on disk.
func (f *follower) folders() error {
	if err := f.top(); err != nil {
		return err
	}
	for _, dir := range sortedKeys(f.dirs) {
		link := f.byPath[dir]
		if link == nil {
			if _, there := f.files.Files[path.Join(dir, ondisk.FolderFile)]; there {
				f.dir(dir)
			}
			continue
		}
		if c := f.have.Collections[link.RowID]; c != nil {
			f.known(dir, link, c)
		} else if hash := f.files.Files[path.Join(dir, ondisk.FolderFile)]; hash != link.File && !f.frozen[dir] {
			gone := *link // it was deleted in the window: the file as it is now will be, too
			gone.File = hash
			f.change(func(tx *workspace.DiskTx) error { return tx.PutFile(&gone) })
		}
	}
	for _, link := range f.sorted() { // the outermost first
		c := f.have.Collections[link.RowID]
		if !link.Folder || link.Path == "" || f.dirs[link.Path] || c == nil || f.needed(c.ID) {
			continue
		}
		f.removed = append(f.removed, stream.RemovedItem{Folder: true, ID: c.ID, Name: c.Name})
		f.trash(c)
	}
	return nil
}

// known follows a folder that has a row.
func (f *follower) known(dir string, link *workspace.DiskFile, c *workspace.Collection) {
	was, now, file := *c, *c, *link
	changed, above := f.moved[link.ID], f.have.Root
	if changed {
		above = f.dir(dirOf(dir))
	}
	name := path.Join(dir, ondisk.FolderFile)
	hash, there := f.files.Files[name]
	switch {
	case hash == link.File, f.frozen[dir], f.files.Unknown[name]:
	case !there:
		file.File, changed = "", true
	default:
		text, err := f.read(name)
		var folder ondisk.Folder
		if err == nil {
			folder, err = ondisk.DecodeFolder(name, text)
		}
		if err != nil {
			f.problem(err)
			f.frozen[dir] = true
			break
		}
		if folder.Order != link.Position {
			now.Position = folder.Order
		}
		now.Name, now.Doc = folder.Name, folder.Doc
		file.Name, file.File, file.Position, file.Row = now.Name, hash, folder.Order, hashCollection(&now)
		changed = true
	}
	if !changed {
		return
	}
	f.change(func(tx *workspace.DiskTx) error {
		if err := sameCollection(tx, &was); err != nil {
			return err
		}
		now, file := now, file
		if f.moved[link.ID] {
			now.ParentID = above.ID
		}
		if now != was {
			if err := tx.PutCollection(&now); err != nil {
				return err
			}
		}
		return tx.PutFile(&file)
	})
}

// top follows collection.yaml.
func (f *follower) top() error {
	link, was := f.byPath[""], *f.have.Root
	hash, there := f.files.Files[ondisk.CollectionFile]
	if !there || link != nil && link.File == hash {
		return nil
	}
	text, err := f.read(ondisk.CollectionFile)
	if errors.Is(err, errMoved) {
		return err
	}
	var top ondisk.Collection
	if err == nil {
		top, err = ondisk.DecodeCollection(ondisk.CollectionFile, text)
	}
	if err != nil {
		f.problem(err)
		f.frozen[""] = true
		return nil
	}
	now, file := was, workspace.DiskFile{Folder: true, RowID: was.ID}
	if link != nil {
		file = *link
	}
	now.Name, now.Doc = top.Name, top.Doc
	file.Name, file.File, file.Row = now.Name, hash, hashCollection(&now)
	f.change(func(tx *workspace.DiskTx) error {
		if err := sameCollection(tx, &was); err != nil {
			return err
		}
		now, file := now, file
		if now != was {
			if err := tx.PutCollection(&now); err != nil {
				return err
			}
		}
		return tx.PutFile(&file)
	})
	return nil
}

// needed reports whether a collection has something that the window added or changed.
func (f *follower) needed(id int64) bool {
	for _, r := range f.have.Requests {
		if r.CollectionID != id {
			continue
		}
		link := f.byRow[row{false, r.ID}]
		if link == nil || !f.moved[link.ID] && (link.Row != hashRequest(r) || !f.gone(link)) {
			return true
		}
	}
	for _, c := range f.have.Collections {
		if c.ParentID != id {
			continue
		}
		link := f.byRow[row{true, c.ID}]
		if link == nil || !f.moved[link.ID] && f.needed(c.ID) {
			return true
		}
	}
	return false
}

// leaves reports whether a row was moved to another folder on disk.
func (f *follower) leaves(r row) bool {
	link := f.byRow[r]
	return link != nil && f.moved[link.ID]
}

// trash deletes a collection whose folder was deleted, with its contents.
func (f *follower) trash(c *workspace.Collection) {
	var gone func(id int64)
	gone = func(id int64) {
		f.forget(row{true, id})
		delete(f.have.Collections, id)
		for _, r := range f.have.Requests {
			if r.CollectionID == id && !f.leaves(row{false, r.ID}) {
				f.forget(row{false, r.ID})
				delete(f.have.Requests, r.ID)
			}
		}
		for _, inside := range f.have.Collections {
			if inside.ParentID == id && !f.leaves(row{true, inside.ID}) {
				gone(inside.ID)
			}
		}
	}
	was, now := *c, *c
	now.Trashed = f.k.now()
	gone(c.ID)
	f.change(func(tx *workspace.DiskTx) error {
		if err := sameCollection(tx, &was); err != nil {
			return err
		}
		now := now
		return tx.PutCollection(&now)
	})
}

// forget deletes a DiskFile.
func (f *follower) forget(r row) {
	link := f.byRow[r]
	if link == nil {
		return
	}
	gone := *link
	delete(f.byRow, r)
	delete(f.byPath, gone.Path)
	f.change(func(tx *workspace.DiskTx) error { return tx.DeleteFile(&gone) })
}

// sameCollection returns errMoved if the row has changed since it was read.
func sameCollection(tx *workspace.DiskTx, was *workspace.Collection) error {
	now, err := tx.Collection(was.ID)
	if err == nil && (now == nil || *now != *was) {
		err = errMoved
	}
	return err
}

// sameRequest does that for a request.
func sameRequest(tx *workspace.DiskTx, was *workspace.Request) error {
	now, err := tx.Request(was.ID)
	if err == nil && (now == nil || now.CollectionID != was.CollectionID || now.Position != was.Position ||
		now.Trashed != was.Trashed || hashRequest(now) != hashRequest(was)) {
		err = errMoved
	}
	return err
}

// requests follows the files of requests that have a row.
func (f *follower) requests() error {
	for _, link := range f.sorted() {
		if link.Folder || f.byPath[link.Path] != link {
			continue
		}
		r := f.have.Requests[link.RowID]
		var err error
		switch {
		case f.frozen[link.Path]:
		case f.gone(link) && r != nil && link.Row == hashRequest(r):
			f.removedRequest(r)
		case f.gone(link):
		case r == nil && f.files.Files[link.Path] != link.File:
			err = f.restored(link)
		case r == nil:
		default:
			err = f.request(link, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removedRequest deletes a request whose file was deleted.
func (f *follower) removedRequest(r *workspace.Request) {
	f.removed = append(f.removed, stream.RemovedItem{ID: r.ID, Name: title(r)})
	was, now := *r, *r
	now.Trashed = f.k.now()
	f.forget(row{false, r.ID})
	f.change(func(tx *workspace.DiskTx) error {
		if err := sameRequest(tx, &was); err != nil {
			return err
		}
		now := now
		return tx.PutRequest(&now)
	})
}

// decoded returns the request in a file; nil if the file cannot be read, which is a
// problem to show.
func (f *follower) decoded(file string) (*ondisk.Request, error) {
	text, err := f.read(file)
	if errors.Is(err, errMoved) {
		return nil, err
	}
	var r *ondisk.Request
	if err == nil {
		if r, err = ondisk.DecodeRequest(file, text); err == nil && r == nil {
			err = errors.New(file + ": the method is missing")
		}
	}
	if err != nil {
		f.problem(err)
		f.frozen[file] = true
		return nil, nil
	}
	return r, nil
}

// request follows the file of a request.
func (f *follower) request(link *workspace.DiskFile, r *workspace.Request) error {
	was, now, file := *r, *r, *link
	var mine *workspace.Request // the window's version, if both changed it
	changed := f.moved[link.ID]
	if hash := f.files.Files[link.Path]; hash != link.File {
		read, err := f.decoded(link.Path)
		if err != nil || read == nil {
			return err
		}
		now.Name, now.Doc, now.Draft = read.Name, read.Doc, f.k.fromFile(read.Draft, was.Draft)
		if read.Order != link.Position {
			now.Position = read.Order
		}
		if link.Row != hashRequest(&was) && hashRequest(&now) != hashRequest(&was) {
			copied := was
			copied.ID, copied.Name = 0, changedName(&was)
			mine = &copied
			f.copies = append(f.copies, copied.Name)
		}
		file.Name, file.File, file.Position, file.Row = title(&now), hash, read.Order, hashRequest(&now)
		changed = true
	}
	examples, replaced, err := f.newExamples(link, r)
	if err != nil {
		return err
	}
	if !changed && !replaced {
		return nil
	}
	home := f.have.Root
	if f.moved[link.ID] {
		home = f.dir(dirOf(link.Path))
	}
	f.change(func(tx *workspace.DiskTx) error {
		if err := sameRequest(tx, &was); err != nil {
			return err
		}
		now, file := now, file
		if f.moved[link.ID] {
			now.CollectionID = home.ID
		}
		if mine != nil {
			mine := *mine
			mine.CollectionID = now.CollectionID
			if err := tx.PutRequest(&mine); err != nil {
				return err
			}
		}
		if changed {
			if err := tx.PutRequest(&now); err != nil {
				return err
			}
		}
		if replaced {
			if err := f.putExamples(tx, &now, examples, &file); err != nil {
				return err
			}
		}
		return tx.PutFile(&file)
	})
	return nil
}

// maxName limits the characters of a name.
const maxName = 255

// changedName returns the name of the window's version of a request that both sides
// changed.
func changedName(r *workspace.Request) string {
	const mark = " (my change)"
	name := []rune(title(r))
	return string(name[:min(len(name), maxName-len(mark))]) + mark
}

// newExamples returns the examples of a request if their files have changed. If the
// window's have, too, all are kept.
func (f *follower) newExamples(link *workspace.DiskFile, r *workspace.Request) (all []workspace.SavedExample,
	changed bool, err error) {
	if f.examples[link.Path] == link.Examples || f.frozen[ondisk.ExamplesOf(link.Path)] {
		return nil, false, nil
	}
	all, err = f.pass.examples(link.Path)
	if errors.Is(err, errMoved) {
		return nil, false, err
	}
	if err != nil {
		f.problem(err)
		f.frozen[ondisk.ExamplesOf(link.Path)] = true
		return nil, false, nil
	}
	if hashExamples(f.have.Examples[r.ID]) != link.ExampleRows {
		own, err := f.k.Workspace.SavedExamples(f.ctx, f.folder.UserID, r.ID)
		if err != nil {
			return nil, false, err
		}
		for i := range own {
			if !slices.ContainsFunc(all, func(e workspace.SavedExample) bool { return sameExample(&e, &own[i]) }) &&
				len(all) < workspace.MaxExamples {
				all = append(all, own[i])
			}
		}
	}
	return all, true, nil
}

func (f *follower) putExamples(tx *workspace.DiskTx, r *workspace.Request, examples []workspace.SavedExample,
	file *workspace.DiskFile) error {
	rows, err := tx.PutExamples(r, examples)
	file.Examples = f.examples[file.Path]
	if len(examples) == len(f.examplePaths(file.Path)) { // otherwise they are written again
		file.ExampleRows = hashExamples(rows)
	}
	return err
}

// restored brings back a request that was deleted in the window and changed on disk.
func (f *follower) restored(link *workspace.DiskFile) error {
	read, err := f.decoded(link.Path)
	if err != nil || read == nil {
		return err
	}
	return f.create(link.Path, read, link)
}

// added creates requests for files without a row.
func (f *follower) added() error {
	for _, file := range sortedKeys(f.fresh) {
		read := f.fresh[file]
		if r, link := f.adopted(file, read); r != nil {
			now := workspace.DiskFile{RowID: r.ID}
			if link != nil {
				link.Path = file
				now = *link
			}
			now.Path = file
			now.Name, now.File, now.Position, now.Row = title(r), f.files.Files[file], read.Order, hashRequest(r)
			f.change(func(tx *workspace.DiskTx) error {
				now := now
				return tx.PutFile(&now)
			})
			continue
		}
		if err := f.create(file, read, nil); err != nil {
			return err
		}
	}
	return nil
}

// adopted returns the request that a file without a row is the text of: the program ended
// after it had written the file.
func (f *follower) adopted(file string, read *ondisk.Request) (*workspace.Request, *workspace.DiskFile) {
	home := f.have.Root
	if dir := dirOf(file); dir != "" {
		if link := f.byPath[dir]; link != nil {
			home = f.have.Collections[link.RowID]
		} else {
			home = f.made[dir]
		}
		if home == nil {
			return nil, nil
		}
	}
	want, err := ondisk.EncodeRequest(*read, nil)
	if err != nil {
		return nil, nil
	}
	for _, r := range f.have.Requests {
		link := f.byRow[row{false, r.ID}]
		if r.CollectionID != home.ID || r.Draft.Path != read.Draft.Path && r.Name != read.Name ||
			link != nil && !f.gone(link) {
			continue
		}
		if text, err := f.text(r, read.Order, nil); err == nil && bytes.Equal(text, want) {
			if link == nil {
				f.byRow[row{false, r.ID}] = &workspace.DiskFile{Path: file} // not for another file
			}
			return r, link
		}
	}
	return nil, nil
}

// create creates a request for a file.
func (f *follower) create(file string, read *ondisk.Request, link *workspace.DiskFile) error {
	home, hash := f.dir(dirOf(file)), f.files.Files[file]
	var examples []workspace.SavedExample
	if !f.frozen[ondisk.ExamplesOf(file)] {
		var err error
		if examples, err = f.pass.examples(file); errors.Is(err, errMoved) {
			return err
		} else if err != nil {
			f.problem(err)
			f.frozen[ondisk.ExamplesOf(file)] = true
		}
	}
	want := workspace.Request{Name: read.Name, Doc: read.Doc, Position: read.Order, Draft: read.Draft}
	f.change(func(tx *workspace.DiskTx) error {
		r, now := want, workspace.DiskFile{Path: file}
		if link != nil {
			now = *link
			was, err := tx.Request(link.RowID)
			if err != nil {
				return err
			}
			if was != nil && was.Trashed != 0 {
				r.ID, r.Draft = was.ID, f.k.fromFile(cloned(r.Draft), was.Draft)
			}
		}
		r.CollectionID = home.ID
		if err := tx.PutRequest(&r); err != nil {
			return err
		}
		now.RowID, now.Name, now.File, now.Position, now.Row = r.ID, title(&r), hash, r.Position, hashRequest(&r)
		if len(examples) > 0 || link != nil {
			if err := f.putExamples(tx, &r, examples, &now); err != nil {
				return err
			}
		}
		return tx.PutFile(&now)
	})
	return nil
}

// cloned returns a draft whose rows can be changed.
func cloned(d workspace.Draft) workspace.Draft {
	d.Query, d.Headers, d.Checks = slices.Clone(d.Query), slices.Clone(d.Headers), slices.Clone(d.Checks)
	return d
}

func sortedKeys[T any](m map[string]T) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
