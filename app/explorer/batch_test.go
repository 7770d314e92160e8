package explorer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// save stores drafts as saved requests with ids from 1.
func (h *fixture) save(drafts ...string) {
	h.t.Helper()
	if a := h.call(1, "POST /explorer/collections", `{"name":"Mine"}`); a.status/100 != 2 {
		h.t.Fatal(a.body)
	}
	for i, draft := range drafts {
		if a := h.call(1, "POST /explorer/requests", fmt.Sprintf(`{"name":"R%d","collectionId":1,"draft":%s}`, i+1,
			draft)); a.status/100 != 2 {
			h.t.Fatal(a.body)
		}
	}
}

// batch runs saved requests and returns the name, the status,
// the presence in the history and the problem of each.
func (h *fixture) batch(user int, body string) []string {
	h.t.Helper()
	a := h.call(user, "POST /explorer/batch", body)
	var got struct {
		Results []struct {
			Name, Problem     string
			Status, HistoryID int64
		}
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 200 {
		h.t.Fatal(a.status, a.body)
	}
	out := []string{}
	for _, r := range got.Results {
		out = append(out, fmt.Sprintf("%s %d %t %s", r.Name, r.Status, r.HistoryID > 0, r.Problem))
	}
	return out
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestBatchSendsInOrderAndStopsOrContinuesAtAFailure(t *testing.T) {
	h := build(t)
	h.save(`{"path":"/device/devices/7"}`, `{"path":"/nowhere"}`, `{"path":"/device/devices/{{unknown}}"}`,
		`{"method":"POST","path":"/device/devices","body":"{}"}`)
	events := h.listen(1)
	first, second := "R1 200 true ", "R2 404 true there is no endpoint at this path; GET /api/openapi.json lists "+
		"all endpoints"
	same(t, h.batch(1, `{"batchId":"b1","ids":[1,2,3,4]}`), []string{first, second})
	for i := range 2 {
		for event := next(t, events); !strings.HasPrefix(event, fmt.Sprintf(`batch {"batchId":"b1","of":4,`+
			`"result":{"at":%d,"row":0,"id":%d,"name":"R%d",`, i, i+1, i+1)); event = next(t, events) {
			if strings.HasPrefix(event, "batch") {
				t.Fatalf("event %d is %s", i, event)
			}
		}
	}
	same(t, h.batch(1, `{"batchId":"b2","ids":[1,2,3,4,99],"goOn":true}`), []string{
		first, second, "R3 0 false {{unknown}} has no value; set one under Variables, or send anyway",
		"R4 201 true ", " 0 false there is no saved request 99",
	})
	same(t, h.batch(2, `{"ids":[1]}`), []string{" 0 false there is no saved request 1"})
	if a := h.call(1, "POST /explorer/batch", `{"ids":[]}`); a.status != 400 ||
		h.said(a) != "select 1 to 500 requests, not 0" {
		t.Errorf("none at all: %d %s", a.status, a.body)
	}
}

func TestBatchPassesExtractedVariablesOn(t *testing.T) {
	h := build(t)
	h.save(`{"path":"/alert/alerts"}`, `{"path":"/device/devices/{{alertId}}"}`)
	if a := h.call(1, "POST /explorer/extractors",
		`{"path":"$.items[1].id","variable":"alertId","on":true}`); a.status/100 != 2 {
		t.Fatal(a.body)
	}
	same(t, h.batch(1, `{"ids":[1,2]}`), []string{"R1 200 true ", "R2 200 true "})
	if a := h.call(1, "GET /explorer/history?fields=url&sort=id", ""); !strings.Contains(a.body, "/device/devices/2") {
		t.Errorf("the history is %s", a.body)
	}
}

func TestBatchRespectsTheReadOnlyLock(t *testing.T) {
	h, s := storeFixture(t, true)
	h.save(`{"method":"DELETE","path":"/raw/things/7"}`, `{"path":"/raw/things/7"}`)
	if a := h.call(1, "PATCH /explorer/settings", `{"portalReadOnly":true}`); a.status != 200 {
		t.Fatal(a.body)
	}
	same(t, h.batch(1, `{"ids":[1,2],"goOn":true}`), []string{"R1 0 false Demo portal is read-only, so DELETE was " +
		"not sent; unlock it to make changes", "R2 200 true "})
	if got := s.writes(); got != nil {
		t.Errorf("the portal got %q", got)
	}
}

func TestBatchEndsWhenItsContextIsCancelled(t *testing.T) {
	h := build(t)
	h.save(`{"path":"/raw/slow"}`, `{"path":"/raw/never"}`)
	arrived, gone := make(chan string, 2), make(chan struct{})
	h.answerRaw(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- r.URL.Path
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if response,
		err := http.DefaultClient.Do(
		h.request(ctx, 1, "POST /explorer/batch", `{"ids":[1,2],"goOn":true}`)); err == nil {
		_ = response.Body.Close()
		t.Fatal("it went on to its end")
	}
	<-gone
	h.Stop() // waits for the running requests
	if len(arrived) > 0 {
		t.Errorf("after the cancel it sent %s", <-arrived)
	}
}

func TestBatchChecksResponsesAndWritesAReport(t *testing.T) {
	h := build(t)
	checks := func(status string) string {
		return `"checks":[{"on":true,"kind":"status","op":"is","value":"` + status + `"},` +
			`{"on":true,"kind":"json","target":"$.total","op":"above","value":"5"}]`
	}
	h.save(`{"path":"/alert/alerts",`+checks("200")+`}`, `{"path":"/alert/alerts",`+checks("204")+`}`,
		`{"path":"/nowhere","checks":[{"on":true,"kind":"status","op":"is","value":"404"}]}`)
	same(t, h.batch(1, `{"batchId":"b1","title":"Mine","ids":[1,2,3],"goOn":true}`), []string{"R1 200 true ",
		"R2 200 true 1 of 2 checks failed: Status is 204, not 200", "R3 404 true "})
	a := h.call(1, "GET /explorer/batch/reports", "")
	if want := `{"formats":[{"id":"html","label":"HTML"},{"id":"junit","label":"JUnit XML"},` +
		`{"id":"json","label":"JSON"}]}`; a.body != want {
		t.Errorf("the formats are %s", a.body)
	}
	a = h.call(1, "GET /explorer/batch/report?batchId=b1&format=junit", "")
	if a.status != 200 || !strings.Contains(a.body, `<testsuites name="Mine" tests="5" failures="1"`) ||
		!strings.Contains(a.header.Get("Content-Disposition"), "report.xml") {
		t.Errorf("the report is %d %v %s", a.status, a.header, a.body)
	}
	for query, want := range map[string]int{"batchId=b1&format=pdf": 400, "batchId=b2&format=json": 404} {
		if a := h.call(1, "GET /explorer/batch/report?"+query, ""); a.status != want {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
	if a := h.call(2, "GET /explorer/batch/report?batchId=b1&format=json", ""); a.status != 404 {
		t.Errorf("another user gets %d", a.status)
	}
}

func TestBatchRunsOnceForEachRowOfADataFile(t *testing.T) {
	h := build(t)
	h.save(`{"path":"/device/devices/{{id}}"}`, `{"path":"/device/devices/{{found}}","checks":[`+
		`{"on":true,"kind":"json","target":"$.vars.id","op":"is","value":"{{id}}"}]}`)
	for _, body := range []string{`{"name":"id","value":"99"}`, `{"name":"found","value":"98"}`} {
		if a := h.call(1, "POST /explorer/variables", body); a.status/100 != 2 {
			t.Fatal(a.body)
		}
	}
	if a := h.call(1, "POST /explorer/extractors", `{"path":"$.vars.id","variable":"found","on":true}`); a.status/100 !=
		2 {
		t.Fatal(a.body)
	}
	for _, parallel := range []int{1, 5} {
		var data strings.Builder
		data.WriteString(`id\n`)
		var want []string
		for i := range 20 {
			fmt.Fprintf(&data, `%d\n`, 100+i)
			want = append(want, "R1 200 true ", "R2 200 true ")
		}
		same(t, h.batch(1, fmt.Sprintf(`{"batchId":"b%d","ids":[1,2],"parallel":%[1]d,"data":"%s"}`, parallel,
			data.String())), want)
		a := h.call(1, fmt.Sprintf("GET /explorer/batch/report?batchId=b%d&format=json", parallel), "")
		var report struct{ Results []struct{ At, Row int } }
		if err := json.Unmarshal([]byte(a.body), &report); err != nil {
			t.Fatal(a.body)
		}
		for i, r := range report.Results {
			if r.At != i || r.Row != i/2+1 {
				t.Errorf("result %d is at %d of row %d", i, r.At, r.Row)
			}
		}
	}
	for body, want := range map[string]string{
		`{"ids":[1],"data":"id\n"}`: "the data file has no rows",
		`{"ids":[1],"parallel":21}`: "run 1 to 20 requests at a time, not 21",
		`{"ids":[1,2],"data":"x\n` + strings.Repeat(`1\n`, 5001) + `"}`: "2 requests for each of 5001 rows " +
			"are 10002; a run has at most 10000",
	} {
		if a := h.call(1, "POST /explorer/batch", body); a.status != 400 || h.said(a) != want {
			t.Errorf("%.40s: %d %s", body, a.status, a.body)
		}
	}
}

func TestBatchLimitsParallelRequests(t *testing.T) {
	h := build(t)
	drafts := slices.Repeat([]string{`{"path":"/raw/x"}`}, 9)
	h.save(drafts...)
	var mu sync.Mutex
	var now, most int
	full := make(chan struct{})
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		if now++; now > most {
			if most = now; most == 3 {
				close(full)
			}
		}
		mu.Unlock()
		<-full // until three requests are running
		mu.Lock()
		now--
		mu.Unlock()
		_, _ = w.Write([]byte("{}"))
	})
	if got := h.batch(1, `{"ids":[1,2,3,4,5,6,7,8,9],"parallel":3}`); len(got) != 9 {
		t.Errorf("%d were sent", len(got))
	}
	if most != 3 {
		t.Errorf("%d were under way at a time", most)
	}
}
