package session

import (
	"context"
	"encoding/hex"
	"time"

	"spyglass/backend/resource"
)

// SignedIn is a session of a portal with several nodes: any of them serves it, and it
// outlasts the node that began it. Times are those of the nodes' clocks.
type SignedIn struct {
	ID         int64
	Key        string // SHA-256 of the cookie, hex
	UserID     int64
	CSRF       string
	Mark       string // mark of the user when the session began, hex
	BeganOn    resource.Millis
	UsedOn     resource.Millis // at most useEvery old
	Persistent bool
	Password   bool // the steps, see steps
	Factor     bool
}

const signedInRows resource.Name[*SignedIn] = "signedIn"

// SignedIns declares the sessions of a portal with several nodes, without endpoints.
var SignedIns = resource.Resource[*SignedIn]{
	Name: signedInRows, Label: "session", Object: resource.Setting, Area: "useraccess",
	Doc: "A session of a signed-in user.",
	Fields: []resource.Field[*SignedIn]{
		{Name: "id", At: func(i *SignedIn) any { return &i.ID }, Doc: "Set by the portal", ReadOnly: true},
		{Name: "key", At: func(i *SignedIn) any { return &i.Key }, Doc: "Digest of the cookie", ReadOnly: true,
			WriteOnly: true},
		{Name: "userId", At: func(i *SignedIn) any { return &i.UserID }, Doc: "Who is signed in", ReadOnly: true,
			Index: true},
		{Name: "csrf", At: func(i *SignedIn) any { return &i.CSRF }, Doc: "Token that a write must send",
			ReadOnly: true, WriteOnly: true},
		{Name: "mark", At: func(i *SignedIn) any { return &i.Mark }, Doc: "Digest of what the user was",
			ReadOnly: true, WriteOnly: true},
		{Name: "beganOn", At: func(i *SignedIn) any { return &i.BeganOn }, Doc: "When it began", ReadOnly: true},
		{Name: "usedOn", At: func(i *SignedIn) any { return &i.UsedOn }, Doc: "When it was last used", ReadOnly: true},
		{Name: "persistent", At: func(i *SignedIn) any { return &i.Persistent }, Doc: "It has no time limits",
			ReadOnly: true},
		{Name: "password", At: func(i *SignedIn) any { return &i.Password }, Doc: "The user must change the password",
			ReadOnly: true},
		{Name: "factor", At: func(i *SignedIn) any { return &i.Factor }, Doc: "The user must set up a second factor",
			ReadOnly: true},
	},
}

// stored returns the sessions of all nodes, by the digest of their cookies; nil if this
// process is the only one.
func (s *Service) stored(ctx context.Context) (map[digest]*SignedIn, error) {
	if !s.o.Shared {
		return nil, nil
	}
	value, err := s.db.Memo("session.stored", []string{string(signedInRows)}, func() (any, error) {
		rows, err := resource.Find(ctx, s.db, signedInRows)
		all := make(map[digest]*SignedIn, len(rows))
		for i := range rows {
			var key digest
			if n, err := hex.Decode(key[:], []byte(rows[i].Key)); err == nil && n == len(key) {
				all[key] = &rows[i]
			}
		}
		return all, err
	})
	if err != nil {
		return nil, err
	}
	return value.(map[digest]*SignedIn), nil
}

