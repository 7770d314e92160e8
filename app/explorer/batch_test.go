package explorer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// save keeps drafts as saved requests, ids from 1.
func (h *house) save(drafts ...string) {
	h.t.Helper()
	if a := h.ask(1, "POST /explorer/collections", `{"name":"Mine"}`); a.status/100 != 2 {
		h.t.Fatal(a.body)
	}
	for i, draft := range drafts {
		if a := h.ask(1, "POST /explorer/requests", fmt.Sprintf(`{"name":"R%d","collectionId":1,"draft":%s}`, i+1,
			draft)); a.status/100 != 2 {
			h.t.Fatal(a.body)
		}
	}
}

// batch runs saved requests and tells of each name, status, whether it is in
// the history, and what is wrong.
func (h *house) batch(user int, body string) []string {
	h.t.Helper()
	a := h.ask(user, "POST /explorer/batch", body)
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

func TestABatchSendsInOrderAndStopsAtAFailureOrGoesOn(t *testing.T) {
	h := build(t)
	h.save(`{"path":"/device/devices/7"}`, `{"path":"/nowhere"}`, `{"path":"/device/devices/{{unknown}}"}`,
		`{"method":"POST","path":"/device/devices","body":"{}"}`)
	events := h.listen(1)
	first, second := "R1 200 true ", "R2 404 true there is no endpoint at this path; GET /api/openapi.json lists "+
		"all endpoints"
	same(t, h.batch(1, `{"batchId":"b1","ids":[1,2,3,4]}`), []string{first, second})
	for i := range 2 {
		for event := next(t, events); !strings.HasPrefix(event, fmt.Sprintf(`batch {"at":%d,"batchId":"b1",`+
			`"result":{"id":%d,"name":"R%d",`, i, i+1, i+1)); event = next(t, events) {
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
	if a := h.ask(1, "POST /explorer/batch", `{"ids":[]}`); a.status != 400 ||
		h.said(a) != "select 1 to 500 requests, not 0" {
		t.Errorf("none at all: %d %s", a.status, a.body)
	}
}

func TestABatchHandsOnWhatExtractorsFind(t *testing.T) {
	h := build(t)
	h.save(`{"path":"/alert/alerts"}`, `{"path":"/device/devices/{{alertId}}"}`)
	if a := h.ask(1, "POST /explorer/extractors",
		`{"path":"$.items[1].id","variable":"alertId","on":true}`); a.status/100 != 2 {
		t.Fatal(a.body)
	}
	same(t, h.batch(1, `{"ids":[1,2]}`), []string{"R1 200 true ", "R2 200 true "})
	if a := h.ask(1, "GET /explorer/history?fields=url&sort=id", ""); !strings.Contains(a.body, "/device/devices/2") {
		t.Errorf("the history is %s", a.body)
	}
}

func TestABatchKeepsTheReadOnlyLock(t *testing.T) {
	h, s := storeHouse(t, true)
	h.save(`{"method":"DELETE","path":"/raw/things/7"}`, `{"path":"/raw/things/7"}`)
	if a := h.ask(1, "PATCH /explorer/settings", `{"portalReadOnly":true}`); a.status != 200 {
		t.Fatal(a.body)
	}
	same(t, h.batch(1, `{"ids":[1,2],"goOn":true}`), []string{"R1 0 false Demo portal is read-only, so DELETE was " +
		"not sent; unlock it to make changes", "R2 200 true "})
	if got := s.writes(); got != nil {
		t.Errorf("the portal got %q", got)
	}
}

func TestABatchEndsWithItsCaller(t *testing.T) {
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
	h.Stop() // waits for what is under way
	if len(arrived) > 0 {
		t.Errorf("after the cancel it sent %s", <-arrived)
	}
}
