package check_test

import (
	"errors"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"spyglass/backend/check"
)

// look runs a check against a local server, and returns all values but
// times.
func look(t *testing.T, d *check.Dialer, task check.Task) (check.Values, error) {
	t.Helper()
	values, err := check.Run(t.Context(), check.All(d), &task)
	for _, name := range []string{"responseTime", "handshakeTime"} {
		if v, ok := values[name]; ok && (v < 0 || v > 60_000) {
			t.Errorf("%s is %v", name, v)
		}
		delete(values, name)
	}
	return values, err
}

func attributes(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

func hostPort(t *testing.T, url string) (string, string) {
	t.Helper()
	host, port, err := net.SplitHostPort(url[strings.Index(url, "//")+2:])
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}

// measured holds the expected result of a check of a server.
type measured struct {
	name string
	task check.Task
	want check.Values // all but times
	err  string
}

func measure(t *testing.T, cases []measured) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			values, err := look(t, &check.Dialer{}, tt.task)
			if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("the error is %v, want %q in it", err, tt.err)
			}
			if tt.err == "" && err != nil || !maps.Equal(values, tt.want) {
				t.Errorf("got %v (%v), want %v", values, err, tt.want)
			}
		})
	}
}

func TestChecksMeasureRealServers(t *testing.T) {
	pages := http.NewServeMux()
	pages.HandleFunc("/ok", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("all is well")) })
	pages.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) })
	pages.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/ok", http.StatusFound)
	})
	pages.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/round", http.StatusFound)
	})
	pages.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 3<<20)) })
	plain, secure := httptest.NewServer(pages), httptest.NewTLSServer(pages)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	host, port := hostPort(t, plain.URL)
	_, securePort := hostPort(t, secure.URL)
	closed := httptest.NewServer(pages)
	_, closedPort := hostPort(t, closed.URL)
	closed.Close()
	measure(t, []measured{
		{"an open port", check.Task{Method: "tcp", Host: host, Properties: attributes("tcp.port", port),
			Attributes: attributes("port", "##tcp.port##")}, check.Values{"status": 1}, ""},
		{"a closed port", check.Task{Method: "tcp", Host: host, Attributes: attributes("port", closedPort)},
			check.Values{"status": 0}, "127.0.0.1:" + closedPort + " refused the connection."},
		{"no port", check.Task{Method: "tcp", Host: host}, nil, "there is no port 0"},
		{
			"a wrong timeout",
			check.Task{Method: "tcp", Host: host, Attributes: attributes("port", port, "timeout", "soon")}, nil,
			`timeout is "soon", which is not a whole number`},
		{"a page", check.Task{Method: "http", Attributes: attributes("url", plain.URL+"/ok", "text", "well")},
			check.Values{"status": 200, "size": 11, "found": 1}, ""},
		{"a page without the text",
			check.Task{Method: "http", Attributes: attributes("url", plain.URL+"/ok", "text", "ill")},
			check.Values{"status": 200, "size": 11, "found": 0}, ""},
		{"a page that is gone", check.Task{Method: "http", Attributes: attributes("url", plain.URL+"/gone")},
			check.Values{"status": 410, "size": 0}, ""},
		{"a page that moved", check.Task{Method: "http", Attributes: attributes("url", plain.URL+"/moved")},
			check.Values{"status": 200, "size": 11}, ""},
		{"a page that moved, not followed",
			check.Task{Method: "http", Attributes: attributes("url", plain.URL+"/moved", "followRedirect", "false",
				"method", "HEAD")}, check.Values{"status": 302, "size": 0}, ""},
		{"a page that redirects to itself",
			check.Task{Method: "http", Attributes: attributes("url", plain.URL+"/round")}, nil,
			"redirects more than 5 times"},
		{"a huge page", check.Task{Method: "http", Attributes: attributes("url", plain.URL+"/huge")},
			check.Values{"status": 200, "size": 1 << 20}, ""},
		{"a file", check.Task{Method: "http", Attributes: attributes("url", "file:///etc/passwd")}, nil,
			"must be a web address"},
		{"another method", check.Task{Method: "http", Attributes: attributes("url", plain.URL, "method", "DELETE")},
			nil, `the method must be GET or HEAD, not "DELETE"`},
		{"a page nobody trusts", check.Task{Method: "http", Attributes: attributes("url", secure.URL+"/ok")}, nil,
			"certificate"},
		{"a port without TLS", check.Task{Method: "tls", Host: host, Attributes: attributes("port", port)}, nil,
			"The port does not speak TLS."},
		{"no such check", check.Task{Method: "telepathy"}, nil, `this collector has no check "telepathy"`},
	})
	values, err := look(t, &check.Dialer{},
		check.Task{Method: "tls", Host: host, Attributes: attributes("port", securePort)})
	if values["valid"] != 0 || values["daysLeft"] < 1 {
		t.Errorf("an untrusted certificate: %v", values)
	}
	var failure *check.Failure
	if !errors.As(err, &failure) ||
		*failure != (check.Failure{Text: "The certificate is self-signed, and this machine does not trust it.",
			Responded: true}) {
		t.Errorf("an untrusted certificate: %+v", err)
	}
}