// storedNow reads one session from the database; nil if there is none.
func (s *Service) storedNow(ctx context.Context, key digest) (*SignedIn, error) {
	rows, err := resource.Find(ctx, s.db, signedInRows, withKey(key))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// at returns a time of a row on the clock of the service.
func (s *Service) at(on resource.Millis) time.Duration {
	return s.now() - s.clock().Sub(time.UnixMilli(int64(on)))
}

// find returns the session of a cookie, also one that another node began; nil if there is
// none, or another node has ended it.
func (s *Service) find(ctx context.Context, key digest) (*live, error) {
	s.mu.RLock()
	l := s.live[key]
	s.mu.RUnlock()
	all, err := s.stored(ctx)
	if err != nil || !s.o.Shared {
		return l, err
	}
	row := all[key]
	if row == nil { // this node may not have heard yet that another one began it
		if row, err = s.storedNow(ctx, key); err != nil {
			return nil, err
		}
	}
	switch {
	case row == nil && l != nil:
		s.end(key)
		return nil, nil
	case row == nil:
		return nil, nil
	case l == nil:
		l = s.adopt(key, row)
	}
	used := int64(s.at(row.UsedOn))
	for was := l.used.Load(); was < used && !l.used.CompareAndSwap(was, used); was = l.used.Load() {
	}
	if s.now()-time.Duration(used) >= useEvery {
		s.record.touch(row.ID, resource.MillisOf(s.clock()))
	}
	return l, nil
}

// adopt adds a session that another node began.
func (s *Service) adopt(key digest, row *SignedIn) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.live[key]; l != nil || s.closed {
		if l == nil {
			l = &live{done: make(chan struct{})}
		}
		return l
	}
	l := &live{userID: row.UserID, csrf: row.CSRF, began: s.at(row.BeganOn), renewed: s.now(),
		todo: steps{password: row.Password, factor: row.Factor}, done: make(chan struct{})}
	_, _ = hex.Decode(l.mark[:], []byte(row.Mark)) // a wrong mark ends the session
	l.used.Store(int64(s.at(row.UsedOn)))
	l.persistent.Store(row.Persistent)
	s.live[key] = l
	return l
}

// store lets the other nodes serve a session.
func (s *Service) store(ctx context.Context, key digest, l *live) error {
	if !s.o.Shared {
		return nil
	}
	now := resource.MillisOf(s.clock())
	row := &SignedIn{Key: hex.EncodeToString(key[:]), UserID: l.userID, CSRF: l.csrf,
		Mark: hex.EncodeToString(l.mark[:]), BeganOn: now, UsedOn: now, Persistent: l.persistent.Load(),
		Password: l.todo.password, Factor: l.todo.factor}
	return s.db.Write(resource.WithCall(context.WithoutCancel(ctx), nil), func(tx resource.Tx) error {
		row.ID = 0
		return resource.Put(ctx, tx, signedInRows, row)
	})
}

// remove ends sessions on the other nodes.
func (s *Service) remove(ctx context.Context, where ...resource.Where) {
	if !s.o.Shared {
		return
	}
	err := s.db.Write(resource.WithCall(context.WithoutCancel(ctx), nil), func(tx resource.Tx) error {
		return resource.DeleteAll(ctx, tx, signedInRows, where...)
	})
	if err != nil {
		s.log.WarnContext(ctx, "a session could not be ended on the other nodes", "err", err)
	}
}

func withKey(key digest) resource.Where {
	return resource.Where{Field: "key", Op: "=", Value: hex.EncodeToString(key[:])}
}

// sweepStored ends the sessions here that other nodes have ended, and those everywhere that
// no node uses any more.
func (s *Service) sweepStored(ctx context.Context) error {
	all, err := s.stored(ctx)
	if err != nil || !s.o.Shared {
		return err
	}
	s.mu.RLock()
	var gone []digest
	for key := range s.live {
		if all[key] == nil {
			gone = append(gone, key)
		}
	}
	var idle []int64
	for key, row := range all {
		if s.live[key] == nil && !row.Persistent &&
			(s.now()-s.at(row.UsedOn) > s.o.Idle+useEvery || s.now()-s.at(row.BeganOn) > s.o.Longest) {
			idle = append(idle, row.ID)
		}
	}
	s.mu.RUnlock()
	for _, key := range gone {
		s.end(key)
	}
	if len(idle) > 0 {
		s.remove(ctx, resource.Where{Field: "id", Op: "in", Value: idle})
	}
	return nil
}
