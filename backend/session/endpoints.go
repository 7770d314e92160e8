package session

import (
	"context"
	"fmt"
	"slices"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// login holds the body of POST /session.
type login struct {
	Username string `json:"username" doc:"the user name, in any letter case"`
	Password string `json:"password" doc:"never logged, never shown"`
	Code     string `json:"code,omitempty" doc:"of the authenticator app, or a recovery code, for a user with two-factor authentication"`
}

// newPassword holds the body of PUT /session/password.
type newPassword struct {
	Password    string `json:"password" doc:"the current one; never logged, never shown"`
	NewPassword string `json:"newPassword" doc:"8 to 512 characters; never logged, never shown"`
}

// whoami holds the response of /session.
type whoami struct {
	UserID   int64  `json:"userId" doc:"id in /setting/admins"`
	Username string `json:"username" doc:"name of the user"`
	Role     string `json:"role" doc:"names of the roles held, joined by commas"`
	CSRF     string `json:"csrfToken" doc:"to be sent as X-CSRF-Token with every write; empty for an API token, which needs none"`
	Must     string `json:"must,omitempty" doc:"what the user must do first: changePassword or setUp2fa"`
	TwoFA    bool   `json:"twoFA,omitempty" doc:"signing in with the password requires a code"`
	Recovery int    `json:"recoveryCodes,omitempty" doc:"how many recovery codes are left"`
}

// signInWays is the response of GET /session/provider.
type signInWays struct {
	Name string `json:"name" doc:"OpenID Connect provider for signing in, at /oidc/start; empty: none"`
}

// Endpoints returns the endpoints to sign in and out, to sign others out, to
// change a password, and to create API tokens.
func (s *Service) Endpoints() []resource.Endpoint {
	const path = "/session"
	me, in := resource.SchemaOf(whoami{}), resource.SchemaOf(login{})
	renewal := resource.SchemaOf(newPassword{})
	for _, secret := range []*resource.Key{&in.Properties[1], &renewal.Properties[0], &renewal.Properties[1]} {
		secret.WriteOnly, secret.Schema.Format = true, "password"
	}
	ways := resource.SchemaOf(signInWays{})
	own := []resource.Endpoint{
		{
			Method: "POST", Path: path, Category: ground.CategorySettings, Summary: "Sign in",
			Doc: "Begins a session and sets its cookie. It ends after 15 minutes without a request and after 24 " +
				"hours. Use an API token for scripts. For a user with two-factor authentication, it also requires a " +
				"code; without one, a 401 with errorDetail.secondFactor says so.",
			Right: resource.Right{Object: resource.Open}, Body: &in, Response: &me, Once: true, Limit: 4 << 10,
			Errors: []resource.Failure{
				{Kind: fault.NoLogin, When: "the user name, the password or the code is wrong, a code is required, " +
					"or the user is suspended"},
				{Kind: fault.TooMany, When: "ten sign-ins failed for the user name or from the address, and this " +
					"user never signed in from this browser or address"},
			},
			Example: resource.Example{Body: login{Username: "viewer", Password: "viewer-demo"}},
			Handle:  s.handleSignIn,
		},
		{
			Method: "GET", Path: path, Category: ground.CategorySettings, Summary: "Get the signed-in user",
			Doc:   "Returns the caller's user, for a session or an API token.",
			Right: resource.Right{Object: resource.Anyone}, Response: &me, Once: true,
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				return s.whoamiOf(ctx, c.Access, c.Session.CSRF, c.Session.Must)
			},
		},
		{
			Method: "DELETE", Path: path, Category: ground.CategorySettings, Summary: "Sign out",
			Doc:   "Ends the session and its event streams, and deletes the cookie.",
			Right: resource.Right{Object: resource.Anyone},
			Errors: []resource.Failure{{Kind: fault.Invalid, When: "the caller used an API token, which has no " +
				"session"}},
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				if c.Session.Cookie == "" {
					return nil, fault.New(fault.Invalid, "an API token has no session to end; delete the token instead")
				}
				if err := s.SignOut(ctx, c.Session.Cookie); err != nil {
					return nil, err
				}
				return resource.Response{SignOut: true}, nil
			},
		},
		{
			Method: "PUT", Path: path + "/password", Category: ground.CategorySettings, Summary: "Change your password",
			Doc:   "Requires the current password and a new one, ends all sessions of the user, and starts a new one.",
			Right: resource.Right{Object: resource.Anyone}, Body: &renewal, Response: &me, Once: true, Limit: 4 << 10,
			Errors: []resource.Failure{
				{Kind: fault.Invalid, When: "the current password is wrong, or the new one is not allowed"},
				{Kind: fault.TooMany, When: "ten attempts failed for the user name or from the address"},
			},
			Example: resource.Example{Body: newPassword{Password: "viewer-demo", NewPassword: "correct horse"}},
			Handle:  s.handleNewPassword,
		},
		{
			Method: "GET", Path: path + "/provider", Category: ground.CategorySettings,
			Summary: "Get the sign-in provider",
			Doc:     "Returns the OpenID Connect provider at which users can sign in, for the sign-in page.",
			Right:   resource.Right{Object: resource.Open}, Response: &ways,
			Handle: func(ctx context.Context, _ *resource.Call) (any, error) {
				name, err := s.ProviderName(ctx)
				return signInWays{name}, err
			},
		},
	}
	for i := range own {
		own[i].Steady, own[i].Unfinished = true, true
	}
	return append(append(own, s.factorEndpoints()...), s.tokenEndpoint(), s.logoffEndpoint())
}

