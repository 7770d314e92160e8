package session

import (
	"context"
	"encoding/base64"
	"net/url"

	"rsc.io/qr" // BSD-3-Clause: the set-up works without a network, so the portal draws the QR code

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

// Steps that a user must complete after signing in, before the portal serves anything
// else to the session.
const (
	MustChangePassword = "changePassword"
	MustSetUp2FA       = "setUp2fa"
)

// steps are the actions that a session requires first, by the state of its user at sign-in.
// A step that is required later waits for the next sign-in.
type steps struct{ password, factor bool }

// stepsOf returns the steps after a sign-in with a password.
func stepsOf(who *person) steps {
	return steps{password: who.row.ForceChange, factor: who.needsFactor() && !who.factor.IsSetUp()}
}

// next returns the first step that the user has not completed; "" for none.
func (s steps) next(who *person) string {
	switch {
	case s.password && who.row.ForceChange:
		return MustChangePassword
	case s.factor && who.needsFactor() && !who.factor.IsSetUp():
		return MustSetUp2FA
	}
	return ""
}

// needsFactor reports whether the user or a role requires a second factor.
func (p *person) needsFactor() bool { return p.row.TwoFAEnabled || p.roleNeedsFactor }

// errNeedsCode is the error of a sign-in with the right password and without a code.
func errNeedsCode() error {
	return &fault.Error{Kind: fault.NoLogin, Field: "code", Message: "enter the code of your authenticator app",
		Detail: map[string]any{"secondFactor": "required"}}
}

func errWrongCode() error {
	return &fault.Error{Kind: fault.NoLogin, Field: "code", Message: "the code is wrong or was used already; type " +
		"the next one of your authenticator app, or a recovery code",
		Detail: map[string]any{"secondFactor": "wrong"}}
}

// isFactorError reports whether the password was right, but the code is missing or wrong.
func isFactorError(err error) bool {
	f := fault.Of(err)
	return f.Kind == fault.NoLogin && f.Field == "code"
}

// checkCode checks and uses up the code of a user who has set up a second factor. The
// caller has checked the password.
func (s *Service) checkCode(ctx context.Context, who *person, code string) error {
	if !who.factor.IsSetUp() {
		return nil
	}
	if code == "" {
		return errNeedsCode()
	}
	accepted, recovery := false, 0
	ctx = resource.WithCall(ctx, nil) // the update of the user is part of the sign-in
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		u, err := resource.Get(ctx, tx, people.Users.Name, who.row.ID)
		if err != nil {
			return err
		}
		f := u.Factor()
		before := len(f.Recovery)
		if accepted = f.Accept(code, s.clock()); !accepted {
			return nil
		}
		if recovery = before - len(f.Recovery); recovery > 0 {
			if err := tx.Note(ctx, s.change("recovery-code", u.Username, "Used a recovery code", "")); err != nil {
				return err
			}
		}
		if err := u.KeepFactor(f); err != nil {
			return err
		}
		return resource.Put(ctx, tx, people.Users.Name, u)
	})
	if fault.Is(err, fault.Busy) || fault.Is(err, fault.Full) { // the storage is unavailable, which locks nobody out
		accepted, err = s.acceptUnrecorded(who, code), nil
	}
	if err == nil && !accepted {
		err = errWrongCode()
	}
	return err
}

// acceptUnrecorded checks a code that cannot be recorded as used: only in memory.
func (s *Service) acceptUnrecorded(who *person, code string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := who.factor
	f.Recovery, f.LastStep = nil, max(f.LastStep, s.lastSteps[who.row.ID])
	if !f.Accept(code, s.clock()) {
		return false
	}
	s.lastSteps[who.row.ID] = f.LastStep
	return true
}

// factorLogin is the body of POST /session/2fa.
type factorLogin struct {
	Password string `json:"password" doc:"the current one; never logged, never shown"`
	Code     string `json:"code,omitempty" doc:"of the authenticator app set up so far, or a recovery code"`
}

// factorSetUp is the response of POST /session/2fa.
type factorSetUp struct {
	Secret string `json:"secret" doc:"to type into the authenticator app instead of scanning"`
	URI    string `json:"uri" doc:"the same as an otpauth address"`
	QR     string `json:"qr" doc:"the address as a QR code, a data: address of a PNG"`
}

// factorCode is the body of PUT /session/2fa.
type factorCode struct {
	Code string `json:"code" doc:"six digits, which the authenticator app shows"`
}

// factorReady is the response of PUT /session/2fa.
type factorReady struct {
	CSRF     string   `json:"csrfToken" doc:"of the new session"`
	Recovery []string `json:"recoveryCodes" doc:"each replaces a code once; shown only now"`
}

