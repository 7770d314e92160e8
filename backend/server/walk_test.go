package server_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/emersion/go-smtp" // the mail server that receives notifications
)

// inbox records the requests to a webhook and the mails to a mail server.
type inbox struct {
	came chan string // "hook …" and "mail …" with the important headers and the body
}

// ServeHTTP is the webhook; it accepts only signed requests.
func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	mac := hmac.New(sha256.New, []byte("walk"))
	mac.Write([]byte(r.Header.Get("X-Spyglass-Timestamp") + "." + string(body)))
	if err != nil || r.Header.Get("X-Spyglass-Signature") != "sha256="+hex.EncodeToString(mac.Sum(nil)) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	b.came <- "hook " + string(body)
}

func (b *inbox) NewSession(*smtp.Conn) (smtp.Session, error)   { return &mailing{b: b}, nil }
func (m *mailing) Mail(from string, _ *smtp.MailOptions) error { m.text = "from " + from; return nil }
func (m *mailing) Rcpt(to string, _ *smtp.RcptOptions) error   { m.text += " to " + to; return nil }
func (m *mailing) Reset()                                      {}
func (m *mailing) Logout() error                               { return nil }
func (m *mailing) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	m.b.came <- "mail " + m.text + "\n" + strings.ReplaceAll(string(text), "\r\n", "\n")
	return err
}

// mailing is a mail during its delivery.
type mailing struct {
	b    *inbox
	text string
}

// site is a web server that can restart on the same port.
type site struct {
	t       *testing.T
	address string
	server  *http.Server
}

func (s *site) start() {
	s.t.Helper()
	l, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = l.Addr().String()
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "welcome") })}
	s.server = server
	go func() { _ = server.Serve(l) }() // ends when the server is closed
}

func (s *site) stop() { _ = s.server.Close() }

// listenOn serves until the test ends.
func listenOn(t *testing.T, serve func(net.Listener) error, end func() error) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = serve(l) }() // ends when the server is closed
	t.Cleanup(func() { _ = end() })
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// A new user adds this machine and a web server, which stops and starts
// again. The alert opens and clears on the stream and in the list, the portal calls a
// webhook and sends a mail, and a report shows the alert.
func TestNewUserIsNotifiedOfAWebServerOutageAndRecovery(t *testing.T) {
	t.Parallel() // mostly waits
	box := &inbox{came: make(chan string, 100)}
	hook := &http.Server{Handler: box}
	hookPort := listenOn(t, hook.Serve, hook.Close)
	mail := smtp.NewServer(box)
	mail.Domain = "mail.example.net"
	mailPort := listenOn(t, mail.Serve, mail.Close)
	web := &site{t: t, address: "127.0.0.1:0"}
	web.start()
	defer web.stop()

	o := options(t)
	o.NoHistory = false // the portal must poll its instances
	s := start(t, o)
	w := &fixture{t: t, s: s, bearers: map[string]string{"admin": token(t, o, "admin")}}
	for _, id := range []int{3, 8} { // HTTP_Page and Host_Local
		w.change("admin", fmt.Sprint("PATCH /setting/datasources/", id), `{"collectInterval":1}`)
	}
	w.must("POST /setting/integrations", `{"name":"mail","type":"smtp","host":"127.0.0.1","port":`+mailPort+
		`,"security":"none","from":"spyglass@example.net"}`)
	w.must("POST /setting/integrations", `{"name":"duty","type":"http","url":"http://127.0.0.1:`+hookPort+
		`/","signingKey":"walk"}`)
	w.must("POST /setting/alert/chains", `{"name":"Everybody","destinations":[{"type":"single",`+
		`"stages":[[{"type":"ARBITRARY","method":"email","addr":"me@example.net"},{"type":"ARBITRARY",`+
		`"method":"duty","addr":"me"}]]}]}`)
	w.must("POST /setting/alert/rules", `{"name":"All","priority":1,"escalatingChainId":1}`)
	w.must("POST /device/devices", // avoids CPU alerts: tests keep the processors busy
		`{"name":"localhost","displayName":"this machine","disableAlerting":true}`)
	w.must("POST /device/devices", `{"name":"127.0.0.1","displayName":"shop","customProperties":[{"name":"http.url",`+
		`"value":"http://`+web.address+`/"}]}`)
	events := w.listen("admin", "/events?kinds=alert")

	w.shows(1, "Host_Local", `"cpuPercent","load1","memoryTotal","memoryUsed"`)
	w.until("admin", `GET /device/devices/1/devicedatasources?filter=dataSourceName:"Host_Disks"&`+
		`fields=dataSourceName,instanceNumber`, `{"dataSourceName":"Host_Disks","instanceNumber":`)
	w.shows(2, "HTTP_Page", `"status","responseTime","size","throughput"`)
	w.until("admin", `GET /device/devices/2?fields=hostStatus`, `"normal"`)

	web.stop()
	w.hears(events, "alert", `"resourceTemplateName":"HTTP_Page"`, `"dataPointName":"status"`, `"severity":4`,
		`"cleared":false`, `"monitorObjectName":"shop"`)
	w.until("admin", `GET /alert/alerts?fields=monitorObjectName,dataPointName,cleared`,
		`{"total":1,"searchId":null,"items":[{"monitorObjectName":"shop","dataPointName":"status","cleared":false}]`)
	w.receives(box, map[string][]string{
		"hook": {`"shop"`, `"critical"`, `"value":"no data"`},
		"mail": {"from spyglass@example.net to me@example.net", "Subject: critical: shop HTTP_Page status",
			"status of HTTP_Page on shop gave no data from 20", s.Origin() + "/#monitor/alerts/1"},
	})

	web.start()
	w.hears(events, "alert", `"dataPointName":"status"`, `"cleared":true`, `"monitorObjectName":"shop"`)
	w.receives(box, map[string][]string{
		"hook": {`"shop"`, `clear`},
		"mail": {"to me@example.net", "Subject: Cleared: critical: shop HTTP_Page status"},
	})
	w.until("admin", `GET /alert/alerts?fields=id`, `{"total":0,`)

	for format, want := range map[string][]string{
		"HTML": {"<!doctype html>", "<title>What happened, HTML", "shop", "HTTP_Page"},
		"CSV":  {"Severity,Began,Ended,Device,", "critical,", ",shop,HTTP_Page,"},
		"PDF":  {"%PDF-"},
		"XLSX": {"PK\x03\x04"},
	} {
		file := w.report(`{"name":"What happened, ` + format + `","type":"Alert","format":"` + format +
			`","dateRange":"Last 24 hours"}`)
		for _, part := range want {
			if !bytes.Contains(file, []byte(part)) {
				t.Errorf("the report as %s has no %q: %.600q", format, part, file)
			}
		}
	}
}

