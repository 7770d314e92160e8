package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
)

// TokenVariable is the environment variable with the API token.
const TokenVariable = "SPYGLASS_TOKEN"

// Stdio configures Run.
type Stdio struct {
	Portal      string // address of the portal; its API is at /api, unless the address has a path
	Fingerprint string // SHA-256 of the certificate to accept without verification; may be empty
	Token       string
	Writes      bool // agents may change the portal
	Version     string
	Log         *slog.Logger
	In          io.ReadCloser
	Out         io.WriteCloser
}

// timeout limits one request to the portal.
const timeout = 30 * time.Second

// maxLine limits the bytes of one message on standard input.
const maxLine = 4 << 20

// Run serves one agent over standard input and output, until its input ends or ctx does.
func Run(ctx context.Context, o Stdio) error {
	if o.Token == "" {
		return fault.New(fault.NoLogin, "%s is not set. Create a token with spyglass token create --user NAME, and "+
			"put its bearer into that environment variable", TokenVariable)
	}
	r, err := newRemote(&o)
	if err != nil {
		return err
	}
	s := NewServer(Options{Reach: r.reach, Writes: func() bool { return o.Writes }, Version: o.Version, Log: o.Log,
		Refused: "Start spyglass mcp with --allow-writes to allow changes"})
	one := func(r *sdk.CallToolRequest) *Caller { return &Caller{Token: o.Token, Agent: clientOf(r)} }
	err = s.protocol(o.Writes, one).Run(ctx, &sdk.IOTransport{Reader: o.In, Writer: o.Out, MaxLineLength: maxLine})
	r.client.CloseIdle()
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// clientOf returns the name and version of the client of a request.
func clientOf(r *sdk.CallToolRequest) string {
	if info := r.ClientInfo(); info != nil {
		return strings.TrimSpace(info.Name + " " + info.Version)
	}
	return "unknown client"
}

// remote is the portal of Run.
type remote struct {
	base   outgoing.Target
	client *client.Client
	log    *slog.Logger

	mu      sync.Mutex
	catalog *catalog.Catalog // read at the first use
}

func newRemote(o *Stdio) (*remote, error) {
	at, err := url.Parse(strings.TrimSpace(o.Portal))
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil ||
		at.RawQuery != "" {
		return nil, fault.New(fault.Invalid, "--portal must be an address such as https://portal.example.net:8443, "+
			"not %q", o.Portal)
	}
	if at.Path = strings.TrimRight(at.Path, "/"); at.Path == "" {
		at.Path = "/api"
	}
	if loopback.InClear(at.String()) {
		return nil, fault.New(fault.Denied, "%s would get the token in clear text over http://. Use https://", at.Host)
	}
	c, err := client.For(&workspace.Portal{BaseURL: at.String(), Fingerprint: o.Fingerprint}, "", client.Bounds{})
	if err != nil {
		return nil, err
	}
	r := &remote{client: c, log: o.Log, base: outgoing.Target{Name: at.Host, URL: at.String(), Version: o.Version,
		Client: c, Timeout: timeout, Secrets: []string{o.Token}}}
	r.base.Place()
	r.base.Sign = func(out *outgoing.Request) [][2]string {
		headers := [][2]string{{"Authorization", "Bearer " + o.Token}}
		if strings.HasSuffix(at.Path, outgoing.LenientMount) {
			headers = append(headers, [2]string{"X-Version", "3"})
		}
		return headers
	}
	return r, nil
}

// reach returns the portal, with its catalog.
func (r *remote) reach(ctx context.Context, _ *Caller) (*outgoing.Target, error) {
	t := r.base
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.catalog == nil {
		found, err := r.read(ctx)
		if err != nil {
			return nil, err
		}
		r.catalog = found
	}
	t.Catalog = r.catalog
	return &t, nil
}

// read reads the catalog from the portal's OpenAPI document. A portal without one has an
// empty catalog.
func (r *remote) read(ctx context.Context) (*catalog.Catalog, error) {
	t := r.base
	t.Catalog = &catalog.Catalog{}
	for _, place := range catalog.Places(t.URL, t.Origin) {
		out := &outgoing.Request{Method: http.MethodGet, URL: place}
		t.UsualHeaders(out)
		response, text, err := t.Fetch(ctx, out, workspace.MaxCatalog)
		if err != nil {
			return nil, err
		}
		if response.StatusCode == http.StatusUnauthorized {
			return nil, fault.New(fault.NoLogin, "%s refused the token of %s: it is mistyped, revoked or expired. "+
				"Create one with spyglass token create, and start again with it", t.Host, TokenVariable)
		}
		if response.StatusCode != http.StatusOK || !json.Valid(text) {
			continue
		}
		found, err := catalog.Read(ctx, text, t.URL)
		if errors.Is(err, catalog.ErrNone) {
			continue
		}
		if err != nil {
			return nil, fault.New(fault.Offline, "the OpenAPI document at %s cannot be read: %s", place,
				shorten(err.Error(), 200))
		}
		return found, nil
	}
	return t.Catalog, nil
}
