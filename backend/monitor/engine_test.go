package monitor_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/monitor"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// bench is a portal with an engine that gets its results from the test.
type bench struct {
	*fixture
	*monitor.Engine
	series *series.DB

	seriesPath string
	at         atomic.Int64 // time of the next result
	mu         sync.Mutex
	hosts      map[string]bool                           // hosts that were checked
	responds   func(t *check.Task) (check.Values, error) // responds to checks; nil: no host responds
	polls      int                                       // number of polled instances; 0: 13
	pace       *clock.Clock                              // clock of simulated devices; nil: the clock of the results
}

// gauge is a data source with one data point. Its polling interval is so long that
// all results come from the test.
const gauge = `{"name":"Gauge","appliesTo":"true()","collectMethod":"tcp","collectInterval":86400,"dataPoints":[
	{"name":"level","rawDataFieldName":"level","alertExpr":"> 10 20 30","alertTransitionInterval":3,"alertClearTransitionInterval":2,"alertForNoData":3}]}`

// newBench returns a settled portal with the data source Gauge and a real device,
// real-sw, which has an instance of it.
func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{fixture: open(t), hosts: map[string]bool{}}
	b.at.Store(1_790_000_000)
	b.do("POST /setting/datasources", "", gauge)
	b.fixture.start()
	b.settles("core-sw: Gauge, Net_Interfaces 8, Ping", "web: Gauge, Ping", "real-sw: Gauge, Net_Interfaces 2, Ping")
	b.fixture.stop()
	var err error
	b.seriesPath = filepath.Join(t.TempDir(), "series.db")
	if b.series, err = series.Open(t.Context(), series.Options{Path: b.seriesPath}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.series.Close() })
	b.run()
	return b
}

// run starts an engine, which polls Gauge on all devices and every simulated instance.
func (b *bench) run() {
	b.Helper()
	b.Engine = monitor.NewEngine(monitor.EngineOptions{
		DB: b.db, Series: b.series, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Clock: func() time.Time {
			return time.Unix(b.at.Load(), 0)
		},
		Checks: []check.Check{{Name: "tcp", Run: b.look}}, Pace: b.pace,
	})
	b.Engine.Start(context.Background())
	b.Cleanup(func() { _ = b.Engine.Stop(context.Background()) })
	polls := cmp.Or(b.polls, 13)
	b.until(fmt.Sprint(polls, " instances are polled"), func() bool { return b.Polled() == polls })
}

func (b *bench) look(_ context.Context, t *check.Task) (check.Values, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.hosts[t.Host] = true
	if b.responds != nil {
		return b.responds(t)
	}
	return nil, errors.New("nobody answers")
}

func (b *bench) until(what string, is func() bool) {
	b.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatalf("after 20 seconds it is not so that %s; %d instances are polled, alerts: %s", what, b.Polled(),
				b.alerts())
		}
	}
}

// instance returns the id of a device's instance of Gauge.
func (b *bench) instance(device int64) int64 {
	b.Helper()
	found, err := resource.Find(b.Context(), b.db, fleet.Instances.Name,
		resource.Where{Field: "deviceDataSourceId", Op: "=", Value: b.on(device, "Gauge")})
	if err != nil || len(found) != 1 {
		b.Fatalf("%d instances (%v)", len(found), err)
	}
	return found[0].ID
}

const realDevice = 3

// poll sends the engine a result of Gauge on the real device, a minute after
// the previous result; "-" is a failed check.
func (b *bench) poll(level string) {
	b.Helper()
	b.at.Add(60)
	b.pollBy(ground.BuiltInCollector, b.instance(realDevice), level)
}

func (b *bench) pollBy(collector, instance int64, level string) {
	b.Helper()
	r := check.Result{InstanceID: instance, At: b.at.Load(), Error: "no response"}
	if level != "-" {
		var v float64
		if _, err := fmt.Sscan(level, &v); err != nil {
			b.Fatal(err)
		}
		r.Error, r.Values = "", check.Values{"level": v}
	}
	if err := b.Take(b.Context(), collector, []check.Result{r}); err != nil {
		b.Fatal(err)
	}
}

// alerts returns the active alerts as "1 real-sw level 40: critical".
func (b *bench) alerts() string {
	b.Helper()
	found, err := resource.Find(b.Context(), b.db, alert.Alerts.Name,
		resource.Where{Field: "cleared", Op: "=", Value: false})
	if err != nil {
		b.Fatal(err)
	}
	var all []string
	for _, a := range found {
		all = append(all, fmt.Sprintf("%d %s %s %s: %s", a.ID, a.DeviceName, a.DataPointName, a.Value,
			[]string{2: "warn", 3: "error", 4: "critical"}[a.Severity]))
	}
	return strings.Join(all, ", ")
}

