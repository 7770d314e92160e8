package explorer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// toFile runs through all pages into a file and returns both the response and the file.
func (h *fixture) toFile(format, draft string) (ran answer, file answer) {
	h.t.Helper()
	events := h.listen(1)
	done := make(chan answer, 1)
	go func() {
		done <- h.call(1, "POST /explorer/pages", `{"sendId":"s1","file":"`+format+
			`","name":"raw / list","draft":`+draft+`}`)
	}()
	for !strings.Contains(next(h.t, events), `"state":"ready"`) {
	}
	if a := h.call(2, "GET /explorer/pages/s1/file", ""); a.status != 404 {
		h.t.Errorf("another user's hand got %d %s", a.status, a.body)
	}
	file = h.call(1, "GET /explorer/pages/s1/file", "")
	return <-done, file
}

func TestAllPagesAreWrittenToAFileAsTheyArrive(t *testing.T) {
	page := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "0" {
			fmt.Fprint(w, `{"total":3,"items":[{"id":1,"name":"=cmd()","up":true},{"id":9007199254740993,`+
				`"tags":["a", {"b":1}],"note":null}]}`)
		} else {
			fmt.Fprint(w, `{"total":3,"items":[{"id":3,"name":"x,\"y\"","late":1}]}`)
		}
	}
	fails := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "0" {
			fmt.Fprint(w, `{"total":3,"items":[{"id":1},{"id":2}]}`)
		} else {
			w.WriteHeader(503)
		}
	}
	const partial = "page 2 of 2 failed with 503 Service Unavailable"
	for _, tt := range []struct {
		name, format, file, contents, partial string
		portal                                http.HandlerFunc
		items                                 int
		notes                                 string
	}{
		{name: "CSV", format: "csv", file: "raw-list.csv", portal: page, items: 3,
			notes: `["The file lacks fields that only later pages have: late."]`,
			contents: "id,name,up,tags,note\r\n1,'=cmd(),true,,\r\n9007199254740993,,,\"[\"\"a\"\"," +
				"{\"\"b\"\":1}]\",\r\n3,\"x,\"\"y\"\"\",,,\r\n"},
		{name: "NDJSON", format: "ndjson", file: "raw-list.ndjson", portal: page, items: 3, notes: `[]`,
			contents: `{"id":1,"name":"=cmd()","up":true}` + "\n" + `{"id":9007199254740993,"tags":["a",{"b":1}],` +
				`"note":null}` + "\n" + `{"id":3,"name":"x,\"y\"","late":1}` + "\n"},
		{name: "JSON", format: "json", file: "raw-list.json", portal: page, items: 3, notes: `[]`,
			contents: `{"total":3,"items":[` + "\n" + `{"id":1,"name":"=cmd()","up":true},` + "\n" +
				`{"id":9007199254740993,"tags":["a", {"b":1}],"note":null},` + "\n" +
				`{"id":3,"name":"x,\"y\"","late":1}` + "\n]}\n"},
		{name: "CSV that is not whole says so in its last line", format: "csv", file: "raw-list.csv", portal: fails,
			items: 2, notes: `[]`, partial: partial,
			contents: "id\r\n1\r\n2\r\nIncomplete: " + partial + "\r\n"},
		{name: "NDJSON that is not whole says so in its last line", format: "ndjson", file: "raw-list.ndjson",
			portal: fails, items: 2, notes: `[]`, partial: partial,
			contents: `{"id":1}` + "\n" + `{"id":2}` + "\n" + `{"partial":"` + partial + `"}` + "\n"},
		{name: "JSON that is not whole says so behind its items", format: "json", file: "raw-list.json", portal: fails,
			items: 2, notes: `[]`, partial: partial,
			contents: `{"total":3,"items":[` + "\n" + `{"id":1},` + "\n" + `{"id":2}` + "\n" + `],"partial":"` +
				partial + `"}` + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := build(t)
			h.answerRaw(tt.portal)
			ran, file := h.toFile(tt.format, `{"path":"/raw/list?size=2"}`)
			if file.body != tt.contents {
				t.Errorf("got  %q\nwant %q", file.body, tt.contents)
			}
			if got, want := file.header.Get("Content-Disposition"), tt.file; !strings.Contains(got, want) {
				t.Errorf("it is called %s, want %s", got, want)
			}
			status := 0
			if tt.partial != "" {
				status = 503
			}
			want := fmt.Sprintf(`{"saved":{"name":%q,"bytes":%d,"historyId":1,"run":{"pages":%d,"of":2,"items":%d,`+
				`"total":3,"partial":%q,"status":%d,"resume":false,"notes":%s}}}`,
				tt.file, len(tt.contents), (tt.items+1)/2, tt.items, tt.partial, status, tt.notes)
			if ran.body != want {
				t.Errorf("got  %s\nwant %s", ran.body, want)
			}
			if a, want := h.call(1, "GET /explorer/history?fields=id,status,error,kept", ""),
				`{"total":1,"searchId":null,"items":[{"id":1,"status":200,"error":"`+tt.partial+
					`","kept":false}],"data":null}`; a.body != want {
				t.Errorf("the history has %s, want %s", a.body, want)
			}
		})
	}
}

func TestFailedFirstPageCreatesNoFile(t *testing.T) {
	h := build(t)
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(418)
		fmt.Fprint(w, `{"errorMessage":"I am a teapot"}`)
	})
	a := h.call(1, "POST /explorer/pages", `{"sendId":"s1","file":"csv","draft":{"path":"/raw/list"}}`)
	var r reply
	if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.Status != 418 ||
		h.body(1, r.Document) != `{"errorMessage":"I am a teapot"}` {
		t.Errorf("got %s", a.body)
	}
	if a := h.call(1, "GET /explorer/pages/s1/file", ""); h.said(a) != "this download no longer exists" {
		t.Errorf("the file returned %d %s", a.status, a.body)
	}
}

func TestCancelledDownloadEndsTheRun(t *testing.T) {
	h := build(t)
	events := h.listen(1)
	s := &shelf{n: 1000}
	second := make(chan struct{})
	h.answerRaw(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "5" {
			close(second)
			<-r.Context().Done()
			return
		}
		s.ServeHTTP(w, r)
	})
	done := make(chan answer, 1)
	go func() { done <- h.call(1, "POST /explorer/pages", `{"sendId":"s1","file":"ndjson",`+fives+`}`) }()
	for !strings.Contains(next(t, events), `"state":"ready"`) {
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-second
		cancel()
	}()
	if response, err := http.DefaultClient.Do(h.request(ctx, 1, "GET /explorer/pages/s1/file", "")); err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if err == nil {
			t.Error("the download was whole")
		}
	}
	if a := <-done; !strings.Contains(a.body, `"partial":"the download was cancelled before page 2 of 200"`) {
		t.Errorf("got %s", a.body)
	}
}
