package store

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// Place says where a portal is: in files, or in a database on a server.
type Place struct {
	Portal    string // the path of portal.db; the key file is beside it, also for a server
	Samples   string // the path of series.db
	Workspace string // the path of workspace.db
	Database  string // the address of a database on a server, which has all of them instead
}

// name returns the name of the place for messages.
func (p Place) name() string {
	if p.Database != "" {
		return nameOf(p.Database)
	}
	return filepath.Dir(p.Portal)
}

// WorkspaceName returns the name of the entry in the portal's database for the id of the
// workspace: that of its file or, in a database, another one, because the portal knows
// which of its files have existed.
func (p Place) WorkspaceName() string {
	if p.Database != "" {
		return besideWorkspace
	}
	return "workspace.db"
}

// besideWorkspace names the schema of the workspace in a database on a server.
const besideWorkspace = "workspace"

// Move copies a whole portal from one place to another: the rows as they are stored,
// with their ids, the samples, and the Explorer's workspace, if there is one. Both may be
// on any engine.
//
// A move that was interrupted is resumed by repeating it: rows are copied in the order
// of their ids, so that the highest one shows how far it is. Until the move is complete, an
// entry in the target names the source, and Open refuses the target.
type Move struct {
	From, To Place
	Tables   Tables
	Beside   Workspace
	Key      []byte             // of the portal, if there is no key file; nil: there is
	Progress func(MoveProgress) // called on the goroutine of Run
	// Files moves what one place has in files and the other one in tables that do not move,
	// which db has and files may add. It runs after the rows have moved. If the target is
	// complete already, it only compares both sides. May be nil.
	Files func(ctx context.Context, db *DB, complete bool) (Moved, error)
}

// Tables lists the tables of a portal.
type Tables struct {
	Known  []Shape  // of every table that a portal may have
	Moved  []string // names of the tables whose rows move
	Spaces []string // of the samples that move
}

// Workspace is a second database with tables that belongs to a portal; without tables,
// there is none. Its secrets are sealed with the key of the portal, or in another place,
// such as the system keyring.
type Workspace struct {
	Tables Tables
	Sealed string // the table of the sealed secrets, which a file may lack
	// Seal adds that table to the database in a file, if it is missing, with the secrets
	// that are in another place. left describes those that are not there. May be nil.
	Seal func(ctx context.Context, db *DB) (left []string, err error)
}

// exists reports whether the portal may have a workspace.
func (b Workspace) exists() bool { return len(b.Tables.Known) > 0 }

// unsealed returns the tables that every database has.
func (b Workspace) unsealed() Tables {
	t := b.Tables
	t.Moved = slices.DeleteFunc(slices.Clone(t.Moved), func(name string) bool { return name == b.Sealed })
	return t
}

// moved returns the shapes of the tables whose rows move.
func (t Tables) moved() (all []Shape) {
	for _, s := range t.Known {
		if slices.Contains(t.Moved, s.Table) {
			all = append(all, s)
		}
	}
	return all
}

// spaces returns the spaces of a database of samples that move.
func (t Tables) spaces(ctx context.Context, from engine.Database) ([]string, error) {
	layout, err := from.Layout(ctx)
	return slices.DeleteFunc(layout.Spaces, func(space string) bool { return !slices.Contains(t.Spaces, space) }), err
}

// MoveProgress reports how far a move is with one table.
type MoveProgress struct {
	Doing string // copying or comparing
	Table string
	Done  int64 // rows, of Total
	Total int64 // 0 while it is unknown
}

// Moved is a table after a move: the numbers of its rows and the sums over them.
type Moved struct {
	Table    string
	From, To Sum
	Left     []string // what has not moved, for the user: "secret variable token of user 3"
}

// Same reports whether both sides have the same rows.
func (m Moved) Same() bool { return m.From == m.To }

// moving is the name of the entry in an incomplete target. Its value is the id of the
// samples of the source, which no other portal has.
const moving = "moving"

// samplesName is the name of the entry for the id of the samples.
const samplesName = "series.db"

