package workspace

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/resource"
)

// Portal is a remote portal of a user. Portal 0 is the built-in one, which has no
// row.
type Portal struct {
	ID            int64
	UserID        int64
	Name          string
	BaseURL       string // of the API, "https://acme.example.com/santaba/rest"
	Environment   string
	Auth          string
	Account       string // user name of the last sign-in, or access id
	Secret        string // resource.Mask if there is one
	ReadOnly      bool
	Timeout       int64 // seconds
	Authority     string
	Fingerprint   string // of a certificate to accept without verification
	Proxy         string
	ProxyPassword string // resource.Mask if there is one
	SendInClear   bool   // the user consented to credentials over http://
	CatalogURL    string
	CatalogFrom   string          // where the stored catalog was read; empty for none
	CatalogAt     resource.Millis // and when
}

// Ways to authenticate to a portal.
const (
	AuthSession = "session"
	AuthToken   = "token"
	AuthLMv1    = "lmv1"
	AuthNone    = "none"
)

// Proxy values other than an address.
const (
	ProxySystem = "system"
	ProxyNone   = "none"
)

// BuiltIn is the portal of this Explorer; everywhere is the scope of global
// variables.
const (
	BuiltIn    int64 = 0
	everywhere int64 = -1
)

const portalRows resource.Name[*Portal] = "portal"

const maxPortals = 100 // per user

var (
	shortest, longest int64 = 1, 3600 // timeout in seconds
	fingerprint             = regexp.MustCompile(`^([0-9a-f]{64})?$`)
)

