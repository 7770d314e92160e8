package session

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// send calls an endpoint as the guard does, and checks permissions.
func (h *fixture) send(t *testing.T, id string, c resource.Call) (any, error) {
	t.Helper()
	all := h.Endpoints()
	i := slices.IndexFunc(all, func(e resource.Endpoint) bool { return e.ID() == id })
	if i < 0 {
		t.Fatalf("no endpoint %s", id)
	}
	if !c.Access.May(all[i].Right) {
		return nil, fault.New(fault.Denied, "refused by %s", all[i].Right)
	}
	c.At = h.clock.Now()
	return all[i].Handle(t.Context(), &c)
}

func text(t *testing.T, v any) string {
	t.Helper()
	if raw, ok := v.(resource.JSON); ok {
		return string(raw)
	}
	raw, err := json.Marshal(v)
	must(t, err)
	return string(raw)
}

func TestSignInEndpoint(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	good := `{"username":"jo","password":"` + password + `"}`
	for _, tt := range []struct {
		body    string
		lenient bool
		err     string
	}{
		{good, false, ""},
		{`{"username":"jo","password":"` + password + `","x":1}`, true, ""},
		{`{"username":"jo","password":"` + password + `","user":1}`, false, `invalid: a sign-in has no field "user"`},
		{`{"username":"jo","pasword":"x"}`, true, `invalid: password is required`},
		{`{"username":"jo","password":"x","passwort":"x"}`, false, `invalid: a sign-in has no field "passwort"; did ` +
			`you mean password?`},
		{`{"username":"jo","password":"wrong horse"}`, false, `no_login: the user name or the password is wrong`},
		{`{"Username":"jo","password":"x"}`, true, `invalid: username is required`},
		{`{"username":1,"password":"x"}`, true, `invalid: username must be a text in double quotes`},
		{`{"username":"jo","password":null}`, true, `invalid: password must be a text in double quotes`},
		{`[]`, true, `invalid: the body must be a JSON object`},
		{``, true, `invalid: the body is not valid JSON at byte 0: expected a value, but the body ends`},
	} {
		t.Run(tt.body, func(t *testing.T) {
			out, err := h.send(t, "POST /session", resource.Call{Body: []byte(tt.body), Lenient: tt.lenient})
			if says(err) != tt.err {
				t.Fatalf("got %q, want %q", says(err), tt.err)
			}
			if err != nil {
				return
			}
			response := out.(resource.Response)
			sess, err := h.ByCookie(t.Context(), response.SignIn)
			must(t, err)
			if got, want := text(t, response.Body), `{"userId":1,"username":"jo","role":"readonly","csrfToken":"`+
				sess.CSRF+`"}`; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestSignInReplacesTheSessionOfTheCookie(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	old := h.signIn(t, "jo")
	body := []byte(`{"username":"jo","password":"` + password + `"}`)
	if _,
		err := h.send(t, "POST /session",
		resource.Call{Access: old.Access, Session: resource.Session{Cookie: old.Secret}, Body: body}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.ByCookie(t.Context(), old.Secret); says(err) != ended {
		t.Errorf("the old session says %v", err)
	}
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	elsewhere := h.signIn(t, "jo")
	mine, err := h.Redeem(t.Context(), h.Launch(id, true))
	must(t, err)
	call := resource.Call{Access: mine.Access, Session: resource.Session{Cookie: mine.Secret, CSRF: mine.CSRF},
		Remote: "192.0.2.7"}
	for _, tt := range []struct{ body, err string }{
		{`{"password":"wrong horse","newPassword":"another horse"}`,
			"invalid: password: the current password is wrong"},
		{`{"password":"` + password + `","newPassword":"short"}`,
			"invalid: newPassword: a password must have 8 to 512 " +
				"characters"},
		{`{"password":"` + password + `","newPassword":"` + password + `"}`, "invalid: newPassword: the new " +
			"password must differ from the current one"},
		{`{"password":"` + password + `"}`, "invalid: newPassword: newPassword is required"},
		{`{"password":"x","newPassword":"y","again":"y"}`, `invalid: again: a change of the password has no field ` +
			`"again"`},
	} {
		call.Body = []byte(tt.body)
		_, err := h.send(t, "PUT /session/password", call)
		if at := (*fault.Error)(nil); !errors.As(err, &at) || string(at.Kind)+": "+at.Field+": "+at.Message != tt.err {
			t.Errorf("%s: got %v, want %s", tt.body, err, tt.err)
		}
	}
	if _, err := h.ByCookie(t.Context(), elsewhere.Secret); err != nil {
		t.Errorf("a change that was refused ended a session: %v", err)
	}
	call.Body = []byte(`{"password":"` + password + `","newPassword":"another horse"}`)
	if _, err := h.send(t, "PUT /session/password", resource.Call{Access: mine.Access, Body: call.Body}); says(
		err) != "invalid: an API token has no password; sign in to change yours" {
		t.Errorf("with a token: %v", err)
	}
	out, err := h.send(t, "PUT /session/password", call)
	must(t, err)
	for _, gone := range []*Session{mine, elsewhere} {
		if _, err := h.ByCookie(t.Context(), gone.Secret); says(err) != ended {
			t.Errorf("a session of before says %v", err)
		}
	}
	now, err := h.ByCookie(t.Context(), out.(resource.Response).SignIn)
	if err != nil || !now.Persistent || now.Access.User != "jo" {
		t.Errorf("the new session is %+v, %v", now, err)
	}
	if _, err := h.SignIn(t.Context(), "jo", "another horse", "192.0.2.7"); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if _, err := h.SignIn(t.Context(), "jo", password, "192.0.2.7"); !fault.Is(err, fault.NoLogin) {
		t.Errorf("the password of before: %v", err)
	}
}

func TestCurrentUserAndSignOut(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	sess := h.signIn(t, "jo")
	session := resource.Session{Cookie: sess.Secret, CSRF: sess.CSRF}
	for _, tt := range []struct {
		what string
		call resource.Call
		want string
	}{
		{"with a session", resource.Call{Access: sess.Access, Session: session},
			`{"userId":1,"username":"jo","role":"readonly","csrfToken":"` + sess.CSRF + `"}`},
		{"with a token", resource.Call{Access: sess.Access}, `{"userId":1,"username":"jo","role":"readonly",` +
			`"csrfToken":""}`},
	} {
		out, err := h.send(t, "GET /session", tt.call)
		must(t, err)
		if got := text(t, out); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.what, got, tt.want)
		}
	}
	for _, id := range []string{"GET /session", "DELETE /session"} {
		if _, err := h.send(t, id, resource.Call{}); !fault.Is(err, fault.Denied) {
			t.Errorf("%s by no user: %v", id, err)
		}
	}
	if _, err := h.send(t, "DELETE /session", resource.Call{Access: sess.Access}); says(
		err) != "invalid: an API token has no session to end; delete the token instead" {
		t.Errorf("signing out a token: %v", err)
	}
	out, err := h.send(t, "DELETE /session", resource.Call{Access: sess.Access, Session: session})
	if response, ok := out.(resource.Response); err != nil || !ok || !response.SignOut {
		t.Errorf("signing out: %v, %v", out, err)
	}
	if _, err := h.ByCookie(t.Context(), sess.Secret); says(err) != ended {
		t.Errorf("afterwards: %v", err)
	}
}

func TestCreateTokenEndpoint(t *testing.T) {
	h := newFixture(t)
	put(t, h, people.Roles.Name, &people.Role{Name: "registrar", Privileges: []people.Privilege{
		{ObjectType: "setting", ObjectID: "useraccess", Operation: "write"},
		{ObjectType: "deviceGroup", ObjectID: "*", Operation: "read"},
		{ObjectType: "report", ObjectID: "*", Operation: "read"},
		{ObjectType: "setting", ObjectID: "datasources", Operation: "read"},
		{ObjectType: "setting", ObjectID: "opsnotes", Operation: "read"}}})
	h.user(t, "boss", ground.Administrator)
	h.user(t, "registrar", 5)
	h.user(t, "viewer", 4)
	secrets := regexp.MustCompile(`"(accessId|accessKey|bearer)":"[^"]+"`)
	for _, tt := range []struct{ by, of, body, want string }{
		{"boss", "1", `{"note":"nightly"}`, `{"id":1,"adminId":1,"adminName":"boss","accessId":…,"note":"nightly",` +
			`"status":2,"roleId":0,"expiresOn":0,"createdBy":"boss","createdOn":1769853600,"lastUsedOn":0,` +
			`"lastAuthIp":"","accessKey":…,` +
			`"bearer":…}`},
		{"registrar", "3", `{"status":1}`, `{"id":2,"adminId":3,"adminName":"viewer","accessId":…,"note":"",` +
			`"status":1,"roleId":0,"expiresOn":0,"createdBy":"registrar","createdOn":1769853600,"lastUsedOn":0,` +
			`"lastAuthIp":"","accessKey":…,` +
			`"bearer":…}`},
		{"registrar", "1", `{}`, `denied: you cannot edit boss, who has the role administrator`},
		{"viewer", "3", `{}`, `denied: refused by write on settings: useraccess`},
		{"boss", "9", `{}`, `unknown: there is no user 9`},
		{"boss", "x", `{}`, `unknown: there is no "x" here; an id must be a whole number`},
		{"boss", "1", `{"note":1}`, `invalid: note must be a text in double quotes`},
		{"boss", "1", `{"expiresOn":1769853600}`, `invalid: expiresOn must be in the future, in epoch seconds`},
		{"boss", "1", `{"roleId":4711}`, `invalid: there is no role 4711`},
		{"boss", "1", `{"status":3}`, `invalid: status must be one of 2, 1`},
		{"boss", "1", `{"name":"x"}`, `invalid: apiToken has no field "name"; did you mean note?`},
		{"boss", "1", `{`, `invalid: the body is not valid JSON at byte 1: expected a key in double quotes`},
	} {
		t.Run(tt.by+" for "+tt.of+" "+tt.body, func(t *testing.T) {
			by, err := h.UserID(t.Context(), tt.by)
			must(t, err)
			access, err := h.Access(t.Context(), by)
			must(t, err)
			out, err := h.send(t, "POST /setting/admins/{adminId}/apitokens",
				resource.Call{Access: access, Vars: map[string]string{"adminId": tt.of}, Body: []byte(tt.body)})
			got := says(err)
			if err == nil {
				response := out.(resource.Response)
				got = secrets.ReplaceAllString(text(t, response.Body), `"$1":…`)
				if response.Location != "/setting/admins/"+tt.of+"/apitokens/"+
					string(resource.FindKey(response.Body.(resource.JSON), "id")) {
					t.Errorf("it is at %s", response.Location)
				}
			}
			if got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestEndpointsMatchTheCatalog(t *testing.T) {
	h := newFixture(t)
	want := []string{"POST /session", "GET /session", "DELETE /session", "PUT /session/password",
		"GET /session/provider", "POST /session/2fa", "PUT /session/2fa",
		"POST /setting/admins/{adminId}/apitokens",
		"POST /setting/admins/services/logoffUsers"}
	var got []string
	for _, e := range h.Endpoints() {
		got = append(got, e.ID())
		if e.Category != ground.CategorySettings || e.Summary == "" || e.Doc == "" {
			t.Errorf("%s lacks something for the catalog", e.ID())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if h.CookieName() != "spyglass_abc" {
		t.Errorf("the cookie is %s", h.CookieName())
	}
}
