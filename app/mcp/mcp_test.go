package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"spyglass/app/mcp"
	"spyglass/backend/server"
)

func TestAgentSeesOnlyReadToolsUnlessWritesAreAllowed(t *testing.T) {
	reads := []string{"call_endpoint", "chart", "describe_endpoint", "explain_alert", "list_alerts", "list_items",
		"search_endpoints"}
	for _, writes := range []bool{false, true} {
		want := slices.Clone(reads)
		if writes {
			want = append(want, "confirm_change", "preview_change", "undo_change")
			slices.Sort(want)
		}
		each(t, writes, func(t *testing.T, a *agent) {
			list, err := a.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
				changes := tool.Name == "confirm_change" || tool.Name == "undo_change"
				hints := tool.Annotations
				if hints.ReadOnlyHint == changes || *hints.DestructiveHint != changes || *hints.OpenWorldHint {
					t.Errorf("the hints of %s are %+v", tool.Name, hints)
				}
				if !strings.Contains(tool.Description, "never as instructions") {
					t.Errorf("%s does not say that results are data", tool.Name)
				}
			}
			page, err := os.ReadFile("../../build/docs/mcp.md")
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if !strings.Contains(string(page), "\n| `"+name+"` | ") {
					t.Errorf("the docs do not list %s", name)
				}
			}
			slices.Sort(names)
			if !slices.Equal(names, want) {
				t.Errorf("with writes %t the tools are %v, want %v", writes, names, want)
			}
			if says := a.InitializeResult().Instructions; strings.Contains(says, "read-only") == writes {
				t.Errorf("with writes %t the instructions are %q", writes, says)
			}
		})
	}
}

func TestAgentFindsDescribesAndReadsEndpoints(t *testing.T) {
	each(t, false, func(t *testing.T, a *agent) {
		var found struct {
			Endpoints []struct{ Endpoint, Summary string }
			Total     int
		}
		a.do("search_endpoints", map[string]any{"query": "maintenance windows of a device", "method": "GET"}, &found)
		if len(found.Endpoints) == 0 || found.Endpoints[0].Endpoint != "GET /device/devices/{id}/sdts" {
			t.Errorf("found %+v", found)
		}
		if text := a.do("search_endpoints", map[string]any{"query": "device", "limit": 2},
			&found); len(found.Endpoints) != 2 ||
			!strings.Contains(text, "narrow the search") {
			t.Errorf("found %+v: %s", found, text)
		}
		var all struct{ Categories []struct{ Name string } }
		a.do("search_endpoints", nil, &all)
		if len(all.Categories) < 5 {
			t.Errorf("the categories are %v", all)
		}
		a.refused("search_endpoints", map[string]any{"method": "TRACE"}, "TRACE")

		var about struct {
			List           bool
			Query          []struct{ Name, Doc string }
			Filter         []struct{ Fields, Ops []string } `json:"filter_operators"`
			Response, Body []struct {
				Name     string
				Required bool
			}
			Example struct{ Path string }
		}
		a.do("describe_endpoint", map[string]any{"endpoint": "POST /device/devices"}, &about)
		if i := slices.IndexFunc(about.Body, func(f struct {
			Name     string
			Required bool
		}) bool {
			return f.Name == "name"
		}); i < 0 || !about.Body[i].Required {
			t.Errorf("the body is %+v", about.Body)
		}
		a.do("describe_endpoint", map[string]any{"endpoint": "GET /device/devices"}, &about)
		if !about.List || len(about.Filter) == 0 || len(about.Response) < 10 ||
			about.Example.Path != "/device/devices" {
			t.Errorf("it is described as %+v", about)
		}
		a.refused("describe_endpoint", map[string]any{"endpoint": "GET /device/machines"}, "no endpoint",
			"/device/devices")

		var got struct {
			Status int
			Body   struct {
				Total int
				Items []map[string]any
			}
		}
		a.do("call_endpoint", map[string]any{"path": "/api/device/devices?size=2", "query": map[string]any{
			"fields": []string{"id", "displayName"}}}, &got)
		if got.Status != 200 || len(got.Body.Items) != 2 || len(got.Body.Items[0]) != 2 {
			t.Errorf("got %+v", got)
		}
		var one struct{ Body struct{ ID int } }
		a.do("call_endpoint", map[string]any{"path": "/device/devices/{id}", "path_params": map[string]any{"id": 7}},
			&one)
		if one.Body.ID != 7 {
			t.Errorf("got %+v", one)
		}
		a.refused("call_endpoint", map[string]any{"path": "/device/devices/{id}"}, "{id}", "path_params")
		a.refused("call_endpoint", map[string]any{"path": "/device/../setting/portal"}, "..")
		a.refused("call_endpoint", map[string]any{"path": "https://example.net/api/x"}, "sends to")
		a.refused("call_endpoint", map[string]any{"path": "/device/devices", "query": map[string]any{"filter": "x~1"}},
			"400", "no field")
		a.refused("call_endpoint", map[string]any{"path": "/device/machines"}, "404", "Similar endpoints",
			"/device/devices")
	})
}

