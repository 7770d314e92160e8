package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/agent"
	"spyglass/backend/check"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// until repeats a request until the response contains want, or the time is up.
func (w *fixture) until(who, request, want string) string {
	w.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		_, response := w.request(who, request, "")
		if strings.Contains(response, want) {
			return response
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%s returns %s, without %s", request, response, want)
		}
		time.Sleep(150 * time.Millisecond)
	}
}

// newCollector adds a collector (2) with a device (4) that has an open port, and
// returns an installation token.
func (w *fixture) newCollector() (installation string) {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	w.must("POST /setting/collectors", `{"description":"Probe"}`)
	w.must("POST /device/devices", fmt.Sprintf(`{"name":"127.0.0.1","displayName":"probed","hostGroupIds":"2",`+
		`"preferredCollectorId":2,"customProperties":[{"name":"tcp.port","value":%q},{"name":"snmp.community",`+
		`"value":"s3cret"}]}`, port))
	_, response := w.request("admin", "POST /setting/collectors/2/downloadToken", "")
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(response), &made); err != nil || made.Token == "" {
		w.t.Fatalf("the token is %s", response)
	}
	return made.Token
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func TestCollectorRegistersPollsAndPosts(t *testing.T) {
	t.Parallel() // mostly waits
	w := newFixture(t)
	token := w.newCollector()
	w.until("admin", `GET /device/devices/4/instances?filter=name:"TCP_Port"&fields=name`, `"total":1`)
	w.must("POST /setting/datasources", `{"name":"Fast_Port","appliesTo":"hasProperty(\"tcp.port\")",`+
		`"collectMethod":"tcp","collectInterval":1,"collectorAttribute":{"port":"##tcp.port##"},`+
		`"dataPoints":[{"name":"open","rawDataFieldName":"status"}]}`)
	w.until("admin", `GET /device/devices/4/instances?filter=name:"Fast_Port"&fields=name`, `"total":1`)
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- agent.Run(ctx, agent.Options{Folder: folder, Portal: w.s.Origin(), Token: token, Version: "test",
			Log: quiet()})
	}()
	w.until("admin", "GET /setting/collectors/2?fields=status,build,isDown", `{"status":1,"build":"test",`+
		`"isDown":false}`)
	if _, response := w.request("admin", `GET /device/devices/4/instances?filter=name:"Ping"&fields=lastDataOn`,
		""); !strings.Contains(response, `"items":[{"lastDataOn":0}]`) {
		t.Errorf("what was never measured returns %s", response)
	}
	w.hasSamples(4)
	if _, response := w.request("admin", `GET /device/devices/4/instances?filter=name:"Fast_Port"&fields=lastDataOn`,
		""); !strings.Contains(response, fmt.Sprintf(`"lastDataOn":%d`, time.Now().Unix()/1000)) {
		t.Errorf("what was measured returns %s", response)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the collector ends with %v", err)
	}
	if err := agent.Run(t.Context(), agent.Options{Folder: t.TempDir(), Portal: w.s.Origin(), Token: token,
		Log: quiet()}); err == nil || err.Error() != "the portal responded: the API token is not valid" {
		t.Errorf("a token that was used gives %v", err)
	}
	ctx, stop = context.WithCancel(t.Context())
	go func() { ended <- agent.Run(ctx, agent.Options{Folder: folder, Log: quiet()}) }() // with its stored registration
	if status, response := w.request("admin", "DELETE /device/devices/4?deleteHard=true", ""); status != 200 {
		t.Fatal(response)
	}
	if status, response := w.request("admin", "DELETE /setting/collectors/2", ""); status != 200 {
		t.Fatal(response)
	}
	// a request that the portal had accepted by then may find no collector
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the API token is not valid") &&
		!strings.Contains(err.Error(), "there is no collector 2") {
		t.Errorf("a collector that was deleted ends with %v", err)
	}
	stop()
}

