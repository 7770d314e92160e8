package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spyglass/app/exchange"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/mock"
	"spyglass/app/workspace"
	"spyglass/backend/api"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/server"
	"spyglass/backend/service"
)

// Mock is a server of recorded responses.
type Mock struct {
	From    []string // files, collections and history; of equal requests, the last is used
	Listen  string
	Latency time.Duration
	Fail    string // such as 429:10%; empty: none
	Loose   bool

	Stdout io.Writer
}

// mockHistory is the source that is the history of the data folder; with a colon and a
// name, of one portal.
const mockHistory = "history"

// Run serves until ctx ends. It prints the address when it is ready.
func (m *Mock) Run(ctx context.Context, o server.Options) (err error) {
	with := mock.Options{Loose: m.Loose, Latency: m.Latency, Log: o.Log}
	if m.Fail != "" {
		if with.Fail, err = mock.ReadFailing(m.Fail); err != nil {
			return err
		}
	}
	host, _, err := net.SplitHostPort(m.Listen)
	if err != nil {
		return fault.New(fault.Invalid, "--listen must be an address and a port, such as 127.0.0.1:9090, not %q",
			m.Listen)
	}
	if with.Recorded, err = m.recorded(ctx, o); err != nil {
		return err
	}
	l, err := net.Listen("tcp", m.Listen)
	if err != nil {
		return fault.New(fault.Conflict, "%s cannot be listened on: %v", m.Listen, err)
	}
	if with.Local = loopback.Host(host); !with.Local {
		o.Log.WarnContext(ctx, "the mock checks no credentials, and other machines can reach it", "address", l.Addr())
	}
	s := api.NewServer(mock.New(with), o.Log)
	s.WriteTimeout = 0 // a latency may be longer
	var serving service.Group
	failed := make(chan error, 1)
	serving.Go("mock", func() { failed <- s.Serve(api.CapConns(l, o.Log)) })
	fmt.Fprintf(m.Stdout, "spyglass: http://%s\ntoken: mock\n", l.Addr())
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return errors.Join(err, s.Shutdown(ending))
}

// recorded reads all sources.
func (m *Mock) recorded(ctx context.Context, o server.Options) (all []mock.Recorded, err error) {
	for _, from := range m.From {
		text, err := readFile(from, exchange.MaxSize)
		var found []mock.Recorded
		switch {
		case err == nil:
			found, err = ofFile(ctx, filepath.Base(from), text)
		case errors.Is(err, os.ErrNotExist):
			found, err = ofFolder(ctx, o, from)
		}
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fault.New(fault.Invalid, "%s has no recorded response: %s", from, map[bool]string{
				true:  "send requests in the Explorer first",
				false: "save examples of its requests first, or use the history"}[isHistory(from)])
		}
		o.Log.InfoContext(ctx, "recorded responses", "from", from, "count", len(found))
		all = append(all, found...)
	}
	return all, nil
}

func isHistory(from string) bool {
	return from == mockHistory || strings.HasPrefix(from, mockHistory+":")
}

// ofFile returns the responses in a file: a HAR file, or a collection with examples.
func ofFile(ctx context.Context, name string, text []byte) ([]mock.Recorded, error) {
	found, err := exchange.Read(ctx, &exchange.File{Name: name, Text: text})
	if err != nil {
		return nil, err
	}
	if found.Format.ID != exchange.HAR.ID {
		return ofExamples(found.Folders, ""), nil
	}
	sent, err := exchange.ReadHAR(ctx, &exchange.File{Name: name, Text: text})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(sent, func(a, b exchange.Sent) int { return a.At.Compare(b.At) })
	var out []mock.Recorded
	for i := range sent {
		if s := &sent[i]; s.Kept && isFinal(s.Status) {
			out = append(out, mock.Recorded{From: fmt.Sprintf("%s, sent at %s", name, s.At.Format(time.RFC3339)),
				Method: s.Method, URL: s.URL, Body: s.Body, Status: int(s.Status), Headers: s.Response,
				Zipped: zipped(s.Text)})
		}
	}
	return out, nil
}

func isFinal(status int64) bool { return status >= 200 && status <= 599 }

func zipped(text []byte) []byte {
	z := workspace.NewZipper()
	_, _ = z.Write(text) // it never fails
	return z.Zipped()
}

// ofExamples returns the examples of collections. Those of a request that failed come
// first: without a choice, the mock uses the last one that fits.
func ofExamples(folders []workspace.Folder, in string) (out []mock.Recorded) {
	for _, f := range folders {
		path := in + f.Name
		out = append(out, ofExamples(f.Folders, path+"/")...)
		for _, r := range f.Requests {
			examples := slices.Clone(r.Examples)
			slices.SortStableFunc(examples, func(a, b workspace.SavedExample) int {
				return cmp.Compare(rank(a.Status), rank(b.Status))
			})
			for _, e := range examples {
				if isFinal(e.Status) {
					out = append(out, ofExample(path, &r, &e))
				}
			}
		}
	}
	return out
}

