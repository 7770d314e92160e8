// Package lease decides which node of a portal does the work that only one may do at a
// time, such as polling devices. The nodes share a database and need nothing else: no
// clock that agrees, and no connection to each other.
//
// # How a node gets and loses a work
//
// Each node has a row, whose beat it raises every few seconds. A node whose beat has
// not changed for Options.Lost, on the clock of the node that looks, counts as dead.
// Another node then takes over its leases and raises their epochs, in one transaction.
//
// The epoch is the fencing token: the context of a work has a resource.Fence, so that
// each write of the work first reads the lease, in its own transaction. A node that was
// paused, or cut off, writes nothing more; it learns from the first refused write, or
// from its next beat, that it has lost the work, and ends it. A node that cannot reach
// the database keeps its works: it can write nothing, and nobody else may be there. A node
// that a newer version has made outdated ends its works: nodes of that version take over.
//
// When a node stops, it ends its works first and then returns their leases, which the
// others hear of at once.
//
// # Requests between nodes
//
// Some requests need the node that does a work, for example results of a collector. Any
// node that gets one passes it on as a row, and waits for the response in that row (Request).
//
// # Concurrency
//
// One owner calls New, Join, Start and Stop. Everything else is safe for concurrent
// use. Each work begins and ends on a goroutine of its own.
//
// # Errors
//
// A write after the lease is lost fails with ErrLost. Errors of a beat are logged once
// until one succeeds.
package lease

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/node"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// ErrLost is the error of a write for a work that another node does now.
var ErrLost = fault.New(fault.Offline, "another node of the portal does this work now; nothing was written")

// Work is something that only one node does at a time.
type Work struct {
	Name string
	// Begin starts the work without waiting for its end. The work ends with ctx or
	// End; its writes with ctx are refused when the lease is lost. Each node that gets
	// the lease has a higher epoch than all before it. If Begin returns an error, End
	// is called, and the lease is free for another node.
	Begin func(ctx context.Context, epoch int64) error
	// End ends the work and waits for it, at most until ctx ends.
	End func(ctx context.Context) error
}

// Options configures a Keeper.
type Options struct {
	DB    resource.LiveDB
	Self  node.Node // Name, Process, Version and Address of this node
	Log   *slog.Logger
	Clock func() time.Time // for what users see; time.Now when nil
	Guard *service.Guard

	// Respond handles a request of another node for a work of this one: see Request. The
	// writes with ctx are refused when the lease is lost.
	Respond func(ctx context.Context, name string, in json.RawMessage) (response any, err error)

	// Outdated reports whether this node may not write any more, because a newer version
	// has changed the database. The node then ends its works. May be nil.
	Outdated func() bool

	Beat time.Duration // between two beats; 2 s when 0
	Lost time.Duration // without a beat, after which a node counts as dead; 8 s when 0
}

// Times.
const (
	usualBeat = 2 * time.Second
	usualLost = 8 * time.Second
	endWithin = 10 * time.Second // for a work to end, after which it is cancelled again
	giveUp    = 10 * time.Second // after a work that did not begin
	forgotten = 10 * time.Minute // after which the row of a dead node is deleted
)

// Keeper keeps the leases of one node.
type Keeper struct {
	o       Options
	running service.Group // beats
	doing   service.Group // works

	alive atomic.Int64 // nodes that report, at the last beat

	mu    sync.Mutex
	self  node.Node
	works []*held
	seen  map[int64]seen // by node; is replaced, never changed
	away  bool           // the last beat failed

	retired time.Time // when this node was first seen to be outdated; zero if it is not
}

// held is a work, with what this node has of its lease.
type held struct {
	Work
	epoch  int64 // 0: this node does not have the lease
	busy   bool  // it runs, or has not ended yet
	after  time.Time
	ctx    context.Context // of the work; has the fence
	cancel context.CancelFunc
}

// seen is a beat of a node, and when this node first saw it.
type seen struct {
	beat int64
	at   time.Time
}

