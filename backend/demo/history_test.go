package demo_test

import (
	"io"
	"log/slog"
	"math"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"spyglass/backend/demo/history"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

const inAWeek = 7 * 24 * 3600

// remembered is the history of a demo portal with few devices; a test can move its end.
type remembered struct {
	*history.History
	series *series.DB
	at     *time.Time
}

func remember(t *testing.T, samples *series.DB, at time.Time) *remembered {
	t.Helper()
	db := filled(t, 4).db
	r := &remembered{series: samples, at: &at}
	r.History = history.New(
		history.Options{DB: db, Series: samples, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Clock: func() time.Time { return *r.at }})
	return r
}

func samplesAt(t *testing.T) *series.DB {
	t.Helper()
	db, err := series.Open(t.Context(), series.Options{Path: filepath.Join(t.TempDir(), "series.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// moments returns the samples of data points of the first device's first
// interface.
func (r *remembered) moments(t *testing.T, points ...int64) series.Table {
	t.Helper()
	got, err := r.series.Range(t.Context(), series.Query{Instance: 1, DataPoints: points, From: 0, To: r.at.Unix() + 1})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestDemoHasAWeekOfHistoryAndContinues(t *testing.T) {
	samples := samplesAt(t)
	at := time.Unix(1_790_000_000, 0)
	r := remember(t, samples, at)
	if !r.Filling() {
		t.Error("a history that has done nothing yet says that it is filled")
	}
	if err := r.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	const inOctets, inBits = 7001, 7003
	got := r.moments(t, inOctets, inBits)
	first, last := got.Times[0], got.Times[len(got.Times)-1]
	if first < at.Unix()-inAWeek || first > at.Unix()-inAWeek+300 || last < at.Unix()-120 || last > at.Unix() {
		t.Errorf("the history goes from %d to %d, want the week before %d", first, last, at.Unix())
	}
	for i := range got.Times {
		if gap := got.Times[i] - got.Times[max(0, i-1)]; gap > 300 || got.Times[i] > at.Unix()-7000 && gap > 120 {
			t.Fatalf("there are %d seconds without a sample before %d", gap, got.Times[i])
		}
		if got.Values[1][i] != 8*got.Values[0][i] || math.IsNaN(got.Values[0][i]) {
			t.Fatalf("inBits is %v where inOctets is %v", got.Values[1][i], got.Values[0][i])
		}
	}
	later := at.Add(4 * time.Minute)
	r.at = &later
	if err := r.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := r.moments(t, inOctets); len(now.Times) != len(got.Times)+2 {
		t.Errorf("four minutes brought %d samples, want 2", len(now.Times)-len(got.Times))
	}
}

func TestDemoFillsTheTimeWhileItWasClosed(t *testing.T) {
	samples := samplesAt(t)
	at := time.Unix(1_790_000_000, 0)
	if err := remember(t, samples, at).Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := remember(t, samples, at.Add(30*time.Hour)) // as in another process
	before := r.moments(t, 7001)
	if err := r.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := r.moments(t, 7001)
	for i, when := range before.Times {
		if got.Times[i] != when || got.Values[0][i] != before.Values[0][i] {
			t.Fatalf("the sample of %d is not what it was", when)
		}
	}
	for i := 1; i < len(got.Times); i++ {
		if gap := got.Times[i] - got.Times[i-1]; gap > 300 {
			t.Fatalf("there are %d seconds without a sample before %d", gap, got.Times[i])
		}
	}
}

func TestInterruptedHistoryIsFilledEvenAfterAPoll(t *testing.T) {
	samples := samplesAt(t)
	at := time.Unix(1_790_000_000, 0)
	for _, ago := range []int64{100, 3 * 24 * 3600} {
		if err := samples.Append(t.Context(),
			[]series.Sample{{Instance: 1, DataPoint: 7001, At: at.Unix() - ago, Value: 5}}); err != nil {
			t.Fatal(err)
		}
	}
	r := remember(t, samples, at)
	if err := r.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.moments(t, 7001); got.Times[0] > at.Unix()-inAWeek+2*3600+600 || len(got.Times) < 2000 {
		t.Errorf("there are %d samples from %d on, want the week before %d", len(got.Times), got.Times[0], at.Unix())
	}
}

func TestRealDeviceGetsNoHistory(t *testing.T) {
	samples := samplesAt(t)
	db := filled(t, 4).db
	err := db.Write(t.Context(), func(tx resource.Tx) error {
		d, err := resource.Get(t.Context(), tx, fleet.Devices.Name, 1)
		if err != nil {
			return err
		}
		d.CustomProperties = []resource.Property{{Name: "system.categories", Value: "switch"}}
		return resource.Put(t.Context(), tx, fleet.Devices.Name, d)
	})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_790_000_000, 0)
	h := history.New(history.Options{DB: db, Series: samples, Clock: func() time.Time { return at }})
	if err := h.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := samples.Last(t.Context(), 1, 7001); ok || err != nil {
		t.Errorf("the first interface of a real device has a sample (%v)", err)
	}
	if len(samples.Instances()) == 0 {
		t.Error("no other device has one")
	}
}

func TestHistoryMatchesItsAlerts(t *testing.T) {
	samples := samplesAt(t)
	db := filled(t, 60).db
	alerts, err := resource.Find(t.Context(), db, alert.Alerts.Name)
	if err != nil {
		t.Fatal(err)
	}
	at := noon.Add(time.Minute)
	h := history.New(
		history.Options{DB: db, Series: samples, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Clock: func() time.Time { return at }})
	if err := h.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	active, over := 0, 0
	for i := range alerts {
		a := &alerts[i]
		want, err := strconv.ParseFloat(a.Value, 64)
		if err != nil || a.ID == 1 { // the portal does not poll the instance of the first
			continue
		}
		end := at.Unix()
		if a.EndOn > 0 {
			end = int64(a.EndOn)
			over++
		} else {
			active++
		}
		got, err := samples.Range(t.Context(), series.Query{Instance: a.InstanceID, DataPoints: []int64{a.DataPointID},
			From: int64(a.StartOn), To: end})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Times) == 0 && end-int64(a.StartOn) > 600 {
			t.Errorf("alert %d has no samples", a.ID)
		}
		for k, v := range got.Values[0] {
			if v != want {
				t.Fatalf("alert %d is about %v, and at %d there is %v", a.ID, want, got.Times[k], v)
			}
		}
	}
	if active < 3 || over < 3 {
		t.Errorf("%d alerts are active and %d are over", active, over)
	}
}

func TestCompleteHistoryIsNotGeneratedAgain(t *testing.T) {
	const hour = 3600
	for name, tt := range map[string]struct {
		killed bool
		add    int64 // moments that the next process adds in the 29 hours before the last
	}{
		"the portal ended": {false, 0},
		"it was killed":    {true, 29 * hour / 300},
	} {
		t.Run(name, func(t *testing.T) {
			samples, db := samplesAt(t), filled(t, 4).db
			at := time.Unix(1_790_000_000, 0)
			process := func() *history.History {
				return history.New(history.Options{
					DB: db, Series: samples, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
					Clock: func() time.Time { return at }, Ends: true,
				})
			}
			inBetween := func() int64 {
				got, err := samples.Range(t.Context(), series.Query{Instance: 1, DataPoints: []int64{7001},
					From: 1_790_000_001, To: 1_790_000_000 + 29*hour})
				if err != nil {
					t.Fatal(err)
				}
				return int64(len(got.Times))
			}
			first := process()
			if err := first.Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			at = at.Add(30 * time.Hour)
			for ago := int64(0); ago < hour; ago += 60 { // the most recent polls
				if err := samples.Append(t.Context(),
					[]series.Sample{{Instance: 1, DataPoint: 7001, At: at.Unix() - ago, Value: 5}}); err != nil {
					t.Fatal(err)
				}
			}
			if !tt.killed {
				if err := first.Stop(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := process().Once(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := inBetween(); got < tt.add || tt.add == 0 && got > 0 {
				t.Errorf("there are %d moments in between, want %d", got, tt.add)
			}
		})
	}
}