func (s *Service) factorEndpoints() []resource.Endpoint {
	const path = "/session/2fa"
	login, setUp := resource.SchemaOf(factorLogin{}), resource.SchemaOf(factorSetUp{})
	code, ready := resource.SchemaOf(factorCode{}), resource.SchemaOf(factorReady{})
	login.Properties[0].WriteOnly, login.Properties[0].Schema.Format = true, "password"
	return []resource.Endpoint{
		{
			Method: "POST", Path: path, Category: ground.CategorySettings,
			Summary: "Begin to set up two-factor authentication",
			Doc: "Returns a new secret for the authenticator app, once. It takes effect when PUT /session/2fa " +
				"confirms it with a code, within 15 minutes. Until then, the app set up so far stays valid.",
			Right: resource.Right{Object: resource.Anyone}, Body: &login, Response: &setUp, Once: true, Limit: 4 << 10,
			Errors: []resource.Failure{
				{Kind: fault.Invalid, When: "the password or the code is wrong, or the caller used an API token"},
				{Kind: fault.TooMany, When: "ten attempts failed for the user name or from the address"},
			},
			Example: resource.Example{Body: factorLogin{Password: "viewer-demo"}},
			Handle:  s.handleBeginFactor, Unfinished: true, Steady: true,
		},
		{
			Method: "PUT", Path: path, Category: ground.CategorySettings,
			Summary: "Complete the set-up of two-factor authentication",
			Doc: "From now on, signing in with the password also requires a code. Returns ten recovery codes, once. " +
				"Ends all sessions of the user, and starts a new one. API tokens stay.",
			Right: resource.Right{Object: resource.Anyone}, Body: &code, Response: &ready, Once: true, Limit: 4 << 10,
			Errors: []resource.Failure{
				{Kind: fault.Invalid, When: "the code is wrong, or the caller used an API token"},
				{Kind: fault.Conflict, When: "no set-up is in progress, or it began more than 15 minutes ago"},
			},
			Example: resource.Example{Body: factorCode{Code: "123456"}},
			Handle:  s.handleConfirmFactor, Unfinished: true, Steady: true,
		},
	}
}

func (s *Service) handleBeginFactor(ctx context.Context, c *resource.Call) (any, error) {
	in := factorLogin{}
	if err := readTexts(c, "a set-up", textField{name: "password", at: &in.Password},
		textField{name: "code", at: &in.Code, optional: true}); err != nil {
		return nil, err
	}
	if c.Session.Cookie == "" {
		return nil, fault.New(fault.Invalid, "an API token has no second factor; sign in to set up yours")
	}
	who, err := s.proveCaller(ctx, c, in.Password, &in.Code)
	if err != nil {
		return nil, err
	}
	var secret []byte
	ctx = resource.WithCall(ctx, nil) // the audit log records the completed set-up
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		u, err := resource.Get(ctx, tx, people.Users.Name, who.row.ID)
		if err != nil {
			return err
		}
		f := u.Factor()
		secret = f.Begin(s.clock())
		if err := u.KeepFactor(f); err != nil {
			return err
		}
		return resource.Put(ctx, tx, people.Users.Name, u)
	})
	if err != nil {
		return nil, err
	}
	return s.setUpOf(ctx, who.row.Username, secret)
}

// setUpOf returns a secret in all forms that authenticator apps read.
func (s *Service) setUpOf(ctx context.Context, username string, secret []byte) (*factorSetUp, error) {
	issuer := "Spyglass"
	if settings, err := resource.Lookup(ctx, s.db, setting.SettingRows, setting.SettingID); err != nil {
		return nil, err
	} else if settings != nil && settings.Name != "" {
		issuer = settings.Name
	}
	out := &factorSetUp{Secret: people.FactorText(secret)}
	out.URI = "otpauth://totp/" + url.PathEscape(issuer+":"+username) + "?secret=" + out.Secret + "&issuer=" +
		url.PathEscape(issuer)
	code, err := qr.Encode(out.URI, qr.M)
	if err != nil {
		return nil, err
	}
	out.QR = "data:image/png;base64," + base64.StdEncoding.EncodeToString(code.PNG())
	return out, nil
}

func (s *Service) handleConfirmFactor(ctx context.Context, c *resource.Call) (any, error) {
	in := factorCode{}
	if err := readTexts(c, "a set-up", textField{name: "code", at: &in.Code}); err != nil {
		return nil, err
	}
	if c.Session.Cookie == "" {
		return nil, fault.New(fault.Invalid, "an API token has no second factor; sign in to set up yours")
	}
	persistent, todo := s.stateOf(c.Session.Cookie)
	id, out := c.Access.UserID, factorReady{}
	quiet := resource.WithCall(ctx, nil) // the note below is the entry of the audit log
	err := s.db.Write(quiet, func(tx resource.Tx) error {
		u, err := resource.Get(quiet, tx, people.Users.Name, id)
		if err != nil {
			return err
		}
		f := u.Factor()
		if out.Recovery, err = f.Confirm(in.Code, s.clock()); err != nil {
			return err
		}
		if err := u.KeepFactor(f); err != nil {
			return err
		}
		u.TwoFAEnabled = true
		if err := resource.Put(quiet, tx, people.Users.Name, u); err != nil {
			return err
		}
		return tx.Note(quiet, s.change("set-up-2fa", u.Username, "Set up two-factor authentication", c.Remote))
	})
	if err != nil {
		return nil, err
	}
	sess, err := s.reopen(ctx, id, persistent, todo)
	if err != nil {
		return nil, err
	}
	out.CSRF = sess.CSRF
	return resource.Response{Body: out, SignIn: sess.Secret}, nil
}

// ResetFactor deletes the second factor of a user, which ends their sessions. It
// returns fault.Unknown for an unknown name, and fault.Conflict for a user without one.
func (s *Service) ResetFactor(ctx context.Context, name string) error {
	id, err := s.UserID(ctx, name)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		u, err := resource.Get(ctx, tx, people.Users.Name, id)
		if err != nil {
			return err
		}
		if err := u.ResetSecondFactor(); err != nil {
			return err
		}
		if err := resource.Put(ctx, tx, people.Users.Name, u); err != nil {
			return err
		}
		return tx.Note(ctx, s.change("reset-2fa", "system", "Reset the two-factor authentication of "+u.Username, ""))
	})
	if err != nil {
		return err
	}
	return s.EndUser(ctx, id)
}
