package payload

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// packings maps compressions of responses to their first bytes.
var packings = map[string]struct {
	begin []byte
	open  func(io.Reader) (io.ReadCloser, error)
}{
	"gzip":    {[]byte{0x1f, 0x8b}, func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
	"deflate": {[]byte{0x78}, zlib.NewReader},
}

// Unpack decompresses a response that a portal compressed although the request did not allow it.
// An uncompressed body stays unchanged, whatever its headers say.
func Unpack(response *http.Response) {
	p, known := packings[packingOf(response.Header.Get("Content-Encoding"))]
	if !known {
		return
	}
	packed := bufio.NewReader(response.Body)
	body := &unpacked{Reader: packed, Closer: response.Body}
	response.Body = body
	if begin, _ := packed.Peek(len(p.begin)); !bytes.Equal(begin, p.begin) {
		return
	}
	response.ContentLength = -1
	body.Reader = &opening{from: packed, open: p.open}
}

// unpacked is a body that is read through something else.
type unpacked struct {
	io.Reader
	io.Closer
}

// opening opens the compressed body at its first read.
type opening struct {
	from io.Reader
	open func(io.Reader) (io.ReadCloser, error)
	to   io.Reader
}

func (o *opening) Read(b []byte) (int, error) {
	if o.to == nil {
		to, err := o.open(o.from)
		if err != nil {
			return 0, err
		}
		o.to = to
	}
	return o.to.Read(b)
}

func packingOf(encoding string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(encoding)), "x-")
}

// StillPacked returns a note that a response is shown compressed; "" if it is
// not.
func StillPacked(headers [][2]string) string {
	for _, h := range headers {
		if h[0] != "Content-Encoding" {
			continue
		}
		name := packingOf(h[1])
		if _, known := packings[name]; !known && name != "" && name != "identity" {
			return fmt.Sprintf("The response is compressed (%s) and cannot be unpacked; it is shown as received", name)
		}
	}
	return ""
}
