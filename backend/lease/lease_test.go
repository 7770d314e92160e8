package lease_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/lease"
	"spyglass/backend/portal/node"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/postgres/pgtest"
	"spyglass/backend/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

// Times of the tests, in which a node is dead after ten missing beats.
const (
	beat = 20 * time.Millisecond
	lost = 10 * beat
)

// portal is the database of some nodes.
type portal struct {
	*testing.T
	db     *store.DB
	events chan event
}

// event is the beginning or the end of a work on a node.
type event struct {
	node, work string
	begins     bool
}

// member is one node, whose beats can be held up.
type member struct {
	*lease.Keeper
	portal *portal
	name   string
	gate   *gate
	mu     sync.Mutex
	epochs map[string]int64
	within map[string]context.Context
}

// gate is a database whose writes can be held up, or fail.
type gate struct {
	resource.LiveDB
	mu     sync.Mutex
	closed chan struct{} // writes wait until it is closed; nil: they do not
	err    error
}

func (g *gate) Write(ctx context.Context, do func(tx resource.Tx) error) error {
	g.mu.Lock()
	closed, err := g.closed, g.err
	g.mu.Unlock()
	if err != nil {
		return err
	}
	if closed != nil {
		<-closed
	}
	return g.LiveDB.Write(ctx, do)
}

// pause holds up the writes until resume is called.
func (g *gate) pause() (resume func()) {
	closed := make(chan struct{})
	g.set(closed, nil)
	return func() { g.set(nil, nil); close(closed) }
}

func (g *gate) set(closed chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed, g.err = closed, err
}

func (g *gate) failed() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// errOutdated is the error of writes after a newer version has changed the database.
var errOutdated = errors.New("outdated")

func newPortal(t *testing.T) *portal {
	p := &portal{T: t, db: storetest.OpenOnce(t, store.Options{}), events: make(chan event, 100)}
	storetest.Add(t, p.db, &node.Nodes)
	storetest.Add(t, p.db, &node.Leases)
	storetest.Add(t, p.db, &node.Requests)
	return p
}

// join starts a node that can do works.
func (p *portal) join(name string, works ...string) *member {
	p.Helper()
	m := p.add(name, nil, works...)
	m.Start(context.Background())
	return m
}

// add is join without the start, for works that cannot begin if refused is an error.
func (p *portal) add(name string, refused error, works ...string) *member {
	p.Helper()
	m := &member{portal: p, name: name, gate: &gate{LiveDB: p.db}, epochs: map[string]int64{},
		within: map[string]context.Context{}}
	var all []lease.Work
	for _, w := range works {
		all = append(all, lease.Work{Name: w,
			Begin: func(ctx context.Context, epoch int64) error {
				if refused != nil {
					return refused
				}
				m.mu.Lock()
				m.epochs[w], m.within[w] = epoch, ctx
				m.mu.Unlock()
				p.events <- event{name, w, true}
				return nil
			},
			End: func(context.Context) error { p.events <- event{name, w, false}; return nil },
		})
	}
	m.Keeper = lease.New(lease.Options{DB: m.gate, Self: node.Node{Name: name}, Beat: beat, Lost: lost,
		Log: slog.New(slog.DiscardHandler), Respond: m.respond,
		Outdated: func() bool { return m.gate.failed() == errOutdated }}, all...)
	if _, err := m.Join(p.Context()); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := m.Stop(context.Background()); err != nil {
			p.Error(err)
		}
	})
	return m
}

// begun waits until a node begins a work, and returns its name.
func (p *portal) begun(work string) string {
	p.Helper()
	return p.wait(work, true)
}

func (p *portal) wait(work string, begins bool) string {
	p.Helper()
	for {
		select {
		case e := <-p.events:
			if e.work == work && e.begins == begins {
				return e.node
			}
		case <-time.After(20 * time.Second):
			p.Fatalf("no node began (%t) or ended the work %s", begins, work)
		}
	}
}

func (m *member) epoch(work string) (int64, context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.epochs[work], m.within[work]
}