func (b *bench) wantAlerts(want string) {
	b.Helper()
	if got := b.alerts(); got != want {
		b.Errorf("alerts: %q, want %q", got, want)
	}
}

func TestAlertOpensWorsensAndClearsAfterTheConfiguredPolls(t *testing.T) {
	const warn, critical = "1 real-sw level 15: warn", "1 real-sw level 40: critical"
	for _, tt := range []struct{ name, polls, want string }{
		{"nothing is beyond it", "5 10 9", ""},
		{"two polls are not enough", "15 15", ""},
		{"three in a row open it", "15 15 15", warn},
		{"one in between starts again", "15 15 5 15 15", ""},
		{"a failed look is worse than a warning", "15 - 15", warn},
		{"three that failed", "- - -", "1 real-sw level no data: error"},
		{"it opens as bad as all of them were", "40 40 15", warn},
		{"it gets worse after as many", "15 15 15 40 40 40", critical},
		{"it does not get worse before", "15 15 15 40 40", warn},
		{"one good poll does not clear it", "15 15 15 5", warn},
		{"nor do two that are not in a row", "15 15 15 5 15 5", warn},
		{"two in a row clear it", "15 15 15 5 5", ""},
		{"it gets better after as many", "40 40 40 5 15", warn},
		{"it opens again as another one", "15 15 15 5 5 15 15 15", "2 real-sw level 15: warn"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.T = t
			for _, level := range strings.Fields(tt.polls) {
				b.poll(level)
			}
			b.wantAlerts(tt.want)
		})
	}
}

func TestThresholdChangeAppliesAtTheNextPoll(t *testing.T) {
	b := newBench(t)
	b.poll("7")
	point := b.sourceID("Gauge")*1000 + 1
	o := &override.Override{GroupID: ground.RootGroup, DataSourceID: b.sourceID("Gauge"), DataPointID: point,
		Expr: "> 5", NoData: -1, Transition: 1, ClearTransition: -1}
	put(b.fixture, &override.Overrides, o)
	b.poll("7")
	b.wantAlerts("1 real-sw level 7: warn")
	o.Expr, o.ClearTransition = "> 8", 0
	put(b.fixture, &override.Overrides, o)
	b.poll("7")
	b.wantAlerts("")
}

func TestNoAlertWhereAlertingIsDisabled(t *testing.T) {
	for name, disable := range map[string]func(b *bench, yes bool){
		"at the device": func(b *bench, yes bool) {
			b.do("PATCH /device/devices/{id}", "id=3", fmt.Sprintf(`{"disableAlerting":%v}`, yes))
		},
		"at the group": func(b *bench, yes bool) {
			b.do("PATCH /device/groups/{id}", "id=1", fmt.Sprintf(`{"disableAlerting":%v}`, yes))
		},
		"at the instance": func(b *bench, yes bool) {
			b.do(instanceEdit, path(realDevice, b.on(realDevice, "Gauge"), b.instance(realDevice)),
				fmt.Sprintf(`{"disableAlerting":%v}`, yes))
		},
		"at the data source of the group": func(b *bench, yes bool) {
			put(b.fixture, &override.GroupDataSourceSettings, &override.GroupDataSource{
				ID: 1, GroupID: ground.RootGroup,
				DataSourceID: b.sourceID("Gauge"), DisableAlerting: yes})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.T = t
			for range 3 {
				b.poll("15")
			}
			b.wantAlerts("1 real-sw level 15: warn")
			disable(b, true)
			b.until("the alert is over", func() bool {
				b.poll("15")
				return b.alerts() == ""
			})
			disable(b, false)
			b.until("there is another", func() bool {
				b.poll("15")
				return b.alerts() == "2 real-sw level 15: warn"
			})
		})
	}
}