// Portals declares /portals.
var Portals = resource.Resource[*Portal]{
	Name: portalRows, Label: "portal", Path: "/portals", Object: resource.Anyone, Owner: "userId",
	Without: []resource.Verb{resource.OnClear},
	Doc:     "A remote portal that requests can go to.",
	Fields: []resource.Field[*Portal]{
		{Name: "id", At: func(p *Portal) any { return &p.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(p *Portal) any { return &p.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "name", At: func(p *Portal) any { return &p.Name }, Doc: "Name", Required: true,
			MaxLen: 100},
		{Name: "baseUrl", At: func(p *Portal) any { return &p.BaseURL }, Doc: "Base URL of its API, http or https",
			Required: true, MaxLen: 2048},
		{Name: "environment", At: func(p *Portal) any { return &p.Environment }, Doc: "What it is used for",
			Default: "production", OneOf: []any{"production", "staging", "test", "demo"}},
		{Name: "auth", At: func(p *Portal) any { return &p.Auth }, Doc: "How requests are signed", Default: AuthSession,
			OneOf: []any{AuthSession, AuthToken, AuthLMv1, AuthNone}},
		{Name: "account", At: func(p *Portal) any { return &p.Account }, Doc: "User name, or access id", MaxLen: 255},
		{Name: "secret", At: func(p *Portal) any { return &p.Secret }, Doc: "Token or access key; shown as stars, " +
			"and sending the stars keeps it", MaxLen: 8192},
		{Name: "readOnly", At: func(p *Portal) any { return &p.ReadOnly }, Doc: "Refuse all writes", Default: true},
		{Name: "timeout", At: func(p *Portal) any { return &p.Timeout }, Doc: "Seconds that one request may take",
			Default: int64(60), Min: &shortest, Max: &longest},
		{Name: "authority", At: func(p *Portal) any { return &p.Authority }, Doc: "Certificates (PEM) of an " +
			"authority to trust beside the system's", MaxLen: 65_536},
		{Name: "fingerprint", At: func(p *Portal) any { return &p.Fingerprint },
			Doc: "SHA-256 of the one certificate that is accepted as it is, in hexadecimal", MaxLen: 95},
		{Name: "proxy", At: func(p *Portal) any { return &p.Proxy }, Doc: "system, none, or the proxy's address",
			Default: ProxySystem, MaxLen: 2048},
		{Name: "proxyPassword", At: func(p *Portal) any { return &p.ProxyPassword },
			Doc: "Shown as stars; sending the stars keeps it", MaxLen: 1024},
		{Name: "sendInClear", At: func(p *Portal) any { return &p.SendInClear },
			Doc: "Send the credential in clear over http:// to another machine"},
		{Name: "catalogUrl", At: func(p *Portal) any { return &p.CatalogURL }, Doc: "Where its OpenAPI document " +
			"lies; empty looks in the usual places", MaxLen: 2048},
		{Name: "catalogFrom", At: func(p *Portal) any { return &p.CatalogFrom },
			Doc: "Where its catalog was read; empty: the built-in catalog", ReadOnly: true},
		{Name: "catalogAt", At: func(p *Portal) any { return &p.CatalogAt }, Doc: "When its catalog was read",
			ReadOnly: true},
	},
	Unique: [][]string{{"userId", "name"}},
	Check:  checkPortal,
	Remove: func(w *resource.Write, p *Portal) error {
		return forgetPortal(w.Context, w.Tx, p)
	},
}

func checkPortal(w *resource.Write, was, now *Portal) error {
	if was == nil {
		counts, err := w.Tx.CountBy(w.Context, string(portalRows), "userId")
		if err != nil {
			return err
		}
		if counts[now.UserID] >= maxPortals {
			return fault.New(fault.Conflict, "there are %d portals; delete some first", maxPortals)
		}
	}
	if err := settled(now); err != nil {
		return err
	}
	if was != nil && was.BaseURL != now.BaseURL {
		now.CatalogFrom, now.CatalogAt = "", 0
	}
	if was != nil && origin(was.BaseURL) != origin(now.BaseURL) && !w.Given("sendInClear") {
		now.SendInClear = false // the consent was for the other address
	}
	if err := now.MaySend(); err != nil {
		return err
	}
	now.SendInClear = now.SendInClear && now.credential() && loopback.InClear(now.BaseURL) // shown only if used
	// credentials belong to the address they were entered for
	if moved(was, now) {
		was = nil
	}
	now.Secret = masked(w, "secret", func(p *Portal) *string { return &p.Secret }, was, now)
	now.ProxyPassword = masked(w, "proxyPassword", func(p *Portal) *string { return &p.ProxyPassword }, was, now)
	return nil
}

// settled normalizes the fields, and refuses invalid values.
func settled(now *Portal) error {
	var err error
	now.Name = strings.TrimSpace(now.Name)
	now.Account = strings.TrimSpace(now.Account)
	now.Fingerprint = strings.ToLower(strings.NewReplacer(":", "", " ", "").Replace(now.Fingerprint))
	switch {
	case now.Name == "":
		return fault.At("name", "give the portal a name")
	case !fingerprint.MatchString(now.Fingerprint):
		return fault.At("fingerprint", "a SHA-256 fingerprint has 64 hexadecimal digits")
	case now.Auth == AuthLMv1 && now.Account == "":
		return fault.At("account", "an LMv1 signature requires the access id")
	}
	if now.BaseURL, err = address("baseUrl", now.BaseURL, "http", "https"); err != nil {
		return err
	}
	if now.CatalogURL != "" {
		if now.CatalogURL, err = address("catalogUrl", now.CatalogURL, "http", "https"); err != nil {
			return err
		}
	}
	if now.Proxy != ProxySystem && now.Proxy != ProxyNone {
		if now.Proxy, err = address("proxy", now.Proxy, "http", "https", "socks5"); err != nil {
			return err
		}
	}
	return nil
}

// address returns a URL without the parts that it must not have.
func address(field, text string, schemes ...string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || !slices.Contains(schemes, strings.ToLower(u.Scheme)):
		return "", fault.At(field,
			"an address must begin with %s://, followed by a host", strings.Join(schemes, ":// or "))
	case u.User != nil && field == "proxy":
		if _, has := u.User.Password(); has {
			return "", fault.At(field, "remove the password from the address; it has its own field")
		}
	case u.User != nil:
		return "", fault.At(field, "remove user name and password from the address; they have their own fields")
	}
	if field != "catalogUrl" && (u.RawQuery != "" || u.Fragment != "") {
		return "", fault.At(field, "the address must not contain ? or #")
	}
	u.Scheme, u.Host, u.Fragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), ""
	return strings.TrimRight(u.String(), "/"), nil
}

