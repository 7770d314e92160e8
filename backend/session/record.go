package session

import (
	"context"
	"sync"
	"time"

	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// recorder collects changes that need not be written immediately.
type recorder struct {
	mu       sync.Mutex
	noted    map[int64]time.Duration   // when a token's use was last recorded
	uses     map[int64]tokenUse        // pending writes, by token
	renewals map[int64]bool            // users whose credential is in use
	touched  map[int64]resource.Millis // SignedIns in use
	wake     chan struct{}
}

type tokenUse struct {
	at     resource.Seconds
	remote string
}

// useEvery limits how often the use of one token is written.
const useEvery = time.Minute

func newRecorder() recorder {
	return recorder{
		noted: map[int64]time.Duration{}, uses: map[int64]tokenUse{}, renewals: map[int64]bool{},
		touched: map[int64]resource.Millis{}, wake: make(chan struct{}, 1),
	}
}

func (r *recorder) use(tokenID int64, now time.Duration, use tokenUse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.noted[tokenID]; ok && now-last < useEvery {
		return
	}
	r.noted[tokenID], r.uses[tokenID] = now, use
	r.nudge()
}

func (r *recorder) renew(userID int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.renewals[userID] = true
	r.nudge()
}

func (r *recorder) touch(session int64, now resource.Millis) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touched[session] = now
	r.nudge()
}

// takeTouched returns the sessions in use and clears them.
func (r *recorder) takeTouched() map[int64]resource.Millis {
	r.mu.Lock()
	defer r.mu.Unlock()
	touched := r.touched
	r.touched = map[int64]resource.Millis{}
	return touched
}

func (r *recorder) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// take returns the pending writes and clears them.
func (r *recorder) take(now time.Duration) (uses map[int64]tokenUse, renewals map[int64]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	uses, renewals = r.uses, r.renewals
	r.uses, r.renewals = map[int64]tokenUse{}, map[int64]bool{}
	for id, last := range r.noted {
		if now-last >= useEvery {
			delete(r.noted, id)
		}
	}
	return uses, renewals
}

// recordUse writes the collected changes until ctx ends, and then once more.
func (s *Service) recordUse(ctx context.Context) {
	for {
		select {
		case <-s.record.wake:
			s.flush(context.WithoutCancel(ctx))
		case <-ctx.Done():
			s.flush(context.WithoutCancel(ctx))
			return
		}
	}
}

// flush writes the collected changes. It drops those that cannot be written,
// because the next use records them again.
func (s *Service) flush(ctx context.Context) {
	uses, renewals := s.record.take(s.now())
	touched := s.record.takeTouched()
	if len(uses)+len(renewals)+len(touched) == 0 {
		return
	}
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		for id, at := range touched {
			if err := noteTouch(ctx, tx, id, at); err != nil {
				return err
			}
		}
		for id, use := range uses {
			if err := noteUse(ctx, tx, id, use); err != nil {
				return err
			}
		}
		for userID := range renewals {
			if err := renewCredentials(ctx, tx, userID, resource.SecondsOf(s.clock())); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.log.WarnContext(ctx, "the use of API tokens or sessions could not be recorded", "err", err)
	}
}

func noteTouch(ctx context.Context, tx resource.Tx, id int64, at resource.Millis) error {
	row, err := resource.Lookup(ctx, tx, signedInRows, id)
	if err != nil || row == nil || row.UsedOn >= at { // ended, or used at another node since
		return err
	}
	row.UsedOn = at
	return resource.Put(ctx, tx, signedInRows, row)
}

func noteUse(ctx context.Context, tx resource.Tx, tokenID int64, use tokenUse) error {
	token, err := resource.Lookup(ctx, tx, people.Tokens.Name, tokenID)
	if err != nil || token == nil { // deleted meanwhile
		return err
	}
	token.LastUsedOn, token.LastAuthIP = use.at, use.remote
	return resource.Put(ctx, tx, people.Tokens.Name, token)
}