func TestPolledInstancesFollowTheDatabase(t *testing.T) {
	b := newBench(t)
	gone := b.instance(realDevice)
	b.do(instanceEdit, path(realDevice, b.on(realDevice, "Gauge"), gone), `{"stopMonitoring":true}`)
	b.until("one less is polled", func() bool { return b.Polled() == 12 })
	for range 3 {
		b.poll("15")
	}
	b.wantAlerts("")
	b.do(instanceEdit, path(realDevice, b.on(realDevice, "Gauge"), gone), `{"stopMonitoring":false}`)
	b.until("it is polled again", func() bool { return b.Polled() == 13 })

	put(b.fixture, &override.GroupDataSourceSettings, &override.GroupDataSource{GroupID: ground.RootGroup,
		DataSourceID: b.sourceID("Ping"), StopMonitoring: true})
	b.until("Ping is polled nowhere", func() bool { return b.Polled() == 11 })
	b.do("PATCH /device/devices/{id}", "id=1", `{"customProperties":[{"name":"system.categories","value":"switch"}]}`)
	b.until("interfaces of a device that is real are not", func() bool { return b.Polled() == 3 })
	b.do("DELETE /device/devices/{id}", "id=3", "")
	b.until("a deleted device is not polled", func() bool { return b.Polled() == 2 })

	b.do("PATCH /device/devices/{id}", "id=1", `{"name":"10.0.0.9"}`)
	b.do("PATCH /setting/datasources/{id}", fmt.Sprint("id=", b.sourceID("Gauge")), `{"collectInterval":1}`)
	b.until("it is looked at where it is now", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.hosts["10.0.0.9"] && !b.hosts["core-sw"]
	})
}

func TestNewEngineKeepsActiveAlerts(t *testing.T) {
	b := newBench(t)
	for range 3 {
		b.poll("15")
	}
	_ = b.Engine.Stop(b.Context())
	b.run()
	for range 4 {
		b.poll("15")
	}
	b.wantAlerts("1 real-sw level 15: warn")
	b.poll("5")
	b.poll("5")
	b.wantAlerts("")
	all, err := resource.Find(t.Context(), b.db, alert.Alerts.Name)
	if err != nil || len(all) != 1 {
		t.Errorf("there were %d alerts (%v)", len(all), err)
	}
}

