package exchange

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"spyglass/app/pairs"
	"spyglass/app/workspace"
)

var (
	hostVariable = regexp.MustCompile(`^(?:(?:https?|\{\{[^{}]*\}\})://)?\{\{[^{}]*\}\}(?::(?:\d+|\{\{[^{}]*\}\}))?`)
	hostName     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*`)
	usualMount   = regexp.MustCompile(`^/(?:api|santaba/rest)(?:/|$)`)
	wholeParam   = regexp.MustCompile(`^\{([^{}/]+)\}$`)
)

// address splits a URL of a file into the path of a portal's API and the query.
// It drops the host.
func (f *File) address(raw string) (path string, query workspace.Rows) {
	raw, _, _ = strings.Cut(raw, "#")
	path, search, _ := strings.Cut(raw, "?")
	for _, pair := range pairs.Split(search) {
		key, value, _ := strings.Cut(pair, "=")
		query = append(query, workspace.Row{On: true, Key: unescape(strings.ReplaceAll(key, "+", " ")),
			Value: unescape(strings.ReplaceAll(value, "+", " "))})
	}
	return f.hostless(path), query
}

func (f *File) hostless(path string) string {
	for _, base := range f.Bases {
		if rest, ok := strings.CutPrefix(path, base); ok && (rest == "" || rest[0] == '/') {
			return rooted(unescape(rest))
		}
	}
	if host := hostVariable.FindString(path); host != "" {
		behind, known := f.written[host]
		if !known {
			if f.written == nil {
				f.written = map[string]string{}
			}
			behind = f.hostPath(host)
			f.written[host] = behind
		}
		if f.budget.Bytes(len(behind)) != nil {
			return "/"
		}
		return rooted(unescape(behind + path[len(host):]))
	}
	if host := hostName.FindString(path); host != "" {
		f.notes.address(host)
		path = unmounted(path[len(host):])
	}
	return rooted(unescape(path))
}

// longestAddress limits the bytes of an address with variables replaced.
const longestAddress = 2048

// hostPath returns the path after the host that the variables at the beginning of
// an address contain: for {{baseUrl}} with the value https://h.example/v2, it is
// /v2.
func (f *File) hostPath(host string) string {
	if f.hosts == nil {
		f.hosts = map[string]bool{}
	}
	for _, m := range reference.FindAllStringSubmatch(host, -1) {
		if name := variableName(m[1]); name != "baseUrl" && !f.hosts[name] {
			f.notes.address("{{" + name + "}}")
		}
		f.hosts[variableName(m[1])] = true
	}
	address := f.writtenOut(host, longestAddress)
	for _, base := range f.Bases {
		if rest, ok := strings.CutPrefix(address, base); ok {
			return strings.TrimSuffix(rest, "/")
		}
	}
	name := hostName.FindString(address)
	rest, _, _ := strings.Cut(strings.TrimSuffix(unmounted(address[len(name):]), "/"), "?")
	if name == "" || strings.Contains(rest, "{{") {
		return ""
	}
	return rest
}

// unmounted returns a path without the prefix of the portal's API.
func unmounted(path string) string {
	mount := usualMount.FindString(path)
	return path[len(strings.TrimSuffix(mount, "/")):]
}

func rooted(path string) string {
	if !strings.HasPrefix(path, "/") {
		return "/" + path
	}
	return path
}

func unescape(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// params returns the rows for the {names} in a path.
func params(path string, values map[string]workspace.Row) workspace.Rows {
	var rows workspace.Rows
	have := map[string]bool{}
	for segment := range strings.SplitSeq(path, "/") {
		m := wholeParam.FindStringSubmatch(segment)
		if m == nil || have[m[1]] {
			continue
		}
		have[m[1]] = true
		row := values[m[1]]
		row.On, row.Key = true, m[1]
		rows = append(rows, row)
	}
	return rows
}

// methodOf returns the method as drafts have it, or false if no draft can have
// it.
func (f *File) methodOf(method string) (string, bool) {
	method = strings.ToUpper(strings.TrimSpace(method))
	if method == "" {
		return "GET", true
	}
	if !slices.Contains(workspace.Methods, method) {
		f.notes.add("%s with another method than " + strings.Join(workspace.Methods, ", ") + ": not imported.")
		return "", false
	}
	return method, true
}

// notSent matches headers that belong to a browser or to the session.
var notSent = regexp.MustCompile(
	`(?i)^(:.*|host|cookie|content-length|connection|accept-encoding|user-agent|origin|referer|sec-.*|x-csrf-token|` +
		`upgrade-insecure-requests|dnt|priority|pragma)$`)

// header returns a row for a header of a file, unless Spyglass does not send that
// header.
func (f *File) header(row workspace.Row) (workspace.Row, bool) {
	switch {
	case strings.TrimSpace(row.Key) == "" || notSent.MatchString(row.Key):
		return row, false
	case strings.EqualFold(row.Key, "authorization") && !strings.Contains(row.Value, "{{"):
		f.notes.add("%s with an Authorization header: it was not imported, the portal's sign-in is used.")
		return row, false
	}
	row.Key = strings.TrimSpace(row.Key)
	return row, true
}

// stem returns the file's name without its extension, as the name of a
// collection.
func (f *File) stem(otherwise string) string {
	name, _, _ := strings.Cut(f.Name, ".")
	if name = plain(name); name == "" {
		return otherwise
	}
	return name
}