// write writes a row for a work.
func (m *member) write(ctx context.Context) error {
	return m.portal.db.Write(ctx, func(tx resource.Tx) error {
		return resource.Put(ctx, tx, node.Nodes.Name, &node.Node{Name: "written by " + m.name})
	})
}

func (p *portal) nodes() (names []string) {
	p.Helper()
	rows, err := resource.Find(p.Context(), p.db, node.Nodes.Name)
	if err != nil {
		p.Fatal(err)
	}
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names
}

func TestOneNodeDoesAWorkUntilItStops(t *testing.T) {
	p := newPortal(t)
	a := p.join("a", "polling")
	if by := p.begun("polling"); by != "a" {
		t.Fatalf("%s began", by)
	}
	p.join("b", "polling")
	first, within := a.epoch("polling")
	if err := a.write(within); err != nil {
		t.Fatalf("a node that has the lease: %v", err)
	}
	if err := a.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if by := p.wait("polling", false); by != "a" {
		t.Errorf("%s ended the work first", by)
	}
	if by := p.begun("polling"); by != "b" {
		t.Errorf("%s took over", by)
	}
	rows, err := resource.Find(t.Context(), p.db, node.Leases.Name)
	if err != nil || len(rows) != 1 || rows[0].Epoch <= first {
		t.Errorf("the leases are %+v, %v; the first epoch was %d", rows, err, first)
	}
	if err := a.write(context.WithoutCancel(within)); !errors.Is(err, lease.ErrLost) {
		t.Errorf("a write after the end: %v", err)
	}
}

func TestTwoNodesShareTheWorks(t *testing.T) {
	p := newPortal(t)
	a, b := p.add("a", nil, "polling", "reports"), p.add("b", nil, "polling", "reports")
	a.Start(context.Background())
	b.Start(context.Background())
	if first, second := <-p.events, <-p.events; first.node == second.node {
		t.Errorf("%s does both works while another node does none", first.node)
	}
}

func TestAPausedNodeIsReplacedAndWritesNothing(t *testing.T) {
	p := newPortal(t)
	a := p.join("a", "polling")
	p.begun("polling")
	first, within := a.epoch("polling")
	b := p.join("b", "polling")
	resume := a.gate.pause()
	if by := p.begun("polling"); by != "b" {
		t.Fatalf("%s took over", by)
	}
	if second, _ := b.epoch("polling"); second <= first {
		t.Errorf("the epoch went from %d to %d", first, second)
	}
	if within.Err() != nil {
		t.Error("the paused node knows already")
	}
	before := len(p.nodes())
	if err := a.write(within); !errors.Is(err, lease.ErrLost) || len(p.nodes()) != before {
		t.Errorf("the paused node writes: %v, %q", err, p.nodes())
	}
	<-within.Done() // the refused write ends the work
	if by := p.wait("polling", false); by != "a" {
		t.Errorf("%s ended the work", by)
	}
	if _, ok := a.Within(t.Context(), "polling"); ok {
		t.Error("the paused node still says that it does the work")
	}
	resume()
	fenced, ok := b.Within(t.Context(), "polling")
	if !ok {
		t.Fatal("the other node does not say that it does the work")
	}
	if err := b.write(fenced); err != nil {
		t.Errorf("the node that took over: %v", err)
	}
}

func TestANodeThatResumesEndsItsWorkWithoutAWrite(t *testing.T) {
	p := newPortal(t)
	a := p.join("a", "polling")
	p.begun("polling")
	p.join("b", "polling")
	resume := a.gate.pause()
	p.begun("polling")
	resume()
	if by := p.wait("polling", false); by != "a" {
		t.Errorf("%s ended the work", by)
	}
}

func TestAnOutageOfTheDatabaseMovesNoWork(t *testing.T) {
	p := newPortal(t)
	a := p.join("a", "polling")
	p.begun("polling")
	b := p.join("b", "polling")
	waitFor(t, "b to hear of a", func() bool { return heard(b, 1) })
	for _, m := range []*member{a, b} {
		m.gate.set(nil, fault.New(fault.Busy, "the database is away"))
	}
	waitFor(t, "the beats to be late", func() bool { return !heard(b, 1) })
	epoch, within := a.epoch("polling")
	b.gate.set(nil, nil)
	waitFor(t, "b to be back", func() bool { return heard(b, 1) }) // its time has begun again
	a.gate.set(nil, nil)
	if err := a.write(within); err != nil {
		t.Errorf("the node lost its work: %v", err)
	}
	rows, err := resource.Find(t.Context(), p.db, node.Leases.Name)
	if err != nil || len(rows) != 1 || rows[0].Epoch != epoch {
		t.Errorf("the leases are %+v, %v", rows, err)
	}
}

