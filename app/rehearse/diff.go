package rehearse

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"spyglass/app/document"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/snippet"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Difference is a field that a step changes.
type Difference struct {
	Field string `json:"field" doc:"with the path in it: dataPoints[?@.name == 'average'].alertExpr"`
	Was   string `json:"was" doc:"JSON, cut when long"`
	Now   string `json:"now"`
	There string `json:"there" doc:"what the portal has now; empty: it was not read"`
	Both  bool   `json:"both" doc:"it was changed in the portal, too, since the copy"`
}

// Step is a request that brings the portal closer to the state of the rehearsal.
type Step struct {
	Method   string       `json:"method" enum:"POST|PATCH|DELETE"`
	Path     string       `json:"path" doc:"below the portal's API"`
	Body     string       `json:"body" doc:"JSON, with {{name}} for the id of an object that an earlier step creates"`
	Kind     string       `json:"kind"`
	Noun     string       `json:"noun"`
	Name     string       `json:"name" doc:"name of the object"`
	Creates  string       `json:"creates" doc:"name of the id of the new object; empty for none"`
	Changes  []Difference `json:"changes"`
	Warnings []string     `json:"warnings" doc:"what to look at before sending it"`

	fields map[string]any // of the body; nil: it has none
}

// Elsewhere is a change made in the portal after it was copied.
type Elsewhere struct {
	Kind   string   `json:"kind"`
	Noun   string   `json:"noun"`
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	What   string   `json:"what" enum:"added|changed|deleted"`
	Fields []string `json:"fields"`
}

// Diff lists the changes that bring a portal to the state of its rehearsal.
type Diff struct {
	Portal    string      `json:"portal"`
	URL       string      `json:"url"`
	Copied    time.Time   `json:"copied"`
	Compared  bool        `json:"compared" doc:"whether the portal was read again"`
	Steps     []Step      `json:"steps"`
	Elsewhere []Elsewhere `json:"elsewhere" doc:"what changed in the portal since the copy"`
	Notes     []string    `json:"notes" doc:"changes of the rehearsal that no step makes"`
}

// comparing compares a rehearsal with its portal.
type comparing struct {
	*kinds
	*Diff
	ways     *ways
	links    *links
	created  map[string]map[string]string // names of new objects, by kind and id in the rehearsal
	computed map[string]bool              // ids in the rehearsal of groups with an expression
	chosen   map[string]bool              // the same in the portal
	removes  []Step
}

// Diff lists the requests that would bring the portal to the state of the rehearsal. With
// Remote, it reads the portal again, and warns of what changed there.
func (r *Rehearsal) Diff(ctx context.Context) (*Diff, error) {
	f := files{r.Dir}
	s, err := f.load()
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, noRehearsal()
	case s.Finished.IsZero():
		return nil, fault.New(fault.Unknown, "the copy of %s is not complete; resume it with spyglass rehearse copy "+
			"--portal %s", s.Name, s.URL)
	case r.Remote != nil && r.Remote.URL != s.URL:
		return nil, fault.New(fault.Conflict, "this is a rehearsal of %s, not of %s", s.URL, r.Remote.URL)
	}
	c := &comparing{kinds: kindsOf(r.Local.Catalog), created: map[string]map[string]string{},
		computed: map[string]bool{}, chosen: map[string]bool{},
		Diff: &Diff{Portal: s.Name, URL: s.URL, Copied: s.Finished, Compared: r.Remote != nil, Steps: []Step{},
			Elsewhere: []Elsewhere{}, Notes: []string{}}}
	if c.links, err = f.links(); err != nil {
		return nil, err
	}
	c.ways = &ways{ctx: ctx}
	if c.ways.store, err = document.NewStore(r.Dir, document.Limits{}); err != nil {
		return nil, err
	}
	defer c.ways.store.Close()
	all, err := c.readAll(ctx, r, f, s)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		c.compare(one)
	}
	if c.ways.err != nil {
		return nil, c.ways.err
	}
	slices.Reverse(c.removes) // objects that refer to others are deleted first
	c.Steps = append(c.Steps, c.removes...)
	for i := range c.Steps {
		if s := &c.Steps[i]; s.fields != nil {
			if s.Body, err = textOfBody(s.fields); err != nil {
				return nil, err
			}
		}
	}
	return c.Diff, nil
}

