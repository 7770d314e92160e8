package monitor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"spyglass/backend/monitor"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// watch is a fixture that checks collectors at times that the test sets.
type watch struct {
	*fixture
	m   *monitor.Monitor
	now time.Time
}

// newWatch returns a fixture with running collectors 2 (backup 3), 3 and 4, and
// with real devices from 4 on, each with an instance.
func newWatch(t *testing.T, devices int) *watch {
	h := open(t)
	w := &watch{fixture: h, now: time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)}
	put(h, &setting.Settings, &setting.Setting{ID: setting.SettingID})
	put(h, &collector.CollectorGroups, &collector.CollectorGroup{ID: 2, Name: "Oslo"})
	for i := range 3 {
		c := &collector.Collector{Description: fmt.Sprint("c", i+2), Hostname: fmt.Sprint("c", i+2), GroupID: 2,
			Status: 1, EnableFailBack: true}
		if i == 0 {
			c.BackupID = 3
		}
		put(h, &collector.Collectors, c)
	}
	for i := range devices {
		h.do("POST /device/devices", "", fmt.Sprintf(`{"name":"d%d","preferredCollectorId":2}`, i))
	}
	w.m = monitor.New(monitor.Options{DB: h.db, Clock: func() time.Time { return w.now }})
	return w
}

