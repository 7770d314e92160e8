package lease

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/node"
	"spyglass/backend/resource"
)

// Times of requests between nodes.
const (
	patience   = 25 * time.Second // for a response, also while another node takes over
	abandoned  = 2 * time.Minute  // after which a request is deleted, because its sender is gone
	mostAtOnce = 16               // requests that a node handles
)

// Request has the node that does a work handle a request with Options.Respond, and writes
// the response to out. If no node does the work for a while, it is fault.Busy. Without a
// response, the request may have been handled all the same.
func (k *Keeper) Request(ctx context.Context, work, name string, in, out any) error {
	if fenced, ok := k.Within(ctx, work); ok {
		response, err := k.o.Respond(fenced, name, raw(in))
		if err == nil {
			return json.Unmarshal(raw(response), out)
		}
		if !errors.Is(err, ErrLost) {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	changed, stop := k.o.DB.Watch(string(node.Requests.Name))
	defer stop()
	row := node.Request{Work: work, Name: name, In: string(raw(in))}
	own := resource.WithCall(context.WithoutCancel(ctx), nil)
	if err := k.o.DB.Write(own, func(tx resource.Tx) error {
		return resource.Put(ctx, tx, node.Requests.Name, &row)
	}); err != nil {
		return err
	}
	done, err := k.response(ctx, row.ID, changed)
	if failed := k.remove(own, row.ID); failed != nil {
		k.o.Log.WarnContext(ctx, "a request between nodes could not be deleted", "err", failed)
	}
	if err != nil {
		return err
	}
	if done.Fault != "" {
		var why fault.Error
		if err := json.Unmarshal([]byte(done.Fault), &why); err != nil {
			return err
		}
		return &why
	}
	return json.Unmarshal([]byte(done.Response), out)
}

func raw(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of requests and responses are the program's
	}
	return data
}

// response waits for the response to a request.
func (k *Keeper) response(ctx context.Context, id int64, changed <-chan struct{}) (*node.Request, error) {
	for {
		row, err := resource.Lookup(ctx, k.o.DB, node.Requests.Name, id)
		if err == nil && row != nil && row.Done {
			return row, nil
		}
		if err == nil && row == nil {
			err = fault.New(fault.Busy, "another node of the portal did not respond in time; try again")
		}
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fault.New(fault.Busy, "no node of the portal does this work at the moment; try again")
		}
	}
}

func (k *Keeper) remove(ctx context.Context, id int64) error {
	return k.o.DB.Write(ctx, func(tx resource.Tx) error {
		return resource.DeleteAll(ctx, tx, node.Requests.Name, resource.Where{Field: "id", Op: "=", Value: id})
	})
}

// respond handles the requests of other nodes for a work, until ctx ends.
func (k *Keeper) respond(ctx context.Context, work string) {
	changed, stop := k.o.DB.Watch(string(node.Requests.Name))
	defer stop()
	slots, known := make(chan struct{}, mostAtOnce), map[int64]time.Time{} // when they were first seen
	for {
		rows, err := resource.Find(ctx, k.o.DB, node.Requests.Name,
			resource.Where{Field: "work", Op: "=", Value: work})
		if err != nil && ctx.Err() == nil {
			k.o.Log.WarnContext(ctx, "requests of other nodes cannot be read", "err", err)
		}
		before := known
		known = make(map[int64]time.Time, len(rows))
		for i := range rows {
			r := &rows[i]
			first, old := before[r.ID]
			if !old {
				first = time.Now()
			}
			known[r.ID] = first
			do := func() { k.handle(ctx, r) }
			if time.Since(first) > abandoned {
				do = func() { k.forgetRequest(ctx, r.ID) }
			} else if old || r.Done {
				continue
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			k.doing.Go("request of another node", func() { defer func() { <-slots }(); do() })
		}
		select {
		case <-changed:
		case <-time.After(k.o.Lost): // the database was away, or a request is abandoned
		case <-ctx.Done():
			return
		}
	}
}

// handle responds to one request, whose writes are fenced by ctx.
func (k *Keeper) handle(ctx context.Context, r *node.Request) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	response, err := k.o.Respond(limited, r.Name, json.RawMessage(r.In))
	if errors.Is(err, ErrLost) {
		return // the next node handles it
	}
	if err := k.store(ctx, r.ID, response, err); err != nil && ctx.Err() == nil && !errors.Is(err, ErrLost) {
		k.o.Log.WarnContext(ctx, "a request of another node has no response", "request", r.Name, "err", err)
	}
}

// forgetRequest deletes the request of a node that did not come for the response.
func (k *Keeper) forgetRequest(ctx context.Context, id int64) {
	if err := k.remove(resource.WithCall(ctx, nil), id); err != nil && ctx.Err() == nil {
		k.o.Log.WarnContext(ctx, "an abandoned request between nodes could not be deleted", "err", err)
	}
}

func (k *Keeper) store(ctx context.Context, id int64, response any, failed error) error {
	why := ""
	if failed != nil {
		is := *fault.Of(failed)
		if is.Kind == fault.Internal {
			k.o.Log.ErrorContext(ctx, "a request of another node failed", "err", failed)
		}
		is.Err = nil
		why = string(raw(is))
	}
	return k.o.DB.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		row, err := resource.Lookup(ctx, tx, node.Requests.Name, id)
		if err != nil || row == nil {
			return err // nobody waits any more
		}
		row.Done, row.Response, row.Fault = true, string(raw(response)), why
		return resource.Put(ctx, tx, node.Requests.Name, row)
	})
}
