package lease

import (
	"context"
	"errors"
	"time"

	"spyglass/backend/portal/node"
	"spyglass/backend/resource"
)

// begin begins a work whose lease this node has got. The caller holds mu.
func (k *Keeper) begin(parent context.Context, h *held, lease node.Lease) {
	ctx, cancel := context.WithCancel(parent)
	ctx = resource.WithFence(ctx, fence(lease, cancel))
	h.epoch, h.busy, h.ctx, h.cancel = lease.Epoch, true, ctx, cancel
	k.doing.Go("work of a lease", func() { k.do(ctx, h, lease) })
}

// fence refuses writes after another node has got the lease, and then ends the work.
func fence(lease node.Lease, lost func()) resource.Fence {
	return func(ctx context.Context, in resource.Reader) error {
		row, err := resource.Lookup(ctx, in, node.Leases.Name, lease.ID)
		if err != nil {
			return err
		}
		if row == nil || row.Epoch != lease.Epoch || row.Node == 0 {
			lost()
			return ErrLost
		}
		return nil
	}
}

// lose ends a work that another node does now. The caller holds mu.
func (h *held) lose() {
	h.epoch = 0
	h.cancel()
}

// do does a work until ctx ends.
func (k *Keeper) do(ctx context.Context, h *held, lease node.Lease) {
	k.o.Log.InfoContext(ctx, "this node begins a work", "work", h.Name, "epoch", lease.Epoch)
	err := h.Begin(ctx, lease.Epoch)
	if err == nil {
		if k.o.Respond != nil {
			k.respond(ctx, h.Name)
		}
		<-ctx.Done()
	} else if ctx.Err() == nil {
		k.o.Log.ErrorContext(ctx, "this node cannot begin a work", "work", h.Name, "err", err)
	}
	for {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
		ended := h.End(limited)
		cancel()
		if ended == nil || errors.Is(ended, ErrLost) {
			break
		}
		k.o.Log.WarnContext(ctx, "a work has not ended yet", "work", h.Name, "err", ended)
		if k.running.Context().Err() != nil {
			return // the program ends; another node takes over when the beats end
		}
	}
	k.o.Log.InfoContext(ctx, "this node has ended a work", "work", h.Name, "epoch", lease.Epoch)
	if err != nil && ctx.Err() == nil {
		k.giveBack(ctx, h, lease)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	h.cancel()
	h.epoch, h.busy = 0, false
}

// giveBack returns the lease of a work that did not begin.
func (k *Keeper) giveBack(ctx context.Context, h *held, lease node.Lease) {
	k.mu.Lock()
	h.after = time.Now().Add(giveUp)
	k.mu.Unlock()
	err := k.o.DB.Write(ctx, func(tx resource.Tx) error { // fenced
		row, err := resource.Get(ctx, tx, node.Leases.Name, lease.ID)
		if err != nil {
			return err
		}
		row.Node = 0
		return resource.Put(ctx, tx, node.Leases.Name, row)
	})
	if err != nil && !errors.Is(err, ErrLost) {
		k.o.Log.WarnContext(ctx, "a lease could not be returned", "work", h.Name, "epoch", lease.Epoch, "err", err)
	}
}
