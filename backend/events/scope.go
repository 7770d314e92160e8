package events

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// scopeKey identifies a scope: the kind of row, and all that its list depends
// on.
type scopeKey struct {
	kind    string
	rights  string
	lenient bool
	base    string
}

// scope evaluates the changes of one kind of row for all listeners with the same
// rights.
type scope struct {
	s      *Service
	key    scopeKey
	kind   *kind
	call   resource.Call // as which rows are listed
	feed   resource.Feed
	cancel context.CancelFunc
	begun  chan struct{} // closed once visible is known
	err    error         // why it is not; read after begun

	listeners map[*listener]bool // guarded by Service.mu

	all     bool // every row is visible
	visible ids  // those that are, unless all are; of the goroutine alone
}

// begin starts a scope. Its feed is open before begin returns. s.mu is held.
func (s *Service) begin(key scopeKey, k *kind, c *resource.Call) *scope {
	ctx, cancel := context.WithCancel(s.wait.Context())
	sc := &scope{s: s, key: key, kind: k, cancel: cancel, begun: make(chan struct{}), listeners: map[*listener]bool{}}
	sc.call = resource.Call{Access: c.Access, At: c.At, Lenient: c.Lenient, Base: c.Base}
	sc.all, _ = c.Access.Groups(resource.Read)
	sc.feed = s.db.Follow(k.name, string(people.Roles.Name), string(fleet.Groups.Name), string(people.Users.Name))
	s.scopes[key] = sc
	s.wait.Go("event streams", func() {
		defer sc.end()
		sc.run(ctx)
	})
	return sc
}

// end ends the scope and the streams of its listeners.
func (sc *scope) end() {
	sc.feed.Close()
	sc.s.mu.Lock()
	defer sc.s.mu.Unlock()
	sc.s.drop(sc)
	for l := range sc.listeners {
		l.end()
	}
	select {
	case <-sc.begun:
	default:
		close(sc.begun) // it ended before its visible objects were known
	}
}

// longest is the longest time between two evaluations: changes meanwhile are
// evaluated together, and several changes of one row are one event.
const longest = 100 * time.Millisecond

// rest returns how long a scope waits after an evaluation that took so long, so
// that evaluating takes at most a tenth of a core, and sending to its listeners,
// about 0.1 ms each, another one: a single change is sent at once, and a flood to
// many streams in batches.
func rest(took time.Duration, listeners int) time.Duration {
	return min(9*took+time.Duration(listeners)*time.Millisecond, longest)
}

// run evaluates changes until ctx ends, or the rights may have changed.
func (sc *scope) run(ctx context.Context) {
	if sc.err = sc.look(ctx); sc.err != nil {
		return
	}
	close(sc.begun)
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-ctx.Done():
			return
		}
		rows, lost, err := sc.feed.Next(ctx)
		if err != nil {
			return
		}
		start := time.Now()
		if lost && sc.look(ctx) != nil {
			return
		}
		if sc.rightsChanged(ctx, rows) {
			return
		}
		if lost {
			sc.eachListener((*listener).lose)
		} else if sc.evaluate(ctx, rows) != nil {
			return // the streams end, and their callers come back
		}
		pause.Reset(rest(time.Since(start), sc.listening()))
	}
}

// look reads the ids of the visible rows.
func (sc *scope) look(ctx context.Context) error {
	if sc.all {
		return nil
	}
	found, err := sc.s.db.IDs(ctx, sc.kind.name, resource.SeenBy(sc.call.Access, resource.Read))
	if err != nil {
		return err
	}
	sc.visible = nil
	for _, id := range found {
		sc.visible.add(id)
	}
	return nil
}

// rightsChanged reports whether roles or groups changed, and with them what the
// rights of the scope mean. It ends the streams of users who have other rights now.
func (sc *scope) rightsChanged(ctx context.Context, rows []resource.Changed) bool {
	for _, row := range rows {
		switch row.Name {
		case string(people.Roles.Name), string(fleet.Groups.Name):
			return true
		case string(people.Users.Name):
			sc.eachListener(func(l *listener) {
				if l.user == row.ID {
					l.doubt()
				}
			})
		}
	}
	return false
}

// atOnce is the number of rows listed at a time: the maximum number of values of a
// filter.
const atOnce = 90

// evaluate gives the listeners the rows that have changed, in the order of their ids.
func (sc *scope) evaluate(ctx context.Context, rows []resource.Changed) error {
	var changed []int64
	for _, row := range rows {
		if row.Name == sc.kind.name {
			changed = append(changed, row.ID)
		}
	}
	slices.Sort(changed)
	for some := range slices.Chunk(changed, atOnce) {
		found, err := sc.rows(ctx, some)
		if err != nil {
			return err
		}
		var events []resource.Event
		for _, id := range some {
			item, there := found[id]
			switch {
			case there:
				events = append(events, resource.Event{Name: sc.kind.name, Data: item})
			case sc.all || sc.visible.has(id):
				events = append(events, resource.Event{Name: sc.kind.name, Data: sc.kind.gone(id)})
			}
			if !sc.all {
				sc.visible.put(id, there)
			}
		}
		sc.eachListener(func(l *listener) { l.put(events) })
	}
	return nil
}

// rows returns the visible rows among the ids, as the list shows them.
func (sc *scope) rows(ctx context.Context, ids []int64) (map[int64]resource.JSON, error) {
	call := sc.call
	call.Query = url.Values{"size": {"1000"}, "sort": {"+id"}}
	for name, values := range sc.kind.query {
		call.Query[name] = values
	}
	filter := "id:" + strings.ReplaceAll(resource.IDs(ids).String(), ",", "|")
	if also := sc.kind.query.Get("filter"); also != "" {
		filter += "," + also
	}
	call.Query.Set("filter", filter)
	response, err := sc.kind.list(resource.WithCall(ctx, &call), &call)
	if err != nil {
		return nil, err
	}
	items, _, err := resource.ReadList[json.RawMessage](response)
	if err != nil {
		return nil, err
	}
	rows := make(map[int64]resource.JSON, len(items))
	for _, item := range items {
		var row struct{ ID json.RawMessage }
		if err := json.Unmarshal(item, &row); err != nil {
			return nil, err
		}
		id, err := strconv.ParseInt(strings.Trim(string(row.ID), `"`), 10, 64)
		if err != nil {
			return nil, err
		}
		rows[id] = resource.JSON(item)
	}
	return rows, nil
}

// listening returns how many streams listen.
func (sc *scope) listening() int {
	sc.s.mu.Lock()
	defer sc.s.mu.Unlock()
	return len(sc.listeners)
}

func (sc *scope) eachListener(do func(*listener)) {
	sc.s.mu.Lock()
	defer sc.s.mu.Unlock()
	for l := range sc.listeners {
		do(l)
	}
}

// ids is a set of ids, one bit each: those of rows count up from 1.
type ids []uint64

func (s ids) has(id int64) bool { return id/64 < int64(len(s)) && s[id/64]&(1<<(id%64)) != 0 }

func (s *ids) add(id int64) {
	if more := id/64 + 1 - int64(len(*s)); more > 0 {
		*s = append(*s, make([]uint64, more)...)
	}
	(*s)[id/64] |= 1 << (id % 64)
}

func (s *ids) put(id int64, in bool) {
	switch {
	case in:
		s.add(id)
	case s.has(id):
		(*s)[id/64] &^= 1 << (id % 64)
	}
}