func TestCollectorClockCanBeWrong(t *testing.T) {
	for _, off := range []time.Duration{-240 * time.Second, 360 * time.Second} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel() // mostly waits
			w := newFixture(t)
			token := w.newCollector()
			w.must("POST /setting/datasources", `{"name":"Fast_Port","appliesTo":"hasProperty(\"tcp.port\")",`+
				`"collectMethod":"tcp","collectInterval":1,"collectorAttribute":{"port":"##tcp.port##"},`+
				`"dataPoints":[{"name":"open","rawDataFieldName":"status","alertExpr":"> 0"}]}`)
			w.until("admin", `GET /device/devices/4/instances?filter=name:"Fast_Port"&fields=name`, `"total":1`)
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				ended <- agent.Run(ctx, agent.Options{Folder: t.TempDir(), Portal: w.s.Origin(), Token: token,
					Version: "test", Log: quiet(), Clock: func() time.Time { return time.Now().Add(off) }})
			}()
			// late results raise no alerts
			w.until("admin", `GET /alert/alerts?filter=dataPointName:"open"&fields=dataPointName`, `"total":1`)
			response := w.until("admin", "GET /setting/collectors/2?fields=clockOffset,refusedResults",
				fmt.Sprintf(`"clockOffset":%d,`, int(off.Seconds())))
			if !strings.Contains(response, `"refusedResults":0`) {
				t.Errorf("the collector is %s", response)
			}
			_, response = w.request("admin",
				`GET /device/devices/4/instances?filter=name:"Fast_Port"&fields=lastDataOn`, "")
			var list struct{ Items []struct{ LastDataOn int64 } }
			if err := json.Unmarshal([]byte(response), &list); err != nil || len(list.Items) != 1 ||
				time.Since(time.Unix(list.Items[0].LastDataOn, 0)).Abs() > time.Minute {
				t.Errorf("it was last measured: %s (%v)", response, err)
			}
			stop()
			if err := <-ended; err != nil {
				t.Errorf("the collector ends with %v", err)
			}
		})
	}
}

func TestFutureResultsAreRefusedCountedAndReported(t *testing.T) {
	w := newFixture(t)
	w.newCollector()
	now := time.Now().Unix()
	body := fmt.Sprintf(`{"results":[{"instanceId":1,"at":%d,"values":{}},{"instanceId":1,"at":%d,"values":{}}]}`,
		now, now+900)
	if _, response := w.request("admin", "POST /setting/collectors/2/samples",
		body); response != `{"taken":1,"refused":1}` {
		t.Errorf("it returns %s", response)
	}
	_, response := w.request("admin", "GET /setting/collectors/2?fields=clockOffset,refusedResults", "")
	var is struct{ ClockOffset, RefusedResults int64 }
	if err := json.Unmarshal([]byte(response), &is); err != nil || is.RefusedResults != 1 || is.ClockOffset < 895 ||
		is.ClockOffset > 900 {
		t.Errorf("the collector is %s (%v)", response, err)
	}
	w.request("admin", "POST /setting/collectors/2/samples", strings.ReplaceAll(body, fmt.Sprint(now+900),
		fmt.Sprint(now)))
	if _, response := w.request("admin", "GET /setting/collectors/2?fields=clockOffset,refusedResults",
		""); response != `{"clockOffset":0,"refusedResults":1}` {
		t.Errorf("once its clock is right the collector is %s", response)
	}
}

func TestInstallingACollectorNeedsViewOfItsDevices(t *testing.T) {
	w := newFixture(t)
	token := w.newCollector()
	w.change("admin", "PATCH /device/devices/4", `{"hostGroupIds":"4"}`) // a group that the clerk may not view
	for _, request := range []string{"POST /setting/collectors/2/downloadToken",
		"GET /setting/collectors/2/installers/Linux64"} {
		if status, response := w.request("clerk", request, ""); status != 403 ||
			!strings.Contains(response, "you need View access to all devices of collector 2") {
			t.Errorf("%s returns %d %s", request, status, response)
		}
	}
	register := func(token string) {
		t.Helper()
		w.bearers["installer"] = token
		if status, response := w.request("installer", "POST /setting/collectors/2/register",
			`{"hostname":"probe","platform":"linux","arch":"amd64","build":"1"}`); status != 200 {
			t.Fatal(response)
		}
	}
	const alerts = `GET /alert/alerts?filter=condition:"credential"&fields=condition`
	register(token)
	if _, response := w.request("admin", alerts, ""); !strings.Contains(response, `"total":0`) {
		t.Errorf("the first time there is %s", response)
	}
	_, response := w.request("admin", "POST /setting/collectors/2/downloadToken", "")
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(response), &made); err != nil {
		t.Fatal(err)
	}
	register(made.Token)
	if _, response := w.request("admin", alerts, ""); !strings.Contains(response, `"total":1`) {
		t.Errorf("the second time there is %s", response)
	}
	if _, response := w.request("admin", `GET /setting/accesslogs?filter=action~"credential"&fields=action`,
		""); !strings.Contains(response, `"total":1`) {
		t.Errorf("in the log there is %s", response)
	}
}

