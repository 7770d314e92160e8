package monitor_test

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spyglass/backend/monitor"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// sampled returns a fixture with two instances that have a sample each. Instance 9 does not
// exist but has a sample.
func sampled(t *testing.T) (*fixture, *series.DB) {
	h := open(t)
	db, err := series.Open(t.Context(), series.Options{Path: filepath.Join(t.TempDir(), "series.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	put(h, &fleet.DeviceDataSources, &fleet.DeviceDataSource{ID: 1, DeviceID: 1, DataSourceID: 1, Multiple: true})
	put(h, &fleet.Instances, &fleet.Instance{ID: 1, DeviceID: 1, DeviceDataSourceID: 1, DataSourceID: 1,
		WildValue: "a"})
	put(h, &fleet.Instances, &fleet.Instance{ID: 2, DeviceID: 1, DeviceDataSourceID: 1, DataSourceID: 1,
		WildValue: "b"})
	for _, id := range []int64{1, 2, 9} {
		if err := db.Append(t.Context(),
			[]series.Sample{{Instance: id, DataPoint: 1, At: time.Now().Unix(), Value: 1}}); err != nil {
			t.Fatal(err)
		}
	}
	return h, db
}

func TestSamplesAreDeletedWithTheirInstance(t *testing.T) {
	h, db := sampled(t)
	k := monitor.NewKeep(monitor.Options{DB: h.db, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}, db)
	k.Start(context.Background())
	defer k.Stop(t.Context())
	until(t, db, 1, 2)
	if err := h.db.Write(t.Context(),
		func(tx resource.Tx) error { return resource.Delete(t.Context(), tx, fleet.Instances.Name, 1) }); err != nil {
		t.Fatal(err)
	}
	until(t, db, 2)
}

// until waits until exactly these instances have samples.
func until(t *testing.T, db *series.DB, want ...int64) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	each := time.NewTicker(5 * time.Millisecond)
	defer each.Stop()
	for !slices.Equal(db.Instances(), want) {
		select {
		case <-each.C:
		case <-deadline.C:
			t.Fatalf("the instances %v have samples, want %v", db.Instances(), want)
		}
	}
}

func TestSamplesOlderThanTheRetentionAreDeleted(t *testing.T) {
	h, db := sampled(t)
	old := time.Now().AddDate(0, 0, -40).Unix()
	if err := db.Append(t.Context(), []series.Sample{{Instance: 1, DataPoint: 1, At: old, Value: 1}}); err != nil {
		t.Fatal(err)
	}
	put(h, &setting.Settings, &setting.Setting{ID: setting.SettingID, DataDays: 30})
	k := monitor.NewKeep(monitor.Options{DB: h.db, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}, db)
	k.Start(context.Background())
	defer k.Stop(t.Context())
	deadline := time.Now().Add(20 * time.Second)
	for {
		got, err := db.Range(t.Context(), series.Query{Instance: 1, DataPoints: []int64{1}, From: 0,
			To: time.Now().Unix() + 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Times) == 1 && got.Times[0] > old {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("there are samples of %v, want none of %d", got.Times, old)
		}
	}
}

func TestHourlyValuesOutliveTheirSamples(t *testing.T) {
	h, db := sampled(t)
	hour := time.Now().AddDate(0, 0, -60).Truncate(time.Hour).Unix()
	var old []series.Sample
	for i := range int64(60) { // a minute apart: 1, 2, … 60
		old = append(old, series.Sample{Instance: 1, DataPoint: 1, At: hour + 60*i, Value: float64(i + 1)})
	}
	if err := db.Append(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	put(h, &setting.Settings, &setting.Setting{ID: setting.SettingID, DataDays: 30, HourDays: 90})
	k := monitor.NewKeep(monitor.Options{DB: h.db, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}, db)
	if err := k.Retain(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := series.Query{Instance: 1, DataPoints: []int64{1}, From: hour, To: hour + 3600}
	points, err := db.Range(t.Context(), q)
	if err != nil || !slices.Equal(points.Times, []int64{hour}) || points.Values[0][0] != 30.5 {
		t.Errorf("of 60 samples there are %v (%v), want their average", points, err)
	}
	steps, err := db.Aggregate(t.Context(), q, 3600)
	want := series.Step{At: hour, Count: 60, Sum: 1830, Min: 1, Max: 60, First: 1, Last: 60, Hourly: true}
	if err != nil || steps[0][0] != want {
		t.Errorf("the hour is %+v (%v), want %+v", steps, err, want)
	}
}