func (s *Service) whoamiOf(ctx context.Context, a *resource.Access, csrf, must string) (*whoami, error) {
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	out := &whoami{UserID: a.UserID, Username: a.User, Role: a.Role, CSRF: csrf, Must: must}
	if who := everyone.byID[a.UserID]; who != nil {
		out.TwoFA, out.Recovery = who.factor.IsSetUp(), len(who.factor.Recovery)
	}
	return out, nil
}

// signedIn returns the response that starts a session in the caller's browser.
func (s *Service) signedIn(ctx context.Context, sess *Session, device string) (any, error) {
	body, err := s.whoamiOf(ctx, sess.Access, sess.CSRF, sess.Must)
	return resource.Response{Body: body, SignIn: sess.Secret, Device: device}, err
}

func (s *Service) handleSignIn(ctx context.Context, c *resource.Call) (any, error) {
	in := login{}
	if err := readTexts(c, "a sign-in", textField{name: "username", at: &in.Username},
		textField{name: "password", at: &in.Password},
		textField{name: "code", at: &in.Code, optional: true}); err != nil {
		return nil, err
	}
	sess, device, err := s.signIn(ctx, in.Username, in.Password, in.Code, origin{c.Remote, c.Device})
	if err != nil {
		return nil, err
	}
	if c.Session.Cookie != "" { // the cookie is about to be replaced
		s.end(digestOf(c.Session.Cookie))
	}
	return s.signedIn(ctx, sess, device)
}

func (s *Service) handleNewPassword(ctx context.Context, c *resource.Call) (any, error) {
	in := newPassword{}
	if err := readTexts(c, "a change of the password", textField{name: "password", at: &in.Password},
		textField{name: "newPassword", at: &in.NewPassword}); err != nil {
		return nil, err
	}
	if c.Session.Cookie == "" {
		return nil, fault.New(fault.Invalid, "an API token has no password; sign in to change yours")
	}
	sess, err := s.changePassword(ctx, c, in)
	if err != nil {
		return nil, err
	}
	return s.signedIn(ctx, sess, "")
}

// textField is a field of a body, with the destination of its value.
type textField struct {
	name     string
	at       *string
	optional bool
}

