package workspace

import (
	"context"
	"encoding/json"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Quota is the default limit for the bytes of a user's history, with responses,
// where many people share a portal and its disk.
const Quota = 1 << 30

// size is the size of a user's history.
type size struct {
	rows  int64 // rows that are not pinned
	bytes int64 // bytes of all rows; not counted without a quota
}

// rowBytes is the approximate size of a request without its texts.
const rowBytes = 512

// stored returns the bytes that a request and its response need in the workspace.
func stored(h *History, r *Reply) int64 {
	d := &h.Draft
	n := rowBytes + len(h.Path) + len(h.URL) + len(h.Error) + len(d.Path) + len(d.Template) + len(d.Body)
	for _, rows := range []Rows{d.PathParams, d.Query, d.Headers} {
		for _, row := range rows {
			n += len(row.Key) + len(row.Value) + len(row.Doc)
		}
	}
	if r != nil {
		n += len(r.Zipped)
		for _, header := range r.Headers {
			n += len(header[0]) + len(header[1])
		}
	}
	return int64(n)
}

// prune deletes the oldest requests that exceed a limit after the newest was
// written; it keeps the newest and all pinned ones. It counts the rows once and
// then caches the count, so that a request takes the same time however long the
// history is.
func (w *Workspace) prune(ctx context.Context, tx resource.Tx, newest *History) error {
	userID := newest.UserID
	w.mu.Lock()
	have, known := w.past[userID]
	w.mu.Unlock()
	have.rows++
	have.bytes += newest.Stored
	if !known || w.shared { // other processes change it, too
		var err error
		if have, err = w.measure(ctx, tx, userID); err != nil {
			return err
		}
	}
	kept, err := w.limit(ctx, tx, userID)
	if err != nil {
		return err
	}
	for left := int64(mostPruned); left > 0; {
		most := min(left, max(have.rows-kept, 0))
		if w.quota > 0 && have.bytes > w.quota {
			most = min(left, max(most, prunedAtOnce))
		}
		if most == 0 {
			break
		}
		old, err := resource.Find(ctx, tx, historyRows, mine(userID),
			resource.Where{Field: "pinned", Op: "=", Value: false},
			resource.Where{Field: "id", Op: "<", Value: newest.ID}, resource.Limit(most))
		if err != nil {
			return err
		}
		for _, h := range old {
			if have.rows <= kept && (w.quota == 0 || have.bytes <= w.quota) {
				break
			}
			if err := forgetOne(ctx, tx, h.ID); err != nil {
				return err
			}
			have.rows--
			have.bytes -= h.Stored
		}
		if left -= most; int64(len(old)) < most {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.past[userID] = have // the next transaction starts with it: only one runs at a time
	return nil
}

// pastOf returns a function that restores the cached size of the user's history,
// for a transaction that runs again and must not count twice.
func (w *Workspace) pastOf(userID int64) (putBack func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	have, known := w.past[userID]
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.past[userID] = have; !known {
			delete(w.past, userID)
		}
	}
}

// mostPruned limits the requests deleted at once after a user lowers the limit.
// prunedAtOnce is the number of rows read at a time.
const (
	mostPruned   = 500
	prunedAtOnce = 20
)

func forgetOne(ctx context.Context, tx resource.Tx, id int64) error {
	if err := words.Delete(ctx, tx, id); err != nil {
		return err
	}
	if err := deleteWays(ctx, tx, id); err != nil {
		return err
	}
	if err := resource.Delete(ctx, tx, historyRows, id); err != nil {
		return err
	}
	return resource.DeleteAll(ctx, tx, replyRows, resource.Where{Field: "id", Op: "=", Value: id})
}

// limit returns the user's limit of requests: Options.Kept, or the setting
// historyKept.
func (w *Workspace) limit(ctx context.Context, from resource.Reader, userID int64) (int64, error) {
	row, err := w.settingsOf(ctx, from, userID)
	if err != nil {
		return 0, err
	}
	if n, err := strconv.ParseInt(string(row.Values[keptSetting]), 10, 64); err == nil && LeastKept <= n &&
		n <= MostKept {
		return n, nil
	}
	return w.kept, nil
}

// measure counts the user's rows that are not pinned, and the bytes of all rows.
func (w *Workspace) measure(ctx context.Context, tx resource.Tx, userID int64) (s size, err error) {
	counts, err := tx.CountBy(ctx, string(historyRows), "userId")
	if err != nil {
		return s, err
	}
	pinned, err := resource.Find(ctx, tx, historyRows, mine(userID),
		resource.Where{Field: "pinned", Op: "=", Value: true})
	if err != nil {
		return s, err
	}
	s.rows = counts[userID] - int64(len(pinned))
	if w.quota > 0 {
		s.bytes, err = w.history.Sum(ctx, tx, "stored", mine(userID))
	}
	return s, err
}

// pinning refuses to pin more than half of the quota, because pinned requests are
// never deleted.
func (w *Workspace) pinning(change handle) handle {
	return func(ctx context.Context, c *resource.Call) (any, error) {
		var body struct{ Pinned bool }
		if err := json.Unmarshal(c.Body, &body); w.quota == 0 || err == nil && !body.Pinned {
			return change(ctx, c)
		}
		err := w.db.Write(ctx, func(tx resource.Tx) error {
			pinned, err := w.history.Sum(ctx, tx, "stored", mine(c.Access.UserID),
				resource.Where{Field: "pinned", Op: "=", Value: true})
			if err != nil || pinned < w.quota/2 {
				return err
			}
			return fault.At("pinned", "your pinned requests already take %d MB, half of your quota; unpin "+
				"some first", pinned>>20)
		})
		if err != nil {
			return nil, err
		}
		return change(ctx, c)
	}
}
