package explorer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// shelf serves a list of n items below /api/raw/ as portals do. total is the total that it
// reports, and wrong replaces the response to a request.
type shelf struct {
	n     int
	total func(offset int) string
	wrong func(w http.ResponseWriter, r *http.Request, n int) bool

	mu       sync.Mutex
	received []string
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.received = append(s.received, r.Method+" "+r.URL.RawQuery)
	n := len(s.received)
	s.mu.Unlock()
	if s.wrong != nil && s.wrong(w, r, n) {
		return
	}
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	size, err := strconv.Atoi(r.URL.Query().Get("size"))
	if err != nil {
		size = 2
	}
	items := []string{}
	for i := offset; i < min(offset+size, s.n); i++ {
		items = append(items, fmt.Sprintf(`{"id": %d, "n":9007199254740993}`, i))
	}
	total := strconv.Itoa(s.n)
	if s.total != nil {
		total = s.total(offset)
	}
	fmt.Fprintf(w, `{"total":%s,"items":[%s]}`, total, strings.Join(items, ", "))
}

func (s *shelf) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.received...)
}

// through is the part of a /pages response that the tests check.
type through struct {
	Status    int
	Document  string
	HistoryID int64
	Items     *int64
	Run       *struct {
		Pages, Of, Items int64
		Total            *int64
		Partial          string
		Status           int
		Resume           bool
		Notes            []string
	}
}

func (h *fixture) pages(more string) through {
	h.t.Helper()
	a := h.call(1, "POST /explorer/pages", `{"sendId":"s1",`+more+`}`)
	if a.status != 200 {
		h.t.Fatalf("%s returned %d %s", more, a.status, a.body)
	}
	var out through
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		h.t.Fatal(err)
	}
	return out
}

const fives = `"draft":{"path":"/raw/list?size=5&filter=a%3Ab"}`

func list(from, to int) string {
	items := []string{}
	for i := from; i < to; i++ {
		items = append(items, fmt.Sprintf(`{"id": %d, "n":9007199254740993}`, i))
	}
	return strings.Join(items, ",")
}

func TestScriptOfAllPagesFetchesAllPages(t *testing.T) {
	h := build(t)
	h.answerRaw((&shelf{n: 12}).ServeHTTP)
	all := h.pages(fives)
	one := h.call(1, "POST /explorer/send", `{"sendId":"s2",`+fives+`}`)
	if one.status != 200 {
		t.Fatalf("sending returned %d %s", one.status, one.body)
	}
	a := h.call(1, "POST /explorer/script", fmt.Sprintf(`{"ids":[%d,%d],"language":"curl"}`, all.HistoryID,
		all.HistoryID+1))
	var script struct{ Text string }
	if err := json.Unmarshal([]byte(a.body), &script); err != nil || a.status != 200 {
		t.Fatalf("the script failed with %d %s", a.status, a.body)
	}
	_, steps, _ := strings.Cut(script.Text, "\nsend_pages() {")
	for _, want := range []string{"\nsend_pages '1. GET /raw/list?size=5&filter=a%3Ab' 200 0 5 \\\n  " +
		"-X GET \"$var_portal\"'/raw/list?filter=a%3Ab&size=5&offset='", "\nsend '2. GET /raw/list",
		"\"$var_portal\"'/raw/list?size=5&filter=a%3Ab'"} {
		before, after, ok := strings.Cut(steps, want)
		if !ok {
			t.Fatalf("behind\n%s\nthere is no %s in\n%s", before, want, script.Text)
		}
		steps = after
	}
}

