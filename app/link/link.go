// Package link reads and writes spyglass:// links, which lead into the window from
// outside of it: from a mail, a chat, a web page. In a browser the same text is
// behind the # of the portal's address.
//
//	spyglass://monitor                         the Monitor
//	spyglass://monitor/alerts?severity=4       one of its screens, with its filters, sort and range
//	spyglass://monitor/alerts/12               an object on it
//	spyglass://monitor/story/12                the story of an alert
//	spyglass://monitor/map/7                   the map, with a device selected
//	spyglass://device/7                        the page of a device
//	spyglass://api/GET/device/devices?size=50  a request in the Explorer, in a new tab that is not sent
//	spyglass://response/ab12/9/GET/alert/alerts?~view=table
//	                                           request 9 of the history in data folder ab12, with its response
//	spyglass://diff/ab12/8/9                   the differences between two responses of the history
//	spyglass://diff/ab12/e4/9                  the same with example 4 of a saved request
//
// Anybody can write a link, and one click opens it. So it can only show: it
// names no host, no user, no header, no body and no {{variable}}, it belongs to
// the portal of this machine, and nothing is sent or changed by opening it. A
// response is not in the link: its reader needs the data folder, and is the user
// whose history has it.
package link

import (
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"spyglass/app/pairs"
	"spyglass/backend/fault"
)

// Target is the destination of a link: a screen of the Monitor, a request, a response
// with its request, or the differences between two responses.
type Target struct {
	Screen  string          `json:"screen,omitempty" doc:"name of the Monitor screen"`
	ID      string          `json:"id,omitempty" doc:"id of an object on the screen"`
	Filters []Pair          `json:"filters,omitempty" doc:"filters of the screen, with its sort order and time range"`
	Call    *Call           `json:"call,omitempty" null:"no"`
	Past    *LinkedResponse `json:"past,omitempty" null:"no" doc:"the response to call"`
	Diff    *LinkedDiff     `json:"diff,omitempty" null:"no"`
}

// LinkedResponse is a request of the history.
type LinkedResponse struct {
	Folder    string `json:"folder" doc:"id of the portal in whose data folder it is"`
	HistoryID int64  `json:"historyId"`
	View      []Pair `json:"view" doc:"how the response is shown: view, filter, sort, from, to"`
}

// LinkedDiff is a comparison of two responses of the history, or of examples.
type LinkedDiff struct {
	Folder       string `json:"folder" doc:"id of the portal in whose data folder they are"`
	Left         int64  `json:"left" doc:"history id of the response before; 0 for an example"`
	Right        int64  `json:"right" doc:"history id of the response after; 0 for an example"`
	LeftExample  int64  `json:"leftExample,omitempty" doc:"id of the example of a saved request"`
	RightExample int64  `json:"rightExample,omitempty" doc:"id of the example of a saved request"`
	Ignore       string `json:"ignore" doc:"keys to ignore, separated by commas"`
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

	viewMark    = "~" // begins the name of a parameter that is about the view, not of the request
	exampleMark = "e" // begins the id of an example
)

// Screens are the names of the Monitor's screens. To link to a new screen, add its name.
var Screens = []string{"overview", "fleet", "alerts", "story", "map", "datasources", "reports", "settings", "demo"}

var (
	methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

	number  = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)
	side    = regexp.MustCompile(`^e?[1-9][0-9]{0,17}$`)
	name    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	segment = regexp.MustCompile(`^[A-Za-z0-9_~@:+,=-][A-Za-z0-9._~@:+,=-]{0,127}$`) // excludes . and ..
	keyText = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	viewKey = regexp.MustCompile(`^~[a-z]{1,16}$`)
	filter  = regexp.MustCompile(`^[A-Za-z]{1,32}$`)
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
		call, err := readCall(text, parts, u.RawQuery)
		return Target{Call: call}, err
	case kind == "response":
		return readPast(text, parts, u.RawQuery)
	case kind == "monitor":
		return readScreen(text, parts, u.RawQuery)
	case kind == "diff":
		return readDiff(text, parts, u.RawQuery)
	case u.RawQuery != "":
		return Target{}, refuse(text, "only a screen or a request can have parameters")
	case kind == "device" && len(parts) == 1 && number.MatchString(parts[0]):
		return Target{Screen: "fleet", ID: parts[0]}, nil
	case kind == "device":
		return Target{}, refuse(text, "add the id of the device, as in spyglass://device/7")
	default:
		return Target{}, refuse(text, "begin it with spyglass://monitor, spyglass://device or spyglass://api")
	}
}

func readScreen(text string, parts []string, query string) (Target, error) {
	filters, err := readQuery(text, query, filter)
	switch {
	case err != nil:
		return Target{}, err
	case len(filters) == 0:
		filters = nil
	}
	switch {
	case len(parts) == 0:
		return Target{Screen: Screens[0], Filters: filters}, nil
	case !slices.Contains(Screens, parts[0]):
		return Target{}, refuse(text, "the Monitor has no such screen; use one of %s", strings.Join(Screens, ", "))
	case len(parts) == 1:
		return Target{Screen: parts[0], Filters: filters}, nil
	case len(parts) == 2 && name.MatchString(parts[1]):
		return Target{Screen: parts[0], ID: parts[1], Filters: filters}, nil
	}
	return Target{}, refuse(text, "add one id only, as in spyglass://monitor/alerts/12")
}

func readCall(text string, parts []string, query string) (*Call, error) {
	if len(parts) < 2 || !slices.Contains(methods, parts[0]) {
		return nil, refuse(text, "add a method and a path, as in spyglass://api/GET/device/devices")
	}
	for _, part := range parts[1:] {
		if !segment.MatchString(part) {
			return nil, refuse(text, "the portal has no such path")
		}
	}
	pairs, err := readQuery(text, query, keyText)
	if err != nil {
		return nil, err
	}
	return &Call{Method: parts[0], Path: "/" + strings.Join(parts[1:], "/"), Query: pairs}, nil
}

