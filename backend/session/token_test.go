package session

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

const badToken = "no_login: the API token is not valid"

// signed returns an LMv1 header for the time of a new fixture, plus skew.
func signed(key, method, path, body string, skew time.Duration) string {
	millis := strconv.FormatInt(time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC).Add(skew).UnixMilli(), 10)
	return "LMv1 id:" + sign([]byte(key), method, millis, []byte(body), path) + ":" + millis
}

func TestTokenIsReadFromItsHeader(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	put(t, h, people.Tokens.Name, &people.Token{AdminID: id, AccessID: "id", BearerHash: bearerHash("b3arer"),
		SealedKey: h.db.Seal(people.AccessKeyPlace("id"), []byte("kkkkkkkk")), Status: people.TokenActive})
	put(t, h, people.Tokens.Name, &people.Token{AdminID: id, AccessID: "off", BearerHash: bearerHash("suspended"),
		SealedKey: h.db.Seal(people.AccessKeyPlace("off"), []byte("kkkkkkkk")), Status: people.TokenSuspended})
	const (
		path, body = "/device/devices", `{"name":"web-01"}`
		// Computed with Python's hmac, hashlib and base64.
		known = "LMv1 id:M2U0YTZiN2RlN2Y5MzY1NmU2NzE3YTE1OGVmNWI5OTllMmE0YTg1NzAxZTMwMmJkNWYyYjAxZGVlYjZmZWU1YQ==" +
			":1769853600000"
		scheme = "no_login: Authorization must be Bearer <token> or LMv1 <accessId>:<signature>:<epochMillis>"
		shape  = "no_login: LMv1 takes <accessId>:<signature>:<epochMillis>"
		late   = "no_login: the time of the LMv1 signature must be epoch milliseconds within 30 minutes of this " +
			"portal's clock"
	)
	post := TokenRequest{Method: "POST", Path: path, DecodedPath: path, Body: []byte(body)}
	get := TokenRequest{Method: "GET", Path: "/device/groups/a%20b", DecodedPath: "/device/groups/a b"}
	with := func(r TokenRequest, body string) TokenRequest {
		r.Body = []byte(body)
		return r
	}
	for _, tt := range []struct {
		what, header string
		r            TokenRequest
		err          string
	}{
		{"a bearer token", "Bearer b3arer", post, ""},
		{"a bearer token, scheme in other letters", "bearer b3arer", post, ""},
		{"another bearer token", "Bearer b3areR", post, badToken},
		{"no bearer token", "Bearer ", post, badToken},
		{"the hash for the token", "Bearer " + bearerHash("b3arer"), post, badToken},
		{"a suspended bearer token", "Bearer suspended", post, badToken},

		{"a signature made elsewhere", known, post, ""},
		{"its body changed", known, with(post, `{"name":"web-02"}`), badToken},
		{"its method changed", known, TokenRequest{Method: "PUT", Path: path, DecodedPath: path, Body: []byte(body)},
			badToken},
		{"its path changed", known, TokenRequest{Method: "POST", Path: path + "/1", DecodedPath: path + "/1",
			Body: []byte(body)}, badToken},
		{"its access id changed", strings.Replace(known, "id:", "ix:", 1), post, badToken},
		{"its time changed", strings.Replace(known, "1769853600000", "1769853600001", 1), post, badToken},
		{"no signature", "LMv1 id::1769853600000", post, badToken},
		{"another key", signed("kkkkkkkx", "POST", path, body, 0), post, badToken},
		{"a suspended token", strings.Replace(known, "id:", "off:", 1), post, badToken},

		{"the path as sent", signed("kkkkkkkk", "GET", get.Path, "", 0), get, ""},
		{"the path decoded", signed("kkkkkkkk", "GET", get.DecodedPath, "", 0), get, ""},
		{"a GET that has a body but signs none", signed("kkkkkkkk", "GET", get.Path, "", 0), with(get, body), ""},
		{"a GET that signs its body", signed("kkkkkkkk", "GET", get.DecodedPath, body, 0), with(get, body), ""},
		{"a POST that has a body but signs none", signed("kkkkkkkk", "POST", path, "", 0), post, badToken},

		{"29 minutes behind", signed("kkkkkkkk", "POST", path, body, -29*time.Minute), post, ""},
		{"29 minutes ahead", signed("kkkkkkkk", "POST", path, body, 29*time.Minute), post, ""},
		{"31 minutes behind", signed("kkkkkkkk", "POST", path, body, -31*time.Minute), post, late},
		{"31 minutes ahead", signed("kkkkkkkk", "POST", path, body, 31*time.Minute), post, late},
		{"the largest time", "LMv1 id:x:9223372036854775807", post, late},
		{"the smallest time", "LMv1 id:x:-9223372036854775808", post, late},
		{"no time", "LMv1 id:x:now", post, late},
		{"no parts", "LMv1 ", post, shape},
		{"too many parts", known + ":1", post, shape},

		{"nothing", "", post, scheme},
		{"another scheme", "Basic am86cGFzcw==", post, scheme},
	} {
		t.Run(tt.what, func(t *testing.T) {
			access, err := h.ByToken(t.Context(), tt.header, tt.r)
			if says(err) != tt.err {
				t.Fatalf("got %q, want %q", says(err), tt.err)
			}
			if err == nil && (access.UserID != id || access.Role != "readonly") {
				t.Errorf("it acts as %+v", access)
			}
		})
	}
}