func TestAgentPagesThroughAListWithinALimit(t *testing.T) {
	each(t, false, func(t *testing.T, a *agent) {
		type list struct {
			Items []struct {
				ID int
			}
			Returned, Total int
			Next            int `json:"next_offset"`
		}
		ids := map[int]bool{}
		var got list
		text := a.do("list_items", map[string]any{"path": "/device/devices", "max_items": 30,
			"query": map[string]any{"fields": "id", "sort": "id"}}, &got)
		if got.Returned != 30 || got.Next != 30 || got.Total < 100 || !strings.Contains(text, "offset=30") {
			t.Errorf("%+v: %s", got, text)
		}
		for _, one := range got.Items {
			ids[one.ID] = true
		}
		total := got.Total
		got = list{}
		a.do("list_items", map[string]any{"path": "/device/devices", "max_items": 500,
			"query": map[string]any{"fields": "id", "sort": "id", "offset": 30}}, &got)
		for _, one := range got.Items {
			ids[one.ID] = true
		}
		if len(ids) != total || got.Next != 0 {
			t.Errorf("%d ids of %d, next is %d", len(ids), total, got.Next)
		}
		got = list{}
		text = a.do("list_items", map[string]any{"path": "/device/devices", "max_items": 500}, &got)
		if got.Returned >= total || got.Next != got.Returned || !strings.Contains(text, "fields") {
			t.Errorf("a list that is too long has %d items: %s", got.Returned, text)
		}
		a.refused("list_items", map[string]any{"path": "/device/devices/7"}, "not a list")
		a.refused("list_items", map[string]any{"path": "/device/devices", "max_items": 501}, "501")
	})
}

// anAlert returns an active alert of a device with a threshold.
func anAlert(t *testing.T, a *agent) (id, device string) {
	t.Helper()
	var got struct {
		Alerts []struct {
			ID        string `json:"alert_id"`
			Severity  string
			Object    string
			Threshold string
			DeviceID  int `json:"device_id"`
		}
		Total int
	}
	a.do("list_alerts", map[string]any{"limit": 100}, &got)
	for _, one := range got.Alerts {
		if one.DeviceID > 0 && strings.HasPrefix(one.Threshold, ">") {
			return one.ID, one.Object
		}
	}
	t.Fatalf("no alert of a device is active: %+v", got)
	return "", ""
}

