package resource

import (
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
)

// Endpoint is a route together with its catalog entry.
type Endpoint struct {
	Method   string
	Path     string // below the mount, "/device/devices/{id}"
	Category string // of the catalog; empty: served, but not in the published API
	Summary  string // a few words, "List devices"
	Doc      string // additional text, if needed
	Noun     Noun   // for the objects that it returns, changes or removes; empty for none
	Right    Right

	Params   []Param
	Any      bool    // accepts any query parameter, declared or not
	Body     *Schema // nil: no body
	Response *Schema // the schema for 200 or 201; nil: an empty object
	Lines    *Schema // the schema of each line, if a list is also available as application/x-ndjson
	// the response has an ETag: a GET accepts If-None-Match, a write If-Match,
	// which may return fault.Changed
	Tagged  bool
	Creates bool // responds with 201 on the native mount
	Once    bool // the response has a secret that is shown only once: do not store it
	Errors  []Failure
	Example Example
	Limit   int64    // maximum bytes of the body; 4 MiB when 0
	Upload  string   // the body may also be multipart/form-data: the file in this part is then the Body
	Files   []string // other media types of the response, "text/csv"; Response.Type has the actual one

	Alias     Alias  // a second path, see WithAliases
	Published string // a second path on the mount for published clients, see Resource.Published
	Steady    bool   // API incidents of the demo neither delay nor refuse it
	// Unfinished: also for a session whose user must first change the password or set up a
	// second factor
	Unfinished bool

	Handle Handler
}

// ID returns the identifier of an endpoint: "GET /device/devices".
func (e *Endpoint) ID() string { return e.Method + " " + e.Path }

// Param is one path or query parameter.
type Param struct {
	Name     string
	In       string // "path" or "query"
	Schema   Schema
	Required bool
	Example  any
	// Operators are the filter operators that each field allows.
	Operators []Operators
}

// Operators are the operators that a filter may use with some fields.
type Operators struct {
	Fields []string `json:"fields"`
	Ops    []string `json:"ops"`
}

// Failure documents when an endpoint returns an error of a kind.
type Failure struct {
	Kind fault.Kind
	When string
}

// Example is a request that works in the demo environment.
type Example struct {
	Path  string      // with real ids; the template itself when empty
	Query [][2]string // in the order shown
	Body  any         // encoded as JSON; nil for no body
}

// Call is one request, independent of HTTP.
type Call struct {
	Access  *Access
	At      time.Time
	Vars    map[string]string // path parameters
	Query   url.Values
	Body    []byte
	Lenient bool   // sent to the mount for published clients (wire.md, Two mounts)
	Base    string // the mount as a URL, "http://127.0.0.1:8443/api"
	Remote  string // the caller's address, without port
	Client  string // the program that sent a request with a token, in its own words; empty for a session
	Verb    string // the last word of a path such as "/alert/alerts/{id}/ack"; empty for lists and rows
	Lines   bool   // the client wants the whole list, one object per line (Accept: application/x-ndjson)
	Peek    bool   // HEAD: the body is not sent, and nothing may change
	IfMatch string // entity tag, empty if not conditional
	NotIf   string // If-None-Match, empty if not conditional
	Device  string // the device cookie of an earlier sign-in; only for endpoints that return secrets (Once)
	Session Session
}

// Session identifies the caller's sign-in; all empty for a token or an
// anonymous caller.
type Session struct {
	Cookie string // the session's secret; may be sent to this portal only
	CSRF   string
	Window bool // comes from the desktop window, signed in or not
	// Must is the step that the user must complete first, see session.Session
	Must string
}

// ID returns a path parameter that holds an id. It returns fault.Unknown for
// anything but a whole number, because no such row exists.
func (c *Call) ID(param string) (int64, error) {
	id, ok := ParseID(c.Vars[param])
	if !ok {
		return 0, fault.New(fault.Unknown, "there is no %q here; an id must be a whole number", c.Vars[param])
	}
	return id, nil
}

// ParseID parses an id. Each id has only one spelling: +7 and 07 are invalid.
func ParseID(text string) (int64, bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id >= 1 && Plain(text)
}

// Plain reports whether the text of a whole number has no plus sign and no
// leading zeros.
func Plain(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return text == "0" || digits != "" && digits[0] >= '1' && digits[0] <= '9'
}

// Flag parses a boolean query parameter; if absent, it is false.
func (c *Call) Flag(name string) (bool, error) {
	switch c.Query.Get(name) {
	case "", "false", "False", "0":
		return false, nil
	case "true", "True", "1":
		return true, nil
	}
	return false, &fault.Error{Kind: fault.Invalid, Field: name, Message: name + " must be true or false",
		Allowed: []any{true, false}}
}

// JSON is a response that is already encoded.
type JSON []byte

// LinesType is the media type of a list with one object per line.
const LinesType = "application/x-ndjson"

// Response is a response with more than a body.
type Response struct {
	Body     any    // JSON, or any value for encoding/json; nil: {}
	Location string // path of the created object, below the mount
	ETag     string // quoted
	Same     bool   // the caller already has this version: 304
	SignIn   string // the secret for the session cookie
	Device   string // for the cookie that identifies the browser at its next sign-in
	SignOut  bool   // delete the session cookie
	CSRF     string // for the X-CSRF-Token header

	Type     string                                // media type of a Stream; application/json when empty
	Filename string                                // offer the stream as a download of that name
	Stream   func(w io.Writer) error               // instead of Body; write until done or the context ends
	Events   func(send func(...Event) error) error // instead of Body: a stream of server-sent events
}

// Event is one server-sent event; Data is encoded as JSON.
type Event struct {
	Name string
	Data any
}