// MaySend refuses to send a password or a token in clear text over the network,
// unless the user consented for this portal. An LMv1 signature does not contain
// its key.
func (p *Portal) MaySend() error {
	if !p.credential() {
		return nil
	}
	return loopback.CheckConsent(p.BaseURL, "your credential", p.SendInClear)
}

// credential reports whether requests carry a credential that anyone who reads it
// can use.
func (p *Portal) credential() bool { return p.Auth == AuthSession || p.Auth == AuthToken }

// moved reports whether requests now go to another address or authenticate in
// another way.
func moved(was, now *Portal) bool {
	return was != nil && (origin(was.BaseURL) != origin(now.BaseURL) || was.Auth != now.Auth ||
		was.Account != now.Account)
}

func origin(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// masked returns the row's text for a secret: stars if it is set, or nothing.
func masked(w *resource.Write, field string, at func(*Portal) *string, was, now *Portal) string {
	value := *at(now)
	switch {
	case !w.Given(field) || value == resource.Mask:
		if was == nil {
			return ""
		}
		return *at(was)
	case value == "":
		return ""
	}
	return resource.Mask
}

// forgetPortal deletes the rows that belong to a portal.
func forgetPortal(ctx context.Context, tx resource.Tx, p *Portal) error {
	its := []resource.Where{mine(p.UserID), {Field: "portalId", Op: "=", Value: p.ID}}
	if err := forgetPast(ctx, tx, its...); err != nil {
		return err
	}
	if err := resource.DeleteAll(ctx, tx, variableRows, its...); err != nil {
		return err
	}
	if err := resource.DeleteAll(ctx, tx, environmentRows, its...); err != nil {
		return err
	}
	if err := resource.DeleteAll(ctx, tx, tabRows, its...); err != nil {
		return err
	}
	return resource.DeleteAll(ctx, tx, catalogRows, mine(p.UserID),
		resource.Where{Field: "portalId", Op: "=", Value: p.ID})
}

// PortalID returns the id of the portal in a call.
func PortalID(c *resource.Call) int64 {
	if c == nil {
		return BuiltIn
	}
	id, err := strconv.ParseInt(c.Query.Get("portal"), 10, 64)
	if err != nil || id < 0 {
		return BuiltIn
	}
	return id
}

// here returns the condition that a row belongs to the portal of the call.
func here(c *resource.Call) []resource.Where {
	return []resource.Where{{Field: "portalId", Op: "=", Value: PortalID(c)}}
}

// hereOrGlobal returns the condition of here, or that a row belongs to all
// portals.
func hereOrGlobal(c *resource.Call) []resource.Where {
	return []resource.Where{{Field: "portalId", Op: "in", Value: []int64{PortalID(c), everywhere}}}
}

// settle returns the id of the portal for a new row.
func settle(w *resource.Write, userID int64) (int64, error) {
	id := PortalID(w.Call)
	if id == BuiltIn {
		return id, nil
	}
	p, err := resource.Get(w.Context, w.Tx, portalRows, id)
	if err == nil && p.UserID != userID {
		err = fault.New(fault.Unknown, "there is no portal %d", id)
	}
	return id, err
}

// PortalOf returns a remote portal of the user with masked secrets.
func (w *Workspace) PortalOf(ctx context.Context, userID, id int64) (*Portal, error) {
	all, err := known(ctx, w.db, portalRows, userID)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(all, func(p Portal) bool { return p.ID == id }); i >= 0 {
		return &all[i], nil
	}
	return nil, &fault.Error{Kind: fault.Unknown, Field: "portal", Message: "this portal is no longer in your " +
		"list; choose another one"}
}

// PortalsOf returns the user's remote portals in the order they were added, with
// masked secrets.
func (w *Workspace) PortalsOf(ctx context.Context, userID int64) ([]Portal, error) {
	return resource.Find(ctx, w.db, portalRows, mine(userID))
}

// key returns the name of a secret of the portal in the keyring.
func (p *Portal) key(what string) string { return fmt.Sprintf("portal-%d-%d-%s", p.UserID, p.ID, what) }