// shows waits for samples of the only instance of a data source on a device.
func (w *fixture) shows(device int, source, points string) {
	w.t.Helper()
	path := fmt.Sprintf(`GET /device/devices/%d/instances?filter=name:"%s"&fields=id,deviceDataSourceId`,
		device, source)
	var list struct {
		Items []struct{ ID, DeviceDataSourceID int64 }
	}
	if err := json.Unmarshal([]byte(w.until("admin", path, `"total":1`)), &list); err != nil {
		w.t.Fatal(err)
	}
	data := w.until("admin", fmt.Sprintf("GET /device/devices/%d/devicedatasources/%d/instances/%d/data", device,
		list.Items[0].DeviceDataSourceID, list.Items[0].ID), `"values":[[`)
	if !strings.Contains(data, points) {
		w.t.Errorf("%s of device %d shows %s, without %s", source, device, data, points)
	}
}

// receives waits until a message of each kind has arrived that contains its words.
func (w *fixture) receives(box *inbox, want map[string][]string) {
	w.t.Helper()
	for range want {
		select {
		case text := <-box.came:
			sort, _, _ := strings.Cut(text, " ")
			words, ok := want[sort]
			if !ok {
				w.t.Errorf("this was not to come: %s", text)
			}
			for _, word := range words {
				if !strings.Contains(text, word) {
					w.t.Errorf("the %s has no %q: %s", sort, word, text)
				}
			}
		case <-w.t.Context().Done():
			w.t.Fatal("nothing came")
		}
	}
}

// report runs a report and returns its file.
func (w *fixture) report(body string) []byte {
	w.t.Helper()
	status, response := w.request("admin", "POST /report/reports", body)
	var made struct{ ID, TaskID int64 }
	if err := json.Unmarshal([]byte(response), &made); err != nil || status != http.StatusCreated {
		w.t.Fatalf("%s: %d %s", body, status, response)
	}
	at := fmt.Sprintf("/report/reports/%d", made.ID)
	status, response = w.request("admin", "POST "+at+"/executions", `{}`)
	if err := json.Unmarshal([]byte(response), &made); err != nil || status > 299 {
		w.t.Fatalf("running it: %d %s", status, response)
	}
	run := fmt.Sprintf("GET %s/tasks/%d", at, made.TaskID)
	w.until("admin", run, `"resulturl"`)
	status, response = w.request("admin", run+"/result", "")
	if status != http.StatusOK {
		w.t.Fatalf("the file: %d %s", status, response)
	}
	return []byte(response)
}
