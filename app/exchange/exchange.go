// Package exchange imports and exports collections of requests in the formats of
// other programs, and in the Spyglass format.
//
// # Our own format
//
// A JSON object; version 1 is
//
//	{"spyglass": 1, "name": "Fleet", "collections": [
//	    {"name": "Devices", "doc": "…", "folders": [ … ], "requests": [
//	        {"name": "", "doc": "…", "draft": {"method": "GET", "path": "/device/devices/{id}", … },
//	         "examples": [{"name": "Found", "status": 200, "headers": [["ETag", "1"]], "body": "…"}]}]}],
//	 "variables": [{"name": "pageSize", "value": "50"}],
//	 "environments": [{"name": "Staging", "variables": [{"name": "pageSize", "value": "5"}]}]}
//
// A folder looks like a collection and a draft is a workspace.Draft, so that
// writing and reading again changes nothing. Secret variables are never in a
// file. A file of a newer version is refused.
//
// # Hosts
//
// Requests belong to a portal, not to a host: an import removes the portal's
// address, and any other with a note; an export adds {{baseUrl}} before paths.
//
// # Environments
//
// Environments stay environments; a base environment, which applies to all others, gives
// the variables beside them. Values made of other variables are written out, and names
// are changed to such as variables may have, where they are used as well.
//
// # Tests
//
// Checks of responses (app/expect) are part of a draft. Tests and assertions of
// other programs become checks if they have one of the usual forms; nothing is
// run, and what is not understood is a note.
//
// # Concurrency and errors
//
// All functions are pure. Reading and writing end with their context, and have a
// budget in proportion to the file: endless repetition is refused. What cannot be
// read is fault.Invalid with a sentence that says where; what was not imported on
// purpose is a note in Found. Nothing in a file is fetched: references to other
// files are refused.
package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"spyglass/app/budget"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// MaxSize limits the bytes of a file.
const MaxSize = 32 << 20

// Variable is a variable that requests of a file use.
type Variable struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Secret bool   `json:"-"` // to be stored in the keyring

	only bool // only environments have it; for reading requests
}

// Environment is a named set of variables, which go before those of the file.
type Environment struct {
	Name      string     `json:"name"`
	Variables []Variable `json:"variables"`
}

// Bundle is the content to write.
type Bundle struct {
	Name      string
	BaseURL   string // "http://127.0.0.1:8443/api", the value of {{baseUrl}}
	UserID    int64  // the value of {{$userId}}; 0: unknown
	Folders   []workspace.Folder
	Variables []Variable

	Environments []Environment // only in our own format

	budget *budget.Budget // for writing; nil: unlimited
}

// Write writes a bundle. It ends when ctx ends, or when the bundle causes more
// work than its size explains.
func Write(ctx context.Context, format *Format, b *Bundle) ([]byte, error) {
	own := *b
	own.budget = budgetFor(ctx, sizeOf(b.Folders))
	text, err := format.Write(&own)
	if err == nil {
		err = own.budget.Err()
	}
	if budget.Spent(err) {
		return nil, fault.New(fault.TooLarge, "These requests are too large for a file in the format %s. Export "+
			"fewer of them.", format.Label)
	}
	return text, err
}

// sizeOf returns the total bytes of all texts.
func sizeOf(folders []workspace.Folder) (n int) {
	for i := range folders {
		n += len(folders[i].Name) + len(folders[i].Doc) + sizeOf(folders[i].Folders)
		for j := range folders[i].Requests {
			r := &folders[i].Requests[j]
			n += len(r.Name) + len(r.Doc) + len(r.Draft.Path) + len(r.Draft.Body)
			for _, e := range r.Examples {
				n += len(e.Body)
			}
			for _, rows := range []workspace.Rows{r.Draft.Query, r.Draft.Headers, r.Draft.PathParams} {
				for _, row := range rows {
					n += rowSize + len(row.Key) + len(row.Value) + len(row.Doc)
				}
			}
		}
	}
	return n
}

// Found is the content of a file.
type Found struct {
	Format    *Format
	Folders   []workspace.Folder
	Variables []Variable

	Environments []Environment

	Notes []string // what was changed or not imported, one sentence each
}