func TestCollectorDiscoversInstancesOfItsDevices(t *testing.T) {
	t.Parallel() // mostly waits
	w := newFixture(t)
	token := w.newCollector()
	w.change("admin", "PATCH /device/devices/4?opType=add", `{"customProperties":[{"name":"system.categories",`+
		`"value":"snmp"}]}`)
	const search = `"dataSource":"SNMP_Interfaces","method":"snmp"`
	if response := w.until("admin", "GET /setting/collectors/2/searches", search); !strings.Contains(response,
		`"snmp.community":"********"`) {
		t.Errorf("an administrator reads %s", response)
	}
	before := w.until("admin", `GET /device/devices/4/devicedatasources?filter=dataSourceName:"SNMP_Interfaces"&`+
		`fields=id,instanceNumber`, `"total":1`)
	if !strings.Contains(before, `"instanceNumber":0`) {
		t.Errorf("before the collector has looked there are %s", before)
	}
	community := make(chan string, 1)
	find := func(_ context.Context, s check.Search) ([]check.Found, error) {
		select {
		case community <- s.Properties["snmp.community"] + fmt.Sprint(s.Attributes["OID"]):
		default: // already received
		}
		return []check.Found{{WildValue: "2", DisplayName: "eth9", Description: "of " + s.Host}}, nil
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- agent.Run(ctx, agent.Options{Folder: t.TempDir(), Portal: w.s.Origin(), Token: token, Version: "test",
			Log: quiet(), Checks: []check.Check{{Name: "snmp", Find: find}}})
	}()
	w.until("admin", `GET /device/devices/4/instances?filter=name:"SNMP_Interfaces-eth9"&fields=wildValue,description`,
		`"items":[{"wildValue":"2","description":"of 127.0.0.1"}]`)
	if got := <-community; got != "s3cret.1.3.6.1.2.1.2.2.1.2" {
		t.Errorf("the collector knows %q", got)
	}
	w.until("admin", "GET /setting/collectors/2/searches", `{"total":0,"searchId":null,"items":[],"data":null}`)
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the collector ends with %v", err)
	}
	// Starts another discovery, which only this test responds to.
	w.change("admin", "POST /device/devices/4/scheduleAutoDiscovery", "")
	var waiting struct{ Items []struct{ ID int64 } }
	if err := json.Unmarshal([]byte(w.until("admin", "GET /setting/collectors/2/searches", search)),
		&waiting); err != nil || len(waiting.Items) != 1 {
		t.Fatal(waiting, err)
	}
	id := waiting.Items[0].ID
	many := strings.Repeat(`{"wildValue":"1","displayName":"a"},`, 10_000) + `{"wildValue":"1","displayName":"a"}`
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{fmt.Sprintf(`{"id":%d,"found":[%s]}`, id, many), 400, "found can have at most 10,000 instances"},
		{fmt.Sprintf(`{"id":%d,"found":[{"wildValue":"1","displayName":"a\u0000"}]}`, id), 400,
			"found[0].displayName must be one line of at most 255 characters"},
		{`{"id":1,"found":[{"wildValue":"1","displayName":"not requested"}]}`, 200, `{"taken":0}`},
		{fmt.Sprintf(`{"id":%d,"found":[],"error":"no SNMP agent responds"}`, id), 200, `{"taken":1}`},
		{fmt.Sprintf(`{"id":%d,"found":[]}`, id), 200, `{"taken":0}`},
	} {
		if status, response := w.request("admin", "POST /setting/collectors/2/findings",
			tt.body); status != tt.status ||
			!strings.Contains(response, tt.want) {
			t.Errorf("%.60s returns %d %s, want %d %s", tt.body, status, response, tt.status, tt.want)
		}
	}
	if _, response := w.request("admin", `GET /device/devices/4/instances?filter=name~"SNMP_Interfaces"&fields=name`,
		""); !strings.Contains(response, "SNMP_Interfaces-eth9") || strings.Contains(response, "not requested") {
		t.Errorf("a search without a response leaves %s", response)
	}
}

