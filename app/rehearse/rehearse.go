// Package rehearse copies a portal into another one, where changes can be tried, and
// lists the requests that would bring the first one to the same state.
//
// Copy reads devices with their instances and thresholds, groups with their thresholds,
// data sources, rules, chains, maintenance windows, roles and what these refer to, and adds
// them to an empty portal. It records what the portal had,
// which copy belongs to which object, and what differs. Diff compares the copies with
// their state when the copy was complete, and what the portal had with what it has now. It
// never writes to the portal.
//
// # What is copied
//
// The kinds, their order and their references follow from the endpoints that the portal
// declares. Ids are rewritten. Secrets are never copied: they are not in the files of a
// rehearsal either. Nothing in a rehearsal acts on the outside: devices belong to copies
// of collectors, which no process runs, and integrations get addresses that lead
// nowhere. Users get random passwords.
//
// # Units
//
// Counts are objects. Durations are time.Durations.
//
// # Concurrency
//
// A Rehearsal belongs to one goroutine. Functions return soon after ctx ends; the next call of Copy
// then resumes the copy.
//
// # Errors
//
// fault.Conflict: the data folder has another portal or rehearsal. fault.Unknown: there
// is no complete copy. What the portal refuses is a Note of the Report.
package rehearse

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/fault"
)

// Rehearsal is a copy of a portal in a data folder.
type Rehearsal struct {
	Dir    string           // for its files: Folder in the data folder
	Local  *outgoing.Target // the portal of the data folder
	Remote *outgoing.Target // the portal that is copied; never written to
	Line   func(string)     // receives progress, one sentence each
	// Progress receives the counts of a copy; nil: progress is not shown.
	Progress func(Progress)
	// Sleep waits for a portal that limits the rate of requests; nil: in real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Progress counts what a copy has done.
type Progress struct {
	Step string `json:"step" enum:"read|copy|finish"`
	Noun string `json:"noun" doc:"noun of what is read or copied, such as devices"`
	Done int    `json:"done"`
	Of   int    `json:"of" doc:"0: unknown"`
}

func (r *Rehearsal) side(t *outgoing.Target) *side {
	s := &side{Target: t, line: r.Line, sleep: r.Sleep, pace: map[string]*payload.Pace{}}
	if s.sleep == nil {
		s.sleep = sleep
	}
	return s
}

// source returns the portal that is copied, which cannot be written to.
func (r *Rehearsal) source() *side {
	t := *r.Remote
	t.ReadOnly = true
	return r.side(&t)
}

// copying is a copy under way.
type copying struct {
	*kinds
	files
	*state
	links    *links
	line     func(string)
	progress func(Progress)
	local    *side
	remote   *side
	computed map[string]bool // ids in the portal of groups whose members an expression chooses
}

// Copy copies the portal, or resumes an earlier copy.
func (r *Rehearsal) Copy(ctx context.Context) (*Report, error) {
	c := &copying{kinds: kindsOf(r.Local.Catalog), files: files{r.Dir}, line: r.Line, progress: r.Progress,
		local: r.side(r.Local), remote: r.source(), computed: map[string]bool{}}
	if c.progress == nil {
		c.progress = func(Progress) {}
	}
	var err error
	if c.state, err = c.load(); err != nil {
		return nil, err
	}
	switch {
	case c.state == nil:
		if err := c.empty(ctx); err != nil {
			return nil, err
		}
		c.state = &state{Version: version, Name: r.Remote.Name, URL: r.Remote.URL, Began: time.Now(),
			Read: map[string]int{}, Copied: map[string]int{}}
	case c.URL != r.Remote.URL:
		return nil, fault.New(fault.Conflict, "the data folder has a rehearsal of %s, not of %s; name another folder "+
			"with --data", c.URL, r.Remote.URL)
	case !c.Finished.IsZero():
		r.Line("The copy is already complete.")
		return r.Report()
	}
	if c.links, err = c.files.links(); err != nil {
		return nil, err
	}
	if err := c.save(c.state); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context, *kind) error{c.read, c.write, c.baseline} {
		for _, k := range c.all {
			if err := step(ctx, k); err != nil {
				if ctx.Err() != nil {
					err = fault.New(fault.Invalid, "the copy was cancelled; start it again to resume it")
				}
				return nil, errors.Join(err, c.save(c.state))
			}
		}
	}
	c.Finished = time.Now()
	if err := c.save(c.state); err != nil {
		return nil, err
	}
	return r.Report()
}