// Limits of what a move has in memory.
const (
	batchRows  = 500
	batchBytes = 4 << 20
)

// sides are the databases of a place.
type sides struct {
	portal, samples engine.Database
	workspace       engine.Database // nil if there is none
}

func (s sides) close() (err error) {
	for _, db := range []engine.Database{s.portal, s.samples, s.workspace} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}

// open opens the databases of a place, with its workspace if it has to have one.
func (p Place) open(ctx context.Context, workspace bool) (s sides, err error) {
	o := engine.Options{Alone: true}
	if s.portal, err = p.openOne(ctx, p.Portal, o); err == nil {
		s.samples, err = p.openOne(ctx, p.Samples, engine.Options{Alone: true, Chunks: true, Beside: besideSamples})
	}
	if err == nil && workspace {
		o.Beside = besideWorkspace
		s.workspace, err = p.openOne(ctx, p.Workspace, o)
	}
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	return s, nil
}

// hasWorkspace reports whether a place has a workspace.
func (p Place) hasWorkspace(ctx context.Context) (_ bool, err error) {
	if p.Database == "" {
		_, err := os.Stat(p.Workspace)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	base, err := p.openOne(ctx, "", engine.Options{ReadOnly: true, Beside: besideWorkspace})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	layout, err := base.Layout(ctx)
	return layout.Format > 0, err
}

func (p Place) openOne(ctx context.Context, path string, o engine.Options) (engine.Database, error) {
	o.Readers, o.Lasting = 2, 1
	if p.Database == "" {
		if err := private(path); err != nil {
			return nil, err
		}
	}
	base, _, err := connect(ctx, path, p.Database, slog.Default(), o)
	if err != nil && base != nil {
		err = errors.Join(err, base.Close())
	}
	if err != nil {
		return nil, explain(p.name(), err)
	}
	return base, nil
}

// Empty refuses a database on a server that has a portal. One that an interrupted move has
// left counts as empty.
func (p Place) Empty(ctx context.Context) (err error) {
	base, err := p.openOne(ctx, "", engine.Options{Alone: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	layout, err := base.Layout(ctx)
	if err != nil || layout.Format == 0 {
		return err
	}
	identity, err := base.AllMeta(ctx, engine.Identity)
	if err == nil && len(identity) > 0 && len(identity[moving]) == 0 {
		err = hasPortal(p.name())
	}
	return err
}

func hasPortal(place string) error {
	return fault.New(fault.Conflict, "%s has a portal already; nothing was changed. Choose an empty database or folder",
		place)
}

// Run moves the portal, and returns the tables with the sums of both sides. They are
// equal, unless the source was changed since an interrupted move; the target then stays
// incomplete. No process may use either side.
func (m Move) Run(ctx context.Context) (all []Moved, err error) {
	for _, path := range []string{m.From.Portal, m.From.Samples} {
		if _, err := os.Stat(path); err != nil && m.From.Database == "" { // the engine would create it
			return nil, noPortal(m.From.name())
		}
	}
	workspace := m.Beside.exists()
	if workspace {
		if workspace, err = m.From.hasWorkspace(ctx); err != nil {
			return nil, err
		}
	}
	from, err := m.From.open(ctx, workspace)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	id, err := m.source(ctx, from)
	if err != nil {
		return nil, err
	}
	beside, err := m.workspace(ctx, from)
	if err != nil {
		return nil, err
	}
	to, err := m.To.open(ctx, workspace)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	complete, err := m.target(ctx, to, id, beside)
	if err != nil {
		return nil, err
	}
	left, err := m.seal(ctx, from)
	if err != nil {
		return nil, explain(m.From.name(), err)
	}
	if !complete {
		if err := m.copy(ctx, from, to); err != nil {
			return nil, explainEither(m.From, m.To, err)
		}
	}
	if all, err = m.compare(ctx, from, to); err != nil {
		return all, err
	}
	if len(left) > 0 {
		at := slices.IndexFunc(all, func(one Moved) bool { return one.Table == workspaceTable(m.Beside.Sealed) })
		all[at].Left = left
	}
	if m.Files != nil {
		one, err := m.moveFiles(ctx, from, to, complete)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if complete {
		return all, nil
	}
	for _, one := range all {
		if !one.Same() {
			return all, nil
		}
	}
	for _, one := range []engine.Database{to.samples, to.workspace, to.portal} { // the portal last
		if one == nil {
			continue
		}
		if err := one.Writer().SetMeta(ctx, engine.Identity, moving); err != nil {
			return all, err
		}
	}
	return all, nil
}

// workspaceTable names a table of the workspace, because the portal may have one of the
// same name.
func workspaceTable(name string) string { return "Explorer, " + name }

// workspace checks that the workspace of the source is the one of its portal, complete and
// of this version, and returns its id.
func (m Move) workspace(ctx context.Context, s sides) (id string, err error) {
	name := m.From.WorkspaceName()
	known, err := meta(ctx, s.portal, engine.Identity, name)
	if err != nil || !m.Beside.exists() {
		return "", err
	}
	if s.workspace == nil {
		if known != "" {
			err = lost("%s of %s is missing; nothing was changed. Put it back, or start the portal once with "+
				"--without %s", name, m.From.name(), name)
		}
		return "", err
	}
	if err := current(ctx, s.workspace, m.From.name(), m.Beside.unsealed()); err != nil {
		return "", err
	}
	if err := moved(ctx, s.workspace, m.From.name()); err != nil {
		return "", err
	}
	id, err = meta(ctx, s.workspace, engine.Identity, "file")
	if err == nil && (id == "" || known != "" && id != known) {
		err = lost("%s of %s does not belong to its portal; nothing was changed. Put the right one back, or start "+
			"the portal once with --without %s", name, m.From.name(), name)
	}
	return id, err
}

// seal puts the secrets of a workspace in files into its table.
func (m Move) seal(ctx context.Context, from sides) (left []string, err error) {
	if m.From.Database != "" || from.workspace == nil || m.Beside.Seal == nil {
		return nil, nil
	}
	db := newDB(m.From.Workspace, Options{Path: m.From.Portal})
	key, err := os.ReadFile(m.To.Portal + ".key") // see hasKey
	if errors.Is(err, os.ErrNotExist) {
		key, err = m.Key, nil
	}
	if err == nil && key == nil { // released: the next start would create one
		key, err = newKey(m.To.Portal+".key", true)
	}
	if err == nil {
		db.seal, err = newSealer(key)
	}
	if err != nil {
		return nil, err
	}
	db.base, db.writer = from.workspace, newWriter(db, from.workspace.Writer())
	defer db.detach()
	defer db.tasks.close()
	if err := db.Accept(ctx, m.Beside.Tables.Known...); err != nil {
		return nil, err
	}
	return m.Beside.Seal(ctx, db)
}

// moveFiles calls Files with the database of the place on a server.
func (m Move) moveFiles(ctx context.Context, from, to sides, complete bool) (Moved, error) {
	at, base := m.To, to.portal
	if at.Database == "" {
		at, base = m.From, from.portal
	}
	db := newDB(at.name(), Options{Path: at.Portal, Database: at.Database})
	db.base, db.writer = base, newWriter(db, base.Writer())
	defer db.detach()
	defer db.tasks.close()
	if err := db.Accept(ctx, m.Tables.Known...); err != nil {
		return Moved{}, err
	}
	one, err := m.Files(ctx, db, complete)
	return one, explainEither(m.From, m.To, err)
}

// explainEither is explain for an error of one of two places on different engines.
func explainEither(from, to Place, err error) error {
	inFile := embedded.Class(err) != engine.Other
	if inFile == (from.Database == "") {
		return explain(from.name(), err)
	}
	return explain(to.name(), err)
}

func noPortal(place string) error {
	return fault.New(fault.Conflict, "there is no portal in %s", place)
}

// source checks that a place has a complete portal of this version, and returns its id.
func (m Move) source(ctx context.Context, s sides) (id string, err error) {
	name := m.From.name()
	if err := current(ctx, s.portal, name, m.Tables); err != nil {
		return "", err
	}
	if err := moved(ctx, s.portal, name); err != nil {
		return "", err
	}
	if id, err = meta(ctx, s.portal, engine.Identity, samplesName); err != nil {
		return "", err
	}
	file, err := samplesID(ctx, s.samples, name)
	if err != nil {
		return "", err
	}
	if id == "" || file != id {
		return "", lost("the samples in %s do not belong to its portal; nothing was changed. Put the right %s "+
			"back, or start the portal once with --without %s", name, samplesName, samplesName)
	}
	known, err := meta(ctx, s.portal, engine.Identity, keyName)
	if err != nil {
		return "", err
	}
	return id, hasKey(m.To.Portal+".key", m.Key, known)
}

// current checks that a portal has all tables as this version declares them.
func current(ctx context.Context, r engine.Database, name string, tables Tables) error {
	layout, err := r.Layout(ctx)
	if err != nil {
		return err
	}
	if layout.Format == 0 {
		return noPortal(name)
	}
	if err := notNewer(name, layout, format); err != nil {
		return err
	}
	if err := accept(ctx, r, name, tables.Known); err != nil {
		return err
	}
	have, err := r.AllMeta(ctx, engine.Shape)
	if err != nil {
		return err
	}
	for _, s := range tables.moved() {
		if now := have[s.Table]; layout.Format < format || len(now) != 1 || now[0] != s.declared.shape() {
			return fault.New(fault.Conflict, "the portal in %s was written by another version of Spyglass; start it "+
				"once with this version, and stop it again", name)
		}
	}
	return nil
}

// moved refuses a database that an interrupted move has not filled.
func moved(ctx context.Context, r engine.Reader, name string) error {
	from, err := meta(ctx, r, engine.Identity, moving)
	if err == nil && from != "" {
		err = fault.New(fault.Conflict, "the portal in %s is incomplete, because moving it there was interrupted; "+
			"repeat spyglass migrate", name)
	}
	return err
}

// samplesID returns the id of a database of samples.
func samplesID(ctx context.Context, r engine.Database, name string) (string, error) {
	layout, err := r.Layout(ctx)
	if err != nil || layout.Format == 0 {
		return "", err
	}
	if err := notNewer(name, layout, chunkFormat); err != nil {
		return "", err
	}
	return meta(ctx, r, engine.Identity, "file")
}

// hasKey checks that the key file or, if there is none, the given key is the one with the
// fingerprint.
func hasKey(path string, given []byte, known string) error {
	if known == released {
		return nil
	}
	key, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && given != nil {
		if resource.KeyFingerprint(given) != known {
			return lost("the given key does not belong to the portal; nothing was changed. Give the right one")
		}
		return nil
	}
	if err == nil && resource.KeyFingerprint(key) != known {
		return lost("the key file %s does not belong to the portal; nothing was changed. Put the portal.db.key of "+
			"the portal there", path)
	}
	if err != nil {
		return lost("the key file %s cannot be read (%v); nothing was changed. Put the portal.db.key of the portal "+
			"there: it opens the passwords and access keys", path, rootCause(err))
	}
	return nil
}

// target prepares a target: an empty one, or one that an interrupted move from the same
// source has left. complete means that it has the same portal already.
func (m Move) target(ctx context.Context, s sides, id, workspace string) (complete bool, err error) {
	for _, one := range []struct {
		base   engine.Database
		format int
	}{{s.portal, format}, {s.samples, chunkFormat}, {s.workspace, format}} {
		if one.base == nil {
			continue
		}
		identity, err := one.base.AllMeta(ctx, engine.Identity)
		layout, failed := one.base.Layout(ctx)
		if failed != nil {
			return false, failed
		}
		if layout.Format == 0 {
			identity, err = nil, nil
		}
		if err != nil {
			return false, err
		}
		from := identity[moving]
		switch {
		case len(identity) == 0:
			err = one.base.Writer().Prepare(ctx, one.format)
			if err == nil {
				err = one.base.Writer().SetMeta(ctx, engine.Identity, moving, id)
			}
			if err != nil {
				return false, explain(m.To.name(), err)
			}
		case len(from) == 1 && from[0] == id && layout.Format == one.format:
		case len(from) == 0 && (one.base == s.portal && len(identity[samplesName]) == 1 &&
			identity[samplesName][0] == id || one.base == s.samples && len(identity["file"]) == 1 &&
			identity["file"][0] == id || one.base == s.workspace && len(identity["file"]) == 1 &&
			identity["file"][0] == workspace):
			complete = complete || one.base == s.portal
		case one.base == s.workspace:
			return false, fault.New(fault.Conflict, "%s has another Explorer's workspace already; nothing was "+
				"changed. Keep its %s elsewhere, or choose an empty database or folder",
				m.To.name(), m.To.WorkspaceName())
		default:
			return false, hasPortal(m.To.name())
		}
	}
	return complete, nil
}

// copy copies what the target does not have yet.
func (m Move) copy(ctx context.Context, from, to sides) error {
	if err := copySamples(ctx, from.samples, to.samples, m.Tables, m.Progress); err != nil {
		return err
	}
	if from.workspace != nil {
		progress := func(p MoveProgress) {
			p.Table = workspaceTable(p.Table)
			m.Progress(p)
		}
		if err := copyTables(ctx, from.workspace, to.workspace, m.Beside.Tables, withoutKey, progress); err != nil {
			return err
		}
	}
	as := renamed(m.From, m.To, from.workspace != nil)
	return copyTables(ctx, from.portal, to.portal, m.Tables, as, m.Progress)
}

// copySamples copies the spaces of samples.
func copySamples(ctx context.Context, from, to engine.Database, tables Tables, progress func(MoveProgress)) error {
	spaces, err := tables.spaces(ctx, from)
	if err != nil {
		return err
	}
	w := to.Writer()
	if err := w.Prepare(ctx, chunkFormat, spaces...); err != nil {
		return err
	}
	snapshot, err := from.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = snapshot.Close() }() // it only read
	for _, space := range spaces {
		_, after, ok, err := to.ChunkEnds(ctx, space)
		if err != nil {
			return err
		}
		if !ok {
			after = math.MinInt64
		}
		p := MoveProgress{Doing: "copying", Table: "samples, " + space}
		for more := true; more; {
			progress(p)
			if err := w.Begin(); err != nil {
				return err
			}
			n, bytes := int64(0), 0
			err := snapshot.NextChunks(ctx, space, after, batchRows, func(id int64, data []byte) error {
				if bytes >= batchBytes {
					return errBatch
				}
				n, bytes, after = n+1, bytes+len(data), id
				return w.PutChunk(space, id, data)
			})
			if err == nil || errors.Is(err, errBatch) {
				err = w.Commit()
			}
			if err != nil {
				return errors.Join(err, w.Rollback())
			}
			p.Done += n
			more = n > 0
		}
	}
	return copyIdentity(ctx, snapshot, w, func(name string) string { return name })
}

// errBatch ends reading when a batch is full.
var errBatch = errors.New("the batch is full")

// copyIdentity copies the entries about the database under the names that as returns; "" for
// none. The entry about the move stays.
func copyIdentity(ctx context.Context, from engine.Reader, w engine.Writer, as func(name string) string) error {
	all, err := from.AllMeta(ctx, engine.Identity)
	if err != nil {
		return err
	}
	for name, values := range all {
		if name = as(name); name == "" {
			continue
		}
		if err := w.SetMeta(ctx, engine.Identity, name, values...); err != nil {
			return err
		}
	}
	return nil
}

// withoutKey leaves out the key of a workspace in files, with which nothing is sealed.
func withoutKey(name string) string {
	if name == keyName {
		return ""
	}
	return name
}

// renamed makes the target's portal know its workspace, if that has moved, and no other one.
func renamed(from, to Place, workspace bool) func(name string) string {
	return func(name string) string {
		switch {
		case name == from.WorkspaceName() && workspace:
			return to.WorkspaceName()
		case name == from.WorkspaceName(), name == to.WorkspaceName():
			return ""
		}
		return name
	}
}

// copyTables copies the tables of a portal.
func copyTables(ctx context.Context, from, to engine.Database, tables Tables, as func(entry string) string,
	progress func(MoveProgress)) error {
	w := to.Writer()
	snapshot, err := from.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = snapshot.Close() }() // it only read
	for _, s := range tables.moved() {
		if err := copyTable(ctx, snapshot, w, s.declared.table, progress); err != nil {
			return err
		}
		last, err := snapshot.LastID(ctx, s.declared.table)
		if err != nil {
			return err
		}
		if err := w.SetLastID(ctx, s.declared.table, last); err != nil {
			return err
		}
		for _, of := range []engine.Meta{engine.Fields, engine.Shape} {
			values, err := snapshot.Meta(ctx, of, s.Table)
			if err != nil {
				return err
			}
			if err := w.SetMeta(ctx, of, s.Table, values...); err != nil {
				return err
			}
		}
	}
	return copyIdentity(ctx, snapshot, w, as)
}

// copyTable copies the rows with higher ids than the target has.
func copyTable(ctx context.Context, from engine.Reader, w engine.Writer, t *engine.Table,
	progress func(MoveProgress)) error {
	if err := w.Define(ctx, t); err != nil {
		return err
	}
	after, err := number(w.Select(ctx, engine.Select{Table: t, Columns: onlyID, Limit: 1, Once: true,
		Order: []engine.Order{{Column: engine.ID, Down: true}}}))
	if err != nil {
		return err
	}
	p := MoveProgress{Doing: "copying", Table: t.Name}
	if p.Total, err = number(from.Tally(ctx, engine.Tally{Table: t, Once: true})); err != nil {
		return err
	}
	if p.Done, err = number(w.Tally(ctx, engine.Tally{Table: t, Once: true})); err != nil {
		return err
	}
	r := newRaw(t)
	for {
		progress(p)
		rows, err := r.read(ctx, from, after)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := r.insert(ctx, w, rows); err != nil {
			return err
		}
		after = rows[len(rows)-1][r.id].(int64)
		p.Done += int64(len(rows))
	}
}

// compare reads both sides completely.
func (m Move) compare(ctx context.Context, from, to sides) (all []Moved, err error) {
	spaces, err := m.Tables.spaces(ctx, from.samples)
	if err != nil {
		return nil, err
	}
	each := func(name string, sum func(s sides, tell func(done int64)) (Sum, error)) error {
		p := MoveProgress{Doing: "comparing", Table: name}
		tell := func(done int64) {
			p.Done += done
			m.Progress(p)
		}
		one := Moved{Table: name}
		if one.From, err = sum(from, tell); err != nil {
			return explain(m.From.name(), err)
		}
		p.Total, p.Done = one.From.Rows, 0
		one.To, err = sum(to, tell)
		all = append(all, one)
		return explain(m.To.name(), err)
	}
	for _, s := range m.Tables.moved() {
		if err := each(s.Table, func(side sides, tell func(int64)) (Sum, error) {
			return newRaw(s.declared.table).sum(ctx, side.portal, tell)
		}); err != nil {
			return nil, err
		}
	}
	if from.workspace != nil {
		for _, s := range m.Beside.Tables.moved() {
			if err := each(workspaceTable(s.Table), func(side sides, tell func(int64)) (Sum, error) {
				return newRaw(s.declared.table).sum(ctx, side.workspace, tell)
			}); err != nil {
				return nil, err
			}
		}
	}
	for _, space := range spaces {
		if err := each("samples, "+space, func(side sides, tell func(int64)) (Sum, error) {
			return sumChunks(ctx, side.samples, space, tell)
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}
