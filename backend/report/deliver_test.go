package report_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"spyglass/backend/fault"
	"spyglass/backend/notify"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report"
	"spyglass/backend/resource"
	"spyglass/backend/testkit"
)

var errGone = fault.New(fault.NoLogin, "gone")

// place returns the kind of an error and the field that it names.
func place(err error) string {
	if err == nil {
		return " "
	}
	f := fault.Of(err)
	return string(f.Kind) + " " + f.Field
}

// post is a real mail server that records its mails.
type post struct {
	mu    sync.Mutex
	mails map[string]string // by address
	came  chan bool
}

func (p *post) NewSession(*smtp.Conn) (smtp.Session, error) { return &letter{post: p}, nil }

type letter struct {
	*post
	to string
}

func (l *letter) Mail(string, *smtp.MailOptions) error      { return nil }
func (l *letter) Rcpt(to string, _ *smtp.RcptOptions) error { l.to = to; return nil }
func (l *letter) Reset()                                    {}
func (l *letter) Logout() error                             { return nil }
func (l *letter) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	l.mu.Lock()
	l.mails[l.to] = string(text)
	l.mu.Unlock()
	l.came <- true
	return err
}

// post opens a mail server at an address, such as "127.0.0.1:0" for any port.
func (h *fixture) post(address string) (p *post, at string, stop func()) {
	h.Helper()
	p = &post{mails: map[string]string{}, came: make(chan bool, 10)}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		h.Fatal(err)
	}
	server := smtp.NewServer(p)
	server.Domain = "mail.example.net"
	go func() { _ = server.Serve(listener) }()
	return p, listener.Addr().String(), func() { _, _ = server.Close(), listener.Close() }
}

// parts returns the text of a mail and its attachments.
func (h *fixture) parts(text string) (subject, body, name, kind string, file []byte) {
	h.Helper()
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		h.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/mixed" {
		h.Fatal(kind, err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	first, err := parts.NextPart()
	if err != nil {
		h.Fatal(err)
	}
	plain, err := io.ReadAll(first)
	if err != nil {
		h.Fatal(err)
	}
	second, err := parts.NextRawPart()
	if err != nil {
		h.Fatal(err)
	}
	file, err = io.ReadAll(base64.NewDecoder(base64.StdEncoding, second))
	if err != nil {
		h.Fatal(err)
	}
	if name, err = new(mime.WordDecoder).DecodeHeader(second.FileName()); err != nil {
		h.Fatal(err)
	}
	return m.Header.Get("Subject"), strings.ReplaceAll(string(plain), "\r\n", "\n"), name,
		second.Header.Get("Content-Type"), file
}

// desk is a report service with a notification service, on a clock that the test sets.
type desk struct {
	*fixture
	reports *report.Service
	notices *notify.Service
	clock   *testkit.Clock
}

func newDesk(t *testing.T) *desk {
	d := &desk{fixture: open(t), clock: testkit.NewClock(noon)}
	d.addDevices()
	quiet := slog.New(slog.DiscardHandler)
	d.notices = notify.New(d.db, notify.Options{
		File:    func(ctx context.Context, id int64) (*reporting.ReportFile, error) { return d.reports.Made(ctx, id) },
		Version: "1", Log: quiet, Clock: d.clock.Now,
	})
	d.reports = report.New(d.db, report.Options{
		Files: d.files(), Access: func(_ context.Context, id int64) (*resource.Access, error) {
			return d.access[id],
				nil
		}, Zone: func() *time.Location { return time.UTC },
		Deliver: d.notices.Post, Origin: func() string { return "http://portal:8443" }, Log: quiet, Clock: d.clock.Now,
	})
	t.Cleanup(func() {
		_ = d.reports.Stop(context.Background())
		_ = d.notices.Stop(context.Background())
	})
	return d
}

// server configures the mail server's address.
func (d *desk) server(address string) {
	host, port, _ := net.SplitHostPort(address)
	n, err := strconv.ParseInt(port, 10, 64)
	if err != nil {
		d.Fatal(err)
	}
	put(d.fixture, alert.Integrations.Name, alert.Integration{ID: 1, Name: "mail", Type: alert.IntegrationSMTP,
		Host: host, Port: n, Security: "none", From: "spyglass@example.net"})
}

// delivery waits until the only delivery has the wanted state.
func (d *desk) delivery(is func(*alert.Delivery) bool) *alert.Delivery {
	d.Helper()
	changed, stop := d.db.Watch(string(alert.Deliveries.Name))
	defer stop()
	limit := time.After(20 * time.Second)
	for {
		rows, err := resource.Find(d.Context(), d.db, alert.Deliveries.Name)
		if err != nil {
			d.Fatal(err)
		}
		if len(rows) == 1 && is(&rows[0]) {
			return &rows[0]
		}
		select {
		case <-changed:
		case <-limit:
			d.Fatalf("the deliveries are %+v", rows)
		}
	}
}

func TestReportIsMailedToUsersGroupsAndAddresses(t *testing.T) {
	d := newDesk(t)
	p, address, stop := d.post("127.0.0.1:0")
	defer stop()
	d.server(address)
	put(d.fixture, people.Users.Name,
		people.User{ID: 2, Username: "clerk", Email: "clerk@example.net", Status: "active"},
		people.User{ID: 3, Username: "gone", Email: "gone@example.net", Status: "suspended"})
	put(d.fixture, alert.RecipientGroups.Name,
		alert.RecipientGroup{ID: 1, Name: "Board",
			Recipients: []alert.Recipient{{Type: "ARBITRARY", Method: "email", Addr: "board@example.net"},
				{Type: "ADMIN", Method: "email", Addr: "gone"}}})
	put(d.fixture, reporting.Reports.Name, reporting.Report{ID: 1, Name: "Büro", Type: reporting.ReportInventory,
		Format: reporting.FormatPDF, Columns: columns("Device"), Delivery: "email", ModifiedID: 2, ModifiedBy: "clerk",
		Schedule: "0 12 * * *", NextOn: seconds(noon), Recipients: []alert.Recipient{{Type: "GROUP", Addr: "Board"},
			{Type: "ADMIN", Method: "email", Addr: "clerk"}}})
	d.reports.Start(context.Background())
	d.notices.Start(context.Background())
	<-p.came
	<-p.came
	file, err := os.ReadFile(filepath.Join(d.folder, "1"))
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.mails) != 2 {
		t.Errorf("%d addresses got it", len(p.mails))
	}
	for _, to := range []string{"board@example.net", "clerk@example.net"} {
		subject, body, name, kind, attached := d.parts(p.mails[to])
		if subject, err = new(mime.WordDecoder).DecodeHeader(subject); err != nil || subject != "Büro" ||
			!strings.HasPrefix(kind, "application/pdf") || name != "Büro 2026-05-04.pdf" ||
			!bytes.Equal(attached, file) {
			t.Errorf("%s got %q (%v), %s as %s, %d bytes of %d", to, subject, err, kind, name, len(attached), len(file))
		}
		const want = "Created 2026-05-04 12:00:00 UTC for clerk, with that user's permissions: 2 rows.\n\n" +
			"It is attached, and also available at\nhttp://portal:8443/api/report/reports/1/tasks/1/result\n" +
			"for signed-in users with the same permissions.\n\n-- \nSpyglass\n"
		if body != want {
			t.Errorf("%s reads\n%s\nwant\n%s", to, body, want)
		}
	}
	failed, err := resource.Find(t.Context(), d.db, alert.Deliveries.Name,
		resource.Where{Field: "state", Op: "=", Value: alert.DeliveryFailed})
	if err != nil || len(failed) != 1 || failed[0].Error != "the user gone is suspended" {
		t.Errorf("got %+v %v", failed, err)
	}
}

