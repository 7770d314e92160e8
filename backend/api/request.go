package api

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// maxBody is the maximum body size of an endpoint without a limit of its own.
// bodyTime is the time in which a body must arrive.
const (
	maxBody  = 4 << 20
	bodyTime = 10 * time.Second
)

// call converts the HTTP request to a Call.
func (x *exchange) call() (*resource.Call, error) {
	query, err := parseQuery(x.r.URL.RawQuery, x.mount.lenient)
	if err != nil {
		return nil, err
	}
	if x.route.Body != nil || x.method != http.MethodGet {
		if err := x.readBody(x.bodyLimit()); err != nil {
			return nil, err
		}
		if err := x.unpackUpload(); err != nil {
			return nil, err
		}
		if err := x.patchOnly(query.Get("patchFields")); err != nil {
			return nil, err
		}
	}
	c := &resource.Call{
		Access: x.access, At: x.Clock(), Query: query, Body: x.body, Lenient: x.mount.lenient,
		Base: x.site.base[x.mount.prefix], Remote: x.remote(), Verb: x.route.verb,
		Lines: wantsLines(x.r.Header.Get("Accept")), Peek: x.r.Method == http.MethodHead,
		IfMatch: x.r.Header.Get("If-Match"), NotIf: x.r.Header.Get("If-None-Match"),
	}
	if x.route.Once {
		if known, err := x.r.Cookie(x.deviceCookie()); err == nil {
			c.Device = known.Value
		}
	}
	if x.session == nil {
		c.Client = clientOf(x.r.UserAgent())
	}
	if x.session != nil {
		c.Session = resource.Session{Cookie: x.session.Secret, CSRF: x.session.CSRF, Window: x.fromWindow(),
			Must: x.session.Must}
	}
	if len(x.values) > 0 {
		c.Vars = make(map[string]string, len(x.values))
	}
	for i, name := range x.route.names {
		if c.Vars[name], err = url.PathUnescape(x.values[i]); err != nil {
			return nil, fault.At(name, "the path contains %q, which is not valid percent-encoding", x.values[i])
		}
	}
	return c, nil
}

// maxClient limits the characters of the name of a client.
const maxClient = 200

// clientOf returns the User-Agent of a request, on one line and truncated.
func clientOf(agent string) string {
	agent = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(agent, ""))
	return string([]rune(agent)[:min(len([]rune(agent)), maxClient)])
}

// patchOnly reduces the body of a published client's PATCH to the fields in
// names, because such clients send the whole object.
func (x *exchange) patchOnly(names string) (err error) {
	if names == "" || x.r.Method != http.MethodPatch || !x.mount.lenient {
		return nil
	}
	x.body, err = resource.KeepKeys(x.body, strings.Split(names, ","))
	return err
}

// wantsLines reports whether an Accept header requests one object per line.
func wantsLines(accept string) bool {
	if accept == "" {
		return false
	}
	for one := range strings.SplitSeq(accept, ",") {
		kind, params, err := mime.ParseMediaType(one)
		if err == nil && kind == resource.LinesType {
			q, err := strconv.ParseFloat(cmp.Or(params["q"], "1"), 64)
			return err == nil && q > 0
		}
	}
	return false
}

func (x *exchange) remote() string {
	host, _, err := net.SplitHostPort(x.r.RemoteAddr)
	if err != nil {
		return x.r.RemoteAddr
	}
	return host
}

// parseQuery parses the query like browsers do; a semicolon is an ordinary
// character, because filters may contain it.
func parseQuery(raw string, lenient bool) (url.Values, error) {
	values := url.Values{}
	for raw != "" {
		var pair string
		pair, raw, _ = strings.Cut(raw, "&")
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		key, err := url.QueryUnescape(name)
		if err != nil {
			return nil, fault.New(fault.Invalid, "the query contains %q, which is not valid percent-encoding", name)
		}
		text, err := url.QueryUnescape(value)
		switch {
		case err != nil && lenient:
			text = value
		case err != nil:
			return nil, fault.At(key, "%s is %q, which is not valid percent-encoding; write %% as %%25", key, value)
		case lenient && key == "filter":
			text = decodeTwice(text)
		}
		values[key] = append(values[key], text)
	}
	return values, nil
}

// decodeTwice decodes a filter of a published client a second time: all of it if
// it shows no operator, or else only the values in it.
func decodeTwice(filter string) string {
	if !strings.Contains(filter, "%") {
		return filter
	}
	decode := url.QueryUnescape
	if strings.ContainsAny(filter, ":~<>") {
		decode = url.PathUnescape
	}
	if again, err := decode(filter); err == nil {
		return again
	}
	return filter
}

// checkType accepts only JSON, because no form of another page can send it
// without a preflight request (trust.md, rule 3).
func (x *exchange) checkType() error {
	sent := x.r.Header.Get("Content-Type")
	if x.method == http.MethodGet || x.r.ContentLength == 0 && (sent == "" || x.route.Body == nil) {
		return nil
	}
	kind, params, err := mime.ParseMediaType(sent)
	charset := params["charset"]
	if x.route.Upload != "" && kind == uploadType && params["boundary"] != "" {
		return nil
	}
	if err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.New(fault.MediaType, "the body must be JSON, with Content-Type: application/json")
	}
	if coding := x.r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fault.New(fault.MediaType, "the body must not have a Content-Encoding; send it uncompressed")
	}
	return nil
}

// uploadType names the media type in which browsers and published clients send a file.
const uploadType = "multipart/form-data"

// unpackUpload replaces the body by the single file of an uploaded form.
func (x *exchange) unpackUpload() error {
	kind, params, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || kind != uploadType || x.route.Upload == "" {
		return nil // checkType has validated it
	}
	form := multipart.NewReader(bytes.NewReader(x.body), params["boundary"])
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return fault.At(x.route.Upload, "the form has no file in a part named %s", x.route.Upload)
		}
		if err != nil {
			return fault.New(fault.Invalid,
				"the form is incomplete, or its parts are not separated as Content-Type says")
		}
		if part.FormName() == x.route.Upload {
			x.body, err = io.ReadAll(part) // at most the whole body, which is in memory
			return err
		}
	}
}

// hurryBody limits the time for reading the body, even when the endpoint does
// not use it: the server drains the rest of it after the response.
func (x *exchange) hurryBody() {
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Now().Add(bodyTime)) // fails only for a test's recorder
}