func TestTokenHasThePermissionsOfItsUserAndEndsWithThem(t *testing.T) {
	for _, tt := range []struct {
		what string
		do   func(h *fixture, user, token int64)
		err  string
		role string
	}{
		{"nothing happens", func(*fixture, int64, int64) {}, "", "readonly"},
		{"the user gets another role", func(h *fixture, user, _ int64) {
			change(t, h, people.Users.Name, user, func(u *people.User) { u.Roles = []people.RoleRef{{ID: 3}} })
		}, "", "ackonly"},
		{"the user becomes one for programs only", func(h *fixture, user, _ int64) {
			change(t, h, people.Users.Name, user, func(u *people.User) { u.APIOnly = true })
		}, "", "readonly"},
		{"the user is suspended", func(h *fixture, user, _ int64) {
			change(t, h, people.Users.Name, user, func(u *people.User) { u.Status = "suspended" })
		}, badToken, ""},
		{"the user is deleted", func(h *fixture, user, _ int64) { remove(t, h, people.Users.Name, user) },
			badToken, ""},
		{"the token is suspended", func(h *fixture, _, token int64) {
			change(t, h, people.Tokens.Name, token, func(t *people.Token) { t.Status = people.TokenSuspended })
		}, badToken, ""},
		{"the token is deleted", func(h *fixture, _, token int64) { remove(t, h, people.Tokens.Name, token) },
			badToken, ""},
	} {
		t.Run(tt.what, func(t *testing.T) {
			h := newFixture(t)
			user := h.user(t, "jo", 4)
			made, err := h.CreateToken(t.Context(), user, "", "test")
			must(t, err)
			if _, err := h.ByToken(t.Context(), "Bearer "+made.Bearer, TokenRequest{}); err != nil {
				t.Fatal(err)
			}
			tt.do(h, user, made.row.ID)
			access, err := h.ByToken(t.Context(), "Bearer "+made.Bearer, TokenRequest{})
			if says(err) != tt.err || err == nil && access.Role != tt.role {
				t.Errorf("got %v and %q, want %q", access, says(err), tt.err)
			}
		})
	}
}

func TestCreatedTokenWorksAsBearerAndSignature(t *testing.T) {
	h := newFixture(t)
	user := h.user(t, "jo", 4)
	made, err := h.CreateToken(t.Context(), user, "nightly", "cli")
	must(t, err)
	row, err := resource.Get(t.Context(), h.db, people.Tokens.Name, made.row.ID)
	must(t, err)
	want := people.Token{
		ID: 1, AdminID: user, AdminName: "jo", AccessID: made.AccessID, BearerHash: bearerHash(made.Bearer),
		SealedKey: row.SealedKey,
		Note:      "nightly", Status: people.TokenActive, CreatedBy: "cli",
		CreatedOn: resource.SecondsOf(h.clock.Now()),
	}
	if *row != want || len(made.AccessID) != 20 || len(made.AccessKey) != 48 || len(made.Bearer) != 43 {
		t.Errorf("the row is %+v, want %+v", *row, want)
	}
	for _, header := range []string{"Bearer " + made.Bearer, strings.Replace(signed(made.AccessKey, "GET", "/x", "", 0),
		"id:", made.AccessID+":", 1)} {
		if _,
			err := h.ByToken(t.Context(), header,
			TokenRequest{Method: "GET", Path: "/x", DecodedPath: "/x"}); err != nil {
			t.Errorf("%s: %v", header, err)
		}
	}
	if _, err := h.CreateToken(t.Context(), 99, "", ""); says(err) != "unknown: there is no user 99" {
		t.Errorf("for nobody: %v", err)
	}
}

func TestTokenUseIsRecordedAtMostOnceAMinute(t *testing.T) {
	h := newFixture(t)
	made, err := h.CreateToken(t.Context(), h.user(t, "jo", 4), "", "")
	must(t, err)
	use := func(remote string) resource.Seconds {
		t.Helper()
		_, err := h.ByToken(t.Context(), "Bearer "+made.Bearer, TokenRequest{Remote: remote})
		must(t, err)
		return resource.SecondsOf(h.clock.Now())
	}
	row := func() *people.Token {
		t.Helper()
		row, err := resource.Get(t.Context(), h.db, people.Tokens.Name, made.row.ID)
		must(t, err)
		return row
	}
	first := use("192.0.2.1")
	eventually(t, "the first use is recorded", func() bool {
		r := row()
		return r.LastUsedOn == first &&
			r.LastAuthIP == "192.0.2.1"
	})
	h.clock.Pass(59 * time.Second)
	use("192.0.2.2")
	h.clock.Pass(time.Second)
	last := use("192.0.2.3")
	eventually(t, "the use a minute later is recorded", func() bool { return row().LastUsedOn != first })
	if r := row(); r.LastUsedOn != last || r.LastAuthIP != "192.0.2.3" {
		t.Errorf("recorded %d from %s, want %d", r.LastUsedOn, r.LastAuthIP, last)
	}
}