func TestDemoAlertStays(t *testing.T) {
	b := newBench(t)
	const device = 2 // web, a simulated device
	instance, point := b.instance(device), b.sourceID("Gauge")*1000+1
	err := b.db.Write(t.Context(), func(tx resource.Tx) error {
		one, err := resource.Get(t.Context(), tx, fleet.Instances.Name, instance)
		if err != nil {
			return err
		}
		_, _, err = alert.Raise(t.Context(), tx, &alert.Finding{InstanceID: instance, DataPointID: point,
			Severity: threshold.SeverityError, Value: "22", Threshold: "> 10 20 30", At: one.CreatedOn - 3600})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Engine.Stop(b.Context())
	b.run()
	for i := range int64(5) {
		if err := b.Take(t.Context(), ground.BuiltInCollector,
			[]check.Result{{InstanceID: instance, At: b.at.Load() + i*60}}); err != nil {
			t.Fatal(err)
		}
	}
	b.wantAlerts("1 web level 22: error")
	if last, ok, err := b.series.Last(t.Context(), instance, point); !ok || err != nil || last.Value != 22 {
		t.Errorf("the last sample is %v (%v)", last, err)
	}
}

func TestLastDataIsSetAfterTheFirstPoll(t *testing.T) {
	b := newBench(t)
	polledOn := func() int64 {
		if err := b.SaveHosts(t.Context()); err != nil {
			t.Fatal(err)
		}
		d, err := resource.Get(t.Context(), b.db, fleet.Devices.Name, realDevice)
		if err != nil {
			t.Fatal(err)
		}
		return int64(d.LastRawdataTime)
	}
	if on := polledOn(); on != 0 {
		t.Fatalf("it was polled on %d", on)
	}
	b.poll("-")
	first := polledOn()
	if first == 0 {
		t.Error("no event announces its first poll")
	}
	b.at.Add(-30)
	b.poll("-")
	if on := polledOn(); on != first {
		t.Errorf("it is written %d s after the first time", on-first)
	}
	b.poll("-")
	if on := polledOn(); on != first+90 {
		t.Errorf("of a poll %d s after the first it is written %d", 90, on-first)
	}
}

func TestDeviceTimesAreCurrentUnlessThereAreManyDevices(t *testing.T) {
	got := map[int]int64{}
	for _, devices := range []int{1, 152, 199, 200, 500, 1000, 100_000} {
		got[devices] = monitor.Every(devices)
	}
	if want := map[int]int64{1: 60, 152: 60, 199: 60, 200: 120, 500: 180, 1000: 300, 100_000: 300}; !maps.Equal(
		got, want) {
		t.Errorf("times are written every %v seconds, not %v", got, want)
	}
}

func TestDevicesOfASmallFleetAreWrittenTogetherAndAFifthOfALargeOne(t *testing.T) {
	const devices = 100
	for period, want := range map[int64]int{60: devices, 300: devices / 5} {
		for at := range int64(600) {
			due := 0
			for id := range int64(devices) {
				if monitor.RoundOf(id, at+1, period) != monitor.RoundOf(id, at, period) {
					due++
				}
			}
			if fullMinute := (at+1)%60 == 0; fullMinute && due != want || !fullMinute && due != 0 {
				t.Errorf("with a period of %d s, %d devices become due after second %d", period, due, at)
			}
		}
	}
}

func TestDeviceIsDeadWithoutDataAndNormalAtTheNextSample(t *testing.T) {
	b := newBench(t)
	status := func() string {
		if err := b.SaveHosts(t.Context()); err != nil {
			t.Fatal(err)
		}
		d, err := resource.Get(t.Context(), b.db, fleet.Devices.Name, realDevice)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %d", d.HostStatus, int64(d.LastDataTime)-1_790_000_000)
	}
	interval := int64(86400)
	b.poll("5")
	b.at.Add(400)
	b.poll("5")
	if got := status(); got != "normal 520" {
		t.Errorf("a device that responds is %s", got)
	}
	for range 3 {
		b.at.Add(interval)
		b.poll("-")
	}
	if got := status(); got != "dead 520" {
		t.Errorf("a device that was silent three times is %s", got)
	}
	b.poll("5")
	if got := status(); got != fmt.Sprint("normal ", b.at.Load()-1_790_000_000) {
		t.Errorf("a device that responds again is %s", got)
	}
	logs, err := resource.Find(t.Context(), b.db, fleet.Devices.Name,
		resource.Where{Field: "hostStatus", Op: "!=", Value: "normal"})
	if err != nil || len(logs) > 0 {
		t.Errorf("%d unpolled devices are not normal (%v)", len(logs), err)
	}
}

func TestResultsCountOnlyFromTheAssignedCollector(t *testing.T) {
	b := newBench(t)
	put(b.fixture, &collector.Collectors,
		&collector.Collector{Description: "Oslo", GroupID: ground.DefaultCollectorGroup})
	other := b.instance(realDevice)
	for range 3 {
		b.pollBy(2, other, "40")
	}
	b.wantAlerts("")
	b.do("PATCH /device/devices/{id}", "id=3", `{"preferredCollectorId":2}`)
	b.until("the built-in collector does not poll it", func() bool { return b.Polled() == 12 })
	for range 3 {
		b.poll("40")
	}
	b.wantAlerts("")
	for range 3 {
		b.pollBy(2, other, "40")
	}
	b.wantAlerts("1 real-sw level 40: critical")
}

func TestSilentCollectorRaisesOneAlert(t *testing.T) {
	h := settled(t)
	now := resource.SecondsOf(time.Now())
	put(h, &collector.Collectors, &collector.Collector{Description: "Oslo", Hostname: "oslo-01",
		GroupID: ground.DefaultCollectorGroup, Status: 1, LastHeartbeatOn: now - 200})
	put(h, &collector.Collectors,
		&collector.Collector{Description: "Never seen", GroupID: ground.DefaultCollectorGroup})
	h.do("PATCH /device/devices/{id}", "id=3", `{"preferredCollectorId":2}`)
	put(h, &setting.Settings, &setting.Setting{ID: setting.SettingID})
	m := monitor.New(monitor.Options{DB: h.db})
	show := func() string {
		t.Helper()
		if err := m.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		var words []string
		devices, err := resource.Find(t.Context(), h.db, fleet.Devices.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range devices {
			words = append(words, d.HostStatus)
		}
		alerts, err := resource.Find(t.Context(), h.db, alert.Alerts.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range alerts {
			words = append(words, fmt.Sprintf("%s %s %v", a.Type, a.DeviceName, a.Cleared))
		}
		return strings.Join(words, ", ")
	}
	for range 2 {
		if got, want := show(), "normal, normal, dead-collector, agentDownAlert oslo-01 false"; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	c, err := resource.Get(t.Context(), h.db, collector.Collectors.Name, 2)
	if err != nil || !c.IsDown {
		t.Fatalf("the collector is not down (%v)", err)
	}
	c.IsDown, c.LastHeartbeatOn = false, now
	put(h, &collector.Collectors, c)
	if got, want := show(), "normal, normal, normal, agentDownAlert oslo-01 true"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