// readAll reads the objects of all kinds, in order.
func (c *comparing) readAll(ctx context.Context, r *Rehearsal, f files, s *state) ([]*compared, error) {
	var all []*compared
	local, remote := r.side(r.Local), (*side)(nil)
	if r.Remote != nil {
		remote = r.source()
	}
	at := -1 // of the parts of devices
	for _, k := range c.all {
		if k.path == partsPath {
			at = len(all)
			continue
		}
		one := &compared{kind: k}
		if err := one.read(ctx, f, local); err != nil {
			return nil, err
		}
		if remote != nil {
			if err := one.readAgain(ctx, remote, s); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
		c.name(one)
	}
	if at < 0 {
		return all, nil
	}
	parts, err := c.partsCompared(ctx, f, local, remote, all)
	return slices.Insert(all, at, parts...), err
}

// compared is a kind with its objects, by id.
type compared struct {
	*kind
	was, now      map[string]object // in the rehearsal
	there         map[string]object // in the portal when it was copied
	present       map[string]object // and now; nil: unknown
	order         []string          // ids of now
	orderOfWas    []string
	orderOfOthers []string // ids of present
}

func (k *compared) read(ctx context.Context, f files, local *side) error {
	was, err := f.kept(fileOf("local", k.path))
	if err != nil {
		return err
	}
	there, err := f.kept(fileOf("remote", k.path))
	if err != nil {
		return err
	}
	now, err := local.objects(ctx, k.path)
	if err != nil {
		return err
	}
	k.was, k.orderOfWas = k.byID(was)
	k.there, _ = k.byID(there)
	k.now, k.order = k.byID(now)
	return nil
}

// readAgain reads what the portal has now, unless it did not show the list before.
func (k *compared) readAgain(ctx context.Context, remote *side, s *state) error {
	if slices.ContainsFunc(s.Notes, func(n Note) bool {
		return n.Kind == k.path && n.Why == Unavailable && n.ID == ""
	}) {
		return nil
	}
	present, err := remote.objects(ctx, k.path)
	if err != nil {
		return err
	}
	k.present, k.orderOfOthers = k.byID(present)
	return nil
}

// byID returns objects without secrets by id, and the ids in order.
func (k *kind) byID(all []object) (out map[string]object, order []string) {
	out = map[string]object{}
	for _, o := range all {
		out[o.id()] = clean(k.path, o)
		order = append(order, o.id())
	}
	return out, order
}

// name gives new objects names, by which later steps refer to their ids.
func (c *comparing) name(k *compared) {
	c.created[k.path] = map[string]string{}
	for _, id := range k.order {
		if k.was[id] == nil {
			c.created[k.path][id] = identifier(k.noun.One) + "_" + identifier(id)
		}
		if k.path == groupsPath && k.now[id]["groupType"] == "Dynamic" {
			c.computed[id] = true
		}
	}
	if k.path != groupsPath {
		return
	}
	for _, one := range []struct {
		objects  map[string]object
		computed map[string]bool
	}{{k.was, c.computed},
		{k.there, c.chosen}, {k.present, c.chosen}} {
		for id, o := range one.objects {
			if o["groupType"] == "Dynamic" {
				one.computed[id] = true
			}
		}
	}
}

func identifier(text string) string {
	out := ""
	for i, word := range strings.FieldsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		out += word
	}
	return out
}

// carried is an object as a body for the portal, with what could not be carried.
type carried struct {
	body  map[string]any
	notes []string
}

// carry rewrites an object of the rehearsal for the portal.
func (c *comparing) carry(k *kind, o object) carried {
	out := carried{}
	carry := &carrier{kinds: c.kinds,
		note: func(why Why, field, text string) {
			switch why {
			case Secret:
				text = "a secret, which is left out: set it in the portal yourself"
			case Reference:
				text = "refers to an object that the portal does not have, so it is left out"
			case UnknownField:
				return
			}
			if text = field + " " + text; !slices.Contains(out.notes, text) {
				out.notes = append(out.notes, text)
			}
		},
		to: func(list, id string) (string, bool, bool) {
			computed := list == groupsPath && k.path != groupsPath && c.computed[id]
			if there := c.links.remote[list][id]; there != "" {
				return there, computed, true
			}
			if list == collectorsPath && id == builtIn && k.path != list {
				return "", true, true // the portal has its own
			}
			name := c.created[list][id]
			return "{{" + name + "}}", computed, name != ""
		}}
	out.body = carry.body(k, k.plain(o))
	return out
}

