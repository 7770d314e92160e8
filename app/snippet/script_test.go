package snippet_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spyglass/app/snippet"
)

// Marks of variables.
const (
	markID, markName, markSecret, markClock, markRandom = "70000000000000000001", "70000000000000000002", "70000000000000000003", "70000000000000000004", "70000000000000000005"
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
		{Title: "GET /x\n# injected", Request: snippet.Request{Method: "GET", URL: url + "/0/" + markID + "?q=" + markID + "&n=1"}, Expect: 200},
		{Title: `POST '"` + "`$x`", Request: snippet.Request{Method: "POST", URL: url + "/1/x", Headers: append(json, snippet.Header{Name: "X-Secret", Value: "k=" + markSecret}), Body: `{"name": "<` + markName + `>", "n": ` + markClock + `, "u": "` + markRandom + `", "t": true, "nil": null, "big": 12345678901234567890}`}},
		{Title: "PUT text", Request: snippet.Request{Method: "PUT", URL: url + "/2/x", Headers: []snippet.Header{{Name: "Content-Type", Value: "text/plain"}}, Body: `"` + markName + `"` + nasty}},
	}
}

var executed = []string{"curl", "python", "javascript", "go", "groovy"}

func TestAScriptSendsItsStepsWithItsVariables(t *testing.T) {
	for _, id := range executed {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, arrived := listen(t, http.StatusOK)
			l, _ := snippet.Find(id)
			code := l.Script(scriptSteps(url), scriptVariables)
			out := run(t, id, []string{code})[0]
			a, _ := arrived(0)
			if want := "/a%2Fb%20%C3%BC%26%27%22?q=a%2Fb%20%C3%BC%26%27%22&n=1"; strings.ReplaceAll(a.uri, "'", "%27") != want {
				t.Fatalf("the first request is %s, want %s; it printed\n%s\n%s", a.uri, want, out, code)
			}
			b, _ := arrived(1)
			want := regexp.MustCompile(`^\{"name": "<it's \\"q\\" \\\\ \$HOME ` + "`x`" + ` (<&>|\\u003c\\u0026\\u003e) (ünï|\\u00fcn\\u00ef)>", "n": 1\d{9}, "u": "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}", "t": true, "nil": null, "big": 12345678901234567890\}$`)
			if !want.MatchString(b.body) || b.header.Get("X-Secret") != "k=s3cret" || b.method != "POST" {
				t.Errorf("the second request is %s %s\n%s\nit printed %s", b.method, b.header, b.body, out)
			}
			c, _ := arrived(2)
			if want := `"it's "q" \ $HOME ` + "`x`" + ` <&> ünï"` + nasty; c.body != want || c.header.Get("Content-Type") != "text/plain" {
				t.Errorf("the third request is\n%q\nwant\n%q\nit printed %s", c.body, want, out)
			}
			if strings.Contains(code, "never used") || strings.Contains(code, "s3cret") {
				t.Errorf("the script holds what it does not need:\n%s", code)
			}
		})
	}
}

func TestAScriptStopsAtAnotherStatusThanExpected(t *testing.T) {
	for _, id := range executed {
		url, arrived := listen(t, http.StatusNotFound)
		l, _ := snippet.Find(id)
		out := run(t, id, []string{l.Script(scriptSteps(url), scriptVariables)})[0]
		if _, ok := arrived(1); ok || !strings.Contains(out, "answered 404, expected 200") {
			t.Errorf("%s went on, or does not say why it stopped:\n%s", id, out)
		}
		steps := scriptSteps(url)[1:2]
		steps[0].Expect = 404
		out = run(t, id, []string{l.Script(steps, scriptVariables)})[0]
		if strings.Contains(out, "Stopped") || !strings.Contains(out, ": 404") {
			t.Errorf("%s does not accept the status it is to expect:\n%s", id, out)
		}
	}
}

func TestARunbookRuns(t *testing.T) {
	url, arrived := listen(t, http.StatusOK)
	text := snippet.Runbook("What I did", scriptSteps(url), scriptVariables)
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)```bash\n(.*?)\n```").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) != 4 || !strings.Contains(text, "### 1. GET /x # injected\n") || strings.Count(text, "Expect status 200.") != 1 {
		t.Fatalf("%d blocks in\n%s", len(blocks), text)
	}
	blocks[0] = strings.Replace(blocks[0], "export SPYGLASS_TOKEN='…'", "export SPYGLASS_TOKEN=s3cret", 1)
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
