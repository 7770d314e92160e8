package snippet_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"spyglass/app/snippet"
)

// Markers of variables.
const (
	markID, markName, markSecret, markClock, markRandom = "70000000000000000001", "70000000000000000002",
		"70000000000000000003", "70000000000000000004", "70000000000000000005"
)

var scriptVariables = []snippet.Variable{
	{Name: "device.id", Mark: markID, Value: "a/b ü&'\""},
	{Name: "device-id", Mark: "70000000000000000006", Value: "never used"},
	{Name: "name", Mark: markName, Value: "it's \"q\" \\ $HOME `x` <&> ünï"},
	{Name: "token", Mark: markSecret, Value: "SPYGLASS_TOKEN", Source: snippet.Environment},
	{Name: "$now-1h", Mark: markClock, Value: "-3600", Source: snippet.Clock},
	{Name: "$uuid", Mark: markRandom, Source: snippet.Random},
}

func scriptSteps(url string) []snippet.Step {
	json := []snippet.Header{{Name: "Content-Type", Value: "application/json"}}
	return []snippet.Step{
		{Title: "GET /x\n# injected", Request: snippet.Request{Method: "GET", URL: url + "/0/" + markID + "?q=" +
			markID + "&n=1"}, Expect: 200},
		{Title: `POST '"` + "`$x`", Request: snippet.Request{Method: "POST", URL: url + "/1/x",
			Headers: append(json, snippet.Header{Name: "X-Secret", Value: "k=" + markSecret}), Body: `{"name": "<` +
				markName + `>", "n": ` + markClock + `, "u": "` + markRandom + `", "t": true, "nil": null,` +
				` "big": 12345678901234567890}`}},
		{Title: "PUT text", Request: snippet.Request{Method: "PUT", URL: url + "/2/x",
			Headers: []snippet.Header{{Name: "Content-Type", Value: "text/plain"}}, Body: `"` + markName +
				`"` + nasty}},
	}
}

var executed = []string{"curl", "python", "javascript", "go", "groovy"}

func TestScriptSendsItsStepsWithVariables(t *testing.T) {
	for _, id := range executed {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, arrived := listen(t, http.StatusOK)
			l, _ := snippet.Find(id)
			code := l.Script(snippet.Head{}, scriptSteps(url), scriptVariables)
			out := run(t, id, []string{code})[0]
			a, _ := arrived(0)
			if want := "/a%2Fb%20%C3%BC%26%27%22?q=a%2Fb%20%C3%BC%26%27%22&n=1"; strings.ReplaceAll(a.uri, "'",
				"%27") != want {
				t.Fatalf("the first request is %s, want %s; it printed\n%s\n%s", a.uri, want, out, code)
			}
			b, _ := arrived(1)
			want := regexp.MustCompile(`^\{"name": "<it's \\"q\\" \\\\ \$HOME ` + "`x`" +
				` (<&>|\\u003c\\u0026\\u003e) (ünï|\\u00fcn\\u00ef)>", "n": 1\d{9}, "u": "[0-9a-f]{8}-[0-9a-f]{4}` +
				`-4[0-9a-f-]{21}", "t": true, "nil": null, "big": 12345678901234567890\}$`)
			if !want.MatchString(b.body) || b.header.Get("X-Secret") != "k=s3cret" || b.method != "POST" {
				t.Errorf("the second request is %s %s\n%s\nit printed %s", b.method, b.header, b.body, out)
			}
			c, _ := arrived(2)
			if want := `"it's "q" \ $HOME ` + "`x`" + ` <&> ünï"` + nasty; c.body != want ||
				c.header.Get("Content-Type") != "text/plain" {
				t.Errorf("the third request is\n%q\nwant\n%q\nit printed %s", c.body, want, out)
			}
			if strings.Contains(code, "never used") || strings.Contains(code, "s3cret") {
				t.Errorf("the script contains unused parts:\n%s", code)
			}
		})
	}
}

// listOf serves lists of seven items page by page. Lists below /unsaid report no total.
// requested returns the requested addresses in order.
func listOf(t *testing.T) (url string, requested func() []string) {
	var mu sync.Mutex
	var all []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r.RequestURI)
		var size, offset int
		fmt.Sscan(r.FormValue("size"), &size)
		fmt.Sscan(r.FormValue("offset"), &offset)
		items := []string{}
		for i := offset; i < min(offset+size, 7); i++ {
			items = append(items, fmt.Sprintf(`{"id":%d,"total":0,"tags":[]}`, i))
		}
		total := 7
		if strings.HasPrefix(r.URL.Path, "/unsaid") {
			total = -1
		}
		fmt.Fprintf(w, `{"total":%d,"searchId":null,"items":[%s]}`, total, strings.Join(items, ","))
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func pagedSteps(url string) []snippet.Step {
	return []snippet.Step{
		{Title: "GET /list", Request: snippet.Request{Method: "GET", URL: url + "/list?q=" + markID +
			"&size=3&offset="}, Expect: 200, Pages: snippet.Pages{Size: 3}},
		{Title: "GET /unsaid", Request: snippet.Request{Method: "GET", URL: url + "/unsaid?size=2&offset=",
			Headers: []snippet.Header{{Name: "X-Version", Value: "3"}}}, Expect: 200,
			Pages: snippet.Pages{Size: 2, Offset: 4}},
		{Title: "GET /last", Request: snippet.Request{Method: "GET", URL: url + "/last"}},
	}
}