func TestChecksCannotReachThePortalOrLinkLocalAddresses(t *testing.T) {
	reached := false
	portal := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(portal.Close)
	host, port := hostPort(t, portal.URL)
	other := httptest.NewServer(http.RedirectHandler(portal.URL, http.StatusFound))
	t.Cleanup(other.Close)
	d := &check.Dialer{Own: []netip.AddrPort{netip.MustParseAddrPort(net.JoinHostPort(host, port))}}
	for _, task := range []check.Task{
		{Method: "http", Attributes: attributes("url", portal.URL)},
		{Method: "http", Attributes: attributes("url", "http://localhost:"+port)},
		{Method: "http", Attributes: attributes("url", "http://0.0.0.0:"+port)},
		{Method: "http", Attributes: attributes("url", other.URL)},
		{Method: "http", Attributes: attributes("url", "http://169.254.169.254/latest/meta-data")},
		{Method: "tcp", Host: host, Attributes: attributes("port", port)},
		{Method: "http", Attributes: attributes("url", "http://[fd00:ec2::254]/latest/meta-data")},
		{Method: "tcp", Host: "100.100.100.200", Attributes: attributes("port", "80")},
		{Method: "tls", Host: "169.254.169.254"},
		{Method: "ping", Host: "169.254.169.254"},
		{Method: "ping", Host: "fe80::1%lo"},
		{Method: "dns", Host: "169.254.169.253", Attributes: attributes("host", "example.org")},
		{Method: "dns", Host: host, Attributes: attributes("host", "example.org", "port", port)},
		{Method: "snmp", Host: "169.254.169.254"},
		{Method: "snmp", Host: "localhost", Properties: attributes("snmp.port", port)},
	} {
		if values, err := look(t, d, task); err == nil ||
			!strings.Contains(err.Error(), "Spyglass does not connect there") {
			t.Errorf("%s %s %v gives %v (%v)", task.Method, task.Host, task.Attributes, values, err)
		}
	}
	if reached {
		t.Error("a check reached the portal")
	}
}

func TestDataSourceAttributesAreExpanded(t *testing.T) {
	task := check.Task{Host: "web-1", Wild: "7", Properties: attributes("tcp.port", "443", "empty", ""),
		Attributes: attributes("a", "##HOST##:##tcp.port##/##WILDVALUE##?##nothing##", "b", "x##", "c", "##empty##")}
	for name, want := range map[string]string{"a": "web-1:443/7?", "b": "x##", "c": "", "d": "otherwise"} {
		if got := task.Attribute(name, "otherwise"); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := task.Property("empty", "otherwise"); got != "otherwise" {
		t.Errorf("an empty property is %q", got)
	}
}