// rank is higher for a better status.
func rank(status int64) int {
	if status/100 == 2 {
		return 1
	}
	return 0
}

func ofExample(folder string, r *workspace.Saved, e *workspace.SavedExample) mock.Recorded {
	d := &r.Draft
	out := mock.Recorded{Name: e.Name, Method: d.Method, URL: d.Path, Body: d.Body, Status: int(e.Status),
		Headers: e.Headers, Zipped: zipped([]byte(e.Body)), Params: map[string]string{},
		From: fmt.Sprintf("%s/%s, example %s", folder, cmp.Or(r.Name, d.Path), e.Name)}
	for _, p := range d.PathParams {
		out.Params[p.Key] = p.Value
	}
	separator := "?"
	if strings.Contains(d.Path, "?") {
		separator = "&"
	}
	for _, q := range d.Query {
		if q.On {
			out.URL += separator + escaped(q.Key) + "=" + escaped(q.Value)
			separator = "&"
		}
	}
	return out
}

// escaped escapes a text of a query, but for its variables.
func escaped(text string) string {
	out, rest := "", text
	for {
		before, after, ok := strings.Cut(rest, "{{")
		name, behind, closed := strings.Cut(after, "}}")
		if !ok || !closed {
			return out + outgoing.QueryText(rest)
		}
		out, rest = out+outgoing.QueryText(before)+"{{"+name+"}}", behind
	}
}

// ofFolder returns the responses of the history, or of a collection, in the data folder.
func ofFolder(ctx context.Context, o server.Options, from string) (out []mock.Recorded, err error) {
	if err := hasPortal(o); err != nil {
		return nil, err
	}
	j := &job{Name: from, Mock: true}
	var wrong error
	line := func(text string) {
		var r mock.Recorded
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			wrong = err
			return
		}
		out = append(out, r)
	}
	err = inFolder(ctx, o, func(a *App) error { return a.record(ctx, j, line) }, func(taken error) error {
		text, err := json.Marshal(j)
		if err == nil {
			_, err = server.Run(ctx, o.Data, taken, text, line)
		}
		return err
	})
	return out, errors.Join(err, wrong)
}

// record writes the responses of the history or of a collection, one on a line.
func (a *App) record(ctx context.Context, j *job, line func(string)) error {
	return a.headless(ctx, func(h *headless) error { return h.record(ctx, j, line) })
}

func (h *headless) record(ctx context.Context, j *job, line func(string)) error {
	write := func(r *mock.Recorded) error {
		text, err := json.Marshal(r)
		if err == nil {
			line(string(text))
		}
		return err
	}
	if !isHistory(j.Name) {
		folders, err := h.named(ctx, j.Name)
		if err != nil {
			return err
		}
		for _, r := range ofExamples(folders, "") {
			if err := write(&r); err != nil {
				return err
			}
		}
		return nil
	}
	portals, err := h.portals(ctx, j.Name)
	if err != nil {
		return err
	}
	for _, portal := range portals {
		for p, err := range h.workspace.EachPast(ctx, h.call.Access.UserID, portal, nil) {
			if err != nil {
				return err
			}
			// a list that was fetched in several requests is the response to none of them
			if p.Reply == nil || p.PageSize > 0 || !isFinal(p.Status) {
				continue
			}
			headers := slices.DeleteFunc(slices.Clone(p.Reply.Headers), func(h [2]string) bool {
				return strings.EqualFold(h[0], "set-cookie") ||
					slices.Contains(outgoing.SecretHeaders, strings.ToLower(h[0]))
			})
			if err := write(&mock.Recorded{From: fmt.Sprintf("request %d of the history", p.ID), Method: p.Method,
				URL: p.URL, Body: p.Draft.Body, Status: int(p.Status), Headers: headers,
				Zipped: p.Reply.Zipped}); err != nil {
				return err
			}
		}
	}
	return nil
}

// portals returns the ids of the portals of a history: of all, or of the one that is
// named.
func (h *headless) portals(ctx context.Context, from string) ([]int64, error) {
	remote, err := h.workspace.PortalsOf(ctx, h.call.Access.UserID)
	if err != nil {
		return nil, err
	}
	_, name, named := strings.Cut(from, ":")
	ids, names := []int64{0}, []string{"“local”"}
	if named && name == "local" {
		return ids, nil
	}
	for _, p := range remote {
		if named && p.Name == name {
			return []int64{p.ID}, nil
		}
		ids, names = append(ids, p.ID), append(names, "“"+p.Name+"”")
	}
	if named {
		return nil, fault.New(fault.Unknown, "there is no portal %q; the Explorer has %s", name,
			strings.Join(names, ", "))
	}
	return ids, nil
}
