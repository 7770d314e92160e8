package notify

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
	"spyglass/backend/testkit"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fixture is a portal with a device, a data source, integrations, and a
// clock that the test sets.
type fixture struct {
	*testing.T
	*testkit.Clock
	db   *store.DB
	path string
}

func open(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{T: t, Clock: testkit.NewClock(noon), path: filepath.Join(t.TempDir(), "portal.db")}
	h.reopen()
	put(h, fleet.Groups.Name, fleet.Group{ID: 1, Name: "All devices"},
		fleet.Group{ID: 2, Name: "Oslo", FullPath: "Oslo", ParentID: 1})
	put(h, fleet.Devices.Name, fleet.Device{ID: 1, Name: "10.0.0.1", DisplayName: "fjord", GroupIDs: resource.IDs{2}})
	put(h, datasource.DataSources.Name,
		datasource.DataSource{ID: 1, Name: "Ping", DataPoints: []datasource.DataPoint{
			{ID: 11, Name: "loss", AlertExpr: "> 60 80 90"}}})
	put(h, fleet.Instances.Name, fleet.Instance{ID: 5, DeviceID: 1, DataSourceID: 1, Name: "Ping", DisplayName: "Ping"})
	put(h, people.Users.Name, people.User{ID: 1, Username: "admin", Email: "admin@example.net", Status: "active"},
		people.User{ID: 2, Username: "gone", Email: "gone@example.net", Status: "suspended"})
	put(h, setting.Settings.Name, setting.Setting{ID: setting.SettingID, Timezone: "UTC", AlertDays: 30})
	return h
}

// reopen restarts the portal, as in a new process.
func (h *fixture) reopen() {
	h.Helper()
	if h.db != nil {
		if err := h.db.Close(); err != nil {
			h.Fatal(err)
		}
	}
	h.db = storetest.Open(h, store.Options{Path: h.path, Clock: h.Now, Zone: time.UTC})
	storetest.Add(h, h.db, &fleet.Groups)
	storetest.Add(h, h.db, &fleet.Devices)
	storetest.Add(h, h.db, &datasource.DataSources)
	storetest.Add(h, h.db, &fleet.Instances)
	storetest.Add(h, h.db, &maintenance.SDTs)
	storetest.Add(h, h.db, &people.Users)
	storetest.Add(h, h.db, &alert.Alerts)
	storetest.Add(h, h.db, &alert.ClusterAlerts)
	storetest.Add(h, h.db, &fleet.DeviceDataSources)
	storetest.Add(h, h.db, &alert.Rules)
	storetest.Add(h, h.db, &alert.Chains)
	storetest.Add(h, h.db, &alert.RecipientGroups)
	storetest.Add(h, h.db, &alert.Integrations)
	storetest.Add(h, h.db, &alert.Deliveries)
	storetest.Add(h, h.db, &setting.Settings)
}

func put[T any](h *fixture, name resource.Name[*T], rows ...T) {
	h.Helper()
	storetest.Put(h, h.db, name, rows...)
}

func (h *fixture) write(do func(tx resource.Tx) error) {
	h.Helper()
	storetest.Write(h, h.db, do)
}

// chain sets the recipients in stages, a quarter of an hour apart.
func (h *fixture) chain(c alert.Chain, stages ...[]alert.Recipient) {
	h.Helper()
	c.ID, c.Name, c.Destinations = 1, "Web team", []alert.Destination{{Type: "single", Stages: stages}}
	put(h, alert.Chains.Name, c)
	put(h, alert.Rules.Name, alert.Rule{ID: 1, Name: "All", Priority: 1, Level: "All", Devices: []string{"*"},
		DeviceGroups: []string{"*"}, DataSource: "*", Instance: "*", DataPoint: "*", ChainID: 1, Interval: 15})
}

func (h *fixture) raise(severity int64) {
	h.Helper()
	h.write(func(tx resource.Tx) error {
		_, _, err := alert.Raise(h.Context(), tx, &alert.Finding{InstanceID: 5, DataPointID: 11, Severity: severity,
			Value: "83", Threshold: "> 60 80 90", At: resource.SecondsOf(h.Now())})
		return err
	})
}

func (h *fixture) clear() {
	h.Helper()
	h.write(func(tx resource.Tx) error {
		_, err := alert.Clear(h.Context(), tx, &alert.Finding{InstanceID: 5, DataPointID: 11, Value: "0",
			At: resource.SecondsOf(h.Now())})
		return err
	})
}

