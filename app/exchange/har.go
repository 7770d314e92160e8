package exchange

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"time"
	"unicode/utf8"

	"spyglass/app/workspace"
)

// HAR is the format in which browsers save their network traffic, version 1.2.
// Read reads only the requests; WriteHAR writes requests with their responses. A
// HAR has no place for path parameters and variables: WriteHAR adds the edited
// request as _spyglass, which other programs ignore.
var HAR = Format{
	ID: "har", Label: "HAR 1.2", Family: "HAR",
	Ext: "har", Type: "application/json", WriteHistory: WriteHAR,
	Is: func(f *File) bool { return f.has("log") },
	Read: func(f *File) (*Found, error) {
		var h harFile
		if err := f.decode(f.Text, &h); err != nil {
			return nil, err
		}
		folder := workspace.Folder{Name: f.stem("Recorded requests")}
		calls := h.Log.calls()
		for range len(h.Log.Entries) - len(calls) {
			f.notes.add("%s for pages, scripts, styles, images and the like: not imported.")
		}
		for i := range calls {
			if r, ok := f.harRequest(&calls[i].Request); ok {
				folder.Requests = append(folder.Requests, r)
			}
		}
		if len(folder.Requests) > 0 {
			f.notes.say("Responses and cookies in the file were not imported.")
		}
		return &Found{Folders: []workspace.Folder{folder}}, nil
	},
}

// partsOfPages lists the resource types of browsers that do not call an API.
var partsOfPages = []string{"document", "stylesheet", "script", "image", "font", "media", "manifest", "texttrack",
	"preflight", "websocket", "ping", "prefetch"}

type harFile struct {
	Log harLog `json:"log"`
}

type harLog struct {
	Version string     `json:"version"`
	Creator harCreator `json:"creator"`
	Entries []harEntry `json:"entries"`
}

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harEntry struct {
	Started  string      `json:"startedDateTime"`
	Time     float64     `json:"time"`
	Request  harRequest  `json:"request"`
	Response harResponse `json:"response"`
	Cache    struct{}    `json:"cache"`
	Timings  harTimings  `json:"timings"`

	Kind string `json:"_resourceType,omitempty"` // the resource type of the browser
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harRequest struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"`
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []harPair `json:"cookies"`
	Headers     []harPair `json:"headers"`
	Query       []harPair `json:"queryString"`
	PostData    *harPost  `json:"postData,omitempty"`
	HeadersSize int       `json:"headersSize"`
	BodySize    int       `json:"bodySize"`

	Draft *workspace.Draft `json:"_spyglass,omitempty"`
}

type harPost struct {
	MimeType string `json:"mimeType"`
	Text     string `json:"text"`
}

type harResponse struct {
	Status      int64      `json:"status"`
	StatusText  string     `json:"statusText"`
	HTTPVersion string     `json:"httpVersion"`
	Cookies     []harPair  `json:"cookies"`
	Headers     []harPair  `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
	Error       string     `json:"_error,omitempty"`
}

type harContent struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

func (f *File) harRequest(r *harRequest) (workspace.Saved, bool) {
	if r.Draft != nil && r.Draft.Check("draft") == nil {
		return workspace.Saved{Draft: *r.Draft}, true
	}
	method, ok := f.methodOf(r.Method)
	if !ok {
		return workspace.Saved{}, false
	}
	d := workspace.Draft{Method: method, Mode: "form"}
	d.Path, d.Query = f.address(r.URL)
	if len(d.Query) == 0 {
		for _, q := range r.Query {
			d.Query = append(d.Query, workspace.Row{On: true, Key: unescape(q.Name), Value: unescape(q.Value)})
		}
	}
	for _, h := range r.Headers {
		if row, ok := f.header(workspace.Row{On: true, Key: h.Name, Value: h.Value}); ok {
			d.Headers = append(d.Headers, row)
		}
	}
	if r.PostData != nil {
		d.Body = r.PostData.Text
	}
	return workspace.Saved{Draft: d}, true
}

// Sent is one request of the history with its response, secrets masked.
type Sent struct {
	At          time.Time
	Method, URL string
	Headers     [][2]string
	Body        string
	Status      int64 // 0: no response
	StatusText  string
	MS          int64
	Bytes       int64
	Error       string
	Response    [][2]string // headers of the response
	Text        []byte      // its body; nil if it was not stored
	Kept        bool
	Draft       *workspace.Draft // as it was edited
}

// WriteHAR writes requests one after the other, with only one in memory at a
// time.
func WriteHAR(w io.Writer, version string, all iter.Seq2[*Sent, error]) error {
	creator, err := json.Marshal(harCreator{"Spyglass", version})
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, `{"log":{"version":"1.2","creator":`+string(creator)+`,"entries":[`); err != nil {
		return err
	}
	between := "\n"
	for sent, err := range all {
		if err != nil {
			return err
		}
		entry, err := json.Marshal(sent.entry())
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, between+string(entry)); err != nil {
			return err
		}
		between = ",\n"
	}
	_, err = io.WriteString(w, "\n]}}\n")
	return err
}

func (s *Sent) entry() *harEntry {
	ms := float64(s.MS)
	e := &harEntry{Started: s.At.UTC().Format("2006-01-02T15:04:05.000Z"), Time: ms, Timings: harTimings{Wait: ms}}
	e.Request = harRequest{
		Method: s.Method, URL: s.URL, HTTPVersion: "HTTP/1.1", Cookies: []harPair{}, Headers: pairsOf(s.Headers),
		Query:       []harPair{},
		HeadersSize: -1, BodySize: len(s.Body), Draft: s.Draft,
	}
	_, query := (&File{}).address(s.URL)
	for _, q := range query {
		e.Request.Query = append(e.Request.Query, harPair{q.Key, q.Value})
	}
	if s.Body != "" {
		e.Request.PostData = &harPost{cmp.Or(headersOf(s.Headers).Get("Content-Type"), "application/json"), s.Body}
	}
	header := headersOf(s.Response)
	e.Response = harResponse{
		Status: s.Status, StatusText: s.StatusText, HTTPVersion: "HTTP/1.1", Cookies: []harPair{},
		Headers: pairsOf(s.Response),
		Content: harContent{Size: s.Bytes, MimeType: header.Get("Content-Type")}, RedirectURL: header.Get("Location"),
		HeadersSize: -1, BodySize: s.Bytes, Error: s.Error,
	}
	switch {
	case !s.Kept:
		e.Response.Content.Comment = "the body was not kept"
	case utf8.Valid(s.Text):
		e.Response.Content.Text = string(s.Text)
	default:
		e.Response.Content.Text, e.Response.Content.Encoding = base64.StdEncoding.EncodeToString(s.Text), "base64"
	}
	return e
}

func headersOf(list [][2]string) http.Header {
	header := http.Header{}
	for _, h := range list {
		header.Add(h[0], h[1])
	}
	return header
}

func pairsOf(list [][2]string) []harPair {
	out := make([]harPair, len(list))
	for i, p := range list {
		out[i] = harPair{p[0], p[1]}
	}
	return out
}