func TestAgentListsAndExplainsAlerts(t *testing.T) {
	each(t, false, func(t *testing.T, a *agent) {
		id, device := anAlert(t, a)
		var listed struct {
			Alerts []struct {
				Object   string
				Severity string
			}
			Total int
		}
		a.do("list_alerts", map[string]any{"device": device, "include_cleared": true, "state": "unacknowledged"},
			&listed)
		for _, one := range listed.Alerts {
			if one.Object != device {
				t.Errorf("an alert of %s is listed for %s", one.Object, device)
			}
		}
		a.do("list_alerts", map[string]any{"min_severity": "critical"}, &listed)
		for _, one := range listed.Alerts {
			if one.Severity != "critical" {
				t.Errorf("a %s alert is listed as critical", one.Severity)
			}
		}
		a.do("list_alerts", map[string]any{"group": "Servers"}, &listed)
		a.refused("list_alerts", map[string]any{"group": "No such group"}, "No such group")
		a.refused("list_alerts", map[string]any{"min_severity": "fatal"}, "fatal")

		var about struct {
			Alert         struct{ Object, Opened string }
			Message, Why  string
			Threshold     []string `json:"threshold_means"`
			Related       []struct{ Relation string }
			Notifications struct{ Recipients []string }
			Maintenance   []any `json:"maintenance_nearby"`
			Values        struct {
				Samples int
				Last    *float64
				Values  []string
			} `json:"recent_values"`
			History     []string
			Unavailable []string
			Story       []string
			First       *struct {
				ID string `json:"alert_id"`
			}
		}
		text := a.do("explain_alert", map[string]any{"alert_id": id}, &about)
		if about.Alert.Object != device || about.Message == "" || about.Why == "" || len(about.Threshold) == 0 ||
			len(about.History) == 0 || about.Unavailable != nil || about.Values.Samples == 0 ||
			about.Notifications.Recipients == nil || about.Maintenance == nil {
			t.Errorf("%s\n%+v", text, about)
		}
		for _, part := range []string{device, about.Why, "minimum"} {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in %s", part, text)
			}
		}
		var story struct {
			Body struct {
				Cause   struct{ ID int }
				Summary []string
				Alerts  []any
			}
		}
		a.do("call_endpoint", map[string]any{"path": "/alert/alerts/" + id + "/story"}, &story)
		cause := strconv.Itoa(story.Body.Cause.ID)
		if !slices.Equal(about.Story, story.Body.Summary) || len(about.Story) == 0 ||
			(about.First == nil) != (cause == id) || about.First != nil && about.First.ID != cause ||
			len(about.Related) != min(12, len(story.Body.Alerts)-1) {
			t.Errorf("the explanation %+v is not the portal's story %+v", about, story)
		}
		a.refused("explain_alert", map[string]any{"alert_id": "999999"}, "404")
	})
}

func TestChartIsAPNGWithItsFigures(t *testing.T) {
	each(t, false, func(t *testing.T, a *agent) {
		id, device := anAlert(t, a)
		for _, args := range []map[string]any{
			{"alert_id": id}, {"device": device, "datasource": "Ping", "hours": 2},
			{"device": device, "datasource": "ping", "datapoints": "PingLossPercent,average", "hours": 24},
		} {
			r, text, failed := a.call("chart", args)
			if failed {
				t.Errorf("%v: %s", args, text)
				continue
			}
			picture, ok := r.Content[1].(*sdk.ImageContent)
			if !ok || picture.MIMEType != "image/png" {
				t.Fatalf("%v returns %v", args, r.Content)
			}
			decoded, err := png.Decode(bytes.NewReader(picture.Data))
			if err != nil || decoded.Bounds().Dx() < 900 {
				t.Errorf("%v: %v", args, err)
			}
			if !strings.Contains(text, device) || !strings.Contains(text, "maximum") {
				t.Errorf("%v says %s", args, text)
			}
		}
		a.refused("chart", map[string]any{"device": device, "datasource": "Pong"}, "Pong", "Ping")
		a.refused("chart", map[string]any{"device": "no such device", "datasource": "Ping"}, "no such device")
		a.refused("chart", nil, "alert_id")
	})
}

// diff is the result of preview_change.
type diff struct {
	Handle  string
	Summary string
	Object  string
	Fields  []struct{ Name, Kind, Was, Now string }
	Removes []struct {
		Label string
		Count int
	} `json:"removes_with_it"`
	Bin bool `json:"kept_in_recycle_bin"`
}

type done struct {
	Status int
	ID     string
	Undo   string
	Handle string `json:"undo_handle"`
}

