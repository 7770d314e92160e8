package session

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// TokenRequest holds the parts of a request that a token's signature covers.
type TokenRequest struct {
	Method      string
	Path        string // after the mount, as sent, without query
	DecodedPath string // the same, percent-decoded
	Body        []byte // raw
	Remote      string // the caller's address, without port
}

// Created is a new API token. It cannot be read again later.
type Created struct {
	Bearer    string `json:"bearer"`
	AccessID  string `json:"accessId"`
	AccessKey string `json:"accessKey"`

	row people.Token
}

// clockSkew limits the difference between the time of a signature and ours.
const clockSkew = 30 * time.Minute

func errBadToken() error { return fault.New(fault.NoLogin, "the API token is not valid") }

// ByToken checks an Authorization header, "Bearer token" or "LMv1
// id:signature:epochMillis", and returns the access of the token's owner within the
// limits of the token. It returns fault.NoLogin for anything else. It records the
// use, at most once a minute.
func (s *Service) ByToken(ctx context.Context, authorization string, r TokenRequest) (*resource.Access, error) {
	all, err := s.tokens(ctx)
	if err != nil {
		return nil, err
	}
	scheme, value, _ := strings.Cut(authorization, " ")
	value = strings.TrimSpace(value)
	var token *people.Token
	switch {
	case strings.EqualFold(scheme, "Bearer") && isCollectorToken(value):
		return s.byCollector(ctx, value)
	case strings.EqualFold(scheme, "Bearer"):
		token, err = s.token(ctx, all.byBearer, "bearerHash", bearerHash(value))
	case strings.EqualFold(scheme, "LMv1"):
		token, err = s.signed(ctx, all, value, r)
	default:
		err = fault.New(fault.NoLogin, "Authorization must be Bearer <token> or LMv1 "+
			"<accessId>:<signature>:<epochMillis>")
	}
	if err != nil {
		return nil, err
	}
	if !s.works(token) {
		return nil, s.refuse(ctx, token, r)
	}
	access, err := s.access(ctx, holder{token.AdminID, token.RoleID, token.ExpiresOn != 0})
	if fault.Is(err, fault.NoLogin) {
		return nil, s.refuse(ctx, token, r)
	}
	if err == nil {
		s.record.use(token.ID, s.now(), tokenUse{resource.SecondsOf(s.clock()), r.Remote})
	}
	return access, err
}

// works reports whether there is such a token, and it is neither suspended nor expired.
func (s *Service) works(token *people.Token) bool {
	return token != nil && token.Status == people.TokenActive &&
		(token.ExpiresOn == 0 || resource.SecondsOf(s.clock()) < token.ExpiresOn)
}

// refuse records an invalid token; token is nil for an unknown one.
func (s *Service) refuse(ctx context.Context, token *people.Token, r TokenRequest) error {
	owner := ""
	if token != nil {
		owner = token.AdminName
	}
	s.noteBadToken(ctx, owner, r.Remote)
	return errBadToken()
}

// CheckSigner checks an LMv1 Authorization header without the signed body: its
// form, its time and whether an active token has its access id. It returns
// fault.NoLogin for anything else. A caller that passes is not authenticated yet.
func (s *Service) CheckSigner(ctx context.Context, authorization, remote string) error {
	all, err := s.tokens(ctx)
	if err != nil {
		return err
	}
	_, value, _ := strings.Cut(authorization, " ")
	parts, err := s.signature(value)
	if err != nil {
		return err
	}
	token, err := s.token(ctx, all.byAccess, "accessId", parts[0])
	if err == nil && !s.works(token) {
		err = s.refuse(ctx, token, TokenRequest{Remote: remote})
	}
	return err
}

// signature splits the value of an LMv1 header into access id, signature and
// time, and checks the time.
func (s *Service) signature(value string) ([]string, error) {
	parts := strings.Split(strings.TrimSpace(value), ":")
	if len(parts) != 3 {
		return nil, fault.New(fault.NoLogin, "LMv1 takes <accessId>:<signature>:<epochMillis>")
	}
	millis, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || time.UnixMilli(millis).Sub(s.clock()).Abs() > clockSkew {
		return nil, fault.New(fault.NoLogin, "the time of the LMv1 signature must be epoch milliseconds within 30 "+
			"minutes of this portal's clock")
	}
	return parts, nil
}

// signed returns the token of an LMv1 signature; nil if none matches.
func (s *Service) signed(ctx context.Context, all *tokens, value string, r TokenRequest) (*people.Token, error) {
	parts, err := s.signature(value)
	if err != nil {
		return nil, err
	}
	token, err := s.token(ctx, all.byAccess, "accessId", parts[0])
	if err != nil {
		return nil, err
	}
	key := []byte("as slow without a token as with one")
	if token != nil {
		if key, err = s.db.Unseal(people.AccessKeyPlace(token.AccessID), token.SealedKey); err != nil {
			return nil, nil // its key is lost: no signature can match
		}
	}
	bodies := [][]byte{r.Body}
	if len(r.Body) > 0 && (r.Method == "GET" || r.Method == "DELETE") {
		bodies = append(bodies, nil)
	}
	paths := []string{r.Path}
	if r.DecodedPath != r.Path {
		paths = append(paths, r.DecodedPath)
	}
	good := false
	for _, body := range bodies {
		for _, path := range paths {
			if hmac.Equal([]byte(parts[1]), []byte(sign(key, r.Method, parts[2], body, path))) {
				good = true
			}
		}
	}
	if !good {
		return nil, nil
	}
	return token, nil
}

