package explorer_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestCompressedResponseIsDecompressed(t *testing.T) {
	pack := func(to io.WriteCloser, packed *bytes.Buffer) []byte {
		if _, err := io.WriteString(to, `{"a":"packed"}`); err != nil || to.Close() != nil {
			t.Fatal(err)
		}
		return packed.Bytes()
	}
	var zipped, deflated bytes.Buffer
	for _, tt := range []struct {
		encoding, body, reading string
		bytes                   int64
	}{
		{"gzip", string(pack(gzip.NewWriter(&zipped), &zipped)), "", 14},
		{"X-GZip", zipped.String(), "", 14},
		{"deflate", string(pack(zlib.NewWriter(&deflated), &deflated)), "", 14},
		{"gzip", `{"a":"packed"}`, "", 14}, // the header is wrong: the body is not compressed
		{"br", `{"a":"packed"}`, "The response is compressed (br) and cannot be unpacked; it is shown as " +
			"received", 14},
		{"identity", `{"a":"packed"}`, "", 14},
	} {
		h := build(t)
		h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", tt.encoding)
			_, _ = io.WriteString(w, tt.body)
		})
		a := h.call(1, "POST /explorer/send", `{"draft":{"path":"/raw/x"}}`)
		if want := `"reading":"` + tt.reading + `"`; !strings.Contains(a.body, want) ||
			!strings.Contains(a.body, `["Content-Encoding","`+tt.encoding+`"]`) {
			t.Errorf("%s: %s\nhas no %s", tt.encoding, a.body, want)
		}
		if r := h.send(1, `{"path":"/raw/x"}`); r.Bytes != tt.bytes || h.body(1, r.Document) != `{"a":"packed"}` {
			t.Errorf("%s: got %d bytes: %s", tt.encoding, r.Bytes, h.body(1, r.Document))
		}
	}
}

func TestNonHTTPResponseIsExplained(t *testing.T) {
	h := build(t)
	for _, tt := range []struct{ answer, says string }{
		{"SSH-2.0-OpenSSH_9.2\r\n", `did not respond in HTTP: malformed HTTP response "SSH-2.0-OpenSSH_9.2"`},
		{"\x15\x03\x01\x00\x02\x02\x46\r\n", "uses HTTPS, not HTTP; change its address to https://"},
		{"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", `did not respond in HTTP: bad Content-Length "-5"`},
		{"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", "responded with more than 1024 KiB of " +
			"headers, the maximum"},
		{"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n",
			`redirects to "http://[::1", which is not a valid address`},
		{"", "closed the connection without a response"},
	} {
		h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, tt.answer)
			_ = conn.(*net.TCPConn).CloseWrite()
		})
		a := h.call(1, "POST /explorer/send", `{"draft":{"path":"/raw/x"}}`)
		if got, want := h.said(a), strings.TrimPrefix(h.base, "http://")+" "+tt.says; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