// New returns a keeper that is not started yet.
func New(o Options, works ...Work) *Keeper {
	o.Log, o.Beat, o.Lost = cmp.Or(o.Log, slog.Default()), cmp.Or(o.Beat, usualBeat), cmp.Or(o.Lost, usualLost)
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Outdated == nil {
		o.Outdated = func() bool { return false }
	}
	k := &Keeper{o: o, self: o.Self, running: service.Group{Guard: o.Guard},
		doing: service.Group{Guard: o.Guard}}
	for _, w := range works {
		k.works = append(k.works, &held{Work: w})
	}
	return k
}

// Join adds the node to the others, and reports whether one of them may be alive.
func (k *Keeper) Join(ctx context.Context) (others bool, err error) {
	row := k.self
	row.StartedOn = resource.SecondsOf(k.o.Clock())
	row.SeenOn = row.StartedOn
	err = k.o.DB.Write(ctx, func(tx resource.Tx) error {
		all, err := resource.Find(ctx, tx, node.Nodes.Name)
		if err != nil {
			return err
		}
		others = len(all) > 0
		return resource.Put(ctx, tx, node.Nodes.Name, &row)
	})
	k.self = row
	return others, err
}

// Start starts to beat, without blocking, and begins the works that no other node does.
func (k *Keeper) Start(ctx context.Context) {
	k.running.Begin(ctx)
	k.running.Keep("leases", k.run)
}

func (k *Keeper) run(ctx context.Context) {
	changed, stop := k.o.DB.Watch(string(node.Leases.Name))
	defer stop()
	again := time.NewTicker(k.o.Beat)
	defer again.Stop()
	for {
		k.beat(ctx)
		select {
		case <-changed:
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// Stop ends the works, returns their leases and removes the node, at most until ctx
// ends. It may be called twice, and on a keeper that never started.
func (k *Keeper) Stop(ctx context.Context) error {
	if err := k.running.Stop(ctx); err != nil {
		return err
	}
	if err := k.doing.Stop(ctx); err != nil {
		return err
	}
	k.mu.Lock()
	self := k.self.ID
	k.self.ID = 0
	k.mu.Unlock()
	if self == 0 || k.o.Outdated() { // the others take over when the beats end
		return nil
	}
	return k.o.DB.Write(ctx, func(tx resource.Tx) error {
		leases, err := resource.Find(ctx, tx, node.Leases.Name, resource.Where{Field: "node", Op: "=", Value: self})
		for i := range leases {
			if err == nil {
				leases[i].Node = 0
				err = resource.Put(ctx, tx, node.Leases.Name, &leases[i])
			}
		}
		if err != nil {
			return err
		}
		return resource.DeleteAll(ctx, tx, node.Nodes.Name, resource.Where{Field: "id", Op: "=", Value: self})
	})
}

// Within returns a context for writes that belong to a work; ok is false if this node
// does not do it.
func (k *Keeper) Within(ctx context.Context, work string) (_ context.Context, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range k.works {
		if h.Name == work && h.epoch > 0 && h.ctx != nil && h.ctx.Err() == nil {
			return resource.WithFence(ctx, resource.FenceOf(h.ctx)), true
		}
	}
	return ctx, false
}

// Works returns the works, and whether this node does them.
func (k *Keeper) Works() map[string]bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := make(map[string]bool, len(k.works))
	for _, h := range k.works {
		all[h.Name] = h.epoch > 0
	}
	return all
}

// Alive returns the number of nodes that report, with this one: at least 1.
func (k *Keeper) Alive() int { return int(max(k.alive.Load(), 1)) }

// Ages returns how long ago this node has heard of each living node, by its id.
func (k *Keeper) Ages() map[int64]time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	all := map[int64]time.Duration{}
	for id, last := range k.seen {
		if age := time.Since(last.at); age < k.o.Lost {
			all[id] = age
		}
	}
	return all
}

// ID returns the id of this node; 0 before Join.
func (k *Keeper) ID() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.self.ID
}
