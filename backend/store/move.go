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
	Portal   string // the path of portal.db; the key file is beside it, also for a server
	Samples  string // the path of series.db
	Database string // the address of a database on a server, which has both instead
}

// name returns the name of the place for messages.
func (p Place) name() string {
	if p.Database != "" {
		return nameOf(p.Database)
	}
	return filepath.Dir(p.Portal)
}

// Move copies a whole portal from one place to another: the rows as they are stored,
// with their ids, and the samples. Both may be on any engine.
//
// A move that was interrupted is resumed by repeating it: rows are copied in the order
// of their ids, so that the highest one shows how far it is. Until the move is complete, an
// entry in the target names the source, and Open refuses the target.
type Move struct {
	From, To Place
	Tables   Tables
	Key      []byte             // of the portal, if there is no key file; nil: there is
	Progress func(MoveProgress) // called on the goroutine of Run
	// Files moves what one place has in files and the other one in tables that do not move,
	// which db has and files may add. It runs after the rows have moved. If the target is
	// complete already, it only compares both sides. May be nil.
	Files func(ctx context.Context, db *DB, complete bool) (Moved, error)
}

// Tables are what a portal consists of.
type Tables struct {
	Known  []Shape  // of every table that a portal may have
	Moved  []string // names of the tables whose rows move
	Spaces []string // of the samples that move
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
type sides struct{ portal, samples engine.Database }

func (s sides) close() (err error) {
	for _, db := range []engine.Database{s.portal, s.samples} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	return err
}

// open opens the databases of a place.
func (p Place) open(ctx context.Context, o engine.Options) (s sides, err error) {
	if s.portal, err = p.openOne(ctx, p.Portal, o); err == nil {
		o.Chunks, o.Beside = true, besideSamples
		s.samples, err = p.openOne(ctx, p.Samples, o)
	}
	if err != nil {
		return s, errors.Join(err, s.close())
	}
	return s, nil
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
	from, err := m.From.open(ctx, engine.Options{Alone: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	id, err := m.source(ctx, from)
	if err != nil {
		return nil, err
	}
	to, err := m.To.open(ctx, engine.Options{Alone: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.close()) }()
	complete, err := m.target(ctx, to, id)
	if err != nil {
		return nil, err
	}
	if !complete {
		if err := m.copy(ctx, from, to); err != nil {
			return nil, explainEither(m.From, m.To, err)
		}
	}
	if all, err = m.compare(ctx, from, to); err != nil {
		return all, err
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
	return all, errors.Join(to.samples.Writer().SetMeta(ctx, engine.Identity, moving),
		to.portal.Writer().SetMeta(ctx, engine.Identity, moving))
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
func (m Move) target(ctx context.Context, s sides, id string) (complete bool, err error) {
	for _, one := range []struct {
		base   engine.Database
		format int
	}{{s.portal, format}, {s.samples, chunkFormat}} {
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
			identity["file"][0] == id):
			complete = complete || one.base == s.portal
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
	return copyTables(ctx, from.portal, to.portal, m.Tables, m.Progress)
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
	return copyIdentity(ctx, snapshot, w)
}

// errBatch ends reading when a batch is full.
var errBatch = errors.New("the batch is full")

// copyIdentity copies the entries about the database; the one about the move stays.
func copyIdentity(ctx context.Context, from engine.Reader, w engine.Writer) error {
	all, err := from.AllMeta(ctx, engine.Identity)
	if err != nil {
		return err
	}
	for name, values := range all {
		if err := w.SetMeta(ctx, engine.Identity, name, values...); err != nil {
			return err
		}
	}
	return nil
}

// copyTables copies the tables of a portal.
func copyTables(ctx context.Context, from, to engine.Database, tables Tables, progress func(MoveProgress)) error {
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
	return copyIdentity(ctx, snapshot, w)
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
	for _, space := range spaces {
		if err := each("samples, "+space, func(side sides, tell func(int64)) (Sum, error) {
			return sumChunks(ctx, side.samples, space, tell)
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}
