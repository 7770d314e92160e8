package lease

import (
	"context"
	"time"

	"spyglass/backend/portal/node"
	"spyglass/backend/resource"
)

// beat raises the beat of this node, and takes over leases that are free.
func (k *Keeper) beat(ctx context.Context) {
	view, now := k.view(), found{}
	err := k.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) (err error) {
		now, err = view.look(ctx, tx)
		return err
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil && k.o.Outdated() {
		k.retire(ctx)
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		if !k.away {
			k.o.Log.WarnContext(ctx, "this node cannot renew its leases; trying again", "err", err)
		}
		k.away = true
		return
	}
	k.self = now.self
	k.see(now.nodes)
	for i, h := range k.works {
		switch got := now.leases[i]; {
		case got.Epoch == h.epoch:
		case h.epoch > 0:
			h.lose()
		default:
			k.begin(ctx, h, got)
		}
	}
}

// retire ends the works of an outdated node, and looks which other nodes beat.
func (k *Keeper) retire(ctx context.Context) {
	nodes, err := resource.Find(ctx, k.o.DB, node.Nodes.Name)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range k.works {
		if h.epoch > 0 {
			h.lose()
		}
	}
	if err != nil {
		k.away = true
		return
	}
	if k.retired.IsZero() {
		k.retired = time.Now()
	}
	k.see(nodes)
}

// Replaced reports whether this node is outdated and another one, which is not, serves.
// Only such a node still beats.
func (k *Keeper) Replaced() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.retired.IsZero() {
		return false
	}
	for id, last := range k.seen {
		// a beat from before this node was outdated may be seen late
		if id != k.self.ID && last.beat > 0 && last.at.After(k.retired.Add(k.o.Beat)) &&
			time.Since(last.at) < k.o.Lost {
			return true
		}
	}
	return false
}

// see notes the beats of the nodes. After an outage of the database, the time of each
// begins again: the others may have had the same trouble.
func (k *Keeper) see(nodes []node.Node) {
	known := k.seen
	if k.away {
		known, k.away = nil, false
	}
	k.seen = make(map[int64]seen, len(nodes))
	for _, n := range nodes {
		last, ok := known[n.ID]
		if !ok || last.beat != n.Beat {
			last = seen{n.Beat, time.Now()}
		}
		k.seen[n.ID] = last
	}
	alive := int64(0)
	for _, last := range k.seen {
		if time.Since(last.at) < k.o.Lost {
			alive++
		}
	}
	k.alive.Store(alive)
}

// view is a copy of the state of a keeper, for a transaction that must not hold its lock.
type view struct {
	*Keeper
	self  node.Node
	seen  map[int64]seen // nil: nothing is known
	works []mine
}

// mine is a work in a view: the epoch of the lease that this node has, and whether it may take
// the lease.
type mine struct {
	name  string
	epoch int64
	may   bool // it may take the lease
}

func (k *Keeper) view() *view {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := &view{Keeper: k, self: k.self, seen: k.seen}
	if k.away {
		v.seen = nil
	}
	for _, h := range k.works {
		v.works = append(v.works, mine{h.Name, h.epoch, !h.busy && time.Now().After(h.after)})
	}
	return v
}

// found is the result of a look at the rows.
type found struct {
	self   node.Node
	nodes  []node.Node
	leases []node.Lease // by work; Epoch is 0 if this node has it not
}

func (v *view) look(ctx context.Context, tx resource.Tx) (f found, err error) {
	if f.self, err = v.reports(ctx, tx); err != nil {
		return f, err
	}
	if f.nodes, err = resource.Find(ctx, tx, node.Nodes.Name); err != nil {
		return f, err
	}
	rows, err := resource.Find(ctx, tx, node.Leases.Name)
	if err != nil {
		return f, err
	}
	alone, taken := v.alone(f), false
	for _, w := range v.works {
		row := node.Lease{Work: w.name}
		for _, r := range rows {
			if r.Work == w.name {
				row = r
			}
		}
		switch {
		case row.Node == f.self.ID && row.Epoch == w.epoch: // this node has it
		case w.may && v.free(&row, f) && (alone || !taken): // the others take the next ones
			row.Node, row.Since, taken = f.self.ID, resource.SecondsOf(v.o.Clock()), true
			row.Epoch++
			if err := resource.Put(ctx, tx, node.Leases.Name, &row); err != nil {
				return f, err
			}
		default:
			row.Epoch = 0
		}
		f.leases = append(f.leases, row)
	}
	return f, v.forget(ctx, tx, f)
}

// reports writes the row of this node, also if the others have deleted it.
func (v *view) reports(ctx context.Context, tx resource.Tx) (node.Node, error) {
	self := v.self
	row, err := resource.Lookup(ctx, tx, node.Nodes.Name, self.ID)
	if err != nil {
		return self, err
	}
	if row == nil {
		self.ID = 0
	} else {
		self.Beat = row.Beat
	}
	self.Beat++
	self.SeenOn = resource.SecondsOf(v.o.Clock())
	return self, resource.Put(ctx, tx, node.Nodes.Name, &self)
}

// alone reports whether all other nodes are dead.
func (v *view) alone(f found) bool {
	for i := range f.nodes {
		if f.nodes[i].ID != f.self.ID && !v.dead(&f.nodes[i], v.o.Lost) {
			return false
		}
	}
	return true
}

// free reports whether no living node has a lease. One that this node has without
// knowing it is free, too: the transaction that took it seemed to fail.
func (v *view) free(row *node.Lease, f found) bool {
	if row.Node == 0 || row.Node == f.self.ID {
		return true
	}
	for i := range f.nodes {
		if f.nodes[i].ID == row.Node {
			return v.dead(&f.nodes[i], v.o.Lost)
		}
	}
	return true
}

// dead reports whether the beat of a node has not changed for a time.
func (v *view) dead(n *node.Node, within time.Duration) bool {
	last, ok := v.seen[n.ID]
	return ok && last.beat == n.Beat && time.Since(last.at) >= within
}

// forget deletes the rows of nodes that died long ago. Their leases are free without.
func (v *view) forget(ctx context.Context, tx resource.Tx, f found) error {
	for i := range f.nodes {
		if n := &f.nodes[i]; n.ID != f.self.ID && v.dead(n, forgotten) {
			if err := resource.Delete(ctx, tx, node.Nodes.Name, n.ID); err != nil {
				return err
			}
		}
	}
	return nil
}