// hasSamples waits until the port of a device has samples.
func (w *fixture) hasSamples(device int) {
	w.t.Helper()
	var list struct {
		Items []struct{ ID, DeviceDataSourceID int64 }
	}
	_, response := w.request("admin", fmt.Sprintf(`GET /device/devices/%d/instances?filter=name:"Fast_Port"&fields=id,`+
		`deviceDataSourceId`, device), "")
	if err := json.Unmarshal([]byte(response), &list); err != nil || len(list.Items) != 1 {
		w.t.Fatal(response)
	}
	w.until("admin", fmt.Sprintf("GET /device/devices/%d/devicedatasources/%d/instances/%d/data", device,
		list.Items[0].DeviceDataSourceID, list.Items[0].ID), `"values":[[1`)
}

// cut is a connection to the portal that a test can interrupt.
type cut struct{ atomic.Bool }

func (c *cut) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.Load() {
		return nil, errors.New("the line is cut")
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestSamplesBufferedDuringFailoverFillTheGap(t *testing.T) {
	t.Parallel() // mostly waits
	w := newFixture(t)
	token := w.newCollector()
	if status, response := w.request("admin", "PATCH /setting/collectors/2",
		`{"backupAgentId":1,"enableFailBack":false}`); status != 200 {
		t.Fatal(response)
	}
	w.must("POST /setting/datasources", `{"name":"Fast_Port","appliesTo":"hasProperty(\"tcp.port\")",`+
		`"collectMethod":"tcp","collectInterval":1,"collectorAttribute":{"port":"##tcp.port##"},`+
		`"dataPoints":[{"name":"open","rawDataFieldName":"status"}]}`)
	w.until("admin", `GET /device/devices/4/instances?filter=name:"Fast_Port"&fields=name`, `"total":1`)
	folder, line := t.TempDir(), &cut{}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- agent.Run(ctx, agent.Options{Folder: folder, Portal: w.s.Origin(), Token: token, Version: "test",
			Log: quiet(), Client: &http.Client{Transport: line}})
	}()
	w.hasSamples(4)
	line.Store(true)
	waiting := func() int {
		files, err := filepath.Glob(filepath.Join(folder, "waiting", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	w.holds("batches wait", func() bool { return waiting() >= 3 })
	// The portal marks the collector down, and its backup takes over the device. Then an open port raises an alert.
	if err := w.s.DB().Write(t.Context(), func(tx resource.Tx) error {
		c, err := resource.Get(t.Context(), tx, collector.Collectors.Name, 2)
		if err != nil {
			return err
		}
		d, err := resource.Get(t.Context(), tx, fleet.Devices.Name, 4)
		if err != nil {
			return err
		}
		c.IsDown, c.LastHeartbeatOn, d.CurrentCollector = true, 1, ground.BuiltInCollector
		return errors.Join(resource.Put(t.Context(), tx, collector.Collectors.Name, c),
			resource.Put(t.Context(), tx, fleet.Devices.Name, d))
	}); err != nil {
		t.Fatal(err)
	}
	if status, response := w.request("admin", "PATCH /setting/datasources/103", `{"dataPoints":[{"name":"open",`+
		`"rawDataFieldName":"status","alertExpr":"> 0"}]}`); status != 200 {
		t.Fatal(response)
	}
	before := w.lastData()
	line.Store(false)
	w.holds("what waited is taken", func() bool { return waiting() == 0 && w.lastData() >= before+2 })
	if _, response := w.request("admin", `GET /alert/alerts?filter=cleared:"*",type:"dataSourceAlert"`,
		""); !strings.Contains(response, `"total":0`) {
		t.Errorf("alerts are raised late: %s", response)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the collector ends with %v", err)
	}
}

// lastData returns the time of the last data of device 4's Fast_Port.
func (w *fixture) lastData() int64 {
	w.t.Helper()
	var list struct{ Items []struct{ LastDataOn int64 } }
	_, response := w.request("admin", `GET /device/devices/4/instances?filter=name:"Fast_Port"&fields=lastDataOn`, "")
	if err := json.Unmarshal([]byte(response), &list); err != nil || len(list.Items) != 1 {
		w.t.Fatal(response)
	}
	return list.Items[0].LastDataOn
}

// holds waits until the condition is true, or the time is up.
func (w *fixture) holds(what string, so func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("after 30 seconds it is not so that %s", what)
		}
	}
}

func TestCollectorTokenHasNoOtherPermissions(t *testing.T) {
	w := newFixture(t)
	token := w.newCollector()
	w.until("admin", "GET /device/devices/4/instances?fields=name", "TCP_Port")
	w.bearers["installer"] = token
	status, response := w.request("installer", "POST /setting/collectors/2/register", `{"hostname":"probe-1",`+
		`"platform":"linux","arch":"amd64","build":"1"}`)
	var made struct{ Token string }
	if err := json.Unmarshal([]byte(response), &made); err != nil || status != 200 {
		t.Fatalf("%d %s", status, response)
	}
	w.bearers["collector"] = made.Token
	denied := func(right string) string { return "your role does not have the permission " + right }
	for _, tt := range []struct {
		who, request, body string
		status             int
		want               string
	}{
		{"installer", "POST /setting/collectors/2/register", "{}", 401, "the API token is not valid"},
		{"collector", "POST /setting/collectors/2/heartbeat", `{}`, 200, ""},
		{"collector", "GET /setting/collectors/2/assignments", "", 200, `"snmp.community":"s3cret"`},
		{"admin", "GET /setting/collectors/2/assignments", "", 200, `"snmp.community":"********"`},
		{"collector", "GET /setting/collectors/1/assignments", "", 403, "the token belongs to collector 2"},
		{"collector", "GET /setting/collectors/1/searches", "", 403, "the token belongs to collector 2"},
		{"collector", "POST /setting/collectors/1/findings", `{"id":1,"found":[]}`, 403,
			"the token belongs to collector 2"},
		{"collector", "GET /setting/collectors/2", "", 403, denied("read on settings: collectors")},
		{"collector", "GET /device/devices", "", 403, denied("read on deviceGroup")},
		{"collector", "GET /setting/collectors/2/installers/Linux64/program", "", 403,
			denied("write on settings: installing")},
		{"clerk", "GET /setting/collectors/2/assignments", "", 403, denied("write on settings: collecting")},
		{"clerk", "GET /setting/collectors/2/installers", "", 200, `"osAndArch":"Linux64"`},
		{"admin", "GET /setting/collectors/1/installers", "", 200, `"osAndArch":"Linux64"`},
		{"admin", "GET /setting/collectors/1/installers/Linux64", "", 400, "collector 1 is built into the portal"},
		{"admin", "GET /setting/collectors/9/installers", "", 404, "there is no collector 9"},
		{"admin", "GET /setting/collectors/2/installers/Amiga", "", 404, "there are installers for Linux64, Win64 " +
			"and Darwin64 only"},
		{"collector", "POST /setting/collectors/2/samples", `{"results":[{"instanceId":999,"at":1,` +
			`"values":{"status":1}}]}`, 200, `{"taken":1}`},
		{"collector", "POST /setting/collectors/2/samples", `{"results":[{"instanceId":1,"at":99999999999,` +
			`"values":{}}]}`, 200, `{"taken":0,"refused":1}`},
		{"collector", "POST /setting/collectors/2/samples", `{"results":[{"instanceId":1,"at":"x"}]}`, 400, ""},
		{"collector", "POST /setting/collectors/2/register", `{}`, 403, denied("write on settings: installing")},
	} {
		if status, response := w.request(tt.who, tt.request, tt.body); status != tt.status ||
			!strings.Contains(response, tt.want) {
			t.Errorf("%s %s %s\n got %d %s\nwant %d %s", tt.who, tt.request, tt.body, status, response,
				tt.status, tt.want)
		}
	}
}

func TestInstallerInstallsACollector(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("curl is missing; go run ./build test installs it")
	}
	w := newFixture(t)
	w.newCollector()
	c := &client{t: t, origin: w.s.Origin(), bearer: w.bearers["admin"], http: http.DefaultClient}
	status, script, err := c.request("GET", "/api/setting/collectors/2/installers/linux64", "")
	if err != nil || status != 200 {
		t.Fatalf("%d %s (%v)", status, script, err)
	}
	folder := filepath.Join(t.TempDir(), "it's here")
	sh := exec.CommandContext(t.Context(), "sh")
	sh.Stdin, sh.Env = strings.NewReader(string(script)), append(os.Environ(), "SPYGLASS_FOLDER="+folder,
		childCollector+"=1")
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("the script says %s (%v)", out, err)
	}
	if _, response := w.request("admin", "GET /setting/collectors/2?fields=status,platform",
		""); !strings.Contains(response,
		`"status":1`) {
		t.Errorf("the collector is %s", response)
	}
	info, err := os.Stat(filepath.Join(folder, "data", "collector.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the credential lies as %v (%v)", info, err)
	}
}

