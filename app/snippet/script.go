package snippet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Head describes the first lines of a script. The zero value is none.
type Head struct {
	Title string   // what the script does
	Notes []string // what it does not do, one sentence each
}

// Step is one request of a script or a runbook.
type Step struct {
	Title   string    // "GET /device/devices"
	Request           // with marks in place of variables
	Expect  int       // the expected status; 0: any from 200 to 299
	Pages   Pages     // for a list; the URL then ends where the offset is appended
	Extract []Extract // from the response, of a list from its first page
}

// Extract sets a variable to a value of a response. The script omits it if no later
// step uses the variable.
type Extract struct {
	Variable string // Name of a Variable
	Path     []any  // from the top of the response: names as string, indexes as int
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
	Plain       Source = iota // the environment variable Override, if it is set, or else Value
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
	Override string // see Plain; empty for none
	Doc      string // what it is, in the head of a script; empty: the value of Name
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
func (l Language) Script(head Head, steps []Step, variables []Variable) string {
	s := newScript(steps, variables)
	return l.shebang + s.head(head, l.comment, l.run) + l.script(s)
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
	extract []Extract
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
	uses := make([]map[string]bool, len(steps))
	known := newMarks(variables)
	for i, step := range steps {
		used := map[string]bool{}
		uses[i] = used
		split := func(t string, as func(before string) place) text { return known.split(t, used, as) }
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
	s.extracts(steps, uses)
	s.uses(variables, uses)
	return s
}

// extracts gives the steps the values that later steps use from their responses.
func (s *script) extracts(steps []Step, uses []map[string]bool) {
	later := map[string]bool{}
	for i := len(steps) - 1; i >= 0; i-- {
		for _, x := range steps[i].Extract {
			if later[x.Variable] {
				s.steps[i].extract = append(s.steps[i].extract, x)
			}
		}
		maps.Copy(later, uses[i])
	}
}

// uses gives the script the variables that its steps use. One that a response gives
// before it is used does not have to be in the environment.
func (s *script) uses(variables []Variable, uses []map[string]bool) {
	used, given := map[string]bool{}, map[string]bool{}
	for i := range s.steps {
		for name := range uses[i] {
			used[name] = true
		}
		for _, x := range s.steps[i].extract {
			if !used[x.Variable] {
				given[x.Variable] = true
			}
		}
	}
	for _, v := range variables {
		if !used[v.Name] {
			continue
		}
		if given[v.Name] && v.Source == Environment {
			v.Source, v.Override, v.Value = Plain, v.Value, ""
		}
		s.variables = append(s.variables, v)
	}
}

// head returns the first lines of a script, as comments.
func (s *script) head(h Head, comment, run string) string {
	if h.Title == "" {
		return ""
	}
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(strings.TrimRight(comment+" "+commentText(fmt.Sprintf(format, args...)), " ") + "\n")
	}
	line("Written by Spyglass.")
	line("")
	line("%s", h.Title)
	line("")
	for i := range s.steps {
		st := &s.steps[i]
		more := ""
		if st.pages.Size > 0 {
			more = " (all pages)"
		}
		for _, x := range st.extract {
			more += ", " + x.label() + " becomes " + x.Variable
		}
		line("  %s%s", st.title, more)
	}
	line("")
	line("Run it: %s", run)
	line("It stops with exit code 1 at the first response with another status than expected.")
	for _, note := range h.Notes {
		line("%s", note)
	}
	line("")
	line("It needs these environment variables:")
	line("  SPYGLASS_TOKEN: an API token of the portal")
	optional := false
	for _, v := range s.variables {
		optional = optional || v.Source == Plain && v.Override != ""
		if v.Source == Environment {
			line("  %s: %s", v.Value, v.doc())
		}
	}
	if optional {
		line("These replace values below:")
	}
	for _, v := range s.variables {
		if v.Source == Plain && v.Override != "" {
			line("  %s: %s", v.Override, v.doc())
		}
	}
	return b.String() + "\n"
}

func (v *Variable) doc() string { return cmp.Or(v.Doc, "the value of "+v.Name) }

// commentText replaces what could end a comment, or has a meaning in one.
func commentText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\\':
			return '/'
		case invisible(r):
			return ' '
		}
		return oneLine(r)
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// label returns the path as JSONPath.
func (x *Extract) label() string {
	out := "$"
	for _, key := range x.Path {
		switch key := key.(type) {
		case int:
			out += fmt.Sprintf("[%d]", key)
		case string:
			if plainKey(key) {
				out += "." + key
			} else {
				out += "[" + strconv.Quote(key) + "]"
			}
		}
	}
	return out
}

func plainKey(key string) bool {
	return key != "" && identifier(key) == key && (key[0] < '0' || key[0] > '9')
}

// arguments returns the label and the keys as arguments of a language, each written
// by literal.
func (x *Extract) arguments(literal func(string) string) []string {
	out := []string{literal(x.label())}
	for _, key := range x.Path {
		if name, ok := key.(string); ok {
			out = append(out, literal(name))
		} else {
			out = append(out, fmt.Sprint(key))
		}
	}
	return out
}

// extracting reports whether any step extracts values, which requires a function.
func (s *script) extracting() bool {
	return slices.ContainsFunc(s.steps, func(st scriptStep) bool { return len(st.extract) > 0 })
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

// from reports whether a variable has that source.
func (s *script) from(source Source) bool {
	return slices.ContainsFunc(s.variables, func(v Variable) bool { return v.Source == source })
}

// overridden reports whether the environment may override a variable, which requires
// a function.
func (s *script) overridden() bool {
	return slices.ContainsFunc(s.variables, func(v Variable) bool { return v.Source == Plain && v.Override != "" })
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