// empty refuses a portal that contains a user's objects.
func (c *copying) empty(ctx context.Context) error {
	for _, list := range append([]string{groupsPath}, own...) {
		body, err := c.local.send(ctx, list, http.MethodGet, list+"?size=2", nil)
		if lacks(err) {
			continue
		}
		if err != nil {
			return err
		}
		page, err := payload.ReadPage(body)
		if err != nil {
			return err
		}
		if n := len(page.Items); n > 1 || n == 1 && list != groupsPath {
			return fault.New(fault.Conflict, "the portal in this data folder has objects of its own (%s). A "+
				"rehearsal needs a portal without any: name a new folder with --data", list)
		}
	}
	return nil
}

// read records what the portal has of a kind.
func (c *copying) read(ctx context.Context, k *kind) error {
	if k.path == partsPath {
		return c.readParts(ctx)
	}
	if _, done := c.Read[k.path]; !done {
		p := Progress{Step: "read", Noun: k.noun.Many}
		c.progress(p)
		n, err := c.keep("remote", k.path, func(do func(object) error) error {
			return c.remote.each(ctx, k.path, k.path, object.id, func(o object) error {
				p.Done++
				c.progress(p)
				return do(o)
			})
		})
		if lacks(err) {
			c.note(Note{Kind: k.path, Noun: k.noun.Many, Why: Unavailable, Text: err.Error()})
			n, err = 0, nil
		}
		if err != nil {
			return err
		}
		c.Read[k.path] = n
		if err := c.save(c.state); err != nil {
			return err
		}
		c.line(fmt.Sprintf("%d %s read", n, k.noun.For(int64(n))))
	}
	if k.path != groupsPath {
		return nil
	}
	all, err := c.kept(fileOf("remote", k.path))
	for _, o := range all {
		if o["groupType"] == "Dynamic" {
			c.computed[o.id()] = true
		}
	}
	return err
}

// note adds a note, unless it is there.
func (c *copying) note(n Note) {
	if !slices.Contains(c.Notes, n) {
		c.Notes = append(c.Notes, n)
	}
}

// write adds the copies of a kind.
func (c *copying) write(ctx context.Context, k *kind) error {
	if k.path == partsPath {
		return c.writeParts(ctx)
	}
	all, err := c.kept(fileOf("remote", k.path))
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(all, func(o object) bool { _, done := c.links.local[k.path][o.id()]; return done })
	c.Copied[k.path] = len(c.links.remote[k.path])
	if len(left) == 0 {
		return nil
	}
	w := &writing{copying: c, kind: k, pending: map[string]bool{}}
	if w.seeds, err = c.seeds(ctx, k); err != nil {
		return err
	}
	for _, o := range left {
		w.pending[o.id()] = true
	}
	for len(left) > 0 {
		var later []object
		for _, o := range left {
			if w.waits(o) {
				later = append(later, o)
			} else if err := w.one(ctx, o); err != nil {
				return err
			} else {
				w.copied(len(all))
			}
		}
		if len(later) == len(left) { // they refer to each other
			o := later[0]
			if err := w.one(ctx, o); err != nil {
				return err
			}
			w.circular, later = append(w.circular, o), later[1:]
			w.copied(len(all))
		}
		left = later
	}
	if err := w.close(ctx); err != nil {
		return err
	}
	c.Copied[k.path] = len(c.links.remote[k.path])
	c.line(fmt.Sprintf("%d %s copied", c.Copied[k.path], k.noun.For(int64(c.Copied[k.path]))))
	return c.save(c.state)
}

// seeds returns the objects of the rehearsal that are no copies.
func (c *copying) seeds(ctx context.Context, k *kind) ([]object, error) {
	all, err := c.local.objects(ctx, k.path)
	return slices.DeleteFunc(all, func(o object) bool { return c.links.remote[k.path][o.id()] != "" }), err
}

// baseline records what the rehearsal has of a kind when the copy is complete.
func (c *copying) baseline(ctx context.Context, k *kind) error {
	if k.path == partsPath {
		return c.baselineParts(ctx)
	}
	c.progress(Progress{Step: "finish", Noun: k.noun.Many})
	_, err := c.keep("local", k.path, func(do func(object) error) error {
		return c.local.each(ctx, k.path, k.path, object.id, do)
	})
	return err
}