func TestAnOutdatedNodeEndsItsWorkAndHearsWhoServes(t *testing.T) {
	p := newPortal(t)
	a, other := p.join("a", "polling"), p.join("other")
	p.begun("polling")
	waitFor(t, "a to hear of the other node", func() bool { return heard(a, 1) })
	for _, m := range []*member{a, other} {
		m.gate.set(nil, errOutdated)
	}
	if by := p.wait("polling", false); by != "a" {
		t.Errorf("%s ended the work", by)
	}
	waitFor(t, "the beats to be late", func() bool { return !heard(a, 1) })
	if a.Replaced() {
		t.Error("the outdated node takes another outdated one for a newer one")
	}
	newer := p.add("newer", nil, "polling")
	waitFor(t, "a to hear of the newer node", func() bool { return len(a.Ages()) > 0 })
	if a.Replaced() {
		t.Error("the newer node counts before it beats")
	}
	newer.Start(context.Background())
	waitFor(t, "a to be replaced", a.Replaced)
	if by := p.begun("polling"); by != "newer" {
		t.Errorf("%s took over", by)
	}
	if newer.Replaced() {
		t.Error("the newer node is replaced, too")
	}
}

func TestAWorkThatCannotBeginGoesToAnotherNode(t *testing.T) {
	p := newPortal(t)
	p.add("a", errors.New("no samples"), "polling").Start(context.Background())
	if by := p.wait("polling", false); by != "a" {
		t.Fatalf("%s ended the work", by)
	}
	p.join("b", "polling")
	if by := p.begun("polling"); by != "b" {
		t.Errorf("%s began", by)
	}
}

// respond says which node handled a request, or refuses it.
func (m *member) respond(ctx context.Context, name string, in json.RawMessage) (any, error) {
	if name == "refused" {
		return nil, fault.At("value", "a value is wrong")
	}
	if err := m.write(ctx); err != nil {
		return nil, err
	}
	return m.name + string(in), nil
}

func TestTheNodeThatDoesAWorkHandlesItsRequests(t *testing.T) {
	p := newPortal(t)
	a := p.join("a", "polling")
	p.begun("polling")
	b := p.join("b", "polling")
	send := func(of *member) (said string) {
		t.Helper()
		if err := of.Request(t.Context(), "polling", "name", 7, &said); err != nil {
			t.Error(err)
		}
		return said
	}
	for _, m := range []*member{a, b} {
		if said := send(m); said != "a7" {
			t.Errorf("%s sends a request, and %q responds", m.name, said)
		}
	}
	var refused *fault.Error
	if err := b.Request(t.Context(), "polling", "refused", 7, new(string)); !errors.As(err, &refused) ||
		refused.Kind != fault.Invalid || refused.Field != "value" || refused.Message != "a value is wrong" {
		t.Errorf("a refused request: %v", err)
	}
	resume := a.gate.pause()
	waitFor(t, "b to take over", func() bool { _, ok := b.Within(t.Context(), "polling"); return ok })
	resume()
	if said := send(a); said != "b7" {
		t.Errorf("a sends a request, and %q responds", said)
	}
	left, err := resource.Find(t.Context(), p.db, node.Requests.Name)
	if err != nil || len(left) > 0 {
		t.Errorf("%d requests are left, %v", len(left), err)
	}
}

func heard(m *member, id int64) bool {
	_, ok := m.Ages()[id]
	return ok
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	limit := time.Now().Add(20 * time.Second)
	for !done() {
		if time.Now().After(limit) {
			t.Fatalf("waited too long for %s", what)
		}
		time.Sleep(beat / 4)
	}
}
