package check

import "strings"

// expand replaces ##name## by what the task knows under that name; a name that
// nothing is known by is replaced by nothing.
func (t *Task) expand(text string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "##")
		name, after, closed := strings.Cut(rest, "##")
		if !ok || !closed {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(before)
		out.WriteString(t.named(strings.ToLower(name)))
		text = after
	}
}

func (t *Task) named(name string) string {
	switch name {
	case "wildvalue":
		return t.Wild
	case "wildvalue2":
		return t.Wild2
	case "host", "hostname", "system.hostname":
		return t.Host
	}
	return t.Properties[name]
}
