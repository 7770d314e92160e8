package samplestore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/snappy"
	"github.com/prometheus/prometheus/prompb"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/forward"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/samplestore"
	"spyglass/backend/series"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// away is the response of a store that does not work.
const away = http.StatusServiceUnavailable

// prometheus is a fake of Prometheus. It refuses a request with a sample that is not newer
// than the newest of its series.
type prometheus struct {
	mu     sync.Mutex
	status int // of each response; 0: it works
	series map[string][]prompb.Sample
	labels map[string]string // all labels, by series
	got    chan int          // numbers of samples of accepted requests
	auth   []string          // of the last request
	whole  []string          // of the last query, that its response has to be complete

	refused chan struct{} // has a value after a request got status
}

func (p *prometheus) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.auth = []string{r.Header.Get("Authorization"), r.Header.Get("X-Scope-OrgID"), r.Header.Get("THANOS-TENANT")}
	if p.status != 0 {
		w.WriteHeader(p.status)
		select {
		case p.refused <- struct{}{}:
		default:
		}
		return
	}
	if strings.HasSuffix(r.URL.Path, "/api/v1/write") {
		p.write(w, r)
		return
	}
	p.query(w, r)
}

func (p *prometheus) write(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		body, err = snappy.Decode(nil, body)
	}
	var message prompb.WriteRequest
	if err == nil {
		err = message.Unmarshal(body)
	}
	n := 0
	added := map[string][]prompb.Sample{}
	for _, t := range message.Timeseries {
		var name string
		var all []string
		for _, l := range t.Labels {
			if all = append(all, l.Name+"="+l.Value); l.Name == "spyglass_series" {
				name = l.Value
			}
		}
		if !slices.IsSorted(all) {
			err = errors.New("labels are not sorted")
		}
		p.labels[name] = strings.Join(all, " ")
		for _, s := range t.Samples {
			last := append(slices.Clone(p.series[name]), added[name]...)
			if len(last) > 0 && s.Timestamp <= last[len(last)-1].Timestamp {
				err = errors.New("out of order sample")
			}
			added[name] = append(added[name], s)
			n++
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for name, samples := range added {
		p.series[name] = append(p.series[name], samples...)
	}
	p.got <- n
}

var selector = regexp.MustCompile(`^\{spyglass_portal="p1",spyglass_series=~"([0-9|-]+)"\}\[(\d+)s\]$`)

func (p *prometheus) query(w http.ResponseWriter, r *http.Request) {
	parts := selector.FindStringSubmatch(r.FormValue("query"))
	if parts == nil {
		http.Error(w, "bad query", http.StatusBadRequest)
		return
	}
	p.whole = []string{r.FormValue("partial_response"), r.FormValue("deny_partial_response"),
		r.FormValue("max_source_resolution")}
	to, _ := strconv.ParseInt(r.FormValue("time"), 10, 64)
	length, _ := strconv.ParseInt(parts[2], 10, 64)
	var results []string
	for name := range strings.SplitSeq(parts[1], "|") {
		var values []string
		for _, s := range p.series[name] {
			if at := s.Timestamp / 1000; at >= to-length && at <= to { // as version 2
				values = append(values, fmt.Sprintf(`[%d,"%s"]`, at, strconv.FormatFloat(s.Value, 'f', -1, 64)))
			}
		}
		if len(values) > 0 {
			results = append(results, fmt.Sprintf(`{"metric":{"spyglass_series":%q},"values":[%s]}`, name,
				strings.Join(values, ",")))
		}
	}
	fmt.Fprintf(w, `{"status":"success","data":{"resultType":"matrix","result":[%s]}}`, strings.Join(results, ","))
}

func (p *prometheus) respond(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

// fixture is a portal with a store.
type fixture struct {
	*testing.T
	db     *store.DB
	path   string
	series *series.DB
	store  *samplestore.Store
	to     *prometheus
	url    string
	now    time.Time
}

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) *fixture {
	t.Helper()
	to := &prometheus{series: map[string][]prompb.Sample{}, labels: map[string]string{}, got: make(chan int, 10_000),
		refused: make(chan struct{}, 1)}
	s := httptest.NewServer(to)
	t.Cleanup(s.Close)
	f := openAt(t, s.URL)
	f.to = to
	return f
}

func openAt(t *testing.T, url string) *fixture {
	t.Helper()
	f := &fixture{T: t, now: noon, path: t.TempDir() + "/series.db", url: url}
	f.db = storetest.Open(t, store.Options{})
	add(t, f.db, &fleet.Groups)
	add(t, f.db, &fleet.Devices)
	add(t, f.db, &datasource.DataSources)
	add(t, f.db, &fleet.DeviceDataSources)
	add(t, f.db, &fleet.Instances)
	add(t, f.db, &forward.RemoteWrites)
	add(t, f.db, &forward.RemoteWriteMarks)
	storetest.Put(t, f.db, fleet.Groups.Name, fleet.Group{ID: ground.RootGroup, Name: "All"})
	storetest.Put(t, f.db, fleet.Devices.Name, fleet.Device{ID: 1, Name: "web", DisplayName: "Web",
		GroupIDs: resource.IDs{ground.RootGroup}})
	storetest.Put(t, f.db, datasource.DataSources.Name, datasource.DataSource{ID: 1, Name: "Ping",
		DataPoints: []datasource.DataPoint{{ID: 3, Name: "ms"}}})
	storetest.Put(t, f.db, fleet.Instances.Name, fleet.Instance{ID: 7, DeviceID: 1, DataSourceID: 1, Name: "ping",
		DisplayName: "ping"})
	f.start()
	return f
}

func add[T any](t *testing.T, db *store.DB, r *resource.Resource[*T]) {
	t.Helper()
	if _, err := store.Add(db, r); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) start() {
	f.Helper()
	f.create()
	f.store.Start(context.Background())
}

// create opens the series with a store that does not send yet.
func (f *fixture) create() {
	f.Helper()
	var err error
	clock := func() time.Time { return f.now }
	if f.series, err = series.Open(f.Context(), series.Options{Path: f.path, Clock: clock}); err != nil {
		f.Fatal(err)
	}
	f.store, err = samplestore.New(f.Context(), f.db, f.series, samplestore.Options{Portal: "p1", Clock: clock,
		Interval: 1,
		Settings: samplestore.Settings{URL: f.url, Token: "t0ken", Tenant: "team-a"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(f.stop)
}

func (f *fixture) stop() {
	if err := errors.Join(f.store.Stop(context.WithoutCancel(f.Context())), f.series.Close()); err != nil {
		f.Error(err)
	}
}

// measure stores samples as the monitor does.
func (f *fixture) measure(samples ...series.Sample) {
	f.Helper()
	end, err := f.store.Expect(f.Context(), samples)
	if err != nil {
		f.Fatal(err)
	}
	defer end()
	if err := f.series.Append(f.Context(), samples); err != nil {
		f.Fatal(err)
	}
	f.store.Offer(samples)
}

// arrives waits until the store has that many more samples.
func (f *fixture) arrives(n int) {
	f.Helper()
	for n > 0 {
		n -= <-f.to.got
	}
}

// retain moves the floor, and deletes what the store has.
func (f *fixture) retain() {
	f.Helper()
	if err := f.series.Retain(f.Context(), series.Keep{Samples: 1}); err != nil {
		f.Fatal(err)
	}
}

func at(t time.Time, value float64) series.Sample {
	return series.Sample{Instance: 7, DataPoint: 3, At: t.Unix(), Value: value}
}

func (f *fixture) values(from, to time.Time) []float64 {
	f.Helper()
	table, err := f.series.Range(f.Context(), series.Query{Instance: 7, DataPoints: []int64{3}, From: from.Unix(),
		To: to.Unix()})
	if err != nil {
		f.Fatal(err)
	}
	return table.Values[0]
}

func TestOlderSamplesAreReadFromTheStore(t *testing.T) {
	f := open(t)
	f.measure(at(noon, 0.1), at(noon.Add(time.Minute), 1e300))
	f.arrives(2)
	f.now = noon.AddDate(0, 0, 3)
	f.measure(at(f.now, 3))
	f.arrives(1)
	f.retain()
	if floor := time.Unix(f.store.Floor(), 0).UTC(); !floor.Equal(noon.AddDate(0, 0, 2)) {
		t.Errorf("the floor is %v", floor)
	}
	if got := f.values(noon, f.now.Add(time.Hour)); !reflect.DeepEqual(got, []float64{0.1, 1e300, 3}) {
		t.Errorf("the samples are %v", got)
	}
	if got := f.values(noon.Add(time.Second), noon.Add(time.Minute)); len(got) > 0 { // both ends
		t.Errorf("between two samples are %v", got)
	}
	steps, err := f.series.Aggregate(f.Context(), series.Query{Instance: 7, DataPoints: []int64{3}, From: noon.Unix(),
		To: f.now.Unix() + 1}, 4*24*3600)
	want := [][]series.Step{{{At: noon.Unix(), Count: 3, Sum: 1e300, Min: 0.1, Max: 1e300, First: 0.1, Last: 3}}}
	if err != nil || !reflect.DeepEqual(steps, want) {
		t.Errorf("the steps are %v (%v), want %v", steps, err, want)
	}
	f.to.mu.Lock()
	labels, auth, whole := f.to.labels["7-3"], f.to.auth, f.to.whole
	f.to.mu.Unlock()
	if want := "__name__=spyglass_Ping_ms datasource=Ping device=Web instance=ping spyglass_portal=p1 " +
		"spyglass_series=7-3"; labels != want {
		t.Errorf("the labels are %q, want %q", labels, want)
	}
	if want := []string{"Bearer t0ken", "team-a", "team-a"}; !slices.Equal(auth, want) {
		t.Errorf("it signs in with %q, want %q", auth, want)
	}
	if want := []string{"false", "1", "0s"}; !slices.Equal(whole, want) {
		t.Errorf("the query has %q, want %q", whole, want)
	}
}

func TestTheNewestSampleMayBeInTheStoreOnly(t *testing.T) {
	f := open(t)
	f.measure(at(noon, 5))
	f.arrives(1)
	f.now = noon.AddDate(0, 0, 30)
	f.retain()
	last, ok, err := f.series.Last(f.Context(), 7, 3)
	if err != nil || !ok || last != at(noon, 5) {
		t.Errorf("the newest sample is %v, %v (%v)", last, ok, err)
	}
}

func TestNothingIsLostWhileTheStoreIsAway(t *testing.T) {
	f := open(t)
	f.to.respond(away)
	f.measure(at(noon, 1))
	f.now = noon.AddDate(0, 0, 3)
	f.measure(at(f.now, 2))
	f.retain()
	if f.store.Floor() > noon.Unix() {
		t.Errorf("the floor is %v", time.Unix(f.store.Floor(), 0))
	}
	if got := f.values(noon, f.now.Add(time.Hour)); !reflect.DeepEqual(got, []float64{1, 2}) {
		t.Errorf("the samples are %v", got)
	}
	f.stop() // in the meantime, also a restart
	f.to.respond(0)
	f.start()
	f.arrives(2)
}

func TestTheFloorRisesBeforeSendingStarts(t *testing.T) {
	f := open(t)
	f.measure(at(noon, 1))
	f.arrives(1)
	f.now = noon.AddDate(0, 0, 3)
	f.measure(at(f.now, 2))
	f.arrives(1)
	f.stop()
	f.create()
	f.retain()
	if floor := time.Unix(f.store.Floor(), 0).UTC(); !floor.Equal(noon.AddDate(0, 0, 2)) {
		t.Errorf("the floor is %v", floor)
	}
}

func TestLateSamplesFromBeforeTheFloorWaitForTheStore(t *testing.T) {
	f := open(t)
	f.measure(at(noon, 1))
	f.arrives(1)
	f.now = noon.AddDate(0, 0, 3)
	f.measure(at(f.now, 2))
	f.arrives(1)
	f.retain()
	f.to.respond(away)
	f.measure(at(noon.Add(time.Hour), 3))
	f.retain()
	f.stop()
	f.create()
	f.retain()
	var waiting []series.Sample
	err := f.series.Scan(t.Context(), 0, f.now.Unix(), func(some []series.Sample) error {
		waiting = append(waiting, some...)
		return nil
	})
	if want := []series.Sample{at(noon.Add(time.Hour), 3)}; err != nil || !slices.Equal(waiting, want) {
		t.Errorf("it still has %v (%v), want %v", waiting, err, want)
	}
}

func TestAWrongTokenLosesNothing(t *testing.T) {
	f := open(t)
	f.to.respond(http.StatusUnauthorized)
	f.measure(at(noon, 1))
	<-f.to.refused
	f.to.respond(0)
	f.arrives(1)
}

func TestOlderSamplesAreOfflineWithTheStore(t *testing.T) {
	f := open(t)
	f.measure(at(noon, 1))
	f.arrives(1)
	f.now = noon.AddDate(0, 0, 3)
	f.measure(at(f.now, 2))
	f.arrives(1)
	f.retain()
	f.to.respond(away)
	if got := f.values(f.now, f.now.Add(time.Hour)); !reflect.DeepEqual(got, []float64{2}) {
		t.Errorf("recent samples are %v", got)
	}
	_, err := f.series.Range(t.Context(), series.Query{Instance: 7, DataPoints: []int64{3}, From: noon.Unix(),
		To: f.now.Unix()})
	if !fault.Is(err, fault.Offline) {
		t.Errorf("older samples: %v, want fault.Offline", err)
	}
}

func TestALateSampleDoesNotDiscardOthers(t *testing.T) {
	f := open(t)
	f.measure(at(noon, 1))
	f.arrives(1)
	f.measure(at(noon.Add(-time.Hour), 0), at(noon.Add(time.Minute), 2), at(noon.Add(2*time.Minute), 3))
	f.arrives(2)
	f.measure(at(noon.Add(3*time.Minute), 4))
	f.arrives(1) // after the others were counted
	if stats := f.store.Stats(); stats.Sent < 3 || stats.Refused != 1 {
		t.Errorf("%d samples were sent and %d refused, want 3 and 1", stats.Sent, stats.Refused)
	}
}

func TestAPortalWithSamplesIsRefused(t *testing.T) {
	f := open(t)
	f.measure(at(noon, 1))
	f.arrives(1)
	f.stop()
	storetest.Write(t, f.db, func(tx resource.Tx) error {
		return resource.DeleteAll(t.Context(), tx, forward.RemoteWriteMarks.Name)
	})
	var err error
	if f.series, err = series.Open(t.Context(), series.Options{Path: f.path}); err != nil {
		t.Fatal(err)
	}
	_, err = samplestore.New(t.Context(), f.db, f.series, samplestore.Options{Portal: "p1",
		Settings: samplestore.Settings{URL: f.url}})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want fault.Conflict", err)
	}
}

func TestSettingsOfAStore(t *testing.T) {
	for text, want := range map[string]string{
		"http://prometheus:9090":     "http://prometheus:9090/api/v1/write",
		"https://mimir/prometheus/":  "https://mimir/prometheus/api/v1/write",
		"prometheus:9090":            "",
		"ftp://prometheus":           "",
		"http://prometheus:9090?a=b": "",
	} {
		got, err := samplestore.Settings{URL: text}.Check()
		if want == "" != (err != nil) || err == nil && got.Write != want {
			t.Errorf("%s: got %q (%v), want %q", text, got.Write, err, want)
		}
	}
	for tenant, valid := range map[string]bool{"": true, "team-a": true, "a/b": false, "a\nb": false} {
		_, err := samplestore.Settings{URL: "http://mimir", Tenant: tenant}.Check()
		if valid != (err == nil) {
			t.Errorf("tenant %q: %v", tenant, err)
		}
	}
}
