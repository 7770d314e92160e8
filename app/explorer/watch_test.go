package explorer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// recording is the response of /watches/{watchId}.
type recording struct {
	Paths   []string
	Samples []struct {
		At, Status, MS, Bytes int64
		Problem               string
		Changes               int
		Values                []*float64
	}
	Changed []int64
	Reply   *reply
}

func (h *fixture) recording(user int, id, query string) recording {
	h.t.Helper()
	a := h.call(user, "GET /explorer/watches/"+id+query, "")
	var got recording
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 {
		h.t.Fatal(a.status, a.body)
	}
	return got
}

// numbers shows the values of the samples.
func (r recording) numbers() string {
	var all []string
	for _, s := range r.Samples {
		var row []string
		for _, v := range s.Values {
			if v == nil {
				row = append(row, "-")
			} else {
				row = append(row, fmt.Sprint(*v))
			}
		}
		all = append(all, strings.Join(row, " "))
	}
	return strings.Join(all, "; ")
}

// counting responds with the next of some bodies, and then repeats the last. A body
// that begins with a status is an error.
func (h *fixture) counting(bodies ...string) (requests *atomic.Int64) {
	requests = new(atomic.Int64)
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		body := bodies[min(int(requests.Add(1)), len(bodies))-1]
		w.Header().Set("Content-Type", "application/json")
		switch {
		case body == "429":
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(429)
		case body == "401":
			w.WriteHeader(401)
		case body == "break":
			panic(http.ErrAbortHandler)
		default:
			fmt.Fprint(w, body)
		}
	})
	return requests
}

func (h *fixture) watch(body string) string {
	h.t.Helper()
	a := h.call(1, "POST /explorer/watches", body)
	if a.status != 200 {
		h.t.Fatal(a.status, a.body)
	}
	return a.body
}

func TestWatchRecordsNumbersUntilItsChecksPass(t *testing.T) {
	h := build(t)
	requests := h.counting(`{"state":"busy","list":[{"id":7,"n":1},{"id":9,"n":2}]}`, "429",
		`{"state":"done","list":[{"id":9,"n":5},{"id":7,"n":1}],"extra":3}`)
	events := h.listen(1)
	got := h.watch(`{"watchId":"w1","every":1,"untilPassed":true,"draft":{"path":"/raw/x",
		"checks":[{"on":true,"kind":"json","target":"$.state","op":"is","value":"done"}]}}`)
	if want := `{"samples":2,"reason":"Stopped: all checks passed."}`; strings.TrimSpace(got) != want {
		t.Errorf("it ended with %s, want %s", got, want)
	}
	if requests.Load() != 3 {
		t.Errorf("it sent %d requests", requests.Load())
	}
	waited := false
	for !waited {
		waited = next(t, events) == `watch {"watchId":"w1","samples":1,"wait":1000}`
	}
	r := h.recording(1, "w1", "")
	if want := "$.list[?@.id == 7].n $.list[?@.id == 9].n $.extra"; strings.Join(r.Paths, " ") != want {
		t.Errorf("its paths are %q", r.Paths)
	}
	if got := r.numbers(); got != "1 2; 1 5 3" || r.Samples[1].Changes != 3 || len(r.Changed) != 3 {
		t.Errorf("it recorded %s with %d changes at %v", got, r.Samples[1].Changes, r.Changed)
	}
	if body := h.body(1, r.Reply.Document); !strings.Contains(body, `"state":"done"`) || r.Reply.HistoryID != 0 {
		t.Errorf("the last response is %s, %d in the history", body, r.Reply.HistoryID)
	}
	if r := h.recording(1, "w1", "?from=1&path=2"); len(r.Samples) != 1 || len(r.Paths) != 1 {
		t.Errorf("from the second on it has %d samples, %d paths", len(r.Samples), len(r.Paths))
	}
	if a := h.call(2, "GET /explorer/watches/w1", ""); a.status != 404 {
		t.Errorf("another user gets %d", a.status)
	}
	csv := h.call(1, "GET /explorer/watches/w1/file?format=csv", "").body
	lines := strings.Split(strings.TrimSpace(csv), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `time,status,ms,bytes,problem,`) ||
		!strings.HasSuffix(strings.TrimSpace(lines[1]), ",1,2,") || !strings.HasSuffix(lines[2], ",1,5,3") {
		t.Errorf("as CSV it is\n%s", csv)
	}
	var file struct {
		Request string
		Every   int
		Samples []any
	}
	text := h.call(1, "GET /explorer/watches/w1/file?format=json", "").body
	if err := json.Unmarshal([]byte(text), &file); err != nil ||
		file.Request != "GET /raw/x" || file.Every != 1 || len(file.Samples) != 2 {
		t.Errorf("as JSON it is %+v, %v", file, err)
	}
}

func TestWatchEndsOnAFatalError(t *testing.T) {
	h := build(t)
	h.counting(`{"n":1}`, "401")
	if got := h.watch(`{"watchId":"w","every":1,"draft":{"path":"/raw/x"}}`); !strings.Contains(got,
		`"samples":2,"reason":"Stopped: the portal requires a sign-in."`) {
		t.Errorf("without a session it ended with %s", got)
	}
	for _, tt := range []struct{ body, want string }{
		{`{"watchId":"a","draft":{"method":"POST","path":"/raw/x"}}`, "only GET requests can be watched"},
		{`{"watchId":"w","draft":{"path":"/raw/x"}}`, "this request is already being watched"},
		{`{"watchId":"b","untilPassed":true,"draft":{"path":"/raw/x"}}`,
			"the request has no checks; add one under Checks"},
		{`{"watchId":"c","draft":{"path":"/raw/{{gone}}"}}`,
			"{{gone}} has no value; set one under Variables, or send anyway"},
	} {
		if a := h.call(1, "POST /explorer/watches", tt.body); a.status/100 != 4 || h.said(a) != tt.want {
			t.Errorf("%s returned %d %s", tt.body, a.status, a.body)
		}
	}
	if a := h.call(1, "GET /explorer/watches/w/file?format=pdf", ""); a.status != 400 {
		t.Errorf("a PDF is returned %d", a.status)
	}
}

func TestWatchEndsWithItsContextAndThreeRunAtATime(t *testing.T) {
	h := build(t)
	h.counting(`{"n":1}`)
	events := h.listen(1)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for i := range 3 {
		running.Go(func() {
			response, err := http.DefaultClient.Do(h.request(ctx, 1, "POST /explorer/watches",
				fmt.Sprintf(`{"watchId":"w%d","every":3600,"draft":{"path":"/raw/x"}}`, i)))
			if err == nil {
				response.Body.Close()
				t.Error("a watch ended by itself")
			}
		})
	}
	for n := 0; n < 3; {
		if strings.HasPrefix(next(t, events), "watch ") {
			n++
		}
	}
	if a := h.call(1, "POST /explorer/watches", `{"watchId":"w4","draft":{"path":"/raw/x"}}`); a.status != 409 ||
		h.said(a) != "3 requests are being watched, the most at a time; stop one of them" {
		t.Errorf("a fourth one returned %d %s", a.status, a.body)
	}
	cancel()
	running.Wait()
	h.Stop() // waits for the watches
	if got := h.recording(1, "w0", "").numbers(); got != "1" {
		t.Errorf("the recording has %s", got)
	}
}