var pageRequests = []string{
	"/list?q=a%2Fb%20%C3%BC%26%27%22&size=3&offset=0", "/list?q=a%2Fb%20%C3%BC%26%27%22&size=3&offset=3",
	"/list?q=a%2Fb%20%C3%BC%26%27%22&size=3&offset=6",
	"/unsaid?size=2&offset=4", "/unsaid?size=2&offset=6", "/unsaid?size=2&offset=8", "/last",
}

func TestScriptFetchesAllPages(t *testing.T) {
	for _, id := range append([]string{"runbook"}, executed...) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, requested := listOf(t)
			language, code := id, ""
			if id == "runbook" {
				language, code = "curl",
					strings.Join(blocksOf(snippet.Runbook("Lists", pagedSteps(url), scriptVariables)), "\n")
			} else {
				l, _ := snippet.Find(id)
				code = l.Script(snippet.Head{}, pagedSteps(url), scriptVariables)
			}
			out := run(t, language, []string{code})[0]
			got := requested()
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], "'", "%27")
			}
			if !slices.Equal(got, pageRequests) {
				t.Errorf("requested %q, want %q; it printed\n%s\n%s", got, pageRequests, out, code)
			}
			if n := strings.Count(out, `"id":`); n != 7+3 {
				t.Errorf("%d items were printed, want 10:\n%s", n, out)
			}
		})
	}
}

func TestScriptStopsAtAFailedPage(t *testing.T) {
	for _, id := range executed {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, arrived := listen(t, http.StatusNotFound)
			l, _ := snippet.Find(id)
			steps := []snippet.Step{
				{Title: "GET /0/list", Request: snippet.Request{Method: "GET", URL: url + "/0/list?size=3&offset="},
					Expect: 200, Pages: snippet.Pages{Size: 3}}, scriptSteps(url)[1]}
			out := run(t, id, []string{l.Script(snippet.Head{}, steps, scriptVariables)})[0]
			if _, ok := arrived(1); ok || !strings.Contains(out, "returned 404, expected 200") ||
				!strings.Contains(out, `{"ok":true}`) {
				t.Errorf("it went on, or does not say why it stopped:\n%s", out)
			}
		})
	}
}

func TestScriptStopsAtAnUnexpectedStatus(t *testing.T) {
	for _, id := range executed {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, arrived := listen(t, http.StatusNotFound)
			l, _ := snippet.Find(id)
			expected := scriptSteps(url + "/expected")[1:2]
			expected[0].Expect = 404
			out := run(t, id, []string{l.Script(snippet.Head{}, scriptSteps(url), scriptVariables),
				l.Script(snippet.Head{}, expected, scriptVariables)})
			if _, ok := arrived(1); ok || !strings.Contains(out[0], "returned 404, expected 200") {
				t.Errorf("it went on, or does not say why it stopped:\n%s", out[0])
			}
			if strings.Contains(out[1], "Stopped") || !strings.Contains(out[1], ": 404") {
				t.Errorf("it does not accept the status it is to expect:\n%s", out[1])
			}
		})
	}
}

// blocksOf returns the code of a runbook, with a token.
func blocksOf(text string) (blocks []string) {
	for _, m := range regexp.MustCompile("(?s)```bash\n(.*?)\n```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, strings.Replace(m[1], "export SPYGLASS_TOKEN='…'", "export SPYGLASS_TOKEN=s3cret", 1))
	}
	return blocks
}

func TestRunbookRuns(t *testing.T) {
	url, arrived := listen(t, http.StatusOK)
	text := snippet.Runbook("What I did", scriptSteps(url), scriptVariables)
	blocks := blocksOf(text)
	if len(blocks) != 4 || !strings.Contains(text, "### 1. GET /x # injected\n") ||
		strings.Count(text, "Expect status 200.") != 1 {
		t.Fatalf("%d blocks in\n%s", len(blocks), text)
	}
	out := run(t, "curl", []string{strings.Join(blocks, "\n")})[0]
	var came []string
	for i := range 3 {
		a, _ := arrived(i)
		came = append(came, fmt.Sprint(a.method, " ", a.header.Get("Authorization")))
	}
	if want := []string{"GET Bearer s3cret", "POST Bearer s3cret", "PUT Bearer s3cret"}; !slices.Equal(came, want) {
		t.Errorf("%q arrived, want %q; it printed\n%s\n%s", came, want, out, text)
	}
}

