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
)

// file is an answer that never changes: packed once, at its first use.
type file struct {
	kind string // media type
	body []byte
	pack func() packed
}

type packed struct {
	etag string
	gzip []byte // nil where packing saves nothing
}

func newFile(kind string, body []byte) *file {
	f := &file{kind: kind, body: body}
	f.pack = sync.OnceValue(func() packed {
		sum := sha256.Sum256(body)
		p := packed{etag: `W/"` + hex.EncodeToString(sum[:8]) + `"`} // weak: packed or not, it is the same
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		_, _ = z.Write(body) // a Buffer takes everything
		_ = z.Close()
		if out.Len() < len(body)*9/10 {
			p.gzip = out.Bytes()
		}
		return p
	})
	return f
}

func (f *file) serve(x *exchange, cache string) error {
	p := f.pack()
	h := x.w.Header()
	h["ETag"] = []string{p.etag}
	h["Cache-Control"] = []string{cache}
	h["Vary"] = []string{"Accept-Encoding"}
	if matches(x.r.Header.Get("If-None-Match"), p.etag) {
		x.begin(http.StatusNotModified)
		return nil
	}
	h["Content-Type"] = []string{f.kind}
	if p.gzip != nil && acceptsGzip(x.r.Header.Get("Accept-Encoding")) {
		h["Content-Encoding"] = []string{"gzip"}
		x.send(http.StatusOK, p.gzip)
		return nil
	}
	x.send(http.StatusOK, f.body)
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

// kinds are the media types of the page's files; the system's own table differs
// from machine to machine.
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
