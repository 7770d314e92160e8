package monitor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/clock"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// take sends the engine a result of Gauge on the real device, a minute after
// the previous result.
func (b *bench) take(values check.Values, err error) {
	b.Helper()
	b.at.Add(60)
	r := check.Result{InstanceID: b.instance(realDevice), At: b.at.Load()}
	r.Set(values, err)
	if err := b.Take(b.Context(), ground.BuiltInCollector, []check.Result{r}); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) reasons() string {
	b.Helper()
	found, err := resource.Find(b.Context(), b.db, alert.Alerts.Name)
	if err != nil {
		b.Fatal(err)
	}
	var all []string
	for i := range found {
		a := &found[i]
		all = append(all, fmt.Sprintf("%s%s %v: %s", a.DataPointName, a.DeviceName, a.Cleared, a.Reason))
	}
	return strings.Join(all, "\n")
}

func TestLocalFailureIsOnePortalAlertAndNoDeviceAlert(t *testing.T) {
	b := newBench(t)
	away := &check.Failure{Text: "The machine that runs this check has no network.", Local: check.LocalNetwork}
	for range 6 {
		b.take(nil, away)
	}
	const reason = "networklocalhost %v: The machine that runs this check has no network. Until then, devices that " +
		"it cannot check raise no alerts."
	if got, want := b.reasons(), fmt.Sprintf(reason, false); got != want {
		t.Errorf("offline: got %s, want %s", got, want)
	}
	_ = b.Engine.Stop(b.Context())
	b.run() // the engine restarts
	b.take(nil, away)
	if got, want := b.reasons(), fmt.Sprintf(reason, false); got != want {
		t.Errorf("after a start: got %s, want %s", got, want)
	}
	b.take(check.Values{"level": 5}, nil)
	if got, want := b.reasons(), fmt.Sprintf(reason, true); got != want {
		t.Errorf("back: got %s, want %s", got, want)
	}
}

func TestFailureReasonIsInTheAlertAndTheInstance(t *testing.T) {
	b := newBench(t)
	refused := &check.Failure{Text: "10.0.0.7:80 refused the connection.", Responded: true}
	for range 3 {
		b.take(check.Values{"level": 40}, refused)
	}
	if got, want := b.reasons(), "levelreal-sw false: 10.0.0.7:80 refused the connection."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := b.Reason(b.instance(realDevice)); got != refused.Text {
		t.Errorf("the instance says %q", got)
	}
	b.take(check.Values{"level": 5}, nil)
	if got := b.Reason(b.instance(realDevice)); got != "" {
		t.Errorf("the instance still says %q", got)
	}
}

func TestNoDataBehindASilentParentOpensNoAlert(t *testing.T) {
	b := newBench(t)
	_ = b.Engine.Stop(b.Context())
	b.pace = clock.New(nil)
	b.pace.SetTime(time.Unix(b.at.Load(), 0))
	b.pace.SetSpeed(0) // stops simulated polls, so that only the test polls the parent
	b.run()
	b.do("PATCH /device/devices/{id}", "id=3", `{"customProperties":[{"name":"parent.device","value":"WEB"}]}`)
	b.until("the engine knows the parent", func() bool { return b.Parent(realDevice) == "web" })
	b.at.Add(60)
	b.pollBy(ground.BuiltInCollector, b.instance(2), "1")
	for range 5 {
		b.take(check.Values{"level": 40}, &check.Failure{Text: "10.0.0.7:80 did not respond within 5 s."})
	}
	b.wantAlerts("")
	for range 3 {
		b.take(check.Values{"level": 40}, &check.Failure{Text: "10.0.0.7:80 refused the connection.", Responded: true})
	}
	b.wantAlerts("1 real-sw level 40: critical")
}

func TestDeviceWithOnlyAPortCheckIsDeadIfItNeverResponds(t *testing.T) {
	const silent, refused = "10.0.0.7:80 did not respond within 5 s.", "10.0.0.7:80 refused the connection."
	for _, tt := range []struct {
		name    string
		failure check.Failure
		want    string
	}{
		{"no response", check.Failure{Text: silent}, "dead"},
		{"a closed port", check.Failure{Text: refused, Responded: true}, "normal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.do("PATCH /setting/datasources/{id}", fmt.Sprintf("id=%d", b.sourceOf("Gauge")), `{"collectInterval":60}`)
			for range 8 {
				b.take(check.Values{"status": 0}, &tt.failure)
			}
			if err := b.SaveHosts(t.Context()); err != nil {
				t.Fatal(err)
			}
			d, err := resource.Get(t.Context(), b.db, fleet.Devices.Name, int64(realDevice))
			if err != nil || d.HostStatus != tt.want {
				t.Errorf("the device is %q (%v), want %q", d.HostStatus, err, tt.want)
			}
		})
	}
}

func (b *bench) sourceOf(name string) int64 {
	b.Helper()
	found, err := resource.Find(b.Context(), b.db, datasource.DataSources.Name,
		resource.Where{Field: "name", Op: "=", Value: name})
	if err != nil || len(found) != 1 {
		b.Fatalf("%d data sources (%v)", len(found), err)
	}
	return found[0].ID
}
