package keep

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"spyglass/app/explorer/stream"
	"spyglass/app/ondisk"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// pass brings one folder in step: first the workspace follows the files, then the files
// the workspace.
type pass struct {
	k      *Keeper
	ctx    context.Context
	folder *workspace.DiskFolder
	root   *os.Root
	files  *ondisk.Listing
	have   *workspace.OnDisk
	byPath map[string]*workspace.DiskFile
	byRow  map[row]*workspace.DiskFile

	frozen   map[string]bool // paths that are not written
	problems []string
	again    bool // another pass is due even if nothing changes

	removed []stream.RemovedItem
	copies  []string
}

// row names a row of the workspace.
type row struct {
	folder bool
	id     int64
}

func (p *pass) run() error {
	if err := p.load(); err != nil {
		return err
	}
	if p.have.Root == nil {
		return nil // it is in the recycle bin
	}
	top := p.byPath[""]
	_, there := p.files.Files[ondisk.CollectionFile]
	if !there && !p.files.Unknown[ondisk.CollectionFile] && top != nil {
		return fault.New(fault.Conflict, "%s has no %s. Nothing changes until it is back", p.folder.Dir,
			ondisk.CollectionFile)
	}
	for _, err := range p.files.Problems {
		p.problem(err)
	}
	for file := range p.files.Unknown {
		p.freeze(file)
	}
	if err := p.follow(); err != nil {
		return err
	}
	if err := p.load(); err != nil {
		return err
	}
	if p.have.Root == nil {
		return nil
	}
	return p.write()
}

// load reads the workspace.
func (p *pass) load() (err error) {
	if p.have, err = p.k.Workspace.OnDisk(p.ctx, p.folder); err != nil {
		return err
	}
	if p.frozen == nil {
		p.frozen = map[string]bool{}
	}
	p.index()
	return nil
}

func (p *pass) index() {
	p.byPath, p.byRow = map[string]*workspace.DiskFile{}, map[row]*workspace.DiskFile{}
	for i := range p.have.Files {
		f := &p.have.Files[i]
		p.byPath[f.Path], p.byRow[row{f.Folder, f.RowID}] = f, f
	}
}

func (p *pass) problem(err error) { p.problems = append(p.problems, fault.Sentence(err)) }

// sentences returns the problems in a stable order; not nil.
func (p *pass) sentences() []string {
	slices.Sort(p.problems)
	return append([]string{}, slices.Compact(p.problems)...)
}

// freeze leaves a file as it is.
func (p *pass) freeze(file string) {
	switch ondisk.KindOf(file) {
	case ondisk.OfCollection, ondisk.OfFolder:
		p.frozen[dirOf(file)] = true
	case ondisk.OfExample:
		p.frozen[ondisk.ExamplesOf(ondisk.RequestOf(file))] = true
	default:
		p.frozen[file] = true
	}
}

// tell reports changes that the user sees but did not make.
func (p *pass) tell() {
	if len(p.removed)+len(p.copies) == 0 {
		return
	}
	p.k.Hub.Notify(p.folder.UserID, rand.Text(), stream.FolderEvent{Collection: p.have.Root.Name, Removed: p.removed,
		Copies: p.copies})
}

// dirOf returns the folder of a file; empty for the outermost one.
func dirOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// title returns the name of a request as the tree shows it.
func title(r *workspace.Request) string {
	return cmp.Or(r.Name, r.Draft.Method+" "+r.Draft.Path)
}

func hashOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "" // differs from every hash
	}
	return ondisk.Hash(text)
}

func hashRequest(r *workspace.Request) string { return hashOf([]any{r.Name, r.Doc, r.Draft}) }

func hashCollection(c *workspace.Collection) string { return hashOf([]any{c.Name, c.Doc}) }

// hashExamples identifies rows of examples, whose bodies never change.
func hashExamples(examples []workspace.RequestExample) string {
	if len(examples) == 0 {
		return ""
	}
	all := [][]any{}
	for _, e := range examples {
		all = append(all, []any{e.ID, e.Name, e.Status, e.StatusText, e.Headers})
	}
	return hashOf(all)
}

// examplePaths returns the files of a request's examples.
func (p *pass) examplePaths(file string) (paths []string) {
	dir := ondisk.ExamplesOf(file) + "/"
	for name := range p.files.Files {
		if strings.HasPrefix(name, dir) {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return paths
}

// exampleHashes returns a hash of the files of each request's examples, by the request's
// file.
func (p *pass) exampleHashes() map[string]string {
	all := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(p.files.Files)) {
		if ondisk.KindOf(name) == ondisk.OfExample {
			file := ondisk.RequestOf(name)
			all[file] = append(all[file], path.Base(name)+" "+p.files.Files[name])
		}
	}
	out := map[string]string{}
	for file, lines := range all {
		out[file] = hashOf(lines)
	}
	return out
}

func sameFiles(a, b *ondisk.Listing) bool {
	return maps.Equal(a.Files, b.Files) && maps.Equal(a.Unknown, b.Unknown)
}

// text returns the text of a request's file. Comments in the text that it has stay.
func (p *pass) text(r *workspace.Request, order int64, was []byte) ([]byte, error) {
	return ondisk.EncodeRequest(ondisk.Request{Name: r.Name, Doc: r.Doc, Order: order,
		Draft: p.k.masked(p.k.withoutOffers(r.Draft))}, was)
}

// read returns the text of a file of the listing.
func (p *pass) read(file string) ([]byte, error) {
	text, err := ondisk.ReadFile(p.root, file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && ondisk.Hash(text) != p.files.Files[file] {
		return nil, errMoved
	}
	return text, err
}

// examples returns the examples in the files of a request.
func (p *pass) examples(file string) (out []workspace.SavedExample, err error) {
	var all []*ondisk.Example
	for _, name := range p.examplePaths(file) {
		text, err := p.read(name)
		if err != nil {
			return nil, err
		}
		e, err := ondisk.DecodeExample(name, text)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b *ondisk.Example) int { return cmp.Compare(a.Order, b.Order) })
	for _, e := range all[:min(len(all), workspace.MaxExamples)] {
		out = append(out, e.SavedExample)
	}
	return out, nil
}

// sameExample ignores the order of headers that a file does not have.
func sameExample(a, b *workspace.SavedExample) bool {
	return a.Name == b.Name && a.Status == b.Status && a.Body == b.Body
}

// variables returns those that requests use and that are no secrets, for a new
// collection.yaml.
func (p *pass) variables() (map[string]string, error) {
	all, err := p.k.Workspace.VariablesOf(p.ctx, p.folder.UserID)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, r := range p.have.Requests {
		for _, name := range r.Draft.References() {
			used[name] = true
		}
	}
	out := map[string]string{}
	for _, v := range all {
		if used[v.Name] && v.EnvironmentID == 0 && !v.Secret && !resource.SecretName(v.Name) {
			out[v.Name] = v.Value
		}
	}
	return out, nil
}
