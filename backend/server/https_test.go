package server_test

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/localca"
	"spyglass/backend/server"
)

const acme = "acme.example.test"

// secured returns a client that trusts only the authority of a data folder, and resolves
// every name to this machine.
func secured(t *testing.T, data string) *http.Client {
	t.Helper()
	cert, err := localca.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	var dialer net.Dialer
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				_, port, err := net.SplitHostPort(address)
				if err != nil {
					return nil, err
				}
				return dialer.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
			}},
	}
}

// answered is a complete response.
type answered struct {
	*http.Response
	text string
}

func do(t *testing.T, client *http.Client, method, url, body string, headers ...string) (answered, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(r)
	if err != nil {
		return answered{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{response, string(text)}, nil
}

func whole(t *testing.T, r answered, err error) answered {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func httpsOptions(t *testing.T, names ...string) server.Options {
	o := options(t)
	o.HTTPS, o.Names, o.HostsFile = true, names, filepath.Join(t.TempDir(), "hosts")
	return o
}

func TestHTTPSIsServedForTheGivenNames(t *testing.T) {
	o := httpsOptions(t, "ACME.example.test")
	s := start(t, o)
	client, bearer := secured(t, o.Data), token(t, o, "admin")
	_, port, _ := net.SplitHostPort(s.Address())
	if want := "https://" + s.Address(); s.Origin() != want {
		t.Errorf("the origin is %s, want %s", s.Origin(), want)
	}
	for _, host := range []string{acme, "localhost", "127.0.0.1"} {
		r, err := do(t, client, "GET", "https://"+host+":"+port+"/santaba/rest/device/groups?size=1", "",
			"Authorization", "Bearer "+bearer, "X-Version", "3")
		if whole(t, r, err); r.StatusCode != 200 || !strings.Contains(r.text, `"total":1`) {
			t.Errorf("%s: %d %s", host, r.StatusCode, r.text)
		}
		if r.Header.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: browsers would use https for every port of this computer", host)
		}
	}
	if _, err := do(t, client, "GET", "https://other.example.test:"+port+"/", ""); err == nil ||
		!strings.Contains(err.Error(), "not other.example.test") {
		t.Errorf("another name: %v", err)
	}
	for _, tt := range []struct {
		header, value string
		status        int
	}{
		{"Host", "other.example.test:" + port, 403},
		{"Host", acme, 403}, // without the port
		{"Host", "sub." + acme + ":" + port, 403},
		{"Origin", "https://" + acme + ":" + port, 200},
		{"Origin", "http://" + acme + ":" + port, 403},
		{"Origin", "https://localhost:" + port, 403}, // another origin of the same portal
		{"Origin", "https://" + acme, 403},
		{"Sec-Fetch-Site", "same-site", 403},
	} {
		r, err := do(t, client, "GET", "https://"+acme+":"+port+"/api/device/groups", "", "Authorization",
			"Bearer "+bearer, tt.header, tt.value)
		if whole(t, r, err); r.StatusCode != tt.status {
			t.Errorf("%s %s: %d %s, want %d", tt.header, tt.value, r.StatusCode, r.text, tt.status)
		}
	}
	r, err := do(t, client, "POST", "https://"+acme+":"+port+"/api/session", fmt.Sprintf(
		`{"username":"admin","password":%q}`, s.Passwords["admin"]), "Content-Type", "application/json")
	if whole(t, r, err); r.StatusCode != 200 {
		t.Fatalf("sign-in: %d %s", r.StatusCode, r.text)
	}
	for _, c := range r.Cookies() {
		if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || !strings.HasPrefix(c.Name, "__Host-") {
			t.Errorf("the cookie is %v", c)
		}
	}
	if at := s.HTTPSState(); !at.On || at.Switchable || !slices.Equal(at.Names, []string{acme}) ||
		at.Hosts.Line != "127.0.0.1 "+acme || s.ClientOrigin() != s.Origin() {
		t.Errorf("the state is %+v, clients use %s", at, s.ClientOrigin())
	}
	if err := os.WriteFile(o.HostsFile, []byte("127.0.0.1 "+acme), 0o600); err != nil {
		t.Fatal(err)
	}
	if want := "https://" + acme + ":" + port; s.ClientOrigin() != want || s.HTTPSState().Hosts.Line != "" {
		t.Errorf("with the line in the hosts file, clients use %s, want %s", s.ClientOrigin(), want)
	}
}

// plainly sends a request without TLS and returns the response.
func plainly(t *testing.T, address, request string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Body = io.NopCloser(strings.NewReader(string(text)))
	return r
}

func TestPlainHTTPIsRedirectedOrRefused(t *testing.T) {
	s := start(t, httpsOptions(t, acme))
	_, port, _ := net.SplitHostPort(s.Address())
	host := acme + ":" + port
	long := "Cookie: " + strings.Repeat("x", 20_000) + "\r\n"
	for _, tt := range []struct {
		request, location, says string
	}{
		{"GET /?a=b HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "https://" + host + "/?a=b", ""},
		{"GET / HTTP/1.1\r\nHost: " + host + "\r\n" + long + "\r\n", "https://" + host + "/", ""},
		{"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "", "use https://"},
		{"GET //evil.example HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "", "use https://" + host},
		{"GET /launch?t=1 HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "", "use https://" + host},
		{"GET /api/device/devices HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "", "use https://" + host},
		{"POST / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 2\r\n\r\n{}", "", "use https://" + host},
		{"PATCH /santaba/rest/device/devices/1 HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "", "use https://" + host},
		{"DELETE /api/device/devices/1 HTTP/1.1\r\nHost: " + host + "\r\n\r\n", "", "use https://" + host},
	} {
		r := plainly(t, s.Address(), tt.request)
		text, _ := io.ReadAll(r.Body)
		status := http.StatusBadRequest
		if tt.location != "" {
			status = http.StatusPermanentRedirect
		}
		if r.StatusCode != status || r.Header.Get("Location") != tt.location ||
			!strings.Contains(string(text), tt.says) {
			t.Errorf("%q: %d to %q, %s", strings.SplitN(tt.request, "\r\n", 2)[0], r.StatusCode,
				r.Header.Get("Location"), text)
		}
	}
}

func TestInvalidHTTPSOptionsAreRefused(t *testing.T) {
	cert, key := certificate(t)
	for _, tt := range []struct {
		change func(o *server.Options)
		want   string
	}{
		{func(o *server.Options) { o.HTTPS = false; o.Names = []string{acme} }, "--name requires --https"},
		{func(o *server.Options) { o.TLSCert, o.TLSKey = cert, key }, "leave out --tls-cert"},
		{func(o *server.Options) { o.Names = []string{"com"} }, `"com" has no dot`},
		{func(o *server.Options) { o.Listen = "0.0.0.0:0" }, "requires --tls-cert"},
	} {
		o := httpsOptions(t)
		tt.change(&o)
		s, err := server.New(t.Context(), o)
		if err == nil {
			stop(t, s)
		}
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// free returns an unused port.
func free(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestHTTPSIsTurnedOnAndOffWhileTheWindowKeepsItsAddress(t *testing.T) {
	o := options(t)
	o.SwitchHTTPS = true
	s := start(t, o)
	bearer := token(t, o, "admin")
	port := free(t)
	on := server.HTTPS{On: true, Port: port, Names: []string{acme}}
	if err := s.SetHTTPS(t.Context(), on); err != nil {
		t.Fatal(err)
	}
	client := secured(t, o.Data)
	at := fmt.Sprintf("https://%s:%d", acme, port)
	groups := func() (answered, error) {
		return do(t, client, "GET", at+"/santaba/rest/device/groups", "", "Authorization", "Bearer "+bearer)
	}
	signIn := fmt.Sprintf(`{"username":"admin","password":%q}`, s.Passwords["admin"])
	r, err := groups()
	if whole(t, r, err); r.StatusCode != 200 {
		t.Errorf("over TLS: %d %s", r.StatusCode, r.text)
	}
	for _, tt := range []struct {
		origin string
		secure bool
	}{{at, true}, {s.Origin(), false}} {
		r, err := do(t, client, "POST", tt.origin+"/api/session", signIn, "Content-Type", "application/json")
		if whole(t, r, err); r.StatusCode != 200 || len(r.Cookies()) == 0 || r.Cookies()[0].Secure != tt.secure {
			t.Errorf("%s: %d, cookies %v", tt.origin, r.StatusCode, r.Cookies())
		}
	}
	// the names apply only to TLS, and each port has its own
	for _, host := range []string{fmt.Sprintf("%s:%d", acme, port), acme, fmt.Sprintf("127.0.0.1:%d", port)} {
		if r, err := do(t, client, "GET", s.Origin()+"/", "", "Host", host); whole(t, r, err).StatusCode != 403 {
			t.Errorf("http with the host %s: %d", host, r.StatusCode)
		}
	}
	if r, err := do(t, client, "GET", at+"/", "", "Host", s.Address()); whole(t, r, err).StatusCode != 403 {
		t.Errorf("https with the host of http: %d", r.StatusCode)
	}

	stop(t, s)
	s = start(t, o) // HTTPS is on again
	if r, err := groups(); whole(t, r, err).StatusCode != 200 {
		t.Errorf("after a restart: %d", r.StatusCode)
	}
	on.Names = []string{"two.example.test"}
	if err := s.SetHTTPS(t.Context(), on); err != nil {
		t.Fatal(err)
	}
	if _, err := groups(); err == nil {
		t.Error("the name is served after it was removed")
	}
	if err := s.SetHTTPS(t.Context(), server.HTTPS{Port: port}); err != nil {
		t.Fatal(err)
	}
	if _, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
		t.Error("the port is open after HTTPS was turned off")
	}
	if s.ClientOrigin() != s.Origin() {
		t.Errorf("clients use %s", s.ClientOrigin())
	}
	_, log := get(t, s, bearer, `/api/setting/accesslogs?filter=description~"HTTPS"&sort=id&fields=description`)
	var said []string
	for _, one := range log["items"].([]any) {
		said = append(said, one.(map[string]any)["description"].(string))
	}
	want := []string{fmt.Sprintf("Turned on HTTPS on port %d for localhost, %s", port, acme),
		fmt.Sprintf("Turned on HTTPS on port %d for localhost, two.example.test", port), "Turned off HTTPS"}
	if !slices.Equal(said, want) {
		t.Errorf("the audit log has %q, want %q", said, want)
	}
}

func TestFailedHTTPSChangesNothing(t *testing.T) {
	o := options(t)
	o.SwitchHTTPS = true
	s := start(t, o)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := taken.Addr().(*net.TCPAddr).Port
	for _, tt := range []struct {
		to          server.HTTPS
		field, want string
	}{
		{server.HTTPS{On: true, Port: port}, "port", "another program may have the port. Choose another port"},
		{server.HTTPS{On: true, Port: 70000}, "port", "from 1 to 65535"},
		{server.HTTPS{On: true, Port: free(t), Names: []string{"*.example.test"}}, "names", "has a wildcard"},
	} {
		err := s.SetHTTPS(t.Context(), tt.to)
		if f := fault.Of(err); err == nil || f.Field != tt.field || !strings.Contains(f.Message, tt.want) {
			t.Errorf("%+v: %v", tt.to, err)
		}
		if s.HTTPSState().On {
			t.Errorf("%+v: it is on", tt.to)
		}
	}
	if err := s.SetHTTPS(t.Context(), server.HTTPS{On: true, Port: free(t)}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(o.Data, "https", "settings.json")
	stop(t, s)
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"on":true,"port":%d}`, port), 0o600); err != nil {
		t.Fatal(err)
	}
	s = start(t, o) // the portal starts despite the error
	if at := s.HTTPSState(); !at.On || !strings.Contains(at.Problem, "cannot be listened on") ||
		s.ClientOrigin() != s.Origin() {
		t.Errorf("with a taken port the state is %+v", at)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.SetHTTPS(t.Context(), s.HTTPSState().HTTPS); err != nil || s.HTTPSState().Problem != "" {
		t.Errorf("a second try: %v, %q", err, s.HTTPSState().Problem)
	}
	served := start(t, options(t))
	if err := served.SetHTTPS(t.Context(), server.HTTPS{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("serve without --https: %v", err)
	}
}

func TestAuthorityIsInNoBackupAndItsKeyInNoResponse(t *testing.T) {
	o := httpsOptions(t, acme)
	s := start(t, o)
	key, err := os.ReadFile(filepath.Join(o.Data, "https", "authority.key"))
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := os.ReadFile(localca.File(o.Data))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprintf("%+v", s.HTTPSState())+string(certificate), string(key[40:80])) {
		t.Error("the state has the key")
	}
	file := filepath.Join(t.TempDir(), "backup.zip")
	if err := server.Backup(t.Context(), server.Options{Data: o.Data}, file, unheard); err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || strings.Contains(f.Name, "https") || strings.Contains(string(text), string(key[40:80])) {
			t.Errorf("the backup has the authority in %s, %v", f.Name, err)
		}
	}
}
