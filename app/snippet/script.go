package snippet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Step is one request of a script or a runbook.
type Step struct {
	Title   string // "GET /device/devices"
	Request        // with marks in place of variables
	Expect  int    // the expected status; 0: any from 200 to 299
	Pages   Pages  // for a list; the URL then ends where the offset is appended
}

// Pages makes a step request a list page by page until it ends: until the offset
// has reached the total in a page or, without a total, until a page is empty. The
// zero value is one request.
type Pages struct {
	Size   int64 // items per page, the same as in the URL
	Offset int64 // offset of the first page
}

// Source is the origin of a variable's value in a script.
type Source int

// The sources.
const (
	Plain       Source = iota // Value
	Environment               // the environment variable Value
	Clock                     // Value seconds after the start of the script, in epoch seconds
	Random                    // a new UUID
)

// Variable is a value that steps use. It replaces its Mark in a step, escaped for
// that place. A mark consists of digits, so that no escaping changes it and it is
// a valid JSON value.
type Variable struct {
	Name  string
	Mark  string
	Value string
	Source
}

// EnvironmentName returns the name of a variable in the environment.
func EnvironmentName(name string) string {
	return "SPYGLASS_" + strings.ToUpper(strings.Trim(identifier(name), "_"))
}

func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// Script writes steps as one program. The program stops with a message at the
// first response with an unexpected status. It writes bodies to standard output
// and progress to standard error. A 429 means that the portal did nothing, so the
// program waits for the requested time (Retry-After, or else the window of the
// limit, or else five seconds) and sends the request again, up to four times. It
// stops if the requested time is more than an hour.
func (l Language) Script(steps []Step, variables []Variable) string {
	return l.script(newScript(steps, variables))
}

// script is the program for a language to write.
type script struct {
	variables []Variable // the used variables; names are unique
	steps     []scriptStep
}

type scriptStep struct {
	title   string
	method  string
	url     text
	headers []scriptHeader
	body    text
	expect  int
	pages   Pages
}

type scriptHeader struct {
	name  string
	value text
}

// text is a sequence of pieces.
type text []piece

// piece is a literal or, with a name, a variable.
type piece struct {
	literal string
	name    string
	as      place
}

// place selects how a value is escaped.
type place int

const (
	asIs place = iota
	inURL
	inJSON // inside quotes
)

func newScript(steps []Step, variables []Variable) *script {
	s := &script{}
	used := map[string]bool{}
	known := newMarks(variables)
	split := func(t string, as func(before string) place) text { return known.split(t, used, as) }
	for i, step := range steps {
		r := clean(step.Request)
		out := scriptStep{title: fmt.Sprintf("%d. %s", i+1, oneLineOf(step.Title)), method: r.Method,
			expect: step.Expect, pages: step.Pages}
		out.url = split(r.URL, func(before string) place {
			if before == "" { // the address begins with it
				return asIs
			}
			return inURL
		})
		for _, h := range r.Headers {
			h.Name = known.filledIn(h.Name)
			if validName(h.Name) {
				out.headers = append(out.headers,
					scriptHeader{h.Name, split(h.Value, func(string) place { return asIs })})
			}
		}
		json := strings.Contains(strings.ToLower(r.value("Content-Type")), "json")
		inside, seen := false, 0
		out.body = split(r.Body, func(before string) place {
			inside, seen = quoted(before[seen:], inside), len(before)
			if json && inside {
				return inJSON
			}
			return asIs
		})
		s.steps = append(s.steps, out)
	}
	for _, v := range variables {
		if used[v.Name] {
			s.variables = append(s.variables, v)
		}
	}
	return s
}

func (r *Request) value(name string) string {
	if i := r.header(name); i >= 0 {
		return r.Headers[i].Value
	}
	return ""
}

func oneLineOf(s string) string { return strings.Map(oneLine, strings.ToValidUTF8(s, "\uFFFD")) }

// marked finds the marks of variables in texts. Since users control the number of
// marks and places, each text is read only once.
type marked struct {
	prefix  string // of all marks
	lengths []int  // lengths of marks, the longest first
	by      map[string]Variable
}