// Format is one kind of file.
type Format struct {
	ID, Label string
	Family    string // "Postman v2.1": its name without the kind of file
	Ext, Type string // "postman_collection.json", "application/json"
	Several   bool   // a collection is several files, one for each request, which are concatenated
	Variables bool   // the page can import variables of a file without requests
	Note      string // what to know before exporting; empty: secrets are replaced by asterisks

	Is    func(*File) bool // detects the format
	Read  func(*File) (*Found, error)
	Write func(*Bundle) ([]byte, error) // nil: the format cannot be written; call Write of the package
	// WriteHistory writes requests with their responses; nil: the format does not
	// support that.
	WriteHistory func(w io.Writer, version string, history iter.Seq2[*Sent, error]) error
}

// Formats lists all formats, those with unambiguous files first.
var Formats = []*Format{&Spyglass, &Postman, &PostmanEnvironment, &Insomnia, &Yaak, &Bruno, &HAR, &OpenAPI, &Swagger,
	&OpenCollection, &Curl}

// Families returns the names of the formats that can be imported, in the order of
// the table.
func Families(table []*Format) (names []string) {
	for _, f := range table {
		if !slices.Contains(names, f.Family) {
			names = append(names, f.Family)
		}
	}
	return names
}

// ByID returns the format with that id.
func ByID(id string) (*Format, error) {
	for _, f := range Formats {
		if f.ID == id {
			return f, nil
		}
	}
	return nil, fault.At("format", "there is no format %q", id)
}

// File is a file to read.
type File struct {
	Name  string
	Text  []byte
	Bases []string // addresses of the portal, which are removed

	budget  *budget.Budget             // for reading; nil: unlimited
	top     map[string]json.RawMessage // the top level of a JSON object
	written map[string]string          // paths after hosts in variables, by host
	notes   notes
	missing int // tests that were not understood
	taken   taken
	hosts   map[string]bool // variables at the beginning of addresses
}

// has reports whether the file is a JSON object with that top-level key.
func (f *File) has(key string) bool { _, ok := f.top[key]; return ok }

// Read detects the format of a file and reads it. It writes nothing. It ends when
// ctx ends, or when the file causes more work than its size explains.
func Read(ctx context.Context, f *File) (found *Found, err error) {
	f.budget = budgetFor(ctx, len(f.Text))
	if err := f.open(); err != nil {
		return nil, err
	}
	defer func() {
		if wrong := recover(); wrong != nil { // the libraries below read untrusted files
			found, err = nil, fault.New(fault.Invalid, "%s cannot be read: %v", f.name(), wrong)
		}
	}()
	at := slices.IndexFunc(Formats, func(format *Format) bool { return format.Is(f) })
	if at < 0 {
		return nil, fault.New(fault.Invalid, "%s has an unknown format. You can import files of these formats: %s",
			f.name(), strings.Join(Families(Formats), ", "))
	}
	if found, err = Formats[at].Read(f); err == nil {
		err = f.budget.Err()
	}
	if err != nil {
		return nil, f.tooMuch(err)
	}
	found.Format = Formats[at]
	if depth(found.Folders) > workspace.MaxDepth {
		return nil, fault.New(fault.Invalid, "folders in %s are nested more than %d levels deep", f.name(),
			workspace.MaxDepth)
	}
	f.variables(found)
	f.tidy(found.Folders)
	if err := f.budget.Err(); err != nil {
		return nil, f.tooMuch(err)
	}
	found.Notes = f.notes.sentences()
	return found, nil
}

func (f *File) name() string {
	if f.Name == "" {
		return "the text"
	}
	return f.Name
}

// open refuses files that are not text, and decodes the top level of JSON.
func (f *File) open() error {
	f.Text = bytes.TrimSpace(bytes.TrimPrefix(f.Text, []byte("\xef\xbb\xbf")))
	switch {
	case len(f.Text) > MaxSize:
		return fault.New(fault.TooLarge, "%s is larger than %d MiB, the maximum for an import", f.name(),
			MaxSize>>20)
	case len(f.Text) == 0:
		return fault.New(fault.Invalid, "%s is empty", f.name())
	case bytes.HasPrefix(f.Text, []byte("PK\x03\x04")), bytes.HasPrefix(f.Text, []byte("\x1f\x8b")):
		return fault.New(fault.Invalid, "%s is a compressed archive; unpack it and select the file inside", f.name())
	case !utf8.Valid(f.Text), bytes.IndexByte(f.Text, 0) >= 0:
		return fault.New(fault.Invalid, "%s is not a text file", f.name())
	case f.Text[0] == '{':
		if err := f.shapeOfJSON(f.Text); err != nil {
			return err
		}
		return f.decode(f.Text, &f.top)
	}
	return nil
}

