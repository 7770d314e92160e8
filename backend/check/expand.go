package check

import "strings"

// expand replaces ##name## by the task's value of that name, or by nothing if
// there is none.
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
