package remote

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Right is the permission to send to other portals. It gives access to everything
// that this machine can reach, so initially only the administrator role has it.
var Right = resource.Right{Object: resource.Explorer, Op: resource.Modify}

// mayReach refuses callers who may not send to other portals.
func mayReach(who *resource.Access) error {
	if who.May(Right) {
		return nil
	}
	return &fault.Error{Kind: fault.Denied, Field: "portal", Message: "Your role cannot send requests to other " +
		"portals. Ask an administrator for the permission Explorer: other portals."}
}

// At returns a remote portal of the caller.
func (r *Portals) At(ctx context.Context, c *resource.Call, id int64) (*outgoing.Target, error) {
	if err := mayReach(c.Access); err != nil {
		return nil, err
	}
	p, err := r.Workspace.PortalOf(ctx, c.Access.UserID, id)
	if err != nil {
		return nil, err
	}
	t, err := r.reach(p)
	if err != nil {
		return nil, err
	}
	if t.Sign, t.Secrets, err = r.wayIn(p); err != nil {
		return nil, err
	}
	t.Catalog, err = r.catalogOf(ctx, p)
	return t, err
}

// reach returns a portal without authentication and without its catalog.
func (r *Portals) reach(p *workspace.Portal) (*outgoing.Target, error) {
	if err := p.MaySend(); err != nil { // a portal that was added by an older version
		return nil, err
	}
	t := &outgoing.Target{
		Name: p.Name, URL: p.BaseURL, Version: r.Version, Remote: p, Catalog: r.Catalog,
		Timeout: time.Duration(p.Timeout) * time.Second, ReadOnly: p.ReadOnly,
		Sign: unsigned,
	}
	t.Place()
	password, err := r.Workspace.ProxySecret(p)
	if err != nil {
		return nil, err
	}
	t.Client, err = r.dialling(p, password)
	return t, err
}

// wayIn returns the function that authenticates requests to a portal, and the
// secrets in them.
func (r *Portals) wayIn(p *workspace.Portal) (sign func(*outgoing.Request) [][2]string, secrets []string, err error) {
	if p.Auth == workspace.AuthSession {
		s, err := r.Workspace.SessionAt(p)
		if err != nil || s == nil {
			return unsigned, nil, err
		}
		_, cookie, _ := strings.Cut(s.Cookie, "=")
		return func(out *outgoing.Request) [][2]string { return sessionAt(s, out) }, []string{cookie, s.CSRF}, nil
	}
	secret, err := r.Workspace.PortalSecret(p)
	if err != nil || secret == "" {
		return unsigned, nil, err
	}
	return signing(p, secret), []string{secret}, nil
}

// unsigned adds no credential to a request.
func unsigned(*outgoing.Request) [][2]string { return nil }

// signing returns a function that adds a token, or signatures with an access key.
func signing(p *workspace.Portal, secret string) func(*outgoing.Request) [][2]string {
	return func(out *outgoing.Request) [][2]string {
		switch {
		case out.Signed || secret == "":
			return nil
		case p.Auth == workspace.AuthToken:
			return versioned(out, [2]string{"Authorization", "Bearer " + secret})
		case p.Auth == workspace.AuthLMv1:
			return versioned(out, [2]string{"Authorization", lmv1(p.Account, secret, out, time.Now())})
		}
		return nil
	}
}

// sessionAt returns the headers of a session at another portal. A sign-in request
// is sent without them.
func sessionAt(s *workspace.PortalSession, out *outgoing.Request) [][2]string {
	if out.Signed || out.Method == "POST" && out.Path == "/session" {
		return nil
	}
	headers := [][2]string{{"Cookie", s.Cookie}}
	if out.Method != "GET" && out.Header("X-CSRF-Token") == "" {
		headers = append(headers, [2]string{"X-CSRF-Token", s.CSRF})
	}
	return headers
}

// versioned adds the version header that the mount for published clients
// requires.
func versioned(out *outgoing.Request, authorization [2]string) [][2]string {
	headers := [][2]string{authorization}
	if strings.Contains(out.URL, outgoing.LenientMount+"/") && out.Header("X-Version") == "" {
		headers = append(headers, [2]string{"X-Version", "3"})
	}
	return headers
}

// lmv1 signs a request: base64 of the lower-case hex of HMAC-SHA256 over
// method, epoch milliseconds, body and path below the mount.
func lmv1(id, key string, out *outgoing.Request, now time.Time) string {
	epoch := strconv.FormatInt(now.UnixMilli(), 10)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(out.Method + epoch + out.Body + out.Path))
	return "LMv1 " + id + ":" + base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(mac.Sum(nil)))) +
		":" + epoch
}