func TestPendingTokenUseIsWrittenAtClose(t *testing.T) {
	h := newFixture(t)
	made, err := h.CreateToken(t.Context(), h.user(t, "jo", 4), "", "")
	must(t, err)
	_, err = h.ByToken(t.Context(), "Bearer "+made.Bearer, TokenRequest{Remote: "192.0.2.1"})
	must(t, err)
	must(t, h.Stop(t.Context()))
	row, err := resource.Get(t.Context(), h.db, people.Tokens.Name, made.row.ID)
	must(t, err)
	if row.LastAuthIP != "192.0.2.1" {
		t.Errorf("recorded %q", row.LastAuthIP)
	}
}

func TestTokenExpires(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	expires := resource.SecondsOf(h.clock.Now().Add(time.Hour))
	put(t, h, people.Tokens.Name, &people.Token{AdminID: id, AccessID: "id", BearerHash: bearerHash("b3arer"),
		SealedKey: h.db.Seal(people.AccessKeyPlace("id"), []byte("kkkkkkkk")), Status: people.TokenActive,
		ExpiresOn: expires})
	for _, tt := range []struct {
		after time.Duration
		err   string
	}{{0, ""}, {time.Hour - time.Second, ""}, {time.Second, badToken}} {
		h.clock.Pass(tt.after)
		if _, err := h.ByToken(t.Context(), "Bearer b3arer", TokenRequest{}); says(err) != tt.err {
			t.Errorf("after another %s it says %q, want %q", tt.after, says(err), tt.err)
		}
		millis := strconv.FormatInt(h.clock.Now().UnixMilli(), 10)
		if err := h.CheckSigner(t.Context(), "LMv1 id:x:"+millis, ""); says(err) != tt.err {
			t.Errorf("after another %s a signature says %q, want %q", tt.after, says(err), tt.err)
		}
	}
}

func TestTokenIsLimitedToItsRole(t *testing.T) {
	h := newFixture(t)
	admin := h.user(t, "boss", 1)
	viewer := h.user(t, "jo", 4)
	role := people.Role{Name: "less", Privileges: []people.Privilege{{ObjectType: "deviceGroup", ObjectID: "*",
		Operation: "ack"}}}
	put(t, h, people.Roles.Name, &role)
	for bearer, token := range map[string]people.Token{
		"of an admin": {AdminID: admin, RoleID: role.ID}, "of a viewer": {AdminID: viewer, RoleID: role.ID},
		"of a lost role": {AdminID: admin, RoleID: 4711}, "unlimited": {AdminID: admin, RoleID: 1},
	} {
		token.BearerHash, token.AccessID, token.Status = bearerHash(bearer), bearer, people.TokenActive
		put(t, h, people.Tokens.Name, &token)
	}
	ack := resource.Right{Object: resource.DeviceGroup, Op: resource.Ack}
	read := resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
	users := resource.Right{Object: resource.Setting, Area: "useraccess", Op: resource.Read}
	for _, tt := range []struct {
		bearer           string
		ack, read, users bool
	}{
		{"of an admin", true, true, false}, {"of a viewer", false, true, false}, {"unlimited", true, true, true},
	} {
		access, err := h.ByToken(t.Context(), "Bearer "+tt.bearer, TokenRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if access.May(ack) != tt.ack || access.May(read) != tt.read || access.May(users) != tt.users {
			t.Errorf("%s: it may %+v", tt.bearer, access)
		}
	}
	if _, err := h.ByToken(t.Context(), "Bearer of a lost role", TokenRequest{}); says(err) != badToken {
		t.Errorf("without its role the token says %q", says(err))
	}
}

func TestRefreshedAccessKeepsTheLimitsOfItsToken(t *testing.T) {
	h := newFixture(t)
	admin := h.user(t, "boss", 1)
	for bearer, token := range map[string]people.Token{
		"limited": {RoleID: 4}, "temporary": {ExpiresOn: resource.SecondsOf(h.clock.Now().Add(time.Hour))}, "whole": {},
	} {
		token.AdminID, token.AccessID, token.Status = admin, bearer, people.TokenActive
		token.BearerHash = bearerHash(bearer)
		put(t, h, people.Tokens.Name, &token)
		access, err := h.ByToken(t.Context(), "Bearer "+bearer, TokenRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if access.Limited() != (bearer == "limited") || access.Bounded() != (bearer != "whole") {
			t.Errorf("%s: it is %+v", bearer, access)
		}
		manage := resource.Right{Object: resource.Setting, Area: people.Tokens.Area, Op: resource.Modify}
		if access.May(manage) != (bearer == "whole") {
			t.Errorf("%s: it may create tokens: %t", bearer, access.May(manage))
		}
		again, err := h.Renew(t.Context(), access)
		if err != nil || !reflect.DeepEqual(again, access) {
			t.Errorf("%s: it is renewed as %+v, %v", bearer, again, err)
		}
	}
}
