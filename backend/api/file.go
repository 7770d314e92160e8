package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"sync"

	"spyglass/backend/resource"
)

// file is a response that never changes. It is built and compressed at its first
// use.
type file struct {
	kind string // media type
	made func() (made, error)
	gzip func() []byte // nil if compressing saves nothing
}

type made struct {
	text []byte
	etag string
}

func newFile(kind string, body func() ([]byte, error)) *file {
	f := &file{kind: kind}
	f.made = sync.OnceValues(func() (made, error) {
		text, err := body()
		sum := sha256.Sum256(text)
		return made{text, `W/"` + hex.EncodeToString(sum[:8]) + `"`}, err // weak: the same for both encodings
	})
	f.gzip = sync.OnceValue(func() []byte {
		m, _ := f.made()
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write(m.text) // writing to a Buffer never fails
		_ = z.Close()
		if out.Len() < len(m.text)*9/10 {
			return out.Bytes()
		}
		return nil
	})
	return f
}

func (f *file) serve(x *exchange, cache string) error {
	m, err := f.made()
	if err != nil {
		return err
	}
	h := x.w.Header()
	h["ETag"] = []string{m.etag}
	h["Cache-Control"] = []string{cache}
	h["Vary"] = []string{"Accept-Encoding"}
	if resource.MatchesETag(x.r.Header.Get("If-None-Match"), m.etag) {
		x.begin(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = []string{f.kind}
	body := m.text
	if x.packs() {
		if packed := f.gzip(); packed != nil {
			h["Content-Encoding"] = []string{"gzip"}
			body = packed
		}
	}
	x.send(http.StatusOK, body)
	return nil
}

func acceptsGzip(header string) bool {
	for one := range strings.SplitSeq(header, ",") {
		coding, weight, _ := strings.Cut(one, ";")
		if strings.TrimSpace(coding) == "gzip" {
			q := strings.TrimSpace(weight)
			return q != "q=0" && q != "q=0.0"
		}
	}
	return false
}

// kinds maps extensions of the page's files to media types; the system's own
// table differs between machines.
var kinds = map[string]string{
	".css":   "text/css; charset=utf-8",
	".html":  "text/html; charset=utf-8",
	".ico":   "image/x-icon",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".png":   "image/png",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".wasm":  "application/wasm",
	".woff2": "font/woff2",
}

func kindOf(name string) string {
	if kind, ok := kinds[path.Ext(name)]; ok {
		return kind
	}
	return "application/octet-stream"
}
