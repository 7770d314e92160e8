package keep

import (
	"slices"
	"strings"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// Sharing completes what a portal offers to share collections with what hides secrets.
func (k *Keeper) Sharing(s workspace.Sharing) workspace.Sharing {
	s.Mask, s.Unmask = k.masked, k.unmasked
	return s
}

// masked returns a draft without secrets.
func (k *Keeper) masked(d workspace.Draft) workspace.Draft {
	d, _ = outgoing.MaskDraft(d, k.endpoint(d))
	return d
}

// endpoint returns the endpoint of a draft; nil if it is in no catalog.
func (k *Keeper) endpoint(d workspace.Draft) *resource.Endpoint {
	endpoint := k.Catalog.Match(d.Method, d.Path)
	if endpoint == nil && d.Template != "" {
		endpoint = k.Catalog.Match(d.Method, d.Template)
	}
	return endpoint
}

// unmasked returns a changed draft with the secrets of the one that it was. A secret is
// filled in only where it is hidden again: else, who moves a mask to the name of a device
// could read it there.
func (k *Keeper) unmasked(d, was workspace.Draft) workspace.Draft {
	asked := d
	asked.Query, asked.Headers, asked.Checks = slices.Clone(d.Query), slices.Clone(d.Headers), slices.Clone(d.Checks)
	d = k.filled(d, was)
	hidden, want := k.masked(d), k.masked(asked)
	if hidden.Path != want.Path {
		d.Path = asked.Path
	}
	if hidden.Body != want.Body {
		d.Body = asked.Body
	}
	if !slices.Equal(hidden.Query, want.Query) {
		d.Query = asked.Query
	}
	if !slices.Equal(hidden.Headers, want.Headers) {
		d.Headers = asked.Headers
	}
	if !slices.Equal(hidden.Checks, want.Checks) {
		d.Checks = asked.Checks
	}
	return d
}

// filled returns a changed draft with secrets in the place of masks.
func (k *Keeper) filled(d, was workspace.Draft) workspace.Draft {
	hidden := k.masked(was)
	d.Path = unmask(d.Path, hidden.Path, was.Path)
	d.Body = unmask(d.Body, hidden.Body, was.Body)
	d.Query = unmaskRows(d.Query, hidden.Query, was.Query)
	d.Headers = unmaskRows(d.Headers, hidden.Headers, was.Headers)
	for i := range d.Checks {
		c := &d.Checks[i]
		for j := range was.Checks {
			if w := &was.Checks[j]; c.Value == resource.Mask && w.Target == c.Target &&
				hidden.Checks[j].Value == c.Value {
				c.Value = w.Value
				break
			}
		}
	}
	return d
}

// unmaskRows fills in the values of rows with masks by their keys, in their order.
func unmaskRows(rows, hidden, was workspace.Rows) workspace.Rows {
	used := make([]bool, len(was))
	for i := range rows {
		if !strings.Contains(rows[i].Value, resource.Mask) {
			continue
		}
		for j := range was {
			if !used[j] && strings.EqualFold(was[j].Key, rows[i].Key) && hidden[j].Value == rows[i].Value {
				rows[i].Value, used[j] = was[j].Value, true
				break
			}
		}
	}
	return rows
}

// unmask fills in the secrets of a text: hidden is what was looks like with masks. A text
// with another number of masks stays, because the remaining ones are unknown.
func unmask(text, hidden, was string) string {
	if text == hidden {
		return was
	}
	parts := strings.Split(text, resource.Mask)
	pieces := strings.Split(hidden, resource.Mask)
	if len(parts) == 1 || len(parts) != len(pieces) || !strings.HasPrefix(was, pieces[0]) {
		return text
	}
	var out strings.Builder
	out.WriteString(parts[0])
	rest := was[len(pieces[0]):]
	for i := 1; i < len(parts); i++ {
		end := strings.Index(rest, pieces[i])
		if i == len(parts)-1 && strings.HasSuffix(rest, pieces[i]) {
			end = len(rest) - len(pieces[i])
		}
		if end < 0 {
			return text
		}
		out.WriteString(rest[:end] + parts[i])
		rest = rest[end+len(pieces[i]):]
	}
	return out.String()
}

// shownExamples returns examples without headers that have credentials.
func shownExamples(examples []workspace.SavedExample) []workspace.SavedExample {
	for i := range examples {
		var headers [][2]string
		for _, h := range examples[i].Headers {
			name := strings.ToLower(h[0])
			if name != "set-cookie" && name != "cookie" && !outgoing.SecretTarget(name) {
				headers = append(headers, h)
			}
		}
		examples[i].Headers = headers
		examples[i].Body = outgoing.MaskBody(examples[i].Body, nil)
	}
	return examples
}