// Choose sets the portal of a call without one to the portal that the user
// selected last.
func (r *Portals) Choose(ctx context.Context, c *resource.Call) error {
	id := workspace.PortalID(c)
	if c.Query.Get("portal") == "" {
		if err := r.Workspace.Setting(ctx, c.Access.UserID, "activePortal", &id); err != nil {
			return err
		}
	}
	if id > workspace.BuiltIn {
		if _, err := r.Workspace.PortalOf(ctx, c.Access.UserID, id); fault.Is(err, fault.Unknown) {
			id = workspace.BuiltIn // it was deleted in another window
		} else if err != nil {
			return err
		}
	}
	c.Query.Set("portal", strconv.FormatInt(max(id, workspace.BuiltIn), 10))
	return nil
}

// Shown is a portal in the form that the page receives.
type Shown struct {
	ID            int64  `json:"id" doc:"0 for the built-in portal"`
	Name          string `json:"name"`
	BaseURL       string `json:"baseUrl"`
	Address       string `json:"address"`
	Demo          bool   `json:"demo"`
	Instance      string `json:"instance"`
	Remote        bool   `json:"remote"`
	Environment   string `json:"environment" doc:"the built-in portal is demo or local" enum:"production|staging|test|demo|local"`
	Auth          string `json:"auth" enum:"session|token|lmv1|none"`
	Account       string `json:"account"`
	Secret        string `json:"secret" doc:"stars, or nothing"`
	User          string `json:"user" doc:"the signed-in user"`
	ReadOnly      bool   `json:"readOnly"`
	Timeout       int64  `json:"timeout" doc:"seconds"`
	Authority     string `json:"authority" doc:"certificates (PEM) of an authority to trust beside the system's"`
	Fingerprint   string `json:"fingerprint" doc:"SHA-256 of the one certificate that is accepted as it is"`
	Proxy         string `json:"proxy" doc:"system, none, or an address"`
	ProxyPassword string `json:"proxyPassword" doc:"stars, or nothing"`
	SendInClear   bool   `json:"sendInClear" doc:"send the credential in clear over http:// to another machine"`
	CatalogURL    string `json:"catalogUrl"`
	CatalogFrom   string `json:"catalogFrom" doc:"empty: the built-in catalog is used"`
	CatalogAt     int64  `json:"catalogAt" doc:"epoch milliseconds"`
}

// All returns the built-in portal and the user's remote ones.
func (r *Portals) All(ctx context.Context, c *resource.Call) ([]Shown, error) {
	own := *c
	own.Query = nil
	t, err := r.Target(ctx, &own)
	if err != nil {
		return nil, err
	}
	environment := "local"
	if r.Demo {
		environment = "demo"
	}
	all := []Shown{{
		Name: r.PortalName(), BaseURL: t.URL, Address: t.Host, Demo: r.Demo, Instance: r.Instance,
		Environment: environment,
		Auth:        workspace.AuthSession, User: c.Access.User, ReadOnly: t.ReadOnly,
		Timeout: int64(t.Timeout / time.Second),
	}}
	rows, err := r.Workspace.PortalsOf(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		shown, err := r.shownPortal(&rows[i])
		if err != nil {
			return nil, err
		}
		all = append(all, *shown)
	}
	slices.SortStableFunc(all[1:],
		func(a, b Shown) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return all, nil
}

func (r *Portals) shownPortal(p *workspace.Portal) (*Shown, error) {
	t := &outgoing.Target{URL: p.BaseURL}
	t.Place()
	shown := &Shown{
		ID: p.ID, Name: p.Name, BaseURL: p.BaseURL, Address: t.Host, Demo: p.Environment == "demo", Remote: true,
		Environment: p.Environment,
		Auth:        p.Auth, Account: p.Account, Secret: p.Secret, ReadOnly: p.ReadOnly, Timeout: p.Timeout,
		Authority:   p.Authority,
		Fingerprint: p.Fingerprint, Proxy: p.Proxy, ProxyPassword: p.ProxyPassword, SendInClear: p.SendInClear,
		CatalogURL: p.CatalogURL, CatalogFrom: p.CatalogFrom, CatalogAt: int64(p.CatalogAt),
	}
	switch p.Auth {
	case workspace.AuthSession:
		s, err := r.Workspace.SessionAt(p)
		if err != nil {
			return nil, err
		}
		if s != nil {
			shown.User = s.User
		}
	case workspace.AuthLMv1:
		shown.User = p.Account
	}
	return shown, nil
}
