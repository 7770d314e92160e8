package workspace

import (
	"context"
	"strconv"

	"spyglass/backend/resource"
)

// prune removes what is too much, oldest first. How many rows there are is
// counted once and then kept, so that a request costs the same however long
// the history is.
func (w *Workspace) prune(ctx context.Context, tx resource.Tx, userID int64) error {
	w.mu.Lock()
	have, known := w.rows[userID]
	w.mu.Unlock()
	have++
	if !known {
		var err error
		if have, err = countHistory(ctx, tx, userID); err != nil {
			return err
		}
	}
	kept, err := w.limit(ctx, tx, userID)
	if err != nil {
		return err
	}
	var old []History
	if have > kept {
		old, err = resource.Find(ctx, tx, historyRows, mine(userID), resource.Where{Field: "pinned", Op: "=", Value: false}, resource.Limit(min(have-kept, mostPruned)))
		if err != nil {
			return err
		}
	}
	for _, h := range old {
		if err := words.Delete(ctx, tx, h.ID); err != nil {
			return err
		}
		if err := forgetWays(ctx, tx, h.ID); err != nil {
			return err
		}
		if err := resource.Delete(ctx, tx, historyRows, h.ID); err != nil {
			return err
		}
		if err := resource.DeleteAll(ctx, tx, replyRows, resource.Where{Field: "id", Op: "=", Value: h.ID}); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows[userID] = have - int64(len(old)) // right here: only one transaction runs at a time
	return nil
}

// mostPruned is how many requests go at once where the limit has come down.
const mostPruned = 500

// limit is how many requests the user keeps: Options.Kept, or what the settings
// say under historyKept.
func (w *Workspace) limit(ctx context.Context, from resource.Reader, userID int64) (int64, error) {
	row, err := w.settingsOf(ctx, from, userID)
	if err != nil {
		return 0, err
	}
	if n, err := strconv.ParseInt(string(row.Values[keptSetting]), 10, 64); err == nil && LeastKept <= n && n <= MostKept {
		return n, nil
	}
	return w.kept, nil
}

// countHistory counts the user's rows that are not pinned.
func countHistory(ctx context.Context, tx resource.Tx, userID int64) (int64, error) {
	counts, err := tx.CountBy(ctx, string(historyRows), "userId")
	if err != nil {
		return 0, err
	}
	pinned, err := resource.Find(ctx, tx, historyRows, mine(userID), resource.Where{Field: "pinned", Op: "=", Value: true})
	return counts[userID] - int64(len(pinned)), err
}