// change changes the fixture's only alert.
func (h *fixture) change(do func(a *alert.Alert)) {
	h.Helper()
	h.write(func(tx resource.Tx) error {
		a, err := resource.Get(h.Context(), tx, alert.Alerts.Name, 1)
		if err != nil {
			return err
		}
		do(a)
		return alert.SaveAlert(h.Context(), tx, a)
	})
}

func (h *fixture) service(roots *x509.CertPool) *Service {
	return New(h.db, Options{Roots: roots, Version: "1", Name: func() string { return "Oslo portal" },
		Log: slog.New(slog.DiscardHandler), Clock: h.Now})
}

// planned plans due notifications, and returns the deliveries written since the last
// call.
func (h *fixture) planned(s *Service) string {
	h.Helper()
	before := len(h.deliveries())
	if err := s.plan(h.Context()); err != nil {
		h.Fatal(err)
	}
	var lines []string
	for _, d := range h.deliveries()[before:] {
		lines = append(lines, fmt.Sprintf("%s %d %s %s", d.Tells, d.Stage, d.Recipient, d.State))
	}
	return strings.Join(lines, "; ")
}

func (h *fixture) deliveries() []alert.Delivery {
	h.Helper()
	rows, err := resource.Find(h.Context(), h.db, alert.Deliveries.Name)
	if err != nil {
		h.Fatal(err)
	}
	return rows
}

// send dispatches due deliveries and waits until all lanes are done.
func (h *fixture) send(s *Service) {
	h.Helper()
	if err := s.dispatch(h.Context()); err != nil {
		h.Fatal(err)
	}
	s.wait.Wait()
}

// hooked is a webhook that records its requests.
type hooked struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
	response int
}

func newHooked(t *testing.T) *hooked {
	k := &hooked{response: 200}
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.requests, k.bodies = append(k.requests, r), append(k.bodies, string(body))
		w.WriteHeader(k.response)
		fmt.Fprint(w, "as you say")
	}))
	t.Cleanup(k.Close)
	return k
}

func (k *hooked) got() (requests []*http.Request, bodies []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.requests, k.bodies
}

// mailServer is a real SMTP server that records its mails.
type mailServer struct {
	address string
	roots   *x509.CertPool

	mu    sync.Mutex
	mails []string
	error *smtp.SMTPError // response to every recipient
}

func newMailServer(t *testing.T, implicit bool) *mailServer {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	t.Cleanup(certified.Close)
	m := &mailServer{roots: x509.NewCertPool()}
	m.roots.AddCert(certified.Certificate())
	server := smtp.NewServer(m)
	server.Domain, server.TLSConfig = "mail.example.net", &tls.Config{Certificates: certified.TLS.Certificates}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.address = listener.Addr().String()
	if implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return m
}

func (m *mailServer) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{m: m}, nil }

func (m *mailServer) got() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mails
}

type session struct {
	m  *mailServer
	to string
}

func (s *session) Mail(string, *smtp.MailOptions) error { return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.m.error != nil {
		return s.m.error
	}
	return nil
}
func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.mails = append(s.m.mails, "to "+s.to+"\n"+strings.ReplaceAll(string(text), "\r\n", "\n"))
	return err
}
func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// integration returns the integration of the mail server.
func (m *mailServer) integration(security string) alert.Integration {
	host, port, _ := net.SplitHostPort(m.address)
	i := alert.Integration{ID: 7, Name: "mail", Type: alert.IntegrationSMTP, Host: host, Security: security,
		From: "spyglass@example.net"}
	_, _ = fmt.Sscan(port, &i.Port)
	return i
}

func mailTo(user string) alert.Recipient {
	return alert.Recipient{Type: "ADMIN", Method: "email", Addr: user}
}

func hookTo(address string) alert.Recipient {
	return alert.Recipient{Type: "ARBITRARY", Method: "duty", Addr: address}
}

// request sends a request to the service's endpoint.
func (h *fixture) request(s *Service, id int64, body string) alert.Delivery {
	h.Helper()
	c := &resource.Call{Access: &resource.Access{UserID: 1, User: "admin"}, At: h.Now(), Body: []byte(body),
		Vars: map[string]string{"id": fmt.Sprint(id)}}
	out, err := s.Endpoints()[0].Handle(context.Background(), c)
	if err != nil {
		h.Fatal(err)
	}
	var d alert.Delivery
	var shown struct{ ID int64 }
	if err := json.Unmarshal(out.(resource.JSON), &shown); err != nil {
		h.Fatal(err)
	}
	for _, row := range h.deliveries() {
		if row.ID == shown.ID {
			d = row
		}
	}
	return d
}
