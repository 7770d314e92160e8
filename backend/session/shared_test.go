package session

import (
	"context"
	"strconv"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
	"spyglass/backend/store/storetest"
)

// lateNode is the database of a node that has not heard of the sessions and tokens of others.
type lateNode struct{ resource.SecretDB }

func (l lateNode) Memo(key string, names []string, build func() (any, error)) (any, error) {
	switch key {
	case "session.stored":
		return map[digest]*SignedIn{}, nil
	case "session.tokens":
		return new(tokens), nil
	}
	return l.SecretDB.Memo(key, names, build)
}

// twoNodes returns the services of a node and of one that has not heard of its rows.
func twoNodes(t *testing.T) (h *fixture, one, late *Service) {
	h = newFixture(t)
	storetest.Add(t, h.db, &SignedIns)
	storetest.Add(t, h.db, &Failures)
	node := func(db resource.SecretDB) *Service {
		s, err := New(db, Options{Instance: "abc", Clock: h.clock.Now, Shared: true})
		must(t, err)
		t.Cleanup(func() { must(t, s.Stop(context.Background())) })
		return s
	}
	return h, node(h.db), node(lateNode{h.db})
}

func TestSessionIsValidAtANodeThatHasNotHeardOfIt(t *testing.T) {
	h, one, late := twoNodes(t)
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

func TestTokenIsValidAtANodeThatHasNotHeardOfIt(t *testing.T) {
	h, one, late := twoNodes(t)
	token, err := one.CreateToken(t.Context(), h.user(t, "jo", 1), "pipeline", "admin")
	must(t, err)
	r := TokenRequest{Method: "GET", Path: "/device/devices", DecodedPath: "/device/devices"}
	millis := strconv.FormatInt(h.clock.Now().UnixMilli(), 10)
	signature := sign([]byte(token.AccessKey), r.Method, millis, nil, r.Path)
	signed := "LMv1 " + token.AccessID + ":" + signature + ":" + millis
	for _, authorization := range []string{"Bearer " + token.Bearer, signed} {
		if _, err := late.ByToken(t.Context(), authorization, r); err != nil {
			t.Errorf("%s: %v", authorization, err)
		}
	}
	must(t, late.CheckSigner(t.Context(), signed, "192.0.2.7"))
	must(t, h.db.Write(t.Context(), func(tx resource.Tx) error {
		return resource.Delete(t.Context(), tx, people.Tokens.Name, token.row.ID)
	}))
	for _, authorization := range []string{"Bearer " + token.Bearer, signed, "Bearer " + newSecret()} {
		if _, err := late.ByToken(t.Context(), authorization, r); !fault.Is(err, fault.NoLogin) {
			t.Errorf("%s after the token was deleted: %v, want fault.NoLogin", authorization, err)
		}
	}
}