const markFound, markGiven, markOwn = "70000000000000000007", "70000000000000000008", "70000000000000000009"

var foundVariables = []snippet.Variable{
	{Name: "found id", Mark: markFound, Value: "SPYGLASS_FOUND", Source: snippet.Environment},
	{Name: "given", Mark: markGiven, Value: "from the script", Override: "SPYGLASS_GIVEN"},
	{Name: "own", Mark: markOwn, Value: "it's } mine", Override: "SPYGLASS_OWN"},
}

func foundSteps(url string, path ...any) []snippet.Step {
	return []snippet.Step{
		{Title: "GET /list", Request: snippet.Request{Method: "GET", URL: url + "/list?size=3&offset="},
			Pages:   snippet.Pages{Size: 3},
			Extract: []snippet.Extract{{Variable: "found id", Path: path}, {Variable: "given", Path: nil}}},
		{Title: "GET /one", Request: snippet.Request{Method: "GET", URL: url + "/one?id=" + markFound +
			"&size=2&offset=0"},
			Extract: []snippet.Extract{{Variable: "found id", Path: []any{"items", 1, "tags"}}}},
		{Title: "GET /two", Request: snippet.Request{Method: "GET", URL: url + "/two?item=" + markFound + "&g=" +
			markGiven + "&o=" + markOwn}},
	}
}

func TestScriptPassesExtractedValuesOn(t *testing.T) {
	for _, id := range executed {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, requested := listOf(t)
			l, _ := snippet.Find(id)
			steps := foundSteps(url, "items", 2, "id")
			steps[0].Extract = steps[0].Extract[:1] // the value comes from outside
			head := snippet.Head{Title: "coding: " + nasty, Notes: []string{"*/ " + nasty}}
			code := l.Script(head, steps, foundVariables)
			out, exit := runAlone(t, id, code)
			want := []string{"/list?size=3&offset=0", "/list?size=3&offset=3", "/list?size=3&offset=6",
				"/one?id=2&size=2&offset=0",
				"/two?item=%5B%5D&g=from%20outside&o=it%27s%20%7D%20mine"}
			got := requested()
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], "'", "%27")
			}
			if !slices.Equal(got, want) || exit != 0 {
				t.Errorf("requested %q, want %q; it ended with %d and printed\n%s\n%s", got, want, exit, out, code)
			}
			if n := strings.Count(out, `{"total":7`); n != 5 {
				t.Errorf("%d responses were printed, want 5:\n%s", n, out)
			}
		})
	}
}

func TestStoppedScriptExitsWithAnError(t *testing.T) {
	for _, id := range executed {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			l, _ := snippet.Find(id)
			url, requested := listOf(t)
			for _, tt := range []struct{ name, code, says string }{
				{"nothing found", l.Script(snippet.Head{}, foundSteps(url, "items", 9, "a b"), foundVariables),
					`the response to 1. GET /list has no $.items[9]["a b"]`},
				{"no portal", l.Script(snippet.Head{}, foundSteps("http://127.0.0.1:1", "id"), foundVariables), ""},
			} {
				out, exit := runAlone(t, id, tt.code)
				if exit == 0 || !strings.Contains(out, tt.says) {
					t.Errorf("%s: it ended with %d and printed\n%s", tt.name, exit, out)
				}
			}
			if got := requested(); len(got) != 3 {
				t.Errorf("it went on: %q", got)
			}
		})
	}
}

func TestScriptHeaderSaysHowToRunIt(t *testing.T) {
	got := snippet.Python.Script(snippet.Head{Title: "Three requests\nto Portal", Notes: []string{"Not checked."}},
		foundSteps("http://h", "items", 0, "id"), append(foundVariables, scriptVariables[3]))
	want := `# Written by Spyglass.
#
# Three requests to Portal
#
#   1. GET /list (all pages), $.items[0].id becomes found id, $ becomes given
#   2. GET /one, $.items[1].tags becomes found id
#   3. GET /two
#
# Run it: python3 script.py
# It stops with exit code 1 at the first response with another status than expected.
# Not checked.
#
# It needs these environment variables:
#   SPYGLASS_TOKEN: an API token of the portal
# These replace values below:
#   SPYGLASS_FOUND: the value of found id
#   SPYGLASS_GIVEN: the value of given
#   SPYGLASS_OWN: the value of own

import os
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("the head is\n%s\nwant\n%s", got, want)
	}
}

func TestRunbookPromptsForValuesOfLaterSteps(t *testing.T) {
	got := snippet.Runbook("What I did", foundSteps("http://h", "items", 0, "id")[:2], foundVariables)
	want := "\nType $.items\\[0].id of the response:\n\n```bash\nread -r var_found_id\n```\n"
	if strings.Count(got, "read -r") != 1 || !strings.Contains(got, want) {
		t.Errorf("the runbook is\n%s", got)
	}
}
