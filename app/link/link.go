// Package link reads spyglass:// links, which lead into the window from outside
// of it: from a mail, a chat, a web page.
//
//	spyglass://monitor                         the Monitor
//	spyglass://monitor/alerts                  one of its screens
//	spyglass://monitor/alerts/12               an object on it
//	spyglass://device/7                        the page of a device
//	spyglass://api/GET/device/devices?size=50  a request in the Explorer, in a new tab that is not sent
//
// Anybody can write a link, and one click opens it. So it can only show: it
// names no host, no user, no header, no body and no {{variable}}, it belongs to
// the portal of this machine, and nothing is sent or changed by opening it.
package link

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"spyglass/app/pairs"
	"spyglass/backend/fault"
)

// Target is the destination of a link: a screen of the Monitor, or a request.
type Target struct {
	Screen string `json:"screen,omitempty" doc:"name of the Monitor screen"`
	ID     string `json:"id,omitempty" doc:"of an object on the screen"`
	Call   *Call  `json:"call,omitempty" null:"no"`
}

// Call is a request for a tab.
type Call struct {
	Method string `json:"method" enum:"GET|POST|PUT|PATCH|DELETE"`
	Path   string `json:"path" doc:"below the portal's base address"`
	Query  []Pair `json:"query"`
}

// Pair is one query parameter, decoded.
type Pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

const (
	longest   = 2048 // bytes of a link
	mostPairs = 20
	longQuery = 1024 // bytes of one value
	quoted    = 80   // characters of a link that a sentence repeats
)

var (
	screens = []string{"overview", "fleet", "alerts", "datasources", "reports", "settings", "demo"}
	methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

	number  = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)
	name    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	segment = regexp.MustCompile(`^[A-Za-z0-9_~@:+,=-][A-Za-z0-9._~@:+,=-]{0,127}$`) // excludes . and ..
	keyText = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
)

// Is reports whether text is a link, valid or not, rather than another
// command-line argument.
func Is(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	return found && strings.EqualFold(scheme, "spyglass")
}

// Read parses a link. It returns fault.Invalid, with a sentence for the user who
// clicked, for anything that does not match the package comment exactly.
func Read(text string) (Target, error) {
	if len(text) > longest {
		return Target{}, refuse(text, "it is longer than %d characters", longest)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return Target{}, refuse(text, "it contains control characters")
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "spyglass" {
		return Target{}, refuse(text, "links begin with spyglass://")
	}
	if u.Opaque != "" || u.User != nil || u.Fragment != "" || u.Port() != "" || strings.Contains(u.Host, ":") {
		return Target{}, refuse(text, "it must not contain a user, a port or #")
	}
	if u.RawPath != "" || strings.Contains(u.EscapedPath(), "%") {
		return Target{}, refuse(text, "its path must not contain escapes")
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if parts[0] == "" {
		parts = nil
	}
	switch kind := strings.ToLower(u.Host); {
	case kind == "api":
		return readCall(text, parts, u.RawQuery)
	case u.RawQuery != "":
		return Target{}, refuse(text, "only a request can have parameters")
	case kind == "monitor":
		return readScreen(text, parts)
	case kind == "device" && len(parts) == 1 && number.MatchString(parts[0]):
		return Target{Screen: "fleet", ID: parts[0]}, nil
	case kind == "device":
		return Target{}, refuse(text, "add the id of the device, as in spyglass://device/7")
	default:
		return Target{}, refuse(text, "begin it with spyglass://monitor, spyglass://device or spyglass://api")
	}
}

func readScreen(text string, parts []string) (Target, error) {
	switch {
	case len(parts) == 0:
		return Target{Screen: screens[0]}, nil
	case !slices.Contains(screens, parts[0]):
		return Target{}, refuse(text, "the Monitor has no such screen; use one of %s", strings.Join(screens, ", "))
	case len(parts) == 1:
		return Target{Screen: parts[0]}, nil
	case len(parts) == 2 && name.MatchString(parts[1]):
		return Target{Screen: parts[0], ID: parts[1]}, nil
	}
	return Target{}, refuse(text, "add one id only, as in spyglass://monitor/alerts/12")
}

func readCall(text string, parts []string, query string) (Target, error) {
	if len(parts) < 2 || !slices.Contains(methods, parts[0]) {
		return Target{}, refuse(text, "add a method and a path, as in spyglass://api/GET/device/devices")
	}
	for _, part := range parts[1:] {
		if !segment.MatchString(part) {
			return Target{}, refuse(text, "the portal has no such path")
		}
	}
	pairs, err := readQuery(text, query)
	if err != nil {
		return Target{}, err
	}
	return Target{Call: &Call{Method: parts[0], Path: "/" + strings.Join(parts[1:], "/"), Query: pairs}}, nil
}

func readQuery(text, query string) ([]Pair, error) {
	out := []Pair{}
	for _, part := range pairs.Split(query) {
		rawKey, rawValue, _ := strings.Cut(part, "=")
		value, err := url.QueryUnescape(rawValue)
		switch {
		case !keyText.MatchString(rawKey) || err != nil || len(value) > longQuery || !utf8.ValidString(value) ||
			strings.ContainsFunc(value, unicode.IsControl):
			return nil, refuse(text, "one of its parameters cannot be read")
		case strings.ContainsAny(value, "{}"):
			return nil, refuse(text, "a link must not contain variables")
		case len(out) == mostPairs:
			return nil, refuse(text, "it has more than %d parameters", mostPairs)
		}
		out = append(out, Pair{rawKey, value})
	}
	return out, nil
}

// refuse returns the error for a link, quoting the readable part of the link.
func refuse(text, why string, args ...any) error {
	shown := []rune(strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) && r != utf8.RuneError {
			return r
		}
		return -1
	}, text[:min(len(text), longest)]))
	if len(shown) > quoted {
		shown = append(shown[:quoted], '…')
	}
	return fault.New(fault.Invalid, "“"+strings.ReplaceAll(string(shown), "%", "%%")+"” cannot be opened: "+
		why, args...)
}