// decode decodes JSON, and describes its errors in words.
func (f *File) decode(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
		return fault.New(fault.Invalid, "%s is not valid JSON: line %d: %s", f.name(), line, syntax.Error())
	case errors.As(err, &wrong):
		return fault.New(fault.Invalid, "%s cannot be read: %s is a %s where something else belongs", f.name(),
			wrong.Field, wrong.Value)
	default:
		return fault.New(fault.Invalid, "%s cannot be read: %v", f.name(), err)
	}
}

func depth(folders []workspace.Folder) int {
	most := 0
	for _, f := range folders {
		most = max(most, 1+depth(f.Folders))
	}
	return most
}

// maxName limits the characters of a name.
const maxName = 255

// tidy shortens and corrects names so that the workspace accepts them, and adds
// notes about values that are masked with asterisks.
func (f *File) tidy(folders []workspace.Folder) {
	for i := range folders {
		folder := &folders[i]
		if folder.Name = plain(folder.Name); folder.Name == "" {
			folder.Name = "Untitled"
		}
		for j := range folder.Requests {
			r := &folder.Requests[j]
			r.Name = plain(r.Name)
			r.Examples = f.examples(r.Examples)
			for _, rows := range []workspace.Rows{r.Draft.Query, r.Draft.Headers, r.Draft.PathParams} {
				if slices.ContainsFunc(rows, func(row workspace.Row) bool { return row.Value == resource.Mask }) {
					f.notes.add("%s with a secret that is hidden in the file: enter it again.")
				}
			}
		}
		f.tidy(folder.Folders)
	}
}

// examples returns the examples of a request that the workspace accepts.
func (f *File) examples(all []workspace.SavedExample) (kept []workspace.SavedExample) {
	for _, e := range all {
		switch {
		case len(kept) == workspace.MaxExamples:
			f.notes.add("%s with more than 20 examples: the others were not imported.")
			return kept
		case len(e.Body) > workspace.MaxExampleBody:
			f.notes.add("%s with an example of more than 1,024 KiB: it was not imported.")
		default:
			e.Name, e.StatusText = plain(e.Name), plain(e.StatusText)
			kept = append(kept, e)
		}
	}
	return kept
}

// plain returns a name on one line, truncated if too long.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, name)
	if runes := []rune(strings.TrimSpace(name)); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return strings.TrimSpace(name)
}

// notes collects the notes about a file; each sentence begins with a count.
type notes struct {
	order []string
	count map[string]int
	noted map[string]bool
	hosts []string // addresses that were not imported
}

// add increments the count of a sentence such as "%s with scripts: they were not
// imported."
func (n *notes) add(sentence string) {
	if n.count == nil {
		n.count = map[string]int{}
	}
	if n.count[sentence] == 0 {
		n.order = append(n.order, sentence)
	}
	n.count[sentence]++
}

// say adds a note without a count, unless it exists already.
func (n *notes) say(format string, args ...any) {
	sentence := strings.ReplaceAll(fmt.Sprintf(format, args...), "%", "%%")
	if n.noted[sentence] {
		return
	}
	if n.noted == nil {
		n.noted = map[string]bool{}
	}
	n.noted[sentence] = true
	n.order = append(n.order, sentence)
}

// addresses is the key of the sentence about all addresses.
const addresses = "addresses"

// address records an address that was not imported.
func (n *notes) address(host string) {
	n.say(addresses)
	if !n.noted[host] {
		n.noted[host] = true
		n.hosts = append(n.hosts, host)
	}
}

// mostNotes limits the notes about one file.
const mostNotes = 100

func (n *notes) sentences() []string {
	if more := len(n.order) - mostNotes; more > 0 {
		n.order = append(n.order[:mostNotes], fmt.Sprintf("And %d more notes like these.", more))
	}
	out := make([]string, len(n.order))
	for i, sentence := range n.order {
		switch count := n.count[sentence]; {
		case sentence == addresses && len(n.hosts) == 1:
			out[i] = fmt.Sprintf("The address %s was not imported: requests go to the portal of their tab.", n.hosts[0])
		case sentence == addresses:
			out[i] = fmt.Sprintf("The addresses %s were not imported: requests go to the portal of their tab.",
				someOf(n.hosts))
		case count == 1:
			out[i] = fmt.Sprintf(sentence, "1 request")
		case count > 1:
			out[i] = fmt.Sprintf(sentence, fmt.Sprintf("%d requests", count))
		default:
			out[i] = strings.ReplaceAll(sentence, "%%", "%")
		}
	}
	return out
}
