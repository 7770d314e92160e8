package updates_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	"spyglass/app/updates"
)

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

func manifest(version string, issued, expires time.Time) string {
	return fmt.Sprintf(`{"version":%q,"link":"https://example.net/%s","issued":%q,"expires":%q}`, version, version,
		issued.Format(time.RFC3339), expires.Format(time.RFC3339))
}

func TestCheckRefusesUnsignedAndReplayedManifests(t *testing.T) {
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	day := 24 * time.Hour
	second := manifest("0.2.0", now.Add(-day), now.Add(90*day))
	first := manifest("0.1.5", now.Add(-9*day), now.Add(80*day))
	third := manifest("0.3.0", now.Add(-time.Hour), now.Add(90*day))
	older := manifest("0.0.9", now.Add(-time.Minute), now.Add(90*day))
	expired := manifest("0.4.0", now, now)
	nameless := manifest("latest", now, now.Add(day))
	script := strings.Replace(third, "https://", "javascript://", 1)
	sign := func(text string) []byte { return minisign.Sign(private, []byte(text)) }

	var text string
	var signature []byte
	var requests []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path+" "+r.UserAgent())
		switch r.URL.Path {
		case "/stable.json":
			fmt.Fprint(w, text)
		case "/stable.json.minisig":
			if signature == nil {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(signature)
		default:
			http.Redirect(w, r, "http://example.net/stable.json"+strings.TrimPrefix(r.URL.Path, "/elsewhere"),
				http.StatusFound)
		}
	}))
	defer web.Close()
	o := updates.Options{URL: web.URL + "/stable.json", Key: public.String(), Version: "0.1.0", Folder: t.TempDir(),
		Clock: func() time.Time { return now }}
	const untrusted, later = "the list of updates cannot be trusted: ", ". Nothing was changed; try again later"
	for _, c := range []struct {
		name      string
		text      string
		signature []byte
		want      updates.Update
		err       string
	}{
		{"a newer version", second, sign(second),
			updates.Update{Version: "0.2.0", Link: "https://example.net/0.2.0", Newer: true}, ""},
		{"the same manifest again", second, sign(second),
			updates.Update{Version: "0.2.0", Link: "https://example.net/0.2.0", Newer: true}, ""},
		{"a replay of an earlier manifest", first, sign(first), updates.Update{},
			untrusted + "it is older than the one of 2026-11-25, which this program has seen" + later},
		{"the signature of another key", third, minisign.Sign(other, []byte(third)), updates.Update{},
			untrusted + "its signature is not by the key of Spyglass" + later},
		{"the signature of another manifest", third, sign(second), updates.Update{},
			untrusted + "its signature is not by the key of Spyglass" + later},
		{"no signature but text", third, []byte("trust me"), updates.Update{},
			untrusted + "its signature is not by the key of Spyglass" + later},
		{"no signature", third, nil, updates.Update{}, "the server of " + web.URL + "/stable.json.minisig responds " +
			"with 404 and 19 bytes, and not with a list of updates"},
		{"an expired manifest", expired, sign(expired), updates.Update{},
			untrusted + "it expired on 2026-11-26" + later},
		{"no version", nameless, sign(nameless), updates.Update{}, untrusted + "it names no version" + later},
		{"a link that is a script", script, sign(script), updates.Update{},
			untrusted + "its link is no https address" + later},
		{"a next manifest", third, sign(third),
			updates.Update{Version: "0.3.0", Link: "https://example.net/0.3.0", Newer: true}, ""},
		{"an older version", older, sign(older),
			updates.Update{Version: "0.0.9", Link: "https://example.net/0.0.9"}, ""},
		{"too much", strings.Repeat("x", 20<<10), sign("x"), updates.Update{}, "the server of " + o.URL + " responds " +
			"with 200 and 16385 bytes, and not with a list of updates"},
	} {
		text, signature = c.text, c.signature
		got, err := updates.Check(t.Context(), o)
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
			continue
		}
		if err != nil || *got != c.want {
			t.Errorf("%s: %+v %v, want %+v", c.name, got, err, c.want)
		}
	}
	if requests[0] != "/stable.json Spyglass" || requests[1] != "/stable.json.minisig Spyglass" {
		t.Errorf("it sends %q", requests[:2])
	}

	for _, c := range []struct{ name, url, key, err string }{
		{"plain HTTP", "http://example.net/stable.json", o.Key,
			`"http://example.net/stable.json" is not an https address`},
		{"a file", "file:///etc/passwd", o.Key, `"file:///etc/passwd" is not an https address`},
		{"no key", o.URL, "RW", `"RW" is not a public key of minisign`},
		{"a redirect to plain HTTP", web.URL + "/elsewhere", o.Key, "the list of updates at " + web.URL +
			"/elsewhere cannot be read"},
	} {
		text, signature = third, sign(third)
		bad := o
		bad.HTTP = &http.Client{Transport: &http.Transport{ // resolves every name to the server
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, web.Listener.Addr().String())
			}}}
		bad.URL, bad.Key = c.url, c.key
		if _, err := updates.Check(t.Context(), bad); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", c.name, err, c.err)
		}
	}
	left, err := os.ReadDir(o.Folder)
	if err != nil || len(left) != 1 {
		t.Errorf("in the folder is %v (%v), want updates.json alone", left, err)
	}
	if err := os.WriteFile(filepath.Join(o.Folder, "updates.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, signature = third, sign(third)
	if _, err := updates.Check(t.Context(), o); err == nil || !strings.Contains(err.Error(), "correct or delete it") {
		t.Errorf("without a readable updates.json: %v", err)
	}
}
