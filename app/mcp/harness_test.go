package mcp_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/zalando/go-keyring"

	"spyglass/app"
	"spyglass/app/mcp"
	"spyglass/backend/server"
)

// fixture is a demo portal with API tokens for its users.
type fixture struct {
	app    *app.App
	folder string
	log    *buffer

	mu     sync.Mutex
	tokens map[string]string
}

// buffer is a log for concurrent writers. It signals when the demo has created its history.
type buffer struct {
	mu     sync.Mutex
	text   bytes.Buffer
	filled chan struct{}
	once   sync.Once
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bytes.Contains(p, []byte("the demo history is filled")) {
		b.once.Do(func() { close(b.filled) })
	}
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// demo is the portal that the tests share. Each test leaves it unchanged.
var demo *fixture

func TestMain(m *testing.M) {
	os.Exit(func() int {
		_ = os.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
		keyring.MockInit()
		folder, err := os.MkdirTemp("", "spyglass-mcp-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		demo, err = open(filepath.Join(folder, "data"), server.Options{Demo: true, NoLimits: true})
		if err != nil {
			panic(err)
		}
		defer demo.close()
		<-demo.log.filled
		return m.Run()
	}())
}

func open(folder string, o server.Options) (*fixture, error) {
	h := &fixture{folder: folder, log: &buffer{filled: make(chan struct{})}, tokens: map[string]string{}}
	o.Data, o.Listen, o.Version = folder, "127.0.0.1:0", "test"
	o.Log = slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	h.app, err = app.Open(context.Background(), o)
	return h, err
}

func (h *fixture) close() {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := h.app.Wait(ctx); err != nil {
		panic(err)
	}
}

// token returns the API token of a user, the same for each call.
func (h *fixture) token(t *testing.T, user string) string {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if have := h.tokens[user]; have != "" {
		return have
	}
	made, err := server.Send(t.Context(), server.Options{Data: h.folder}, server.Command{Do: server.DoCreateToken,
		Name: user})
	if err != nil {
		t.Fatal(err)
	}
	h.tokens[user] = made.Bearer
	return made.Bearer
}

// request sends one to the portal as the administrator.
func (h *fixture) request(t *testing.T, method, path, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.app.Origin()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+h.token(t, "admin"))
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(all)
}

func (h *fixture) mustAsk(t *testing.T, method, path, body string) string {
	t.Helper()
	status, text := h.request(t, method, path, body)
	if status/100 != 2 {
		t.Fatalf("%s %s returned %d %s", method, path, status, text)
	}
	return text
}

// allowWrites sets whether agents that connect to /mcp may write.
func (h *fixture) allowWrites(t *testing.T, may bool) {
	t.Helper()
	h.mustAsk(t, "PATCH", "/api/setting/portal", fmt.Sprintf(`{"agentsMayWrite":%t}`, may))
}

// agent is a client that is connected.
type agent struct {
	*sdk.ClientSession
	t *testing.T
}

var implementation = &sdk.Implementation{Name: "test-agent", Version: "7.1"}

// connect connects over pipes to a server for the portal.
func (h *fixture) connect(t *testing.T, token string, writes bool) *agent {
	t.Helper()
	return h.connectTo(t, mcp.Stdio{Portal: h.app.Origin(), Token: token, Writes: writes})
}

// connectTo starts a server on pipes, as a client does with the command, and connects.
func (h *fixture) connectTo(t *testing.T, o mcp.Stdio) *agent {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	o.Version, o.In, o.Out, o.Log = "test", toServer, fromServer, slog.New(slog.NewTextHandler(h.log, nil))
	ended := make(chan error, 1)
	go func() { ended <- mcp.Run(context.WithoutCancel(t.Context()), o) }()
	a := dial(t, &sdk.IOTransport{Reader: toClient, Writer: fromClient})
	t.Cleanup(func() {
		_ = a.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	return a
}

// selfSigned writes a certificate for 127.0.0.1 and its key into a folder.
func selfSigned(t *testing.T, folder string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	signed, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed},
		key: {Type: "PRIVATE KEY", Bytes: sealed}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// bearer adds a token to requests.
type bearer struct{ token *string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+*b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// connectHTTP connects to the portal's own /mcp.
func (h *fixture) connectHTTP(t *testing.T, token *string) *agent {
	t.Helper()
	a := dial(t, &sdk.StreamableClientTransport{Endpoint: h.app.Origin() + "/mcp", MaxRetries: -1,
		HTTPClient: &http.Client{Transport: bearer{token}}})
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func dial(t *testing.T, to sdk.Transport) *agent {
	t.Helper()
	session, err := sdk.NewClient(implementation, nil).Connect(t.Context(), to, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &agent{session, t}
}

// call calls a tool, and returns its content, its first text and whether it failed.
func (a *agent) call(tool string, args map[string]any) (*sdk.CallToolResult, string, bool) {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, args, err)
	}
	text, ok := r.Content[0].(*sdk.TextContent)
	if !ok {
		a.t.Fatalf("%s returns no text first: %v", tool, r.Content)
	}
	return r, text.Text, r.IsError
}

// do calls a tool that must succeed, and reads its content.
func (a *agent) do(tool string, args map[string]any, into any) string {
	a.t.Helper()
	r, text, failed := a.call(tool, args)
	if failed {
		a.t.Fatalf("%s %v fails: %s", tool, args, text)
	}
	structured, err := json.Marshal(r.StructuredContent)
	if err == nil && into != nil {
		err = json.Unmarshal(structured, into)
	}
	if err != nil {
		a.t.Fatalf("%s returns %s: %v", tool, structured, err)
	}
	return text
}

// refused calls a tool that must fail with an error that contains these words.
func (a *agent) refused(tool string, args map[string]any, words ...string) {
	a.t.Helper()
	_, text, failed := a.call(tool, args)
	if !failed {
		a.t.Errorf("%s %v is not refused: %s", tool, args, text)
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			a.t.Errorf("%s %v fails with %q, want %q in it", tool, args, text, word)
		}
	}
}

// each runs a test over both transports as the administrator, with or without permission
// to write.
func each(t *testing.T, writes bool, test func(t *testing.T, a *agent)) {
	t.Run("standard input and output", func(t *testing.T) {
		test(t, demo.connect(t, demo.token(t, "admin"), writes))
	})
	t.Run("HTTP", func(t *testing.T) {
		if writes {
			demo.allowWrites(t, true)
			defer demo.allowWrites(t, false)
		}
		token := demo.token(t, "admin")
		test(t, demo.connectHTTP(t, &token))
	})
}
