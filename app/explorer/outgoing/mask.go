package outgoing

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"spyglass/app/explorer/catalog"
	"spyglass/app/pairs"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// SecretHeaders lists headers that are always a credential.
var SecretHeaders = []string{"authorization", "proxy-authorization", "x-csrf-token", "x-api-key", "x-auth-token"}

// secretParameters lists names that are a credential in a query, but not in
// general.
var secretParameters = []string{"sig", "signature", "code", "key", "api-key"}

// secretParameter reports whether the history masks a query parameter with that
// name.
func secretParameter(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	return slices.Contains(secretParameters, strings.ToLower(name)) || SecretKey(name)
}

// secretHeader reports whether the history masks a header: X-Functions-Key and
// Ocp-Apim-Subscription-Key are credentials like X-Api-Key.
func secretHeader(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains(SecretHeaders, lower) || strings.HasSuffix(lower, "-key") ||
		strings.HasSuffix(lower, "-signature") || SecretKey(name)
}

// SecretKey reports whether the history masks a value with that name.
func SecretKey(name string) bool { return resource.SecretName(name) }

// MaskDraft returns a draft as the history stores it: typed secrets become stars,
// and variables stay references. typed lists these secrets.
func MaskDraft(d workspace.Draft, endpoint *resource.Endpoint) (masked workspace.Draft, typed []string) {
	var m Masker
	path, query, found := cutQuery(d.Path)
	if found {
		d.Path = path + "?" + m.Query(query)
	}
	d.Query = m.rows(d.Query, secretParameter)
	d.Headers = m.rows(d.Headers, secretHeader)
	d.Body = m.body(d.Body, endpoint)
	d.Checks = slices.Clone(d.Checks)
	for i, c := range d.Checks {
		if SecretTarget(c.Target) {
			d.Checks[i].Value = m.text(c.Value)
		}
	}
	return d, m.typed
}

// SecretTarget reports whether a check's target, a header or a query, has the name of a
// secret.
func SecretTarget(target string) bool {
	target = strings.TrimRight(target, `]"' `)
	name := target[strings.LastIndexAny(target, `.["'`)+1:]
	return name != "" && secretHeader(name)
}

// Masked returns the URL of a request as the history stores it: secrets that were
// typed into its query and the values of secret variables are stars.
func (o *Request) Masked() string {
	path, query, found := strings.Cut(cmp.Or(o.shown, o.URL), "?")
	if !found {
		return path
	}
	return path + "?" + new(Masker).Query(query)
}

// MaskedPath returns the masked URL of o below the address of the portal.
func (t *Target) MaskedPath(o *Request) string { return strings.TrimPrefix(o.Masked(), t.URL) }

// MaskBody replaces the secret values of a JSON body, and leaves the rest
// unchanged.
func MaskBody(body string, endpoint *resource.Endpoint) string {
	return new(Masker).body(body, endpoint)
}

// Masker replaces secrets by stars, and remembers them to mask them elsewhere.
type Masker struct{ typed []string }

// recognised is the minimum length at which a secret can be distinguished from
// other text.
const recognised = 4

func (m *Masker) note(secret string) {
	if utf8.RuneCountInString(secret) >= recognised {
		m.typed = append(m.typed, secret)
	}
}

func (m *Masker) rows(rows workspace.Rows, secret func(string) bool) workspace.Rows {
	out := slices.Clone(rows)
	for i, r := range out {
		if secret(r.Key) {
			out[i].Value = m.text(r.Value)
		}
	}
	return out
}

// text masks a typed text. It keeps references and the empty text.
func (m *Masker) text(text string) string {
	if strings.TrimSpace(reference.ReplaceAllString(text, "")) == "" {
		return text
	}
	scheme, rest, ok := strings.Cut(text, " ")
	if ok = ok && len(scheme) <= len("Bearer"); ok && strings.TrimSpace(reference.ReplaceAllString(rest, "")) == "" {
		return text // "Bearer {{token}}"
	}
	if m.note(text); ok {
		m.note(rest)
	}
	return resource.Mask
}