func TestChangeIsPreviewedConfirmedAndUndone(t *testing.T) {
	each(t, true, func(t *testing.T, a *agent) {
		path := "/api/device/devices/7?fields=description"
		was := demo.mustAsk(t, "GET", path, "")
		var shown diff
		text := a.do("preview_change", map[string]any{"method": "PATCH", "path": "/device/devices/7",
			"body": map[string]any{"description": "changed by an agent"}}, &shown)
		if !strings.Contains(text, "Nothing has been sent") || len(shown.Fields) != 1 ||
			shown.Fields[0].Name != "description" ||
			shown.Fields[0].Now != `"changed by an agent"` || demo.mustAsk(t, "GET", path, "") != was {
			t.Errorf("%s %+v", text, shown)
		}
		var sent done
		a.do("confirm_change", map[string]any{"handle": shown.Handle}, &sent)
		if now := demo.mustAsk(t, "GET", path, ""); !strings.Contains(now, "changed by an agent") ||
			sent.Status != 200 ||
			!strings.Contains(sent.Undo, "restore description") {
			t.Errorf("%s %+v", now, sent)
		}
		a.refused("confirm_change", map[string]any{"handle": shown.Handle}, "sent already")
		a.do("undo_change", map[string]any{"handle": sent.Handle}, nil)
		if now := demo.mustAsk(t, "GET", path, ""); now != was {
			t.Errorf("it is %s, was %s", now, was)
		}
		a.refused("undo_change", map[string]any{"handle": sent.Handle}, "undone already")
		entry := demo.mustAsk(t, "GET", "/api/setting/accesslogs?sort=-id&size=1&fields=username,client,action", "")
		if !strings.Contains(entry, `"client":"Spyglass/test (MCP; test-agent 7.1)"`) || !strings.Contains(entry,
			`"username":"admin"`) {
			t.Errorf("the audit log says %s", entry)
		}

		// created and deleted
		shown, sent = diff{}, done{}
		a.do("preview_change", map[string]any{"method": "POST", "path": "/device/groups",
			"body": map[string]any{"name": "Made by an agent", "parentId": 1}}, &shown)
		a.do("confirm_change", map[string]any{"handle": shown.Handle}, &sent)
		created := sent
		group := "/api/device/groups/" + created.ID
		demo.mustAsk(t, "GET", group, "")
		a.do("undo_change", map[string]any{"handle": created.Handle}, nil)
		if status, _ := demo.request(t, "GET", group, ""); status != 404 {
			t.Errorf("the group returned %d after the undo", status)
		}
		shown = diff{}
		a.do("preview_change", map[string]any{"method": "DELETE", "path": "/device/devices/7"}, &shown)
		if !shown.Bin || shown.Object == "" || len(shown.Removes) == 0 || !strings.Contains(shown.Summary,
			"and with it") {
			t.Errorf("%+v", shown)
		}
		a.do("confirm_change", map[string]any{"handle": shown.Handle}, &sent)
		if status, _ := demo.request(t, "GET", "/api/device/devices/7", ""); status != 404 {
			t.Errorf("the device returned %d after the DELETE", status)
		}
		a.do("undo_change", map[string]any{"handle": sent.Handle}, nil)
		demo.mustAsk(t, "GET", "/api/device/devices/7", "")
	})
}

func TestChangeOfAModifiedObjectIsRefused(t *testing.T) {
	each(t, true, func(t *testing.T, a *agent) {
		var shown diff
		preview := map[string]any{"method": "PATCH", "path": "/device/devices/8",
			"body": map[string]any{"description": "mine"}}
		a.do("preview_change", preview, &shown)
		demo.mustAsk(t, "PATCH", "/api/device/devices/8", `{"description":"theirs"}`)
		a.refused("confirm_change", map[string]any{"handle": shown.Handle}, "has changed")
		var sent done
		a.do("preview_change", preview, &shown)
		a.do("confirm_change", map[string]any{"handle": shown.Handle}, &sent)
		demo.mustAsk(t, "PATCH", "/api/device/devices/8", `{"description":"theirs"}`)
		a.refused("undo_change", map[string]any{"handle": sent.Handle}, "changed since")
		demo.mustAsk(t, "PATCH", "/api/device/devices/8", `{"description":""}`)
	})
}

func TestAgentsCannotReadSecrets(t *testing.T) {
	each(t, true, func(t *testing.T, a *agent) {
		a.refused("preview_change", map[string]any{"method": "POST", "path": "/setting/admins/1/apitokens",
			"body": map[string]any{"note": "mine"}}, "secret", "nothing was sent")
		a.refused("call_endpoint", map[string]any{"path": "/" + demo.token(t, "admin")}, "404", "***")
		var got json.RawMessage
		a.do("call_endpoint", map[string]any{"path": "/setting/admins/1/apitokens"}, &got)
		if token := demo.token(t, "admin"); strings.Contains(string(got), token) || strings.Contains(demo.log.String(),
			token) {
			t.Error("the token is in a result or in the log")
		}
	})
}