// compare adds the steps of a kind, and what changed in the portal.
func (c *comparing) compare(k *compared) {
	for _, id := range c.inOrder(k) {
		c.create(k, k.now[id])
	}
	for _, id := range k.order {
		if was := k.was[id]; was != nil {
			c.change(k, was, k.now[id])
		}
	}
	for _, id := range k.orderOfWas {
		if k.now[id] == nil {
			c.remove(k, k.was[id])
		}
	}
	c.elsewhere(k)
}

// inOrder returns the ids of new objects, each after those of its kind that it refers
// to.
func (c *comparing) inOrder(k *compared) (out []string) {
	begun := map[string]bool{}
	var add func(id string)
	add = func(id string) {
		if begun[id] || c.created[k.path][id] == "" {
			return
		}
		begun[id] = true
		for _, field := range k.self {
			add(textOf(k.now[id][field]))
		}
		out = append(out, id)
	}
	for _, id := range k.order {
		add(id)
	}
	return out
}

func (k *compared) step(method, path string, o object) Step {
	return Step{Method: method, Path: path, Kind: k.path, Noun: k.noun.One, Name: o.name(), Changes: []Difference{},
		Warnings: []string{}}
}

// create adds the step for a new object.
func (c *comparing) create(k *compared, o object) {
	own := c.carry(k.kind, o)
	if other := c.added(k, o, own.body); other != nil {
		c.links.put(link{k.path, other.id(), o.id()})
		delete(c.created[k.path], o.id())
		c.complete(k, other, own)
		return
	}
	path := k.path
	if k.part {
		path = fill(path, object{"deviceId": c.links.remote[devicesPath][textOf(o["deviceId"])],
			"deviceDataSourceId": c.links.remote[onDevicePath][textOf(o["deviceDataSourceId"])]})
	}
	s := k.step("POST", path, o)
	s.Creates, s.fields = c.created[k.path][o.id()], own.body
	s.Warnings = append(s.Warnings, own.notes...)
	for i := range k.schema.Properties {
		p := &k.schema.Properties[i]
		if v, has := s.fields[p.Name]; has && !p.Required && isUsual(v, &p.Schema) {
			delete(s.fields, p.Name)
		}
		if p.WriteOnly && !p.ReadOnly {
			s.Warnings = append(s.Warnings, p.Name+" is not in the request: secrets are left out")
		}
	}
	c.Steps = append(c.Steps, s)
}

// added returns the object that was added to the portal since the copy and that is
// the same as a new one of the rehearsal; nil if there is none.
func (c *comparing) added(k *compared, o object, body map[string]any) object {
	if k.part {
		return k.present[c.links.remote[k.path][o.id()]]
	}
	for _, id := range k.orderOfOthers {
		other := k.present[id]
		if k.there[id] != nil || c.links.local[k.path][id] != "" {
			continue
		}
		key := k.key(o)
		if key == "" && covers(body, map[string]any(other)) {
			return other
		}
		if key != "" && key == k.key(other) && !slices.ContainsFunc(k.self, func(field string) bool {
			return textOf(body[field]) != textOf(other[field])
		}) {
			return other
		}
	}
	return nil
}

// complete adds the steps for an object that the portal has since the copy.
func (c *comparing) complete(k *compared, other object, own carried) {
	s := k.step("PATCH", k.at(other), other)
	s.fields = map[string]any{}
	s.Warnings = append(s.Warnings, "it was added to the portal since the copy")
	e := &edit{compared: k, step: &s, there: other, present: other, chosen: c.chosen, ways: c.ways}
	for _, field := range slices.Sorted(maps.Keys(own.body)) {
		e.field(field, other[field], own.body[field])
	}
	if len(s.fields) > 0 && k.patch != nil {
		c.Steps = append(c.Steps, e.whole())
	}
}

