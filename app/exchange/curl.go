package exchange

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"spyglass/app/pairs"
	"spyglass/app/snippet"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Curl is the format of bash scripts with cURL commands. This package only writes
// it; the page parses pasted commands and files, and sends them in the Spyglass
// format.
var Curl = Format{
	ID: "curl", Label: "cURL commands (bash)", Family: "cURL",
	Ext: "sh", Type: "text/x-shellscript",
	Note: "Run it in bash. The file contains no secrets: they come from the environment, the token from " +
		"$SPYGLASS_TOKEN.",
	Is: func(*File) bool { return false },
	Read: func(f *File) (*Found, error) {
		return nil, fault.New(fault.Invalid, "%s contains cURL commands; paste them instead", f.name())
	},
	Write: func(b *Bundle) ([]byte, error) {
		w := &curlWriter{Bundle: b, values: map[string]string{}, at: map[string]int{}}
		for _, v := range slices.Backward(b.Variables) { // the first of duplicate names counts
			w.values[v.Name] = v.Value
		}
		chapters := w.chapters(b.Folders)
		_, requests := countOf(b.Folders)
		title := fmt.Sprintf("%s: %d requests to %s", b.Name, requests, b.BaseURL)
		return []byte(snippet.Commands(title, chapters, w.variables)), nil
	},
}

func countOf(folders []workspace.Folder) (all, requests int) {
	for _, f := range folders {
		inside, more := countOf(f.Folders)
		all, requests = all+1+inside, requests+more+len(f.Requests)
	}
	return all, requests
}

// curlWriter converts drafts to steps. Marks replace their variables until the
// script is written.
type curlWriter struct {
	*Bundle
	values    map[string]string // of the bundle's variables
	variables []snippet.Variable
	at        map[string]int // in variables, by name
	round     int            // the current request: each has its own UUID
	hidden    int            // number of masked secrets so far
}

func (w *curlWriter) chapters(folders []workspace.Folder) (out []snippet.Chapter) {
	for i := range folders {
		f := &folders[i]
		chapter := snippet.Chapter{Title: f.Name, Chapters: w.chapters(f.Folders)}
		for j := range f.Requests {
			r := &f.Requests[j]
			if w.budget.Steps(len(r.Draft.Path)+len(r.Draft.Body)) != nil {
				return out // Write of the package returns the error
			}
			w.round++
			chapter.Commands = append(chapter.Commands, snippet.Command{Step: w.step(r), Doc: r.Doc})
		}
		out = append(out, chapter)
	}
	return out
}

func (w *curlWriter) step(r *workspace.Saved) snippet.Step {
	d := &r.Draft
	out := snippet.Step{Title: cmp.Or(r.Name, d.Method+" "+d.Path)}
	out.Method = d.Method
	path, search, _ := strings.Cut(w.marked(d.Path), "?")
	search = pairs.Escape(search, search) // marks have neither & nor quotes
	values := map[string]string{}
	for _, p := range slices.Backward(d.PathParams) { // the first of duplicate names counts
		if p.On && strings.TrimSpace(p.Value) != "" {
			values[p.Key] = p.Value
		}
	}
	path = pathParameter.ReplaceAllStringFunc(path, func(in string) string {
		name := in[1 : len(in)-1]
		value, have := values[name]
		if !have {
			return w.mark(in)
		}
		return url.PathEscape(w.marked(value))
	})
	query := slices.DeleteFunc([]string{search}, func(s string) bool { return s == "" })
	for _, q := range d.Query {
		if q.On && q.Key+q.Value != "" {
			query = append(query, queryPart(w.marked(q.Key))+"="+queryPart(w.marked(q.Value)))
		}
	}
	out.URL = w.mark("{{$baseUrl}}") +
		rooted(usualMount.ReplaceAllString(hostName.ReplaceAllString(strings.TrimSpace(path), ""), "/"))
	if len(query) > 0 {
		out.URL += "?" + strings.Join(query, "&")
	}
	for _, h := range d.Headers {
		if h.On {
			out.Headers = append(out.Headers, snippet.Header{Name: w.marked(h.Key), Value: w.marked(h.Value)})
		}
	}
	if workspace.HasBody(d.Method) {
		out.Body = w.marked(d.Body)
	}
	return out
}

func queryPart(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

var (
	pathParameter = regexp.MustCompile(`\{[^{}/]+\}`)
	clock         = regexp.MustCompile(`^\$now(?:([+-])(\d{1,9})([smhdw]))?$`)
	clockUnits    = map[string]int{"": 0, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
)

// marked returns a text with marks in place of its {{variables}} and of masked
// secrets.
func (w *curlWriter) marked(text string) string {
	text = reference.ReplaceAllStringFunc(text, func(r string) string {
		return w.mark("{{" + reference.FindStringSubmatch(r)[1] + "}}")
	})
	parts := strings.Split(text, resource.Mask)
	for i := range parts[1:] {
		w.hidden++
		parts[i] += w.mark(fmt.Sprintf("{{$hidden %d}}", w.hidden))
	}
	return strings.Join(parts, "")
}

// mark returns the mark of the variable for a reference such as {{name}} or
// {id}. Values missing in the bundle are read from the environment.
func (w *curlWriter) mark(reference string) string {
	name := strings.Trim(reference, "{}")
	v := snippet.Variable{Name: reference, Source: snippet.Environment, Value: snippet.EnvironmentName(name)}
	if name == "$uuid" {
		v = snippet.Variable{Name: fmt.Sprintf("%s of request %d", reference, w.round), Source: snippet.Random}
	}
	if own, have := w.values[name]; have && strings.HasPrefix(reference, "{{") {
		v.Source, v.Value = snippet.Plain, own
	}
	switch offset := clock.FindStringSubmatch(name); {
	case name == "$baseUrl":
		v.Source, v.Value = snippet.Plain, strings.TrimSuffix(w.BaseURL, "/")
	case name == "$userId" && w.UserID != 0:
		v.Source, v.Value = snippet.Plain, strconv.FormatInt(w.UserID, 10)
	case offset != nil:
		n, _ := strconv.Atoi(offset[1] + cmp.Or(offset[2], "0"))
		v.Source, v.Value = snippet.Clock, strconv.Itoa(n*clockUnits[offset[3]])
	}
	if i, have := w.at[v.Name]; have {
		return w.variables[i].Mark
	}
	w.at[v.Name] = len(w.variables)
	v.Mark = fmt.Sprintf("7%d%06d", 1_000_000_007_000_000_009, len(w.variables))
	w.variables = append(w.variables, v)
	return v.Mark
}