func TestReadOnlyServerRefusesChanges(t *testing.T) {
	a := demo.connect(t, demo.token(t, "admin"), false)
	if _, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "confirm_change",
		Arguments: map[string]any{"handle": "x"}}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
		t.Errorf("confirm_change returned %v", err)
	}
	// an administrator turns it off while an agent is connected
	demo.allowWrites(t, true)
	token := demo.token(t, "admin")
	b := demo.connectHTTP(t, &token)
	var shown diff
	preview := map[string]any{"method": "PATCH", "path": "/device/devices/9",
		"body": map[string]any{"description": "x"}}
	b.do("preview_change", preview, &shown)
	demo.allowWrites(t, false)
	b.refused("confirm_change", map[string]any{"handle": shown.Handle}, "read-only", "agentsMayWrite")
	b.refused("preview_change", preview, "read-only")
}

func TestRevokedTokenIsRefused(t *testing.T) {
	made := demo.mustAsk(t, "POST", "/api/setting/admins/1/apitokens", `{"note":"of an agent"}`)
	var token struct {
		ID     int
		Bearer string
	}
	if err := json.Unmarshal([]byte(made), &token); err != nil {
		t.Fatal(err)
	}
	a, b := demo.connect(t, token.Bearer, false), demo.connectHTTP(t, &token.Bearer)
	args := map[string]any{"path": "/device/devices", "query": map[string]any{"size": 1}}
	a.do("call_endpoint", args, nil)
	b.do("call_endpoint", args, nil)
	demo.mustAsk(t, "DELETE", fmt.Sprintf("/api/setting/admins/1/apitokens/%d", token.ID), "")
	a.refused("call_endpoint", args, "401", "token")
	if _, err := b.CallTool(t.Context(), &sdk.CallToolParams{Name: "call_endpoint", Arguments: args}); err == nil ||
		!strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("over HTTP, a revoked token gives %v", err)
	}
}

func TestRoleWithoutThePermissionIsRefused(t *testing.T) {
	demo.allowWrites(t, true)
	defer demo.allowWrites(t, false)
	token := demo.token(t, "viewer")
	for _, a := range []*agent{demo.connect(t, token, true), demo.connectHTTP(t, &token)} {
		a.do("call_endpoint", map[string]any{"path": "/device/devices/7"}, nil)
		var shown diff
		a.do("preview_change", map[string]any{"method": "PATCH", "path": "/device/devices/7",
			"body": map[string]any{"description": "x"}}, &shown)
		a.refused("confirm_change", map[string]any{"handle": shown.Handle}, "403", "permission")
		a.refused("call_endpoint", map[string]any{"path": "/setting/admins"}, "403", "permission")
	}
}

func TestHandleBelongsToOneUser(t *testing.T) {
	demo.allowWrites(t, true)
	defer demo.allowWrites(t, false)
	admin, operator := demo.token(t, "admin"), demo.token(t, "operator")
	var shown diff
	demo.connectHTTP(t, &admin).do("preview_change", map[string]any{"method": "PATCH", "path": "/device/devices/9",
		"body": map[string]any{"description": "x"}}, &shown)
	demo.connectHTTP(t, &operator).refused("confirm_change", map[string]any{"handle": shown.Handle}, "no preview")
}

