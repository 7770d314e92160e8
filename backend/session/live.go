package session

import (
	"context"
	"sync/atomic"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// live is an active session. Times are relative to the start of the service.
type live struct {
	userID     int64
	csrf       string
	mark       digest // mark of the user when the session began
	began      time.Duration
	used       atomic.Int64 // time.Duration
	persistent atomic.Bool
	todo       steps
	renewed    time.Duration // when the credential was renewed; used by watch only
	done       chan struct{}
}

// perUser limits the sessions of one user; the one that has been idle for longest
// is ended.
const perUser = 500

// errNoSession returns the error of ByCookie for a cookie without an active
// session.
func errNoSession() error {
	return fault.New(fault.NoLogin, "you are not signed in, or the session has ended")
}

// ByCookie returns the session of a cookie, and resets its idle time. It returns
// fault.NoLogin for a missing, unknown or ended one.
func (s *Service) ByCookie(ctx context.Context, secret string) (*Session, error) {
	key := digestOf(secret)
	l, err := s.find(ctx, key)
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, errNoSession()
	}
	now := s.now()
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	if !s.lasts(l, everyone, now) {
		s.end(key)
		s.remove(ctx, withKey(key))
		return nil, errNoSession()
	}
	l.used.Store(int64(now))
	access, err := s.Access(ctx, l.userID)
	if err != nil {
		return nil, err
	}
	return &Session{Secret: secret, CSRF: l.csrf, Persistent: l.persistent.Load(), Access: access,
		Must: l.todo.next(everyone.byID[l.userID]), done: l.done}, nil
}

// stateOf returns whether the session of a cookie has no time limits, and the steps that
// it requires.
func (s *Service) stateOf(secret string) (persistent bool, todo steps) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if l := s.live[digestOf(secret)]; l != nil {
		return l.persistent.Load(), l.todo
	}
	return false, steps{}
}

// lasts reports whether the session is still valid: neither a time limit nor a
// change of its user has ended it.
func (s *Service) lasts(l *live, everyone *directory, now time.Duration) bool {
	who := everyone.byID[l.userID]
	if who == nil || !who.maySignIn() || who.mark != l.mark {
		return false
	}
	return l.persistent.Load() || now-time.Duration(l.used.Load()) < s.o.Idle && now-l.began < s.o.Longest
}

// open begins a session for the current state of who.
func (s *Service) open(ctx context.Context, who *person, persistent bool, todo steps) (*Session, error) {
	access, err := s.Access(ctx, who.row.ID)
	if err != nil {
		return nil, err
	}
	now, secret := s.now(), newSecret()
	l := &live{userID: who.row.ID, csrf: newSecret(), mark: who.mark, began: now, renewed: now,
		todo: todo, done: make(chan struct{})}
	l.used.Store(int64(now))
	l.persistent.Store(persistent)
	if err := s.store(ctx, digestOf(secret), l); err != nil {
		return nil, err
	}

	ended, err := s.add(digestOf(secret), l)
	if err != nil {
		return nil, err
	}
	for _, key := range ended {
		s.remove(ctx, withKey(key))
	}
	return &Session{Secret: secret, CSRF: l.csrf, Persistent: persistent, Access: access,
		Must: todo.next(who), done: l.done}, nil
}

// add adds a session in memory, and returns the keys of those that ended to make room.
func (s *Service) add(key digest, l *live) (ended []digest, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fault.New(fault.Offline, "the portal is stopping")
	}
	ended = s.makeRoom(l.userID)
	s.live[key] = l
	return ended, nil
}

// makeRoom ends the session that has been idle for longest if a user has too
// many, and returns its key. The caller holds s.mu.
func (s *Service) makeRoom(userID int64) []digest {
	var stalest digest
	var oldest *live
	count := 0
	for key, l := range s.live {
		if l.userID != userID {
			continue
		}
		count++
		if !l.persistent.Load() && (oldest == nil || l.used.Load() < oldest.used.Load()) {
			stalest, oldest = key, l
		}
	}
	if count < perUser || oldest == nil {
		return nil
	}
	delete(s.live, stalest)
	close(oldest.done)
	return []digest{stalest}
}

// end ends one session in memory and returns it; nil if there is none.
func (s *Service) end(key digest) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.live[key]
	if l != nil {
		delete(s.live, key)
		close(l.done)
	}
	return l
}

// SignOut ends the session. In a desktop window it also deletes the credential
// with which the next start would sign in again.
func (s *Service) SignOut(ctx context.Context, secret string) error {
	key := digestOf(secret)
	if _, err := s.find(ctx, key); err != nil {
		return err
	}
	l := s.end(key)
	if l == nil {
		return nil
	}
	s.remove(ctx, withKey(key))
	s.noteEnd(ctx, l.userID)
	if l.persistent.Load() {
		return s.dropCredentials(ctx, l.userID)
	}
	return nil
}

// EndUser ends all sessions, launch tokens and desktop credentials of a user.
func (s *Service) EndUser(ctx context.Context, userID int64) error {
	s.mu.Lock()
	for key, l := range s.live {
		if l.userID == userID {
			delete(s.live, key)
			close(l.done)
		}
	}
	for key, l := range s.launches {
		if l.userID == userID {
			delete(s.launches, key)
		}
	}
	s.mu.Unlock()
	s.remove(ctx, resource.Where{Field: "userId", Op: "=", Value: userID})
	return s.dropCredentials(ctx, userID)
}

// Persist removes the time limits of a session of the desktop window, after a
// user signed in there with a password.
func (s *Service) Persist(secret string) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l := s.live[digestOf(secret)]
	if l == nil {
		return errNoSession()
	}
	l.persistent.Store(true)
	return nil
}

// watch ends expired sessions even if they send no requests, so that their event
// streams end too. It renews the credentials of open desktop windows.
func (s *Service) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.sweep(ctx); err != nil {
			s.log.WarnContext(ctx, "sessions could not be checked", "err", err)
		}
	}
}

func (s *Service) sweep(ctx context.Context) error {
	if err := s.sweepStored(ctx); err != nil {
		return err
	}
	everyone, err := s.everyone(ctx)
	if err != nil {
		return err
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, l := range s.live {
		switch {
		case !s.lasts(l, everyone, now):
			delete(s.live, key)
			close(l.done)
		case l.persistent.Load() && now-l.renewed >= renewEvery:
			l.renewed = now
			s.record.renew(l.userID)
		}
	}
	for key, l := range s.launches {
		if now-l.made >= launchLasts {
			delete(s.launches, key)
		}
	}
	return nil
}