// sign returns an LMv1 signature: base64 of the hex of the HMAC.
func sign(key []byte, method, millis string, body []byte, path string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(method + millis))
	mac.Write(body)
	mac.Write([]byte(path))
	return base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(mac.Sum(nil))))
}

func bearerHash(bearer string) string {
	sum := digestOf(bearer)
	return hex.EncodeToString(sum[:])
}

// tokens holds all API tokens. It is shared: do not change it.
type tokens struct {
	byBearer map[string]*people.Token // by hash
	byAccess map[string]*people.Token
}

func (s *Service) tokens(ctx context.Context) (*tokens, error) {
	value, err := s.db.Memo("session.tokens", []string{string(people.Tokens.Name)}, func() (any, error) {
		rows, err := resource.Find(context.WithoutCancel(ctx), s.db, people.Tokens.Name)
		all := &tokens{byBearer: make(map[string]*people.Token, len(rows)),
			byAccess: make(map[string]*people.Token, len(rows))}
		for i := range rows {
			all.byBearer[rows[i].BearerHash] = &rows[i]
			all.byAccess[rows[i].AccessID] = &rows[i]
		}
		return all, err
	})
	if err != nil {
		return nil, err
	}
	return value.(*tokens), nil
}

// token returns the token with a value of a field, from those in memory or, where this node
// may not have heard of it yet, from the database; nil if there is none.
func (s *Service) token(ctx context.Context, known map[string]*people.Token, field, value string) (*people.Token,
	error) {
	if token := known[value]; token != nil || !s.o.Shared {
		return token, nil
	}
	rows, err := resource.Find(ctx, s.db, people.Tokens.Name, resource.Where{Field: field, Op: "=", Value: value})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// CreateToken creates an API token for a user; by is the name of its creator. It
// returns fault.Unknown for an unknown user.
func (s *Service) CreateToken(ctx context.Context, userID int64, note, by string) (Created, error) {
	return s.createToken(s.asPortal(ctx), people.Token{AdminID: userID, Note: note, Status: people.TokenActive,
		CreatedBy: by}, nil)
}

// createToken completes and writes the row, unless allow refuses its owner.
func (s *Service) createToken(ctx context.Context, row people.Token,
	allow func(tx resource.Tx, owner *people.User) error) (Created, error) {
	return s.keepToken(ctx, row, newCreated(), allow)
}

// newCreated returns random secrets of a token.
func newCreated() Created {
	return Created{Bearer: newSecret(), AccessID: randomText(20), AccessKey: randomText(48)}
}

// keepToken is createToken with given secrets.
func (s *Service) keepToken(ctx context.Context, row people.Token, made Created,
	allow func(tx resource.Tx, owner *people.User) error) (Created, error) {
	row.AccessID, row.BearerHash, row.SealedKey = made.AccessID, bearerHash(made.Bearer),
		s.db.Seal(people.AccessKeyPlace(made.AccessID), []byte(made.AccessKey))
	row.CreatedOn = resource.SecondsOf(s.clock())
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		owner, err := resource.Get(ctx, tx, people.Users.Name, row.AdminID)
		if err == nil && allow != nil {
			err = allow(tx, owner)
		}
		if err != nil {
			return err
		}
		row.ID, row.AdminName = 0, owner.Username
		return resource.Put(ctx, tx, people.Tokens.Name, &row)
	})
	made.row = row
	return made, err
}

// randomText returns n random characters of 5 bits each that never need quoting.
func randomText(n int) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	b := make([]byte, n)
	rand.Read(b)
	for i := range b {
		b[i] = letters[b[i]&31]
	}
	return string(b)
}

// shortestToken is the number of characters that a given bearer or access key has at least.
const shortestToken = 20

// AddKnownToken creates a token whose secrets are given: a bearer, an access id with its
// key, or both. The others are random. It does nothing if the bearer or the access id exists
// already.
func (s *Service) AddKnownToken(ctx context.Context, userID int64, note string, known Created) error {
	if known.Bearer == "" && known.AccessID == "" {
		return fault.At("bearer", "bearer is required, or accessId with accessKey")
	}
	if (known.AccessID == "") != (known.AccessKey == "") {
		return fault.At("accessId", "accessId and accessKey must be used together")
	}
	for field, secret := range map[string]string{"bearer": known.Bearer, "accessKey": known.AccessKey} {
		if secret != "" && len(secret) < shortestToken {
			return fault.At(field, "%s must have at least %d characters", field, shortestToken)
		}
	}
	for field, text := range map[string]string{"bearer": known.Bearer, "accessId": known.AccessID,
		"accessKey": known.AccessKey} {
		if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' || c == ':' }) {
			return fault.At(field, "%s must have only ASCII letters, digits and punctuation, and no colon", field)
		}
	}
	if isCollectorToken(known.Bearer) {
		return fault.At("bearer", "bearer must not begin with %s, which begins the tokens of collectors",
			collectorPrefix)
	}
	all, err := s.tokens(ctx)
	if err != nil || known.Bearer != "" && all.byBearer[bearerHash(known.Bearer)] != nil ||
		all.byAccess[known.AccessID] != nil {
		return err
	}
	fresh := newCreated()
	if known.Bearer == "" {
		known.Bearer = fresh.Bearer
	}
	if known.AccessID == "" {
		known.AccessID, known.AccessKey = fresh.AccessID, fresh.AccessKey
	}
	_, err = s.keepToken(s.asPortal(ctx), people.Token{AdminID: userID, Note: note, Status: people.TokenActive,
		CreatedBy: "seed"}, known, nil)
	return err
}
