package session

import (
	"context"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/storetest"
)

// lateNode is the database of a node that has not heard of the sessions of others.
type lateNode struct{ resource.SecretDB }

func (l lateNode) Memo(key string, names []string, build func() (any, error)) (any, error) {
	if key == "session.stored" {
		return map[digest]*SignedIn{}, nil
	}
	return l.SecretDB.Memo(key, names, build)
}

func TestSessionIsValidAtANodeThatHasNotHeardOfIt(t *testing.T) {
	h := newFixture(t)
	storetest.Add(t, h.db, &SignedIns)
	storetest.Add(t, h.db, &Failures)
	node := func(db resource.SecretDB) *Service {
		s, err := New(db, Options{Instance: "abc", Clock: h.clock.Now, Shared: true})
		must(t, err)
		t.Cleanup(func() { must(t, s.Stop(context.Background())) })
		return s
	}
	one, late := node(h.db), node(lateNode{h.db})
	h.user(t, "jo", 1)
	sess, err := one.SignIn(t.Context(), "jo", password, "192.0.2.7")
	must(t, err)
	for range 2 { // the second finds it among those that the node has adopted
		if _, err := late.ByCookie(t.Context(), sess.Secret); err != nil {
			t.Errorf("the session of another node: %v", err)
		}
	}
	must(t, one.SignOut(t.Context(), sess.Secret))
	if _, err := late.ByCookie(t.Context(), sess.Secret); !fault.Is(err, fault.NoLogin) {
		t.Errorf("the ended session: %v, want fault.NoLogin", err)
	}
}