// Query masks the secrets of a query.
func (m *Masker) Query(query string) string {
	parts := pairs.Split(query)
	for i, part := range parts {
		if key, value, ok := strings.Cut(part, "="); ok && secretParameter(key) {
			stars := m.text(value)
			if plain, err := url.QueryUnescape(value); err == nil && stars != value {
				m.note(plain)
			}
			parts[i] = key + "=" + stars
		}
	}
	return strings.Join(parts, "&")
}

func (m *Masker) body(body string, endpoint *resource.Endpoint) string {
	if body == "" {
		return ""
	}
	// References outside of quotes are not JSON; digits of the same length are.
	plain := reference.ReplaceAllStringFunc(body, func(r string) string { return strings.Repeat("1", len(r)) })
	node, err := resource.ParseJSON([]byte(plain))
	if err != nil {
		return m.loose(body)
	}
	var hidden []resource.Node
	var declared *resource.Schema
	if endpoint != nil {
		declared = endpoint.Body
	}
	hidden = secretNodes(hidden, node, declared)
	var out strings.Builder
	last := 0
	for _, n := range hidden {
		from, to := n.Pos, n.Pos+len(n.Raw)
		if text := strings.Trim(body[from:to], `"`); m.text(text) == resource.Mask {
			m.note(n.Text)
			out.WriteString(body[last:from] + `"` + resource.Mask + `"`)
			last = to
		}
	}
	out.WriteString(body[last:])
	return out.String()
}

// secretNodes adds the secret values below n: by the schema, by their key, or as
// the value beside a secret name.
func secretNodes(hidden []resource.Node, n resource.Node, s *resource.Schema) []resource.Node {
	switch n.Kind {
	case '[':
		for _, item := range n.Items {
			hidden = secretNodes(hidden, item, items(s))
		}
	case '{':
		name := n.Get("name")
		flag := n.Get("secret") // set by a user, whatever the name
		paired := name != nil && name.Kind == '"' && SecretKey(name.Text) || flag != nil && flag.Kind == 't'
		for i, key := range n.Keys {
			writeOnly, inner := catalog.Property(s, key)
			if (writeOnly || SecretKey(key) || paired && key == "value") &&
				!slices.Contains([]byte("ntf"), n.Items[i].Kind) {
				hidden = append(hidden, n.Items[i])
				continue
			}
			hidden = secretNodes(hidden, n.Items[i], inner)
		}
	}
	return hidden
}

func items(s *resource.Schema) *resource.Schema {
	if s == nil {
		return nil
	}
	return s.Items
}

// Pairs in a text that is not valid JSON: "key": "value", key=value, and the
// value beside a name.
var (
	quotedPair = regexp.MustCompile(`("((?:[^"\\]|\\.)*)"\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s,}\]]+)`)
	namedPair  = regexp.MustCompile(`("name"\s*:\s*"((?:[^"\\]|\\.)*)"\s*,\s*"value"\s*:\s*)("(?:[^"\\]|\\.)*"?)`)
	plainPair  = regexp.MustCompile(`(([\w.-]+)\s*[=:]\s*)([^\s&;,"]+)`)
)

// loose masks the values of secret names in a body that cannot be parsed: patterns
// find pairs even in JSON that is not finished, where a reader of JSON finds none.
func (m *Masker) loose(body string) string {
	for _, pair := range []*regexp.Regexp{namedPair, quotedPair, plainPair} {
		body = pair.ReplaceAllStringFunc(body, func(text string) string {
			parts := pair.FindStringSubmatch(text)
			switch quoted := strings.HasPrefix(parts[3], `"`); {
			case !SecretKey(parts[2]) || m.text(strings.Trim(parts[3], `"`)) != resource.Mask:
				return text
			case quoted:
				return parts[1] + `"` + resource.Mask + `"`
			}
			return parts[1] + resource.Mask
		})
	}
	return body
}

// GivesSecrets reports whether an endpoint's response has secrets that are shown
// only once.
func GivesSecrets(e *resource.Endpoint) bool {
	return e != nil && e.Once
}