// remove adds the step for an object that was deleted.
func (c *comparing) remove(k *compared, was object) {
	id := c.links.remote[k.path][was.id()]
	there, present := k.there[id], k.present[id]
	switch {
	case there == nil: // it was there only in the rehearsal
		return
	case k.present != nil && present == nil:
		return // it was deleted there, too
	case k.kind.remove == nil:
		c.Notes = append(c.Notes, fmt.Sprintf("The API cannot delete the %s %s.", k.noun.One, quoted(was.name())))
		return
	}
	s := k.step("DELETE", k.at(there), there)
	if fields := k.differing(there, present); len(fields) > 0 {
		s.Warnings = append(s.Warnings, "it was changed in the portal since the copy: "+payload.Listed(fields))
	}
	c.removes = append(c.removes, s)
}

// differing returns the names of the fields that differ and that a body may set.
func (k *kind) differing(a, b object) (fields []string) {
	if a == nil || b == nil {
		return nil
	}
	for i := range k.schema.Properties {
		p := &k.schema.Properties[i]
		if !p.ReadOnly && !p.WriteOnly && !same(a[p.Name], b[p.Name]) {
			fields = append(fields, p.Name)
		}
	}
	return fields
}

// change adds the steps for an object that was changed.
func (c *comparing) change(k *compared, was, now object) {
	before, after := c.carry(k.kind, was), c.carry(k.kind, now)
	id := c.links.remote[k.path][now.id()]
	there, present := k.there[id], k.present[id]
	s := k.step("PATCH", "", now)
	if there != nil {
		s.Path = k.at(there)
	}
	s.fields = map[string]any{}
	e := &edit{compared: k, step: &s, there: there, present: present, chosen: c.chosen, ways: c.ways}
	for _, field := range slices.Sorted(maps.Keys(after.body)) {
		if !same(before.body[field], after.body[field]) {
			e.field(field, before.body[field], after.body[field])
		}
	}
	for _, note := range after.notes {
		if !slices.Contains(before.notes, note) {
			e.notes = append(e.notes, note)
		}
	}
	name := k.noun.One + " " + quoted(now.name())
	changed := len(s.fields) > 0 || len(e.removes) > 0
	switch {
	case !changed && len(e.notes) == 0:
		return
	case there == nil:
		c.Notes = append(c.Notes, fmt.Sprintf("The %s is only in the rehearsal, so your change of it is left out.",
			name))
		return
	case k.present != nil && present == nil:
		c.Notes = append(c.Notes, fmt.Sprintf("The %s was deleted in the portal since the copy, so your change of it "+
			"is left out.", name))
		return
	case !changed:
		for _, note := range e.notes {
			c.Notes = append(c.Notes, fmt.Sprintf("The %s: %s.", name, note))
		}
		return
	case k.patch == nil:
		c.Notes = append(c.Notes, fmt.Sprintf("The API cannot change the %s.", name))
		return
	}
	s.Warnings = append(s.Warnings, e.notes...)
	if len(s.fields) > 0 {
		c.Steps = append(c.Steps, e.whole())
	}
	c.Steps = append(c.Steps, e.removes...)
}

// edit is a change of one object.
type edit struct {
	*compared
	step           *Step
	there, present object // in the portal, when it was copied and now
	chosen         map[string]bool
	ways           *ways
	removes        []Step // of pairs
	notes          []string
	pairs          bool // the body has only the pairs that change
}

// whole returns the step.
func (e *edit) whole() Step {
	if e.pairs {
		e.step.Path += "?opType=replace"
	}
	if textOf(e.there["level"]) == ofDeviceGroup {
		own := e.there
		if e.present != nil {
			own = e.present
		}
		e.step.fields = inGroup(own, e.step.fields)
	}
	return *e.step
}

func (e *edit) field(name string, was, now any) {
	key := e.schema.Property(name)
	if key == nil {
		return
	}
	list, isList := now.([]any)
	if isPairs(&key.Schema) && isList {
		e.pairsOf(name, was, list)
		return
	}
	if ids, ok := now.(string); ok && key.Schema.Refs != "" {
		now = e.withChosen(ids, name)
	}
	if e.present != nil && (covers(now, e.present[name]) || isZero(now) && isZero(e.present[name])) {
		return // the same change was made there
	}
	if e.present != nil && !same(e.there[name], e.present[name]) {
		e.step.Warnings = append(e.step.Warnings, fmt.Sprintf("%s was changed in the portal since the copy: it is "+
			"%s now, and was %s", name, short(e.present[name]), short(e.there[name])))
	}
	e.step.fields[name] = now
	e.step.Changes = append(e.step.Changes, e.ways.changes(name, was, now, e.there[name], e.present[name],
		e.present != nil)...)
}

