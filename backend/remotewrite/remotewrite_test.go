package remotewrite_test

import (
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"

	"spyglass/backend/check"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/forward"
	"spyglass/backend/remotewrite"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// receiver decodes remote writes that arrive at a real listener.
type receiver struct {
	*httptest.Server
	t  *testing.T
	mu sync.Mutex
	// answers holds the next responses; 204 when it is empty.
	answers []answer
	head    []http.Header
	series  chan []string // samples of each accepted request, "name{a=b} 1@2 3@4"
}

type answer struct {
	status     int
	retryAfter string
	hold       chan struct{} // blocks responses until closed
}

func newReceiver(t *testing.T, answers ...answer) *receiver {
	t.Helper()
	r := &receiver{t: t, answers: answers, series: make(chan []string, 100)}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	packed, err := io.ReadAll(request.Body)
	var message prompb.WriteRequest
	if err == nil {
		var raw []byte
		if raw, err = snappy.Decode(nil, packed); err == nil {
			err = message.Unmarshal(raw)
		}
	}
	if err != nil {
		r.t.Errorf("what was sent cannot be read: %v", err)
	}
	r.head = append(r.head, request.Header)
	a := answer{status: http.StatusNoContent}
	if len(r.answers) > 0 {
		a, r.answers = r.answers[0], r.answers[1:]
	}
	if a.hold != nil {
		<-a.hold
	}
	if a.retryAfter != "" {
		w.Header().Set("Retry-After", a.retryAfter)
	}
	w.WriteHeader(a.status)
	if a.status/100 == 2 {
		r.series <- texts(&message)
	} else {
		_, _ = io.WriteString(w, "not now,\nfriend")
	}
}

func texts(message *prompb.WriteRequest) (out []string) {
	for _, one := range message.Timeseries {
		var labels, samples []string
		for _, l := range one.Labels[1:] {
			labels = append(labels, l.Name+"="+l.Value)
		}
		for _, s := range one.Samples {
			samples = append(samples, time.UnixMilli(s.Timestamp).UTC().Format("05.000")+"="+number(s.Value))
		}
		out = append(out, one.Labels[0].Name+":"+one.Labels[0].Value+"{"+strings.Join(labels, ",")+"} "+
			strings.Join(samples, " "))
	}
	return out
}

func number(v float64) string {
	if math.IsInf(v, 1) {
		return "+Inf"
	}
	return string(rune('0' + int(v)))
}

func (r *receiver) next() []string {
	r.t.Helper()
	select {
	case got := <-r.series:
		return got
	case <-time.After(20 * time.Second):
		r.t.Fatal("nothing came")
		return nil
	}
}

// sender is a service on a portal with the devices fjord (1) in Oslo (2) and
// ranch (2) in the root group. Each has an instance with the same number.
type sender struct {
	t      *testing.T
	db     *store.DB
	series *series.DB
	s      *remotewrite.Service
	o      remotewrite.Options
}

func newSender(t *testing.T, o remotewrite.Options) *sender {
	t.Helper()
	db := storetest.Open(t, store.Options{})
	storetest.Add(t, db, &fleet.Groups)
	storetest.Add(t, db, &fleet.Devices)
	storetest.Add(t, db, &collector.Collectors)
	storetest.Add(t, db, &datasource.DataSources)
	storetest.Add(t, db, &fleet.DeviceDataSources)
	storetest.Add(t, db, &fleet.Instances)
	storetest.Add(t, db, &forward.RemoteWrites)
	storetest.Add(t, db, &forward.RemoteWriteMarks)
	x := &sender{t: t, db: db}
	put(x, &fleet.Groups, &fleet.Group{Name: "All"})
	put(x, &fleet.Groups, &fleet.Group{Name: "Oslo", ParentID: 1, FullPath: "Oslo"})
	put(x, &collector.Collectors, &collector.Collector{})
	put(x, &datasource.DataSources,
		&datasource.DataSource{Name: "Net-If", DataPoints: []datasource.DataPoint{{ID: 1, Name: "in.bytes"},
			{ID: 2, Name: "out"}}})
	for i, name := range []string{"fjord", "ranch"} {
		put(x, &fleet.Devices, &fleet.Device{Name: name, DisplayName: name, GroupIDs: resource.IDs{int64(2 - i)},
			CollectorID: 1})
		put(x, &fleet.DeviceDataSources, &fleet.DeviceDataSource{DeviceID: int64(i + 1), DataSourceID: 1})
		put(x, &fleet.Instances, &fleet.Instance{DeviceID: int64(i + 1), DeviceDataSourceID: int64(i + 1),
			DataSourceID: 1, DisplayName: "eth0", WildValue: "1"})
	}
	var err error
	if x.series,
		err = series.Open(t.Context(), series.Options{Path: filepath.Join(t.TempDir(), "series.db")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.series.Close() })
	if x.o = o; o.Log == nil {
		x.o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	x.o.Version = "test"
	x.start()
	return x
}

// start starts a service; a previous service must be closed.
func (x *sender) start() {
	x.t.Helper()
	s, err := remotewrite.New(x.t.Context(), x.db, x.series, x.o)
	if err != nil {
		x.t.Fatal(err)
	}
	x.s = s
	s.Start(context.Background())
	x.t.Cleanup(func() { _ = s.Stop(context.Background()) })
}

// measure stores samples and offers them to the service, as the engine does.
func (x *sender) measure(samples ...series.Sample) {
	x.t.Helper()
	end, err := x.s.Expect(x.t.Context(), samples)
	if err != nil {
		x.t.Fatal(err)
	}
	defer end()
	if err := x.series.Append(x.t.Context(), samples); err != nil {
		x.t.Fatal(err)
	}
	x.s.Offer(samples)
}

func put[T any](x *sender, r *resource.Resource[*T], row *T) {
	x.t.Helper()
	if err := x.db.Write(x.t.Context(),
		func(tx resource.Tx) error { return resource.Put(x.t.Context(), tx, r.Name, row) }); err != nil {
		x.t.Fatal(err)
	}
}

// set changes the settings and waits until they take effect.
func (x *sender) set(change func(*forward.RemoteWrite)) {
	x.t.Helper()
	row := x.row()
	row.Enabled, row.Interval = true, 1
	change(row)
	put(x, &forward.RemoteWrites, row)
	if row.Enabled {
		x.until(func(now *forward.RemoteWrite) bool { return now.State != forward.RemoteWriteOff })
	}
}

func (x *sender) row() *forward.RemoteWrite {
	x.t.Helper()
	row, err := resource.Get(x.t.Context(), x.db, forward.RemoteWrites.Name, forward.RemoteWriteID)
	if err != nil {
		x.t.Fatal(err)
	}
	return row
}

func (x *sender) until(is func(*forward.RemoteWrite) bool) *forward.RemoteWrite {
	x.t.Helper()
	changed, stop := x.db.Watch(string(forward.RemoteWrites.Name))
	defer stop()
	deadline := time.After(20 * time.Second)
	for {
		row := x.row()
		if is(row) {
			return row
		}
		select {
		case <-changed:
		case <-deadline:
			x.t.Fatalf("the row is %+v", row)
		}
	}
}

// base is the start of the current minute.
var base = time.Now().Truncate(time.Minute).Unix()

// sample returns a sample at a number of seconds after base.
func sample(instance, point, at int64, value float64) series.Sample {
	return series.Sample{Instance: instance, DataPoint: point, At: base + at, Value: value}
}

func TestSamplesAreForwardedUnderValidNames(t *testing.T) {
	to, x := newReceiver(t), newSender(t, remotewrite.Options{})
	x.s.Offer([]series.Sample{sample(1, 1, 1, 9)}) // forwarding is off
	x.set(func(r *forward.RemoteWrite) {
		r.URL, r.Auth, r.Username, r.Secret = to.URL, forward.AuthBasic, "me", "pass"
	})
	x.s.Offer([]series.Sample{sample(99, 1, 3, 1), sample(1, 77, 3, 1), sample(1, 1, 3, 2),
		sample(2, 2, 3, math.Inf(1)), sample(1, 1, 2, 1)})
	want := []string{
		"__name__:spyglass_Net_If_in_bytes{datasource=Net-If,device=fjord,group=Oslo,instance=eth0} 02.000=1 03.000=2",
		"__name__:spyglass_Net_If_out{datasource=Net-If,device=ranch,instance=eth0} 03.000=+Inf",
	}
	if got := to.next(); !reflect.DeepEqual(got, want) {
		t.Errorf("came %q, want %q", got, want)
	}
	head := to.head[0]
	for name, want := range map[string]string{
		"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy",
		"X-Prometheus-Remote-Write-Version": "0.1.0",
		"User-Agent":                        "Spyglass/test", "Authorization": "Basic " +
			base64.StdEncoding.EncodeToString([]byte("me:pass")),
	} {
		if got := head.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if row := x.until(
		func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteSending }); row.Sent != 3 ||
		row.Dropped != 0 || row.SentOn == 0 || row.Error != "" {
		t.Errorf("the row is %+v", row)
	}

	x.set(func(r *forward.RemoteWrite) { r.GroupID, r.Auth, r.Secret = 2, forward.AuthBearer, "token" })
	device, err := resource.Get(t.Context(), x.db, fleet.Devices.Name, 1)
	if err != nil {
		t.Fatal(err)
	}
	device.DisplayName = "fjord-1"
	put(x, &fleet.Devices, device)
	x.s.Offer([]series.Sample{sample(2, 2, 4, 1), sample(1, 2, 4, 5)})
	want = []string{"__name__:spyglass_Net_If_out{datasource=Net-If,device=fjord-1,group=Oslo,instance=eth0} 04.000=5"}
	if got := to.next(); !reflect.DeepEqual(got, want) {
		t.Errorf("came %q, want %q", got, want)
	}
	if got := to.head[1].Get("Authorization"); got != "Bearer token" {
		t.Errorf("Authorization is %q", got)
	}
}

func TestOverloadedReceiverIsRetriedAndRefusalIsNot(t *testing.T) {
	to := newReceiver(t, answer{status: 503}, answer{status: 429, retryAfter: "1"}, answer{status: 204},
		answer{status: 400})
	x := newSender(t, remotewrite.Options{})
	x.set(func(r *forward.RemoteWrite) { r.URL, r.Batch = to.URL+"/write?key=s3cret", 1 })
	x.s.Offer([]series.Sample{sample(1, 2, 1, 1)})
	row := x.until(func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteRetrying })
	if want := to.Listener.Addr().String() + " responded with 503 Service Unavailable: not now, " +
		"friend"; row.Error != want {
		t.Errorf("it says %q, want %q", row.Error, want)
	}
	x.s.Offer([]series.Sample{sample(1, 2, 2, 2), sample(1, 2, 3, 3)})
	const head = "__name__:spyglass_Net_If_out{datasource=Net-If,device=fjord,group=Oslo,instance=eth0} "
	for _, want := range []string{"01.000=1", "03.000=3"} { // the receiver refused the second sample
		if got := to.next(); !reflect.DeepEqual(got, []string{head + want}) {
			t.Errorf("came %q, want %q", got, want)
		}
	}
	x.until(func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteSending && r.Error == "" })
	x.counts(remotewrite.Stats{Sent: 2, Refused: 1, Retries: 2})
}

func TestOnlyAllowedAddressesAreDialed(t *testing.T) {
	to := newReceiver(t)
	own := &check.Dialer{Own: []netip.AddrPort{netip.MustParseAddrPort(to.Listener.Addr().String())}}
	x := newSender(t, remotewrite.Options{Dial: own.DialContext})
	x.set(func(r *forward.RemoteWrite) { r.URL = to.URL })
	x.s.Offer([]series.Sample{sample(1, 2, 1, 1)})
	row := x.until(func(r *forward.RemoteWrite) bool { return r.State == forward.RemoteWriteRetrying })
	if !strings.Contains(row.Error, "Spyglass does not connect there") {
		t.Errorf("it says %q", row.Error)
	}
	if len(to.head) > 0 {
		t.Error("something came")
	}
}
