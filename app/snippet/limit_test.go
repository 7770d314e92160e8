package snippet_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"spyglass/app/snippet"
)

// limited responds with 429 as the path specifies: "/2,Retry-After:1/x" means twice, with
// that header. requested returns the received methods and bodies in order.
func limited(t *testing.T) (url string, requested func() []string) {
	var mu sync.Mutex
	var all []string
	refused := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if len(body) > 20 {
			body = fmt.Append(nil, len(body), " bytes")
		}
		rule, name, _ := strings.Cut(r.URL.Path[1:], "/")
		mu.Lock()
		defer mu.Unlock()
		all = append(all, strings.TrimSpace(fmt.Sprint(r.Method, " ", name, " ", string(body))))
		var most int
		times, header, _ := strings.Cut(rule, ",")
		fmt.Sscan(times, &most)
		if refused[rule] < most {
			refused[rule]++
			name, value, _ := strings.Cut(header, ":")
			w.Header().Set(name, value)
			w.Header().Add("X-Rate-Limit-Window", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		io.WriteString(w, `{"total":1,"items":[{"id":1}]}`)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func TestScriptRetriesAfterTheDelayOfA429(t *testing.T) {
	long := strings.Repeat("long ", 40_000)
	for _, id := range append([]string{"runbook"}, executed...) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, requested := limited(t)
			steps := []snippet.Step{
				{Title: "GET a", Request: snippet.Request{Method: "GET", URL: url + "/1,Retry-After:1/a"}, Expect: 200},
				{Title: "POST b", Request: snippet.Request{Method: "POST", URL: url + "/1,Retry-After:Wed," +
					"%2021%20Oct%202026%2007:28:00%20GMT/b", Body: `{"b":1}`}, Expect: 200},
				{Title: "PUT c", Request: snippet.Request{Method: "PUT", URL: url + "/1,Retry-After:0/c", Body: long}},
				{
					Title: "GET d", Request: snippet.Request{Method: "GET", URL: url + "/1,Retry-After:00/d?size=3&" +
						"offset="}, Pages: snippet.Pages{Size: 3}},
				{Title: "GET e", Request: snippet.Request{Method: "GET", URL: url + "/9,Retry-After:000/e"},
					Expect: 429},
				{Title: "GET f", Request: snippet.Request{Method: "GET", URL: url + "/9,Retry-After:0000/f"}},
			}
			language, code := id, ""
			if id == "runbook" {
				language, code = "curl", strings.Join(blocksOf(snippet.Runbook("Limits", steps, nil)), "\n")
			} else {
				l, _ := snippet.Find(id)
				code = l.Script(snippet.Head{}, steps, nil)
			}
			out := run(t, language, []string{code})[0]
			put := fmt.Sprint("PUT c ", len(long), " bytes")
			want := []string{"GET a", "GET a", `POST b {"b":1}`, `POST b {"b":1}`, put, put, "GET d", "GET d", "GET e",
				"GET f", "GET f", "GET f", "GET f", "GET f"}
			if got := requested(); !slices.Equal(got, want) {
				t.Errorf("%q came, want %q; it printed\n%s", got, want, out)
			}
			if n := strings.Count(out, "waiting 1"); n != 2 {
				t.Errorf("it says %d times that it waits a second, want 2:\n%s", n, out)
			}
		})
	}
}

func TestScriptStopsAtA429OfMoreThanAnHour(t *testing.T) {
	for _, id := range executed {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, requested := limited(t)
			l, _ := snippet.Find(id)
			out := run(t, id,
				[]string{
					l.Script(snippet.Head{},
						[]snippet.Step{
							{
								Title:   "GET a",
								Request: snippet.Request{Method: "GET", URL: url + "/9,Retry-After:3601/a"},
								Expect:  200}}, nil)})[0]
			if got := requested(); len(got) != 1 || !strings.Contains(out, "returned 429, expected 200") {
				t.Errorf("%q came; it printed\n%s", got, out)
			}
		})
	}
}