func TestAllPagesBecomeOneDocumentWithUnchangedItems(t *testing.T) {
	for _, tt := range []struct {
		name  string
		shelf *shelf
		send  string
		want  []string // expected requests
		n     int
		head  string
		notes []string
	}{
		{name: "offset goes up by size", shelf: &shelf{n: 12}, send: fives, n: 12, head: `"total":12,`,
			want: []string{"GET filter=a%3Ab&size=5&offset=0", "GET filter=a%3Ab&size=5&offset=5", "GET filter=a%3Ab&" +
				"size=5&offset=10"}},
		{name: "a full last page needs no empty one", shelf: &shelf{n: 10}, send: fives, n: 10, head: `"total":10,`,
			want: []string{"GET filter=a%3Ab&size=5&offset=0", "GET filter=a%3Ab&size=5&offset=5"}},
		{name: "without a size the portal's own counts", shelf: &shelf{n: 3}, send: `"draft":{"path":"/raw/list"}`,
			n: 3, head: `"total":3,`,
			want: []string{"GET offset=0", "GET offset=2"}},
		{name: "the largest pages on wish", shelf: &shelf{n: 12}, send: `"largest":true,` + fives, n: 12,
			head: `"total":12,`,
			want: []string{"GET filter=a%3Ab&size=1000&offset=0"}},
		{name: "a total below zero does not end it, a short page does",
			shelf: &shelf{n: 12, total: func(offset int) string { return strconv.Itoa(-offset - 5) }}, send: fives,
			n: 12, head: `"total":-5,`,
			want: []string{"GET filter=a%3Ab&size=5&offset=0", "GET filter=a%3Ab&size=5&offset=5",
				"GET filter=a%3Ab&size=5&offset=10"},
			notes: []string{"The list changed during the run: its total went from -5 to -15."}},
		{name: "without a total an empty page ends it", shelf: &shelf{n: 10, total: func(int) string { return "null" }},
			send: fives, n: 10,
			want: []string{"GET filter=a%3Ab&size=5&offset=0", "GET filter=a%3Ab&size=5&offset=5", "GET filter=a%3Ab&" +
				"size=5&offset=10"}},
		{name: "a total that grows is followed",
			shelf: &shelf{n: 12, total: func(offset int) string { return strconv.Itoa(min(offset+6, 12)) }},
			send:  fives, n: 12, head: `"total":6,`,
			want: []string{"GET filter=a%3Ab&size=5&offset=0", "GET filter=a%3Ab&size=5&offset=5",
				"GET filter=a%3Ab&size=5&offset=10"},
			notes: []string{"The list changed during the run: its total went from 6 to 12."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := build(t)
			h.answerRaw(tt.shelf.ServeHTTP)
			r := h.pages(tt.send)
			if got := tt.shelf.requests(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("requested %q, want %q", got, tt.want)
			}
			if got, want := h.body(1, r.Document), `{`+tt.head+`"items":[`+list(0, tt.n)+`]}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if tt.notes == nil {
				tt.notes = []string{}
			}
			if r.Run.Partial != "" || r.Run.Items != int64(tt.n) || *r.Items != int64(tt.n) ||
				!reflect.DeepEqual(r.Run.Notes, tt.notes) {
				t.Errorf("got %+v", *r.Run)
			}
			if a := h.call(1, "GET /explorer/history?fields=id,status,error",
				""); a.body != `{"total":1,"searchId":null,"items":[{"id":1,"status":200,"error":""}],"data":null}` {
				t.Errorf("the history has %s", a.body)
			}
		})
	}
}

func TestFailedLaterPageMarksTheRunPartialAndResumable(t *testing.T) {
	for name, wrong := range map[string]struct {
		answer func(w http.ResponseWriter)
		says   string
	}{
		"an error": {
			func(w http.ResponseWriter) { w.WriteHeader(503); fmt.Fprint(w, `{"errorMessage":"out of order"}`) },
			"page 2 of 3 failed with 503 Service Unavailable: out of order"},
		"a capped body": {func(w http.ResponseWriter) { fmt.Fprint(w, `{"total":12,"items":[{"id":5},{"id":6`) },
			"broke off after 37 bytes"},
		"no list": {func(w http.ResponseWriter) { fmt.Fprint(w, `{"a":1}`) },
			"page 2 of 3 failed with 200 OK, which is not a list"},
		"a page to sign in at": {func(w http.ResponseWriter) { fmt.Fprint(w, `<html>Sign in`) },
			"page 2 of 3 failed with 200 OK, which is not a list"},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			s := &shelf{n: 12, wrong: func(w http.ResponseWriter, _ *http.Request, n int) bool {
				if n == 2 {
					wrong.answer(w)
				}
				return n == 2
			}}
			h.answerRaw(s.ServeHTTP)
			r := h.pages(fives)
			if !strings.Contains(r.Run.Partial, wrong.says) || !r.Run.Resume || r.Run.Items != 5 || r.Run.Pages != 1 ||
				r.Run.Of != 3 {
				t.Errorf("got %+v", *r.Run)
			}
			if got, want := h.body(1, r.Document), `{"total":12,"items":[`+list(0, 5)+`]}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if a := h.call(1, "GET /explorer/history/search", ""); !strings.Contains(a.body,
				`"pageSize":5,"items":5,"total":12,`) {
				t.Errorf("the history has %s", a.body)
			}
			again := h.pages(`"draft":{"path":"/edited/meanwhile"},"resume":"` + r.Document + `"`)
			if got, want := h.body(1, again.Document), `{"total":12,"items":[`+list(0, 12)+`]}`; got != want ||
				again.Run.Partial != "" || again.Run.Pages != 3 {
				t.Errorf("got  %s %+v\nwant %s", got, *again.Run, want)
			}
			if got := s.requests(); len(got) != 4 || got[1] != got[2] {
				t.Errorf("requested %q", got)
			}
		})
	}
}

func TestRunFromTheHistoryResumesAfterARestart(t *testing.T) {
	fails := func(w http.ResponseWriter, _ *http.Request, n int) bool {
		if n == 3 {
			w.WriteHeader(503)
		}
		return n == 3
	}
	h := build(t)
	h.answerRaw((&shelf{n: 12, wrong: fails}).ServeHTTP)
	if r := h.pages(fives); r.Run.Items != 10 {
		t.Fatalf("got %+v", *r.Run)
	}
	h = h.again(nil)
	s := &shelf{n: 13} // a new item arrives during the run
	h.answerRaw(s.ServeHTTP)
	var left through
	a := h.call(1, "GET /explorer/history/1/reply", "")
	if err := json.Unmarshal([]byte(a.body), &left); err != nil || left.Run == nil || !left.Run.Resume {
		t.Fatalf("got %s", a.body)
	}
	resume := `,"resume":"` + left.Document + `"`
	if a := h.call(1, "POST /explorer/pages", `{"sendId":"s2","draft":{"path":"/raw/list?size=5"}`+resume+
		`}`); a.status != 409 || h.said(a) != "the request was edited after these pages; fetch all pages again" {
		t.Errorf("another request got %d %s", a.status, a.body)
	}
	header := strings.TrimSuffix(fives, "}") + `,"headers":[{"on":true,"key":"X-Scope","value":"other"}]}`
	if a := h.call(1, "POST /explorer/pages", `{"sendId":"s2",`+header+resume+`}`); a.status != 409 {
		t.Errorf("another header got %d %s", a.status, a.body)
	}
	r := h.pages(fives + resume)
	if got, want := h.body(1, r.Document), `{"total":12,"items":[`+list(0, 13)+`]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if want := []string{"The list changed during the run: its total went from 12 to 13."}; r.Run.Partial != "" ||
		r.Run.Pages != 3 || !reflect.DeepEqual(r.Run.Notes, want) {
		t.Errorf("got %+v", *r.Run)
	}
	if got, want := s.requests(), []string{"GET filter=a%3Ab&size=5&offset=10"}; !reflect.DeepEqual(got, want) {
		t.Errorf("requested %q, want %q", got, want)
	}
}

func TestRunWaitsAfterA429AndReportsIt(t *testing.T) {
	h := build(t)
	events := h.listen(1)
	s := &shelf{n: 8, wrong: func(w http.ResponseWriter, _ *http.Request, n int) bool {
		if n == 2 {
			for name, value := range map[string]string{"Retry-After": "1", "X-Rate-Limit-Limit": "60",
				"X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Window": "30"} {
				w.Header().Set(name, value)
			}
			w.WriteHeader(429)
		}
		return n == 2
	}}
	h.answerRaw(s.ServeHTTP)
	r := h.pages(fives)
	if r.Run.Partial != "" || r.Run.Items != 8 {
		t.Errorf("got %+v", *r.Run)
	}
	for {
		name, text, _ := strings.Cut(next(t, events), " ")
		var e struct {
			State       string
			Page, Pages int64
			Wait        int64
			Quota       json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &e); name == "pages" && err == nil && e.State == "waiting" {
			if e.Page != 1 || e.Pages != 2 || e.Wait != 1000 ||
				string(e.Quota) != `{"limit":60,"remaining":0,"window":30}` {
				t.Errorf("received %+v", e)
			}
			return
		}
	}
}

func TestRunIsPausedResumedAndStopped(t *testing.T) {
	h := build(t)
	events := h.listen(1)
	var reached atomic.Int64
	at := make(chan int64, 100)
	s := &shelf{n: 1000, wrong: func(http.ResponseWriter, *http.Request, int) bool {
		at <- reached.Add(1)
		return false
	}}
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		if reached.Load() == 2 {
			h.call(1, "POST /explorer/pages/s1/steer", `{"do":"pause"}`)
		}
		if reached.Load() == 4 {
			h.call(1, "POST /explorer/pages/s1/steer", `{"do":"stop"}`)
			<-r.Context().Done() // it is cancelled
			return
		}
		s.ServeHTTP(w, r)
	})
	done := make(chan through, 1)
	go func() { done <- h.pages(fives) }()
	for {
		if strings.Contains(next(t, events), `"state":"paused"`) {
			break
		}
	}
	if n := reached.Load(); n != 3 {
		t.Errorf("paused after %d pages, want 3", n)
	}
	if a := h.call(2, "POST /explorer/pages/s1/steer", `{"do":"resume"}`); a.status != 404 {
		t.Errorf("another user's hand got %d", a.status)
	}
	if a := h.call(1, "POST /explorer/pages/s1/steer", `{"do":"resume"}`); a.status != 200 {
		t.Errorf("resuming got %d %s", a.status, a.body)
	}
	r := <-done
	if r.Run.Partial != "stopped before page 5 of 200" || r.Run.Items != 20 || !r.Run.Resume {
		t.Errorf("got %+v", *r.Run)
	}
	a := h.call(1, "GET /explorer/history/1?fields=status,error", "")
	if want := `{"status":200,"error":"stopped before page 5 of 200"}`; a.body != want {
		t.Errorf("got %s, want %s", a.body, want)
	}
}

func TestRunWaitingForQuotaPausesAtOnce(t *testing.T) {
	h := build(t)
	events := h.listen(1)
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(429)
	})
	done := make(chan answer, 1)
	go func() { done <- h.call(1, "POST /explorer/pages", `{"sendId":"s1",`+fives+`}`) }()
	for _, step := range []struct{ do, state string }{{"pause", "waiting"}, {"resume", "paused"}, {"stop", "waiting"}} {
		for !strings.Contains(next(t, events), `"state":"`+step.state+`"`) {
		}
		if a := h.call(1, "POST /explorer/pages/s1/steer", `{"do":"`+step.do+`"}`); a.status != 200 {
			t.Fatalf("%s got %d %s", step.do, a.status, a.body)
		}
	}
	<-done
}

func TestClosingTheTabEndsTheRun(t *testing.T) {
	h := build(t)
	arrived, ended := make(chan struct{}), make(chan struct{})
	h.answerRaw(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(ended)
	})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(h.request(ctx, 1, "POST /explorer/pages", `{"sendId":"s",`+fives+`}`))
		failed <- err
	}()
	<-arrived
	cancel()
	if err := <-failed; err == nil {
		t.Error("the run returned a response")
	}
	<-ended
}

func TestOnlyGETIsSentMoreThanOnce(t *testing.T) {
	h := build(t)
	s := &shelf{n: 12}
	h.answerRaw(s.ServeHTTP)
	a := h.call(1, "POST /explorer/pages", `{"sendId":"s1","draft":{"method":"POST","path":"/raw/list?size=5"}}`)
	if got, want := h.fault(a), "draft.method: only GET requests can be sent page by page"; got != want ||
		len(s.requests()) != 0 {
		t.Errorf("got %s and %q, want %s and no request", got, s.requests(), want)
	}
}

func TestDuplicateItemsAreReported(t *testing.T) {
	h := build(t)
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "0" {
			fmt.Fprint(w, `{"total":4,"items":[{"id":"a"},{"id":"b"}]}`)
		} else {
			fmt.Fprint(w, `{"total":4,"items":[{"id":"b"},{"id":"c"}]}`)
		}
	})
	r := h.pages(`"draft":{"path":"/raw/list?size=2"}`)
	if want := []string{"One item was received twice, because the list changed between pages."}; !reflect.DeepEqual(
		r.Run.Notes, want) {
		t.Errorf("got %q, want %q", r.Run.Notes, want)
	}
}
