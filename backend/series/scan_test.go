package series_test

import (
	"math"
	"path/filepath"
	"testing"

	"spyglass/backend/series"
)

func TestScanFindsAllSamplesOfARange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.db")
	db := openAt(t, path, monday+3*43200)
	const many = 250 // more than a scan reads at once
	var all []series.Sample
	for i := range int64(many) {
		for at := int64(monday); at < monday+2*43200; at += 7200 {
			all = append(all, series.Sample{Instance: i, DataPoint: 1 + i%3, At: at + i, Value: float64(i)})
		}
	}
	appendAll(t, db, all...)
	if err := db.Close(); err != nil { // Close writes them as chunks
		t.Fatal(err)
	}
	db = openAt(t, path, monday+3*43200)
	late := []series.Sample{{Instance: 3, DataPoint: 1, At: monday + 43200 + 5, Value: 9},
		{Instance: many, DataPoint: 1, At: monday + 2*43200, Value: 9}}
	appendAll(t, db, late...)
	all = append(all, late...)
	for _, tt := range []struct{ from, to int64 }{
		{0, 1 << 37}, {monday, monday + 1}, {monday + 43100, monday + 43210}, {monday + 2*43200, math.MaxInt64},
		{monday + 1, monday + 1}, {0, monday}, {1 << 36, 1 << 37},
	} {
		want := model{}
		for _, s := range all {
			if s.At >= tt.from && s.At < tt.to {
				want.add([]series.Sample{s})
			}
		}
		got := model{}
		last := map[series.Key]int64{}
		if err := db.Scan(t.Context(), tt.from, tt.to, func(some []series.Sample) error {
			for _, s := range some {
				if key := (series.Key{Instance: s.Instance, DataPoint: s.DataPoint}); s.At <= last[key] {
					t.Fatalf("%+v comes after one of %d", s, last[key])
				} else {
					last[key] = s.At
				}
			}
			got.add(some)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Errorf("from %d to %d there are %d series, want %d", tt.from, tt.to, len(got), len(want))
		}
		for key, points := range want {
			for at, v := range points {
				if got[key][at] != v || len(got[key]) != len(points) {
					t.Fatalf("from %d to %d of %v there are %v, want %v", tt.from, tt.to, key, got[key], points)
				}
			}
		}
	}
}