func readPast(text string, parts []string, query string) (Target, error) {
	if len(parts) < 2 || !name.MatchString(parts[0]) || !number.MatchString(parts[1]) {
		return Target{}, refuse(text, "copy the link to the response again")
	}
	isView := func(part string) bool { return strings.HasPrefix(part, viewMark) }
	all := pairs.Split(query)
	view, err := readQuery(text, strings.Join(kept(all, isView), "&"), viewKey)
	if err != nil {
		return Target{}, err
	}
	for i := range view {
		view[i].Key = strings.TrimPrefix(view[i].Key, viewMark)
	}
	rest := kept(all, func(part string) bool { return !isView(part) })
	call, err := readCall(text, parts[2:], strings.Join(rest, "&"))
	if err != nil {
		return Target{}, err
	}
	id, _ := strconv.ParseInt(parts[1], 10, 64) // matches number
	return Target{Call: call, Past: &LinkedResponse{Folder: parts[0], HistoryID: id, View: view}}, nil
}

func kept(all []string, keep func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(all), func(part string) bool { return !keep(part) })
}

func readDiff(text string, parts []string, query string) (Target, error) {
	options, err := readQuery(text, query, keyText)
	if err != nil {
		return Target{}, err
	}
	if len(parts) != 3 || !name.MatchString(parts[0]) || !side.MatchString(parts[1]) ||
		!side.MatchString(parts[2]) ||
		len(options) > 1 || len(options) == 1 && options[0].Key != "ignore" {
		return Target{}, refuse(text, "copy the link to the comparison again")
	}
	d := &LinkedDiff{Folder: parts[0]}
	d.Left, d.LeftExample = readSide(parts[1])
	d.Right, d.RightExample = readSide(parts[2])
	if len(options) == 1 {
		d.Ignore = options[0].Value
	}
	return Target{Diff: d}, nil
}

// readSide reads the id of a request of the history, or of an example.
func readSide(text string) (past, example int64) {
	digits, isExample := strings.CutPrefix(text, exampleMark)
	id, _ := strconv.ParseInt(digits, 10, 64) // matches side
	if isExample {
		return 0, id
	}
	return id, 0
}

func writeSide(past, example int64) string {
	if example != 0 {
		return exampleMark + strconv.FormatInt(example, 10)
	}
	return strconv.FormatInt(past, 10)
}

// readQuery reads parameters with names like key. Values of a request contain no
// braces, because the Explorer would take them for variables.
func readQuery(text, query string, key *regexp.Regexp) ([]Pair, error) {
	out := []Pair{}
	for _, part := range pairs.Split(query) {
		rawKey, rawValue, _ := strings.Cut(part, "=")
		value, err := url.QueryUnescape(rawValue)
		switch {
		case !key.MatchString(rawKey) || err != nil || len(value) > longQuery || !utf8.ValidString(value) ||
			strings.ContainsFunc(value, unicode.IsControl):
			return nil, refuse(text, "one of its parameters cannot be read")
		case key == keyText && strings.ContainsAny(value, "{}"):
			return nil, refuse(text, "a link must not contain variables")
		case len(out) == mostPairs:
			return nil, refuse(text, "it has more than %d parameters", mostPairs)
		}
		out = append(out, Pair{rawKey, value})
	}
	return out, nil
}

// Write returns the link to a target, which Read reads again. It returns
// fault.Invalid, with a sentence for the user who copies it, for a target that no link
// can express.
func Write(t Target) (string, error) {
	text := "spyglass://" + t.address()
	back, err := Read(text)
	if err != nil {
		return "", fault.New(fault.Invalid, "No link can lead here: %s", reason(err))
	}
	if !reflect.DeepEqual(back, t) {
		return "", fault.New(fault.Invalid, "No link can lead here: its address would lead elsewhere")
	}
	return text, nil
}

func (t Target) address() string {
	switch {
	case t.Diff != nil:
		return join("diff", t.Diff.Folder, writeSide(t.Diff.Left, t.Diff.LeftExample),
			writeSide(t.Diff.Right, t.Diff.RightExample)) + queryOf(ignored(t.Diff.Ignore), "")
	case t.Past != nil && t.Call != nil:
		at := join("response", t.Past.Folder, strconv.FormatInt(t.Past.HistoryID, 10), t.Call.Method) + t.Call.Path +
			queryOf(t.Call.Query, "")
		view := queryOf(t.Past.View, viewMark)
		if view != "" && len(t.Call.Query) > 0 {
			view = "&" + view[1:]
		}
		return at + view
	case t.Call != nil:
		return join("api", t.Call.Method) + t.Call.Path + queryOf(t.Call.Query, "")
	case t.ID != "":
		return join("monitor", t.Screen, t.ID) + queryOf(t.Filters, "")
	}
	return join("monitor", t.Screen) + queryOf(t.Filters, "")
}

func join(parts ...string) string { return strings.Join(parts, "/") }

func ignored(keys string) []Pair {
	if keys == "" {
		return nil
	}
	return []Pair{{"ignore", keys}}
}

func queryOf(all []Pair, mark string) string {
	if len(all) == 0 {
		return ""
	}
	parts := make([]string, len(all))
	for i, p := range all {
		parts[i] = mark + p.Key + "=" + url.QueryEscape(p.Value)
	}
	return "?" + strings.Join(parts, "&")
}

// reason returns the part of a refusal that says why.
func reason(err error) string {
	message := fault.Of(err).Message
	if _, why, found := strings.Cut(message, "” cannot be opened: "); found {
		return why
	}
	return message
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