// childCollector is an environment variable that makes the test binary run a collector, with
// the command line of the real program.
const childCollector = "SPYGLASS_TEST_COLLECTOR"

func collectAsChild(args []string) error {
	o := agent.Options{Version: "test", Log: quiet()}
	for i := 0; i+1 < len(args); i++ {
		switch args[i] {
		case "--data":
			o.Folder = args[i+1]
		case "--portal":
			o.Portal = args[i+1]
		}
	}
	token, err := io.ReadAll(os.Stdin)
	o.Token, o.Once = string(token), true
	if err != nil || !strings.HasSuffix(strings.Join(args, " "), "--token - --register") {
		return fmt.Errorf("the arguments are %q (%w)", args, err)
	}
	return agent.Run(context.Background(), o)
}

func TestTwoCollectorsOfABalancedGroupShareItsDevices(t *testing.T) {
	t.Parallel() // mostly waits
	w := newFixture(t)
	w.must("POST /setting/collectors/groups", `{"name":"Probes","autoBalance":true}`)
	first := w.newCollector()
	w.must("POST /setting/collectors", `{"description":"Second","collectorGroupId":2}`)
	if status, response := w.request("admin", "PATCH /setting/collectors/2", `{"collectorGroupId":2}`); status != 200 {
		t.Fatal(response)
	}
	_, response := w.request("admin", "GET /device/devices/4?fields=customProperties", "")
	_, port, _ := strings.Cut(response, `"tcp.port","value":"`)
	port, _, _ = strings.Cut(port, `"`)
	w.must("POST /device/devices", fmt.Sprintf(`{"name":"127.0.0.1","displayName":"other","preferredCollectorId":2,`+
		`"customProperties":[{"name":"tcp.port","value":%q}]}`, port))
	w.must("POST /setting/datasources", `{"name":"Fast_Port","appliesTo":"hasProperty(\"tcp.port\")",`+
		`"collectMethod":"tcp","collectInterval":1,"collectorAttribute":{"port":"##tcp.port##"},`+
		`"dataPoints":[{"name":"open","rawDataFieldName":"status"}]}`)
	var token struct{ Token string }
	_, response = w.request("admin", "POST /setting/collectors/3/downloadToken", "")
	if err := json.Unmarshal([]byte(response), &token); err != nil || token.Token == "" {
		t.Fatalf("the token is %s", response)
	}
	for _, device := range []string{"4", "5"} {
		w.until("admin", "GET /device/devices/"+device+`/instances?filter=name:"Fast_Port"&fields=name`, `"total":1`)
	}
	var begin []agent.Options
	for _, token := range []string{first, token.Token} {
		o := agent.Options{Folder: t.TempDir(), Portal: w.s.Origin(), Token: token, Version: "test", Once: true,
			Log: quiet()}
		if err := agent.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		o.Token, o.Once = "", false
		begin = append(begin, o)
	}
	w.until("admin", "GET /device/devices?filter=currentCollectorId:3&fields=id", `"total":1`)
	w.until("admin", "GET /device/devices?filter=currentCollectorId:2&fields=id", `"total":1`)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, len(begin))
	for _, o := range begin {
		go func() { ended <- agent.Run(ctx, o) }()
	}
	w.hasSamples(4)
	w.hasSamples(5)
	stop()
	for range begin {
		if err := <-ended; err != nil {
			t.Errorf("a collector ends with %v", err)
		}
	}
}