// withChosen adds the ids in a list that the portal itself puts there: a list without them
// would be refused.
func (e *edit) withChosen(ids, field string) string {
	source := e.present
	if source == nil {
		source = e.there
	}
	for id := range strings.SplitSeq(textOf(source[field]), ",") {
		if e.chosen[id] {
			ids += "," + id
		}
	}
	return strings.TrimPrefix(ids, ",")
}

// pairsOf adds the changes of a list of name/value pairs: only those pairs that change,
// because the list does not have the secret ones.
func (e *edit) pairsOf(field string, was any, now []any) {
	before, after := pairsIn(was), pairsIn(now)
	there, present := pairsIn(e.there[field]), pairsIn(e.present[field])
	warn := func(name string) {
		if e.present != nil && !same(there[name], present[name]) {
			e.step.Warnings = append(e.step.Warnings, fmt.Sprintf("%s %s was changed in the portal since the copy: it "+
				"is %s now, and was %s", field, name, short(value(present[name])), short(value(there[name]))))
		}
	}
	set, dropped := []any{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if same(before[name], after[name]) || e.present != nil && same(present[name], after[name]) {
			continue
		}
		warn(name)
		set = append(set, after[name])
		e.step.Changes = append(e.step.Changes, e.pairChange(field, name, before[name], after[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if after[name] == nil && !(e.present != nil && present[name] == nil) {
			dropped = append(dropped, name)
		}
	}
	if len(dropped) > 0 && e.dropPair == nil || !e.replaces() {
		e.wholePairs(field, set, dropped)
		return
	}
	if len(set) > 0 {
		e.step.fields[field], e.pairs = set, true
	}
	for _, name := range dropped {
		s := e.compared.step("DELETE", e.at(e.there)+"/properties/"+url.PathEscape(name), e.there)
		s.Changes = append(s.Changes, e.pairChange(field, name, before[name], nil))
		if e.present != nil && !same(there[name], present[name]) {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s %s was changed in the portal since the copy: it is %s now",
				field, name, short(value(present[name]))))
		}
		e.removes = append(e.removes, s)
	}
}

// pairChange describes the change of one pair; nil for none.
func (e *edit) pairChange(field, name string, was, now any) Difference {
	return scalarChange(field+" "+name, value(was), value(now), value(pairsIn(e.there[field])[name]),
		value(pairsIn(e.present[field])[name]), e.present != nil)
}

// wholePairs sends a list of pairs in full: as it is in the portal, where a masked secret
// keeps its value, with the changes.
func (e *edit) wholePairs(field string, set []any, dropped []string) {
	source := e.present
	if source == nil {
		source = e.there
	}
	all := pairsIn(source[field])
	for _, v := range set {
		name, _, _ := pair(v)
		all[name] = v
	}
	for _, name := range dropped {
		e.step.Changes = append(e.step.Changes, e.pairChange(field, name, all[name], nil))
		delete(all, name)
	}
	out := []any{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	if len(set) > 0 || len(dropped) > 0 {
		e.step.fields[field] = out
	}
}

// pairsIn returns the pairs of a list by name.
func pairsIn(list any) map[string]any {
	out := map[string]any{}
	all, _ := list.([]any)
	for _, v := range all {
		if name, _, ok := pair(v); ok {
			out[name] = v
		}
	}
	return out
}

func value(v any) any {
	_, text, _ := pair(v)
	return text
}

// elsewhere adds what changed in the portal since it was copied.
func (c *comparing) elsewhere(k *compared) {
	if k.present == nil {
		return
	}
	add := func(what string, o object, fields []string) {
		if fields == nil {
			fields = []string{}
		}
		c.Elsewhere = append(c.Elsewhere, Elsewhere{Kind: k.path, Noun: k.noun.One, ID: o.id(), Name: o.name(),
			What: what, Fields: fields})
	}
	for _, id := range k.orderOfOthers {
		switch was := k.there[id]; {
		case was == nil && c.links.local[k.path][id] == "":
			add("added", k.present[id], nil)
		case was != nil:
			if fields := k.differing(was, k.present[id]); len(fields) > 0 {
				add("changed", k.present[id], fields)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(k.there)) {
		if k.present[id] == nil {
			add("deleted", k.there[id], nil)
		}
	}
}

// Text writes the differences for people.
func (d *Diff) Text(w io.Writer) error {
	var b strings.Builder
	switch n := len(d.Steps); n {
	case 0:
		fmt.Fprintf(&b, "No changes: %s has the state of the rehearsal.\n", d.Portal)
	default:
		fmt.Fprintf(&b, "%d %s would bring %s (%s) to the state of the rehearsal. None was sent.\n\n", n,
			resource.Regular("request").For(int64(n)), d.Portal, d.URL)
	}
	for i, s := range d.Steps {
		fmt.Fprintf(&b, "%d. %s %s  (%s %s)\n", i+1, s.Method, s.Path, s.Noun, quoted(s.Name))
		for _, f := range s.Changes {
			fmt.Fprintf(&b, "     %s: %s → %s\n", f.Field, f.Was, f.Now)
		}
		if s.Method == "POST" {
			fmt.Fprintf(&b, "     %s\n", cut(s.Body))
		}
		for _, warning := range s.Warnings {
			fmt.Fprintf(&b, "   ! %s\n", warning)
		}
	}
	if len(d.Notes) > 0 {
		b.WriteString("\nNot in these requests:\n")
	}
	for _, note := range d.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	switch {
	case !d.Compared:
		b.WriteString("\nThe portal was not read again: what changed there since the copy is unknown.\n")
	case len(d.Elsewhere) > 0:
		fmt.Fprintf(&b, "\nChanged in %s since it was copied:\n", d.Portal)
		for _, e := range d.Elsewhere {
			fmt.Fprintf(&b, "  %s %s %s", e.Noun, quoted(e.Name), e.What)
			if len(e.Fields) > 0 {
				b.WriteString(": " + payload.Listed(e.Fields))
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

// Script writes the requests as a program.
func (d *Diff) Script(language snippet.Language) string {
	variables := []snippet.Variable{{Name: "$portal", Mark: mark(0), Value: d.URL, Doc: "the address of the API",
		Override: snippet.EnvironmentName("portal")}}
	var marks []string // old and new, of ids of new objects
	for _, s := range d.Steps {
		if s.Creates == "" {
			continue
		}
		m := mark(len(variables))
		variables = append(variables, snippet.Variable{Name: s.Creates, Mark: m, Source: snippet.Environment,
			Value: snippet.EnvironmentName(s.Creates), Doc: "the id of the new " + s.Noun + " " + quoted(s.Name)})
		marks = append(marks, "{{"+s.Creates+"}}", m)
	}
	replace := strings.NewReplacer(marks...)
	head := snippet.Head{Title: fmt.Sprintf("%d %s of a rehearsal for %s", len(d.Steps),
		resource.Regular("change").For(int64(len(d.Steps))), d.Portal)}
	var steps []snippet.Step
	for i, s := range d.Steps {
		for _, warning := range s.Warnings {
			head.Notes = append(head.Notes, fmt.Sprintf("Check request %d first: %s.", i+1, warning))
		}
		step := snippet.Step{Title: fmt.Sprintf("%s %s: %s %s", s.Method, s.Path, s.Noun, quoted(s.Name)),
			Request: snippet.Request{Method: s.Method, URL: mark(0) + replace.Replace(s.Path)}}
		if s.Body != "" {
			step.Body = replace.Replace(s.Body)
			step.Headers = append(step.Headers, snippet.Header{Name: "Content-Type", Value: "application/json"})
		}
		if strings.Contains(d.URL, outgoing.LenientMount) {
			step.Headers = append(step.Headers, snippet.Header{Name: "X-Version", Value: "3"})
		}
		if s.Creates != "" {
			step.Extract = []snippet.Extract{{Variable: s.Creates, Path: []any{"id"}}}
		}
		steps = append(steps, step)
	}
	return language.Script(head, steps, variables)
}

// mark returns a placeholder for a variable in a request.
func mark(n int) string { return fmt.Sprintf("7%d%06d", int64(1_000_000_007_000_000_011), n) }