func newMarks(variables []Variable) *marked {
	m := &marked{by: make(map[string]Variable, len(variables))}
	for i, v := range variables {
		if v.Mark == "" {
			continue
		}
		if _, have := m.by[v.Mark]; !have {
			m.by[v.Mark] = v
		}
		if i == 0 {
			m.prefix = v.Mark
		}
		for !strings.HasPrefix(v.Mark, m.prefix) {
			m.prefix = m.prefix[:len(m.prefix)-1]
		}
		if !slices.Contains(m.lengths, len(v.Mark)) {
			m.lengths = append(m.lengths, len(v.Mark))
		}
	}
	slices.SortFunc(m.lengths, func(a, b int) int { return b - a })
	return m
}

// next returns the first mark at or after a position; at is -1 if there is none.
func (m *marked) next(t string, from int) (at int, found Variable) {
	for len(m.by) > 0 {
		i := strings.Index(t[from:], m.prefix)
		if i < 0 || from+i == len(t) {
			break
		}
		from += i
		for _, n := range m.lengths {
			if from+n > len(t) {
				continue
			}
			if v, ok := m.by[t[from:from+n]]; ok {
				return from, v
			}
		}
		from++
	}
	return -1, Variable{}
}

// split splits a text into literals and variables; as returns the place that
// follows before.
func (m *marked) split(t string, used map[string]bool, as func(before string) place) (out text) {
	from := 0
	for from < len(t) {
		at, found := m.next(t, from)
		if at < 0 {
			break
		}
		if at > from {
			out = append(out, piece{literal: t[from:at]})
		}
		used[found.Name] = true
		out = append(out, piece{name: found.Name, as: as(t[:at])})
		from = at + len(found.Mark)
	}
	if from < len(t) {
		out = append(out, piece{literal: t[from:]})
	}
	return out
}

// filledIn returns a text with the values of its variables.
func (m *marked) filledIn(t string) string {
	var out strings.Builder
	from := 0
	for {
		at, found := m.next(t, from)
		if at < 0 {
			break
		}
		out.WriteString(t[from:at] + found.Value)
		from = at + len(found.Mark)
	}
	return out.String() + t[from:]
}

// quoted reports whether the end of a JSON text is inside a string; in says
// whether its beginning is. A mark is not a quote, so a backslash at the end is
// complete.
func quoted(text string, in bool) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			in = !in
		case text[i] == '\\' && in:
			i++
		}
	}
	return in
}

// join writes the pieces with between, the concatenation operator, between them;
// none is the expression for no pieces.
func (t text) join(between, none string, literal func(string) string, value func(piece) string) string {
	parts := make([]string, len(t))
	for i, p := range t {
		if p.name == "" {
			parts[i] = literal(p.literal)
		} else {
			parts[i] = value(p)
		}
	}
	if len(parts) == 0 {
		return none
	}
	return strings.Join(parts, between)
}

// has reports whether any value is used in such a place, which requires a
// function.
func (s *script) has(as place) bool {
	in := func(t text) bool {
		return slices.ContainsFunc(t, func(p piece) bool { return p.name != "" && p.as == as })
	}
	return slices.ContainsFunc(s.steps, func(st scriptStep) bool {
		return in(st.url) || in(st.body) ||
			slices.ContainsFunc(st.headers, func(h scriptHeader) bool { return in(h.value) })
	})
}

// paged reports whether any step has pages, which requires a function.
func (s *script) paged() bool {
	return slices.ContainsFunc(s.steps, func(st scriptStep) bool { return st.pages.Size > 0 })
}

// call returns the function that a step calls: one for a request, or pages for
// all pages, which takes the first offset and the size as more arguments.
func (st *scriptStep) call(one, pages, arguments string) (function, more string) {
	if st.pages.Size == 0 {
		return one, ""
	}
	return pages, fmt.Sprintf(arguments, st.pages.Offset, st.pages.Size)
}

// uses reports whether a variable has that source.
func (s *script) uses(source Source) bool {
	return slices.ContainsFunc(s.variables, func(v Variable) bool { return v.Source == source })
}

// seconds returns the offset of a clock as " + 5" or " - 3600", or "" for 0.
func (v *Variable) seconds() string {
	n, err := strconv.ParseInt(v.Value, 10, 64)
	switch {
	case err != nil || n == 0:
		return ""
	case n < 0:
		return fmt.Sprintf(" - %d", -n)
	}
	return fmt.Sprintf(" + %d", n)
}