// writing adds the copies of one kind.
type writing struct {
	*copying
	kind     *kind
	seeds    []object
	pending  map[string]bool // ids in the portal of objects that are not copied yet
	circular []object        // copied without a reference to a later one
}

// waits reports whether an object refers to one of its kind that is not copied yet.
func (w *writing) waits(o object) bool {
	return slices.ContainsFunc(w.kind.self, func(field string) bool {
		id := textOf(o[field])
		return id != o.id() && w.pending[id]
	})
}

// copied reports the progress.
func (w *writing) copied(of int) {
	w.progress(Progress{Step: "copy", Noun: w.kind.noun.Many, Done: of - len(w.pending), Of: of})
}

func (w *writing) noteOf(o object, field string, why Why, text string) {
	w.note(Note{Kind: w.kind.path, Noun: w.kind.noun.One, ID: o.id(), Name: o.name(), Field: field, Why: why,
		Text: text})
}

// one copies an object.
func (w *writing) one(ctx context.Context, o object) error {
	delete(w.pending, o.id())
	body, err := w.bodyOf(ctx, o)
	if err != nil {
		return err
	}
	if seed := w.seed(o); seed != nil {
		return w.adopt(ctx, o, seed, body)
	}
	if w.kind.path == usersPath {
		body["password"] = rand.Text() + "-" + rand.Text()
	}
	got, refused, err := w.try(ctx, o, http.MethodPost, w.kind.path, body)
	if err != nil {
		return err
	}
	if refused == nil {
		if w.kind.path == usersPath {
			w.noteOf(o, "password", Changed, "a random one, so that nobody can sign in")
		}
		return w.links.add(link{w.kind.path, o.id(), got.id()})
	}
	if refused.status == http.StatusConflict { // an earlier call may have added it and not recorded it
		if w.seeds, err = w.copying.seeds(ctx, w.kind); err != nil {
			return err
		}
		if seed := w.seed(o); seed != nil {
			return w.adopt(ctx, o, seed, body)
		}
	}
	w.noteOf(o, "", Refused, refused.Error())
	return w.links.add(link{w.kind.path, o.id(), ""})
}

// seed returns the object of the rehearsal that takes the place of a copy; nil if there
// is none.
func (w *writing) seed(o object) object {
	if w.kind.path == collectorsPath { // the built-in collector would connect to the devices
		return nil
	}
	isRoot := func(o object) bool { return w.kind.path == groupsPath && isZero(o["parentId"]) }
	i := slices.IndexFunc(w.seeds, func(seed object) bool {
		if isRoot(o) || isRoot(seed) {
			return isRoot(o) && isRoot(seed)
		}
		return w.kind.key(o) != "" && w.kind.key(o) == w.kind.key(seed)
	})
	if i < 0 {
		return nil
	}
	seed := w.seeds[i]
	w.seeds = slices.Delete(w.seeds, i, i+1)
	return seed
}

// adopt uses an existing object of the rehearsal as the copy.
func (w *writing) adopt(ctx context.Context, o, seed object, body map[string]any) error {
	if w.kind.path != usersPath && w.kind.patch != nil { // the users of a new portal belong to the user who rehearses
		differing := map[string]any{}
		for field, v := range body {
			if !covers(v, seed[field]) && !(isZero(v) && isZero(seed[field])) {
				differing[field] = v
			}
		}
		if len(differing) > 0 {
			_, refused, err := w.try(ctx, o, http.MethodPatch, w.kind.path+"/"+seed.id(), differing)
			if err != nil {
				return err
			}
			if refused != nil {
				w.noteOf(o, "", Refused, refused.Error())
			}
		}
	}
	return w.links.add(link{w.kind.path, o.id(), seed.id()})
}

// mostDropped limits the fields that are dropped because the rehearsal refuses them.
const mostDropped = 8

// try sends an object to the rehearsal, without the fields that it refuses.
func (w *writing) try(ctx context.Context, o object, method, path string, body map[string]any) (object, *refusal,
	error) {
	for dropped := 0; ; dropped++ {
		text, err := w.local.send(ctx, w.kind.path, method, path, body)
		refused := (*refusal)(nil)
		if err == nil {
			got, err := readObject(text)
			return got, nil, err
		}
		if !errors.As(err, &refused) || refused.status == http.StatusUnauthorized || refused.status/100 == 5 {
			return nil, nil, err
		}
		field, _, _ := strings.Cut(refused.problem.Field, ".")
		field, _, _ = strings.Cut(field, "[")
		key := w.kind.schema.Property(field)
		if _, has := body[field]; !has || refused.status != http.StatusBadRequest || dropped == mostDropped ||
			method == http.MethodPost && key != nil && key.Required {
			return nil, refused, nil
		}
		w.noteOf(o, field, Refused, refused.Error())
		delete(body, field)
	}
}