func TestReportWaitsForAnUnreachableMailServer(t *testing.T) {
	d := newDesk(t)
	_, address, stop := d.post("127.0.0.1:0")
	stop()
	d.server(address)
	d.inventory()
	d.reports.Start(context.Background())
	d.notices.Start(context.Background())
	if _, err := d.send(d.reports, admin, runIt, 1, 0, `{"receiveEmails":"board@example.net"}`); err != nil {
		t.Fatal(err)
	}
	waiting := d.delivery(func(row *alert.Delivery) bool { return row.Attempts == 1 })
	if waiting.State != alert.DeliveryWaiting || waiting.Error == "" || waiting.NextOn != seconds(noon)+10 ||
		waiting.TaskID != 1 || waiting.Tells != alert.EventReport {
		t.Errorf("after one attempt it is %+v", waiting)
	}
	p, _, stop := d.post(address)
	defer stop()
	d.clock.Pass(time.Minute)
	d.server(address) // wakes the notification service
	<-p.came
	sent := d.delivery(func(row *alert.Delivery) bool { return row.State == alert.DeliverySent })
	if want := []any{int64(2), "", waiting.Key}; !reflect.DeepEqual([]any{sent.Attempts, sent.Error, sent.Key}, want) {
		t.Errorf("got %+v, want %v", sent, want)
	}
}

func TestLargeReportIsMailedAsALink(t *testing.T) {
	d := newDesk(t)
	var many []fleet.Device
	for i := range 1200 {
		many = append(many, fleet.Device{ID: int64(i + 10), Name: "x", DisplayName: strconv.Itoa(i),
			HostStatus: "normal", GroupIDs: []int64{2}, Description: strings.Repeat("wide", 1600)})
	}
	put(d.fixture, fleet.Devices.Name, many...)
	put(d.fixture, reporting.Reports.Name, reporting.Report{ID: 1, Name: "All", Type: reporting.ReportInventory,
		Format: reporting.FormatCSV, SortDirection: "asc"})
	d.reports.Start(context.Background())
	d.server("127.0.0.1:1")
	if _, err := d.send(d.reports, admin, runIt, 1, 0, `{"receiveEmails":"board@example.net"}`); err != nil {
		t.Fatal(err)
	}
	row := d.delivery(func(*alert.Delivery) bool { return true })
	const want = "Created 2026-05-04 12:00:00 UTC for admin, with that user's permissions: 1203 rows.\n\n" +
		"With 7.3 MB it is too large for an email. It is available at\n" +
		"http://portal:8443/api/report/reports/1/tasks/1/result\n" +
		"for signed-in users with the same permissions."
	if row.Attached || row.Body != want {
		t.Errorf("attached: %v\n%s\nwant\n%s", row.Attached, row.Body, want)
	}
}
