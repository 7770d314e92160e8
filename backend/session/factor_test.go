package session

import (
	"encoding/base32"
	"fmt"
	"strings"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// callOf returns a call of a session.
func callOf(sess *Session, body string) resource.Call {
	return resource.Call{Access: sess.Access, Session: resource.Session{Cookie: sess.Secret, CSRF: sess.CSRF,
		Must: sess.Must}, Body: []byte(body), Remote: "192.0.2.7"}
}

// setUp sets up a second factor with a session, and returns its secret, the recovery
// codes and the new session.
func (h *fixture) setUp(t *testing.T, sess *Session, code string) (secret []byte, recovery []string, now *Session) {
	t.Helper()
	out, err := h.send(t, "POST /session/2fa", callOf(sess, `{"password":"`+password+`","code":"`+code+`"}`))
	must(t, err)
	begun := out.(*factorSetUp)
	secret, err = base32.StdEncoding.DecodeString(begun.Secret)
	must(t, err)
	if want := "otpauth://totp/Spyglass:jo?secret=" + begun.Secret + "&issuer=Spyglass"; begun.URI != want ||
		!strings.HasPrefix(begun.QR, "data:image/png;base64,iVBOR") {
		t.Errorf("the set-up is %+v", begun)
	}
	out, err = h.send(t, "PUT /session/2fa", callOf(sess, `{"code":"`+h.code(secret)+`"}`))
	must(t, err)
	now, err = h.ByCookie(t.Context(), out.(resource.Response).SignIn)
	must(t, err)
	return secret, out.(resource.Response).Body.(factorReady).Recovery, now
}

// code returns the current code of a secret.
func (h *fixture) code(secret []byte) string {
	return people.FactorCode(secret, h.clock.Now().Unix()/30)
}

// trySignIn signs jo in, and returns the error's text and its detail about the factor.
func (h *fixture) trySignIn(t *testing.T, password, code string) string {
	_, _, err := h.Service.signIn(t.Context(), "jo", password, code, origin{remote: "192.0.2.7"})
	if err == nil {
		return "ok"
	}
	if detail, ok := fault.Of(err).Detail.(map[string]any); ok {
		return fmt.Sprint(detail["secondFactor"])
	}
	return string(fault.Of(err).Kind)
}

func TestSignInRequiresTheSecondFactor(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	other, mine := h.signIn(t, "jo"), h.signIn(t, "jo")
	credential, err := h.Credential(t.Context(), id)
	must(t, err)
	for body, want := range map[string]string{
		`{"password":"wrong horse"}`:            "password: the current password is wrong",
		`{}`:                                    "password: password is required",
		`{"password":"` + password + `","x":1}`: `x: a set-up has no field "x"`,
		`{"password":"` + password + `","code":1}`: "code: code must be a text in double quotes",
	} {
		_, err := h.send(t, "POST /session/2fa", callOf(mine, body))
		if f := fault.Of(err); f.Field+": "+f.Message != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	secret, recovery, now := h.setUp(t, mine, "")
	for _, gone := range []*Session{mine, other} {
		if _, err := h.ByCookie(t.Context(), gone.Secret); says(err) != ended {
			t.Errorf("a session without the second factor says %v", err)
		}
	}
	if _, err := h.Resume(t.Context(), credential); !fault.Is(err, fault.NoLogin) {
		t.Errorf("a credential without the second factor: %v", err)
	}
	if u, err := resource.Get(t.Context(), h.db, people.UserRows, id); err != nil || !u.TwoFAEnabled {
		t.Errorf("twoFAEnabled is not set: %v", err)
	}
	out, err := h.send(t, "GET /session", callOf(now, ""))
	must(t, err)
	if got := text(t, out); !strings.HasSuffix(got, `,"twoFA":true,"recoveryCodes":10}`) {
		t.Errorf("the session is %s", got)
	}

	used := h.code(secret)
	for _, tt := range []struct{ password, code, want string }{
		{"wrong horse", used, "no_login"},
		{"wrong horse", "", "no_login"},
		{password, "", "required"},
		{password, used, "wrong"}, // the set-up has used it
		{password, "000000", "wrong"},
	} {
		if got := h.trySignIn(t, tt.password, tt.code); got != tt.want {
			t.Errorf("%q with code %q: %s, want %s", tt.password, tt.code, got, tt.want)
		}
	}
	h.clock.Pass(30 * time.Second)
	for i, want := range []string{"ok", "wrong"} {
		if got := h.trySignIn(t, password, h.code(secret)); got != want {
			t.Errorf("use %d of a code: %s, want %s", i+1, got, want)
		}
	}
	for i, want := range []string{"ok", "wrong"} {
		if got := h.trySignIn(t, password, recovery[3]); got != want {
			t.Errorf("use %d of a recovery code: %s, want %s", i+1, got, want)
		}
	}

	// A change of the phone requires a code of the old one, and ends the recovery codes.
	now = h.signInWith(t, recovery[4])
	if _, err := h.send(t, "POST /session/2fa", callOf(now, `{"password":"`+password+`"}`)); err == nil ||
		fault.Of(err).Field != "code" {
		t.Errorf("a new phone without a code of the old one: %v", err)
	}
	newSecret, _, _ := h.setUp(t, now, recovery[5])
	h.clock.Pass(time.Minute)
	if got := h.trySignIn(t, password, h.code(secret)) + h.trySignIn(t, password, recovery[6]) +
		h.trySignIn(t, password, h.code(newSecret)); got != "wrongwrongok" {
		t.Errorf("old phone, old recovery code, new phone: %s", got)
	}
}

func (h *fixture) signInWith(t *testing.T, code string) *Session {
	t.Helper()
	sess, _, err := h.Service.signIn(t.Context(), "jo", password, code, origin{remote: "192.0.2.7"})
	must(t, err)
	return sess
}

func TestCodesCannotBeGuessedWithThePassword(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	secret, recovery, _ := h.setUp(t, h.signIn(t, "jo"), "")
	h.clock.Pass(time.Minute)
	for i := range maxFails {
		if got := h.trySignIn(t, password, "x"); got != "wrong" {
			t.Fatalf("guess %d: %s", i, got)
		}
		if i < maxFails-1 { // a request for the code resets no count
			if got := h.trySignIn(t, password, ""); got != "required" {
				t.Fatalf("without a code after guess %d: %s", i, got)
			}
		}
	}
	if got := h.trySignIn(t, password, h.code(secret)) + h.trySignIn(t, password, recovery[0]); got !=
		"too_manytoo_many" {
		t.Errorf("after ten guesses, the right code: %s", got)
	}
}

func TestTokensNeedNoSecondFactor(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	token, err := h.CreateToken(t.Context(), id, "", "jo")
	must(t, err)
	h.setUp(t, h.signIn(t, "jo"), "")
	if _, err := h.ByToken(t.Context(), "Bearer "+token.Bearer, TokenRequest{}); err != nil {
		t.Errorf("the token: %v", err)
	}
	access, err := h.Access(t.Context(), id)
	must(t, err)
	for _, id := range []string{"POST /session/2fa", "PUT /session/2fa"} {
		body := map[string]string{"POST /session/2fa": `{"password":"x"}`, "PUT /session/2fa": `{"code":"1"}`}[id]
		if _, err := h.send(t, id, resource.Call{Access: access, Body: []byte(body)}); says(err) !=
			"invalid: an API token has no second factor; sign in to set up yours" {
			t.Errorf("%s with a token: %v", id, err)
		}
	}
}

func TestRequiredStepsWaitForTheNextSignIn(t *testing.T) {
	h := newFixture(t)
	id := h.user(t, "jo", 4)
	before := h.signIn(t, "jo")
	change(t, h, people.UserRows, id, func(u *people.User) { u.ForceChange, u.TwoFAEnabled = true, true })
	if s, err := h.ByCookie(t.Context(), before.Secret); err != nil || s.Must != "" {
		t.Errorf("a session of before must %q, %v", s.Must, err)
	}
	launched, err := h.Redeem(t.Context(), h.Launch(id, false))
	if err != nil || launched.Must != "" {
		t.Errorf("a session of this machine must %q, %v", launched.Must, err)
	}
	mine := h.signIn(t, "jo")
	if mine.Must != MustChangePassword {
		t.Fatalf("the session must %q", mine.Must)
	}
	out, err := h.send(t, "PUT /session/password", callOf(mine, `{"password":"`+password+`","newPassword":"another `+
		`horse"}`))
	must(t, err)
	mine, err = h.ByCookie(t.Context(), out.(resource.Response).SignIn)
	if err != nil || mine.Must != MustSetUp2FA {
		t.Fatalf("after the change the session must %q, %v", mine.Must, err)
	}
	must(t, h.SetPassword(t.Context(), "jo", password))
	mine = h.signIn(t, "jo")
	if _, _, done := h.setUp(t, mine, ""); done.Must != "" {
		t.Errorf("after both steps the session must %q", done.Must)
	}
	if u, err := resource.Get(t.Context(), h.db, people.UserRows, id); err != nil || u.ForceChange {
		t.Errorf("forcePasswordChange is still set: %v", err)
	}
}

func TestRoleRequiresASecondFactor(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	change(t, h, people.RoleRows, 4, func(r *people.Role) { r.TwoFA = true })
	if mine := h.signIn(t, "jo"); mine.Must != MustSetUp2FA {
		t.Errorf("the session must %q", mine.Must)
	}
}

func TestResetLeadsToANewSetUp(t *testing.T) {
	h := newFixture(t)
	h.user(t, "jo", 4)
	if err := h.ResetFactor(t.Context(), "jo"); says(err) != "conflict: jo has not set up two-factor authentication" {
		t.Errorf("without a second factor: %v", err)
	}
	_, _, mine := h.setUp(t, h.signIn(t, "jo"), "")
	must(t, h.ResetFactor(t.Context(), "JO"))
	if _, err := h.ByCookie(t.Context(), mine.Secret); says(err) != ended {
		t.Errorf("the session of the lost phone says %v", err)
	}
	if again := h.signIn(t, "jo"); again.Must != MustSetUp2FA {
		t.Errorf("the session must %q", again.Must)
	}
	if err := h.ResetFactor(t.Context(), "kim"); !fault.Is(err, fault.Unknown) {
		t.Errorf("an unknown user: %v", err)
	}
}