// later advances the clock, sends the heartbeats of the given collectors, and then
// checks all collectors.
func (w *watch) later(d time.Duration, beating ...int64) {
	w.Helper()
	w.now = w.now.Add(d)
	for _, id := range beating {
		c, err := resource.Get(w.Context(), w.db, collector.Collectors.Name, id)
		if err != nil {
			w.Fatal(err)
		}
		c.LastHeartbeatOn, c.IsDown = resource.SecondsOf(w.now), false // as package collect does
		put(w.fixture, &collector.Collectors, c)
	}
	if err := w.m.Tick(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// with returns the devices from 4 on, as "device:collector".
func (w *watch) with() string {
	w.Helper()
	devices, err := resource.Find(w.Context(), w.db, fleet.Devices.Name, resource.Where{Field: "id", Op: ">", Value: 3})
	if err != nil {
		w.Fatal(err)
	}
	var words []string
	for _, d := range devices {
		word := fmt.Sprintf("%d:%d", d.ID, d.CurrentCollector)
		if d.HostStatus != "normal" {
			word += " " + d.HostStatus
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func (w *watch) want(when, want string) {
	w.Helper()
	if got := w.with(); got != want {
		w.Errorf("%s: the devices are with %s, want %s", when, got, want)
	}
}

func (w *watch) change(id int64, change func(*collector.Collector)) {
	w.Helper()
	c, err := resource.Get(w.Context(), w.db, collector.Collectors.Name, id)
	if err != nil {
		w.Fatal(err)
	}
	change(c)
	put(w.fixture, &collector.Collectors, c)
}

func TestDevicesFailOverToTheBackupCollectorAndBack(t *testing.T) {
	w := newWatch(t, 2)
	w.later(0, 2, 3)
	w.want("all run", "4:2, 5:2")
	w.later(40*time.Second, 3)
	w.want("silent for 40 seconds", "4:2, 5:2")
	w.later(10*time.Second, 3)
	w.want("down", "4:3, 5:3")
	alerts, err := resource.Find(t.Context(), w.db, alert.Alerts.Name)
	if err != nil || len(alerts) != 1 || alerts[0].CollectorID != 2 || alerts[0].Cleared {
		t.Errorf("the alerts are %+v (%v)", alerts, err)
	}
	w.later(15*time.Second, 2, 3)
	w.want("back", "4:2, 5:2")

	w.later(5 * time.Minute)
	w.want("both down", "4:2 dead-collector, 5:2 dead-collector")
	w.later(15*time.Second, 3)
	w.want("the backup is back first", "4:3, 5:3")
	w.change(2, func(c *collector.Collector) { c.EnableFailBack = false })
	w.later(15*time.Second, 2, 3)
	w.want("back, but not wanted back", "4:3, 5:3")
	w.later(3*time.Minute, 2)
	w.want("the backup falls silent", "4:2, 5:2")
}

func TestCollectorsGetTimeToReconnectAfterAPortalOutage(t *testing.T) {
	w := newWatch(t, 1)
	w.later(0, 2, 3)
	w.now = w.now.Add(time.Hour) // the portal was stopped for an hour
	w.m.Start(context.Background())
	if err := w.m.Stop(t.Context()); err != nil { // from here on the test runs the work, at its own times
		t.Fatal(err)
	}
	w.later(40 * time.Second)
	w.want("it has just started", "4:2")
	w.later(10*time.Second, 3)
	w.want("it was given time", "4:3")
}

func TestSettingsDefineWhenACollectorIsDown(t *testing.T) {
	w := newWatch(t, 1)
	settings, err := resource.Get(t.Context(), w.db, setting.Settings.Name, setting.SettingID)
	if err != nil {
		t.Fatal(err)
	}
	settings.DownAfter = 600
	put(w.fixture, &setting.Settings, settings)
	w.later(0, 2, 3)
	w.later(9*time.Minute, 3)
	w.want("silent for nine minutes", "4:2")
	w.later(50*time.Second, 3)
	w.want("down", "4:3")
	alerts, err := resource.Find(t.Context(), w.db, alert.Alerts.Name)
	if err != nil || len(alerts) != 1 || alerts[0].Threshold != "600 seconds without a heartbeat" {
		t.Errorf("the alerts are %+v (%v)", alerts, err)
	}
}

func TestDeviceWithoutABackupWaitsForItsCollector(t *testing.T) {
	w := newWatch(t, 1)
	w.change(2, func(c *collector.Collector) { c.BackupID = 0 })
	w.later(0, 2, 3)
	w.later(5*time.Minute, 3)
	w.want("down", "4:2 dead-collector")
	w.later(time.Second, 2, 3)
	w.want("back", "4:2")
}

func TestCollectorsOfABalancedGroupShareDevices(t *testing.T) {
	w := newWatch(t, 12)
	put(w.fixture, &collector.CollectorGroups, &collector.CollectorGroup{ID: 2, Name: "Oslo", AutoBalance: true})
	counts := func() string {
		n := map[string]int{}
		for _, one := range strings.Split(w.with(), ", ") {
			_, collectorName, _ := strings.Cut(one, ":")
			n[collectorName]++
		}
		return fmt.Sprint(n)
	}
	var before []string
	step := func(when, want string, moves int, d time.Duration, beating ...int64) {
		t.Helper()
		before = strings.Split(w.with(), ", ")
		w.later(d, beating...)
		after := strings.Split(w.with(), ", ")
		moved := 0
		for _, one := range after {
			if !slices.Contains(before, one) {
				moved++
			}
		}
		if got := counts(); got != want || moved != moves {
			t.Errorf("%s: %s after %d moves, want %s after %d", when, got, moved, want, moves)
		}
	}
	step("only 2 runs", "map[2:12]", 0, 0, 2)
	step("3 joins", "map[2:6 3:6]", 6, 0, 2, 3)
	step("nothing happens", "map[2:6 3:6]", 0, 15*time.Second, 2, 3)
	step("4 joins", "map[2:4 3:4 4:4]", 4, 15*time.Second, 2, 3, 4)
	step("3 falls silent", "map[2:6 4:6]", 4, 3*time.Minute, 2, 4)
	step("3 is back", "map[2:4 3:4 4:4]", 4, 15*time.Second, 2, 3, 4)
	w.do("DELETE /device/devices/{id}", "id=15", "")
	step("one device less", "map[2:3 3:4 4:4]", 0, 15*time.Second, 2, 3, 4)
	step("all fall silent", "map[2 dead-collector:3 3 dead-collector:4 4 dead-collector:4]", 11, 3*time.Minute)
	step("one is back", "map[4:11]", 11, 15*time.Second, 4)
}

func TestWrongClockAndReplacedCredentialOpenSeparateAlerts(t *testing.T) {
	w := newWatch(t, 1)
	w.later(0, 2, 3)
	open := func() (all []string) {
		t.Helper()
		alerts, err := resource.Find(t.Context(), w.db, alert.Alerts.Name,
			resource.Where{Field: "cleared", Op: "=", Value: false})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range alerts {
			all = append(all, fmt.Sprintf("%d %s: %s", a.CollectorID, a.Condition, a.Reason))
		}
		return all
	}
	step := func(when string, want ...string) {
		t.Helper()
		w.later(15*time.Second, 2, 3)
		if got := open(); !slices.Equal(got, want) {
			t.Errorf("%s: %q are open, want %q", when, got, want)
		}
	}
	w.change(2, func(c *collector.Collector) { c.ClockOffset = -180 })
	step("three minutes behind")
	w.change(2, func(c *collector.Collector) { c.ClockOffset = -240 })
	step("four minutes behind", "2 clock: The clock of this collector is 240 seconds behind the portal's. Set the "+
		"clock that is wrong.")
	w.change(2, func(c *collector.Collector) { c.ClockOffset = 2 })
	step("set right")
	raised := &alert.Finding{CollectorID: 3, Condition: alert.ConditionCredential, Severity: threshold.SeverityWarn,
		Reason: "It was.", At: resource.SecondsOf(w.now)}
	if err := w.db.Write(t.Context(),
		func(tx resource.Tx) error { _, _, err := alert.Raise(t.Context(), tx, raised); return err }); err != nil {
		t.Fatal(err)
	}
	w.change(3, func(c *collector.Collector) { c.ReplacedOn = resource.SecondsOf(w.now) })
	step("registered again", "3 credential: It was.")
	w.later(time.Hour, 2, 3)
	step("an hour later")
}