// readTexts reads a body that has these fields and, unless the caller is lenient, no
// others; what describes the body.
func readTexts(c *resource.Call, what string, fields ...textField) error {
	node, err := resource.ParseObject(c.Body, "the body")
	if err != nil {
		return err
	}
	var known []string
	for _, f := range fields {
		known = append(known, f.name)
		value := node.Get(f.name)
		if value == nil && f.optional {
			continue
		}
		if value == nil {
			return fault.At(f.name, "%s is required", f.name)
		}
		if value.Kind != '"' {
			return fault.At(f.name, "%s must be a text in double quotes", f.name)
		}
		*f.at = value.Text
	}
	for _, key := range node.Keys {
		if !c.Lenient && !slices.Contains(known, key) {
			return fault.At(key, "%s has no field %q%s", what, key, resource.DidYouMean(key, known))
		}
	}
	return nil
}

func (s *Service) tokenEndpoint() resource.Endpoint {
	body, response := people.Tokens.Schema(), people.Tokens.Schema()
	secret := func(name, doc, example string) resource.Key {
		return resource.Key{Name: name, ReadOnly: true,
			Schema: resource.Schema{Type: "string", Doc: doc, Example: example}}
	}
	response.Name = "NewApiToken"
	response.Properties = append(response.Properties,
		secret("accessKey", "Secret half of the LMv1 credential, shown only now", "h8f2…"),
		secret("bearer", "The token to send as Authorization: Bearer, shown only now", "Qk3v…"))
	return resource.Endpoint{
		Method: "POST", Path: people.Tokens.Path, Category: ground.CategorySettings, Summary: "Add an API token",
		Doc: "Creates a credential with the user's permissions, both as a bearer token and for LMv1 signatures. " +
			"With roleId, it has only those permissions that the role has, too. Only this response contains its " +
			"secrets.",
		Right: resource.Right{Object: resource.Setting, Area: people.Tokens.Area, Op: resource.Modify},
		Params: []resource.Param{{Name: "adminId", In: "path", Schema: resource.Integer("Id of the token's user"),
			Required: true, Example: 1}},
		Body: &body, Response: &response, Creates: true, Once: true,
		Errors: []resource.Failure{
			{Kind: fault.Unknown, When: "there is no such user"},
			{Kind: fault.Denied, When: "the user has permissions that the caller does not have"},
		},
		Example: resource.Example{Path: "/setting/admins/1/apitokens", Body: map[string]any{"note": "nightly export"}},
		Handle:  s.handleCreateToken,
	}
}

func (s *Service) handleCreateToken(ctx context.Context, c *resource.Call) (any, error) {
	userID, err := c.ID("adminId")
	if err != nil {
		return nil, err
	}
	body, err := people.Tokens.Read(c.Body, c.Lenient)
	if err != nil {
		return nil, err
	}
	row, err := people.Tokens.Defaults()
	if err != nil {
		return nil, err
	}
	if err := people.Tokens.Apply(body, row, true); err != nil {
		return nil, err
	}
	row.AdminID, row.CreatedBy = userID, c.Access.User
	made, err := s.createToken(ctx, *row, func(tx resource.Tx, owner *people.User) error {
		// A token gives the same access as the password, so the rules for
		// changing the user apply.
		now := *owner
		now.Roles = slices.Clone(owner.Roles)
		w := &resource.Write{Context: ctx, Call: c, Tx: tx, Given: body.Given}
		if err := people.Users.Check(w, owner, &now); err != nil {
			return err
		}
		if row.ExpiresOn != 0 && row.ExpiresOn <= resource.SecondsOf(s.clock()) {
			return fault.At("expiresOn", "expiresOn must be in the future, in epoch seconds")
		}
		return people.CheckTokenRole(w, nil, row)
	})
	if err != nil {
		return nil, err
	}
	out, err := people.Tokens.AppendJSON(nil, &made.row)
	if err != nil {
		return nil, err
	}
	out = resource.AppendString(append(out[:len(out)-1], `,"accessKey":`...), made.AccessKey)
	out = resource.AppendString(append(out, `,"bearer":`...), made.Bearer)
	return resource.Response{
		Body:     resource.JSON(append(out, '}')),
		Location: fmt.Sprintf("/setting/admins/%d/apitokens/%d", userID, made.row.ID),
	}, nil
}