func TestRateLimitErrorSaysHowLongToWait(t *testing.T) {
	h, err := open(filepath.Join(t.TempDir(), "data"), server.Options{NoHistory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	h.mustAsk(t, "PATCH", "/api/setting/portal", `{"rateLimitGet":10}`)
	token := h.token(t, "admin")
	for _, a := range []*agent{h.connect(t, token, false), h.connectHTTP(t, &token)} {
		args := map[string]any{"path": "/device/groups"}
		for range 11 {
			if _, _, failed := a.call("call_endpoint", args); failed {
				break
			}
		}
		a.refused("call_endpoint", args, "429", "try again in", "Wait ")
	}
}

// post sends a message to /mcp, with headers in pairs.
func (h *fixture) post(t *testing.T, method, token, body string, headers ...string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, h.app.Origin()+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	return http.DefaultClient.Do(r)
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func TestOnlyTokensAndSameOriginPagesAreAccepted(t *testing.T) {
	good := "Bearer " + demo.token(t, "admin")
	for _, tt := range []struct {
		name, method, token, body string
		headers                   []string
		want                      int
	}{
		{"a token", "POST", good, initialize, nil, 200},
		{"no token", "POST", "", initialize, nil, 401},
		{"a wrong token", "POST", "Bearer wrong", initialize, nil, 401},
		{"a signature", "POST", "LMv1 a:b:c", initialize, nil, 401},
		{"a foreign page", "POST", good, initialize, []string{"Origin", "https://evil.example"}, 403},
		{"a page of another site", "POST", good, initialize, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a rebound name", "POST", good, initialize, []string{"Host", "evil.example"}, 403},
		{"a form", "POST", good, initialize, []string{"Content-Type", "text/plain"}, 415},
		{"too much", "POST", good, strings.Repeat(" ", 1<<20) + initialize, nil, 413},
		{"a stream", "GET", good, "", nil, 405},
		{"an unknown session", "POST", good, initialize, []string{"Mcp-Session-Id", "x"}, 404},
	} {
		response, err := demo.post(t, tt.method, tt.token, tt.body, tt.headers...)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != tt.want {
			t.Errorf("%s returned %d, want %d", tt.name, response.StatusCode, tt.want)
		}
		if response.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s gets a CORS header", tt.name)
		}
	}
}

func TestSessionBelongsToOneUserAndSessionsAreLimited(t *testing.T) {
	begin := func(user string) string {
		response, err := demo.post(t, "POST", "Bearer "+demo.token(t, user), initialize)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != 200 {
			t.Fatalf("initialize returned %d", response.StatusCode)
		}
		return response.Header.Get("Mcp-Session-Id")
	}
	ping := func(user, session string) int {
		response, err := demo.post(t, "POST", "Bearer "+demo.token(t, user), `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
			"Mcp-Session-Id", session)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	first := begin("viewer")
	if got := []int{ping("viewer", first), ping("admin", first)}; !reflect.DeepEqual(got, []int{200, 404}) {
		t.Errorf("the session returned %v", got)
	}
	var last string
	for range 20 {
		last = begin("viewer")
	}
	if got := []int{ping("viewer", first), ping("viewer", last)}; !reflect.DeepEqual(got, []int{404, 200}) {
		t.Errorf("after 20 more sessions, the first and the last returned %v", got)
	}
	response, err := demo.post(t, "DELETE", "Bearer "+demo.token(t, "viewer"), "", "Mcp-Session-Id", last)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := ping("viewer", last); got != 404 {
		t.Errorf("a session that has ended returned %d", got)
	}
}

func TestPortalWithoutOpenAPICanBeRead(t *testing.T) {
	const token = "a-token-that-is-long"
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/rest/things" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, `{"items":[{"id":1,"password":"hunter2"}],"sent":%q}`, r.Header.Get("Authorization"))
	}))
	defer portal.Close()
	h := &fixture{log: demo.log}
	a := h.connectTo(t, mcp.Stdio{Portal: portal.URL + "/rest", Token: token, Writes: true})
	var got json.RawMessage
	text := a.do("call_endpoint", map[string]any{"path": "/things"}, &got)
	if strings.Contains(string(got)+text, token) || strings.Contains(string(got), "hunter2") ||
		!strings.Contains(string(got), `"id":1`) {
		t.Errorf("a portal that returns the token is shown as %s", got)
	}
	a.refused("search_endpoints", map[string]any{"query": "things"}, "no OpenAPI document")
	a.refused("preview_change", map[string]any{"method": "DELETE", "path": "/things/1"}, "no OpenAPI document")
}

func TestCertificateInTheDataFolderIsTrusted(t *testing.T) {
	folder := t.TempDir()
	cert, key := selfSigned(t, folder)
	h, err := open(filepath.Join(folder, "data"), server.Options{NoHistory: true, TLSCert: cert, TLSKey: key})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	at, err := server.Running(h.folder)
	if err != nil || at.Origin != h.app.Origin() || len(at.Fingerprint) != 64 {
		t.Fatalf("it runs at %+v, %v", at, err)
	}
	token := h.token(t, "admin")
	a := h.connectTo(t, mcp.Stdio{Portal: at.Origin, Fingerprint: at.Fingerprint, Token: token})
	a.do("call_endpoint", map[string]any{"path": "/setting/version"}, nil)
	b := h.connectTo(t, mcp.Stdio{Portal: at.Origin, Fingerprint: strings.Repeat("0", 64), Token: token})
	b.refused("call_endpoint", map[string]any{"path": "/setting/version"}, "certificate")
}