// bodyOf returns the body for the copy of an object.
func (w *writing) bodyOf(ctx context.Context, o object) (map[string]any, error) {
	var wrong error
	carry := &carrier{kinds: w.kinds, note: func(why Why, field, text string) { w.noteOf(o, field, why, text) },
		to: func(list, id string) (string, bool, bool) {
			if list == groupsPath && w.kind.path != groupsPath && w.computed[id] {
				return w.links.local[list][id], true, w.links.local[list][id] != ""
			}
			there := w.links.local[list][id]
			if there == "" && list == collectorsPath && w.kind.path != collectorsPath {
				there, wrong = w.stillCollector(ctx, id, wrong)
			}
			return there, false, there != ""
		}}
	plain := maps.Clone(o)
	for field := range nowhere[w.kind.path] {
		delete(plain, field)
	}
	body := carry.body(w.kind, plain)
	if wrong != nil {
		return nil, wrong
	}
	if w.kind.path == devicesPath && body["preferredCollectorId"] == nil {
		id, err := w.stillCollector(ctx, "unknown", nil)
		if err != nil {
			return nil, err
		}
		body["preferredCollectorId"] = json.Number(id)
	}
	for field, address := range nowhere[w.kind.path] {
		if !isZero(o[field]) {
			body[field] = address
			w.noteOf(o, field, Changed, "leads nowhere, so that a rehearsal notifies nobody")
		}
	}
	return body, nil
}

// nowhere lists addresses that replace others in a rehearsal.
var nowhere = map[string]map[string]string{
	integrationPath: {"url": "http://127.0.0.1:9/", "host": "127.0.0.1"},
}

// stillCollector adds a collector to the rehearsal, which no process runs, in place of one
// that the portal does not show: devices without one would be polled by the built-in
// collector.
func (w *writing) stillCollector(ctx context.Context, id string, before error) (string, error) {
	if local := w.links.local[collectorsPath][id]; local != "" || before != nil {
		return local, before
	}
	text, err := w.local.send(ctx, collectorsPath, http.MethodPost, collectorsPath,
		map[string]any{"description": "Collector " + id + " (not copied)"})
	if err != nil {
		return "", err
	}
	got, err := readObject(text)
	if err != nil {
		return "", err
	}
	return got.id(), w.links.add(link{collectorsPath, id, got.id()})
}

// close sets the references between objects that refer to each other.
func (w *writing) close(ctx context.Context) error {
	for _, o := range w.circular {
		local := w.links.local[w.kind.path][o.id()]
		if local == "" || w.kind.patch == nil {
			continue
		}
		body, late := map[string]any{}, slices.Clone(w.kind.self)
		for _, field := range late {
			if there := w.links.local[w.kind.path][textOf(o[field])]; there != "" {
				body[field] = json.Number(there)
			}
		}
		_, refused, err := w.try(ctx, o, http.MethodPatch, w.kind.path+"/"+local, body)
		if err != nil {
			return err
		}
		if refused == nil {
			w.Notes = slices.DeleteFunc(w.Notes, func(n Note) bool {
				_, set := body[n.Field]
				return n.Kind == w.kind.path && n.ID == o.id() && n.Why == Reference && set
			})
		}
	}
	return nil
}

// Report returns what was copied, and what differs.
func (r *Rehearsal) Report() (*Report, error) {
	s, err := files{r.Dir}.load()
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, noRehearsal()
	}
	out := &Report{Portal: s.Name, URL: s.URL, Began: s.Began, Finished: s.Finished, Counts: []Count{}, Notes: s.Notes}
	for _, k := range kindsOf(r.Local.Catalog).copied() {
		if n := s.Read[k.path]; n > 0 {
			out.Counts = append(out.Counts, Count{Kind: k.path, Noun: k.noun.For(int64(n)), Read: n,
				Copied: s.Copied[k.path]})
		}
	}
	if out.Notes == nil {
		out.Notes = []Note{}
	}
	return out, nil
}

func noRehearsal() error {
	return fault.New(fault.Unknown, "there is no rehearsal in this data folder; make one with spyglass rehearse copy "+
		"--portal URL")
}
