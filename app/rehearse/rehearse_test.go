package rehearse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/rehearse"
	"spyglass/app/snippet"
	"spyglass/app/workspace"
	"spyglass/backend/server"
)

// portal is a complete portal on a real port, with the token of its administrator.
type portal struct {
	t *testing.T
	*outgoing.Target
}

func open(t *testing.T, name string) *portal {
	t.Helper()
	s, err := server.New(t.Context(), server.Options{Data: filepath.Join(t.TempDir(), "data"), Listen: "127.0.0.1:0",
		NoLimits: true, Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		err = s.Start(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	id, err := s.Sessions.UserID(t.Context(), "admin")
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.Sessions.CreateToken(t.Context(), id, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.For(&workspace.Portal{BaseURL: s.Origin() + "/api"}, "", client.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	p := &portal{t, &outgoing.Target{Name: name, URL: s.Origin() + "/api", Client: c, Timeout: time.Minute,
		Catalog: catalog.New(s.Endpoints()),
		Sign: func(*outgoing.Request) [][2]string {
			return [][2]string{{"Authorization", "Bearer " + token.Bearer}}
		}}}
	p.Place()
	return p
}

// request sends a request with a body in JSON, and fails the test unless it succeeds.
func (p *portal) request(method, path, body string) map[string]any {
	p.t.Helper()
	response, text, err := p.Fetch(p.t.Context(), p.Plain(method, path, body), 1<<20)
	if err != nil || response.StatusCode/100 != 2 {
		p.t.Fatalf("%s %s %s: %v %s", method, path, body, err, text)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		p.t.Fatal(err)
	}
	return out
}

// add adds an object and returns its id. Its body is formatted with the arguments.
func (p *portal) add(path, body string, args ...any) int {
	p.t.Helper()
	id, _ := p.request("POST", path, fmt.Sprintf(body, args...))["id"].(float64)
	return int(id)
}

// named returns the only object of a list for which a field has a value.
func (p *portal) named(list, field, value string) map[string]any {
	p.t.Helper()
	items, _ := p.request("GET", list+"?size=1000", "")["items"].([]any)
	var found map[string]any
	for _, one := range items {
		if one, _ := one.(map[string]any); one[field] == value {
			if found != nil {
				p.t.Fatalf("%s has several %q", list, value)
			}
			found = one
		}
	}
	if found == nil {
		p.t.Fatalf("%s has no %q", list, value)
	}
	return found
}

func id(o map[string]any) string { return fmt.Sprint(o["id"]) }

const secret = "s3cr3t-of-the-portal"

// furnish fills a portal with objects that refer to each other.
func (p *portal) furnish() {
	p.add("/device/devices", `{"name": "192.0.2.9", "displayName": "spare"}`) // keeps ids different from the copies'
	p.request("DELETE", "/device/devices/1?deleteHard=true", "")
	p.add("/setting/functions", `{"name": "isEdge", "code": "displayName =~ \"edge-*\""}`)
	away := p.add("/setting/collectors", `{"description": "Oslo"}`)
	backup := p.add("/setting/collectors", `{"description": "Bergen", "backupAgentId": %d}`, away)
	p.request("PATCH", fmt.Sprint("/setting/collectors/", away), fmt.Sprintf(`{"backupAgentId": %d}`, backup))
	p.request("PATCH", "/device/groups/1", `{"customProperties": [{"name": "site", "value": "everywhere"}]}`)
	edges := p.add("/device/groups", `{"name": "Edge", "appliesTo": "isEdge()"}`)
	outer := p.add("/device/groups", `{"name": "Servers", "defaultCollectorId": %d}`, away)
	inner := p.add("/device/groups", `{"name": "Web", "parentId": %d, "customProperties": [
		{"name": "tier", "value": "1"}, {"name": "db.password", "value": "%s"}]}`, outer, secret)
	p.add("/setting/roles", `{"name": "web-team", "privileges": [
		{"objectType": "deviceGroup", "objectId": "%d", "operation": "write"}]}`, inner)
	p.add("/setting/admins", `{"username": "kim", "password": "%s", "email": "kim@example.net",
		"roles": [{"name": "web-team"}]}`, secret)
	p.add("/setting/integrations", `{"name": "pager", "type": "http", "url": "https://pager.example/%s"}`, secret)
	p.add("/setting/recipientgroups", `{"groupName": "Night", "recipients": [
		{"type": "ADMIN", "method": "email", "addr": "kim"}]}`)
	chain := p.add("/setting/alert/chains", `{"name": "Web", "destinations": [{"type": "single", "stages": [
		[{"type": "ADMIN", "method": "pager", "addr": "kim"}],
		[{"type": "GROUP", "method": "email", "addr": "Night"}]]}]}`)
	p.add("/setting/alert/rules", `{"name": "Web", "priority": 10, "escalatingChainId": %d, "devices": ["edge-*"]}`,
		chain)
	p.add("/setting/alert/rules", `{"name": "Old", "priority": 20, "escalatingChainId": %d}`, chain)
	p.add("/setting/datasources", `{"name": "Own_Ping", "collectMethod": "ping", "collectInterval": 60,
		"appliesTo": "isEdge()", "collectorAttribute": {"name": "ping"}, "dataPoints": [
		{"name": "average", "rawDataFieldName": "average", "alertExpr": "> 100"}]}`)
	edge := p.add("/device/devices", `{"name": "192.0.2.1", "displayName": "edge-1", "hostGroupIds": "%d",
		"preferredCollectorId": %d, "customProperties": [{"name": "rack", "value": "12"}, {"name": "old", "value": "x"},
		{"name": "snmp.community", "value": "%s"}]}`, inner, away, secret)
	p.add("/device/devices", `{"name": "192.0.2.2", "displayName": "db-1", "hostGroupIds": "%d"}`, outer)
	p.add("/sdt/sdts", `{"type": "ResourceSDT", "sdtType": "weekly", "weekDay": "Sunday", "hour": 2, "minute": 0,
		"endHour": 3, "endMinute": 0, "deviceId": %d, "comment": "Patches"}`, edge)
	p.add("/sdt/sdts", `{"type": "ResourceGroupSDT", "sdtType": "daily", "hour": 2, "minute": 0, "endHour": 3,
		"endMinute": 0, "deviceGroupId": %d, "comment": "Edges"}`, edges)
}

func rehearsal(t *testing.T, from, to *portal) *rehearse.Rehearsal {
	return &rehearse.Rehearsal{Dir: filepath.Join(t.TempDir(), rehearse.Folder), Local: to.Target, Remote: from.Target,
		Line: func(string) {}}
}

// noteOf reports whether a report has a note about a field of an object.
func noteOf(r *rehearse.Report, name, field string, why rehearse.Why) bool {
	return slices.ContainsFunc(r.Notes, func(n rehearse.Note) bool {
		return n.Name == name && n.Field == field && n.Why == why
	})
}

func TestChangesOfARehearsalAreAppliedToTheOriginal(t *testing.T) {
	real, copied := open(t, "Real"), open(t, "Rehearsal")
	real.furnish()
	copied.add("/setting/functions", `{"name": "unrelated", "code": "true()"}`) // keeps ids different
	r := rehearsal(t, real, copied)
	report, err := r.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	isCopied(t, copied, report)
	noSecrets(t, r.Dir)

	again, err := r.Copy(t.Context())
	if err != nil || len(again.Notes) != len(report.Notes) {
		t.Errorf("a second copy returns %v, %+v", err, again)
	}
	d := diff(t, r)
	if len(d.Steps)+len(d.Elsewhere)+len(d.Notes) > 0 {
		t.Fatalf("without changes, the difference is %+v", d)
	}
	changeCopies(copied)
	changeReal(real)
	d = diff(t, r)
	checkSteps(t, d, real)

	carryOut(t, real, d)
	d = diff(t, r)
	var left []string
	for _, s := range d.Steps {
		left = append(left, s.Method+" "+s.Path+" "+s.Body)
	}
	if len(left) > 0 {
		t.Errorf("after all requests were sent, these are left: %q", left)
	}
	web := real.named("/device/groups", "name", "Staging")
	if device := real.named("/device/devices", "displayName", "stage-1"); device["hostGroupIds"] != id(web) {
		t.Errorf("the new device is in the groups %v, not in %v", device["hostGroupIds"], id(web))
	}
	edge := fmt.Sprint(real.named("/device/devices", "displayName", "edge-1")["customProperties"])
	if !strings.Contains(edge, "snmp.community") || strings.Contains(edge, "name:old") ||
		!strings.Contains(edge, "value:14") {
		t.Errorf("the properties of the real device are %s", edge)
	}
}

const community = "customProperties snmp.community"

// isCopied checks the copies of the objects that furnish adds.
func isCopied(t *testing.T, copied *portal, report *rehearse.Report) {
	t.Helper()
	root := copied.request("GET", "/device/groups/1", "")
	servers, web := copied.named("/device/groups", "name", "Servers"), copied.named("/device/groups", "name", "Web")
	oslo := copied.named("/setting/collectors", "description", "Oslo")
	edge := copied.named("/device/devices", "displayName", "edge-1")
	bergen := copied.named("/setting/collectors", "description", "Bergen")
	edges := copied.named("/device/groups", "name", "Edge")
	rack := fmt.Sprint(edge["customProperties"])
	db := copied.named("/device/devices", "displayName", "db-1")
	chain := copied.named("/setting/alert/chains", "name", "Web")
	role := fmt.Sprint(copied.named("/setting/roles", "name", "web-team")["privileges"])
	text := func(list, field, value, shown string) string {
		return fmt.Sprint(copied.named(list, field, value)[shown])
	}
	for what, got := range map[string][2]any{
		"the properties of the root":   {fmt.Sprint(root["customProperties"]), "[map[name:site value:everywhere]]"},
		"the parent of Web":            {fmt.Sprint(web["parentId"]), id(servers)},
		"the properties of Web":        {fmt.Sprint(web["customProperties"]), "[map[name:tier value:1]]"},
		"the collector of Servers":     {fmt.Sprint(servers["defaultCollectorId"]), id(oslo)},
		"the groups of edge-1":         {edge["hostGroupIds"], id(web) + "," + id(edges)},
		"the collector of edge-1":      {fmt.Sprint(edge["preferredCollectorId"]), id(oslo)},
		"the properties of edge-1":     {rack, "[map[name:rack value:12] map[name:old value:x]]"},
		"whether db-1 would be polled": {fmt.Sprint(db["preferredCollectorId"]) == "1", false},
		"the backup of a collector":    {fmt.Sprint(bergen["backupAgentId"]), id(oslo)},
		"and the other way round":      {fmt.Sprint(oslo["backupAgentId"]), id(bergen)},
		"the chain of the rule":        {text("/setting/alert/rules", "name", "Web", "escalatingChainId"), id(chain)},
		"the address":                  {text("/setting/integrations", "name", "pager", "url"), "http://127.0.0.1:9/"},
		"the maintenance":              {text("/sdt/sdts", "comment", "Patches", "deviceId"), id(edge)},
		"the group's maintenance":      {text("/sdt/sdts", "comment", "Edges", "deviceGroupId"), id(edges)},
		"the privileges of the role":   {strings.Contains(role, "objectId:"+id(web)), true},
		"the note about a secret":      {noteOf(report, "edge-1", community, rehearse.Secret), true},
		"the note about the password":  {noteOf(report, "kim", "password", rehearse.Changed), true},
		"the note about the address":   {noteOf(report, "pager", "url", rehearse.Changed), true},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %v, not %v", what, got[0], got[1])
		}
	}
	if got := text("/setting/datasources", "name", "Own_Ping", "dataPoints"); !strings.Contains(got, "Expr:> 100") {
		t.Errorf("the data points are %s", got)
	}
	if got := text("/setting/admins", "username", "kim", "roles"); !strings.Contains(got, "web-team") {
		t.Errorf("the roles of kim are %s", got)
	}
	if slices.ContainsFunc(report.Notes, func(n rehearse.Note) bool {
		return n.Why == rehearse.Refused || n.Why == rehearse.Reference
	}) {
		t.Errorf("something was refused or has no reference: %+v", report.Notes)
	}
	var shown bytes.Buffer
	if err := report.Text(&shown); err != nil || !strings.Contains(shown.String(), "2 of     2  devices") ||
		!strings.Contains(shown.String(), "device “edge-1”, "+community+": secrets are not copied") {
		t.Errorf("the report is %v\n%s\n%+v", err, &shown, report.Notes)
	}
}

// noSecrets checks that no file contains a secret.
func noSecrets(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("s3cr3t")) {
			t.Errorf("%s has a secret", filepath.Base(path))
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("there are %d files: %v", files, err)
	}
}

func diff(t *testing.T, r *rehearse.Rehearsal) *rehearse.Diff {
	t.Helper()
	d, err := r.Diff(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// changeCopies changes the rehearsal.
func changeCopies(p *portal) {
	edge := id(p.named("/device/devices", "displayName", "edge-1"))
	p.request("PATCH", "/device/devices/"+edge, `{"description": "Rehearsed", "customProperties": [
		{"name": "rack", "value": "14"}, {"name": "row", "value": "3"}]}`)
	p.request("PATCH", "/device/groups/"+id(p.named("/device/groups", "name", "Edge")),
		`{"appliesTo": "displayName =~ \"db-*\""}`)
	p.request("DELETE", "/setting/alert/rules/"+id(p.named("/setting/alert/rules", "name", "Old")), "")
	p.request("DELETE", "/sdt/sdts/"+id(p.named("/sdt/sdts", "comment", "Edges")), "")
	servers := id(p.named("/device/groups", "name", "Servers"))
	group := p.add("/device/groups", `{"name": "Staging", "parentId": %s}`, servers)
	p.add("/device/devices", `{"name": "192.0.2.3", "displayName": "stage-1", "hostGroupIds": "%d"}`, group)
	chain := p.named("/setting/alert/chains", "name", "Web")
	p.request("PATCH", "/setting/alert/chains/"+id(chain), `{"description": "Both did this"}`)
}

// changeReal changes the portal after it was copied.
func changeReal(p *portal) {
	edge := id(p.named("/device/devices", "displayName", "edge-1"))
	p.request("PATCH", "/device/devices/"+edge, `{"description": "Somebody else"}`)
	p.request("PATCH", "/device/devices/"+edge+"?opType=replace",
		`{"customProperties": [{"name": "rack", "value": "13"}]}`)
	p.request("PATCH", "/setting/alert/chains/"+id(p.named("/setting/alert/chains", "name", "Web")),
		`{"description": "Both did this"}`)
	p.request("DELETE", "/device/devices/"+id(p.named("/device/devices", "displayName", "db-1")), "")
}

// checkSteps checks the difference after changeCopies and changeReal.
func checkSteps(t *testing.T, d *rehearse.Diff, real *portal) {
	t.Helper()
	edge := "/device/devices/" + id(real.named("/device/devices", "displayName", "edge-1"))
	servers := id(real.named("/device/groups", "name", "Servers"))
	var got []string
	for _, s := range d.Steps {
		got = append(got, s.Method+" "+s.Path+" "+s.Body+" "+strings.Join(s.Warnings, "; "))
	}
	want := []string{
		`POST /device/groups {"name":"Staging","parentId":` + servers + `} `,
		"PATCH /device/groups/" + id(real.named("/device/groups", "name", "Edge")) +
			` {"appliesTo":"displayName =~ \"db-*\""} `,
		`POST /device/devices {"displayName":"stage-1","hostGroupIds":"{{deviceGroup_`,
		"PATCH " + edge + `?opType=replace {"customProperties":[{"name":"rack","value":"14"},` +
			`{"name":"row","value":"3"}],"description":"Rehearsed"} customProperties rack was changed in the ` +
			`portal since the copy: it is "13" now, and was "12"; description was changed in the portal since the ` +
			`copy: it is "Somebody ` +
			`else" now, and was ""`,
		"DELETE " + edge + "/properties/old ",
		"DELETE /sdt/sdts/" + id(real.named("/sdt/sdts", "comment", "Edges")) + " ",
		"DELETE /setting/alert/rules/" + id(real.named("/setting/alert/rules", "name", "Old")) + " ", // last
	}
	if len(got) != len(want) {
		t.Fatalf("the steps are\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("step %d is\n%s\nnot\n%s", i+1, got[i], want[i])
		}
	}
	var text bytes.Buffer
	if err := d.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"7 requests would bring Real", `customProperties rack: "12" → "14"`,
		"device “db-1” deleted", "   ! description was changed in the portal"} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("%q is not in\n%s", line, &text)
		}
	}
	checkScripts(t, d)
}

func checkScripts(t *testing.T, d *rehearse.Diff) {
	t.Helper()
	for _, language := range snippet.Languages {
		script := d.Script(language)
		if !strings.Contains(script, "7 changes of a rehearsal for Real") ||
			strings.Contains(script, "{{deviceGroup") ||
			!strings.Contains(script, "Check request 4 first: customProperties rack was changed in the portal") {
			t.Errorf("the script in %s is\n%s", language.ID, script)
		}
	}
	python, _ := snippet.Find("python")
	if script := d.Script(python); !strings.Contains(script, "$.id becomes deviceGroup_") {
		t.Errorf("the script takes no id from a response:\n%s", script)
	}
}

// carryOut sends the requests of a difference, as its script does.
func carryOut(t *testing.T, p *portal, d *rehearse.Diff) {
	t.Helper()
	ids := []string{}
	for _, s := range d.Steps {
		replace := strings.NewReplacer(ids...)
		got := p.request(s.Method, replace.Replace(s.Path), replace.Replace(s.Body))
		if s.Creates != "" {
			ids = append(ids, "{{"+s.Creates+"}}", id(got))
		}
	}
}

// through returns the portal with another transport, which can limit the rate or break the connection.
func (p *portal) through(transport http.RoundTripper) *portal {
	t := *p.Target
	t.Client = client.Over(transport)
	return &portal{p.t, &t}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestCopyRespectsTheQuotaAndResumes(t *testing.T) {
	real, copied := open(t, "Real"), open(t, "Rehearsal")
	real.furnish()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	refused, lists, writes := 0, map[string]int{}, 0
	limited := real.through(roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet {
			writes++
		}
		lists[r.URL.Path]++
		if refused == 0 {
			refused++
			return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}, Request: r,
				Body: io.NopCloser(strings.NewReader("{}"))}, nil
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil && strings.HasSuffix(r.URL.Path, "/setting/datasources") {
			response.Header.Set("X-Rate-Limit-Limit", "10")
			response.Header.Set("X-Rate-Limit-Remaining", "0")
			response.Header.Set("X-Rate-Limit-Window", "60")
		}
		return response, err
	}))
	broken := copied.through(roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/device/devices") {
			cancel()
			return nil, context.Canceled
		}
		return http.DefaultTransport.RoundTrip(r)
	}))
	r := rehearsal(t, limited, broken)
	var waits []time.Duration
	r.Sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d.Round(time.Second))
		return nil
	}
	if _, err := r.Copy(ctx); err == nil || !strings.Contains(err.Error(), "start it again to resume it") {
		t.Fatalf("a copy that is cancelled ends with %v", err)
	}
	if !slices.Equal(waits, []time.Duration{7 * time.Second, time.Minute}) {
		t.Errorf("it waits %v", waits)
	}
	if _, err := r.Diff(t.Context()); err == nil || !strings.Contains(err.Error(), "is not complete") {
		t.Errorf("the difference of a part ends with %v", err)
	}
	before := lists["/api/device/devices"]
	r.Local = copied.Target
	report, err := r.Copy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	isCopied(t, copied, report)
	if lists["/api/device/devices"] != before || writes > 0 {
		t.Errorf("it read the devices again, or wrote to the portal: %v, %d", lists, writes)
	}
}

func TestCopyNeedsASeparatePortal(t *testing.T) {
	real, mine := open(t, "Real"), open(t, "Mine")
	mine.add("/device/devices", `{"name": "192.0.2.1"}`)
	r := rehearsal(t, real, mine)
	if _, err := r.Copy(t.Context()); err == nil || !strings.Contains(err.Error(), "has objects of its own") {
		t.Errorf("a copy into it ends with %v", err)
	}
	for _, do := range []func() error{
		func() error { _, err := r.Report(); return err },
		func() error { _, err := r.Diff(t.Context()); return err },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "there is no rehearsal in this data folder") {
			t.Errorf("without a copy, it ends with %v", err)
		}
	}
	if _, err := os.Stat(r.Dir); err == nil {
		t.Error("it left files")
	}
}
