package series_test

import (
	"path/filepath"
	"testing"

	"spyglass/backend/series"
)

// Each round appends a sample to each of 2,000 series on disk.
func BenchmarkAppend(b *testing.B) {
	db, err := series.Open(b.Context(), series.Options{Path: filepath.Join(b.TempDir(), "series.db")})
	if err != nil {
		b.Fatal(err)
	}
	some := make([]series.Sample, 2000)
	for round := int64(0); b.Loop(); round++ {
		for i := range some {
			n := int64(i)
			some[i] = series.Sample{Instance: n / 10, DataPoint: n % 10, At: monday + round*300,
				Value: float64((n+1)*round*7919%10000) / 100}
		}
		if err := db.Append(b.Context(), some); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*2000/b.Elapsed().Seconds(), "samples/s")
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
}

// The history has 9,000 series over seven days, at intervals of five minutes.
func BenchmarkFill(b *testing.B) {
	keys := make([]series.Key, 9000)
	for i := range keys {
		keys[i] = series.Key{Instance: int64(i / 10), DataPoint: int64(i % 10)}
	}
	value := func(i int, at int64) float64 { return float64(int64(i+1)*at/300*7919%10000) / 100 }
	for b.Loop() {
		db, err := series.Open(b.Context(), series.Options{Path: filepath.Join(b.TempDir(), "series.db")})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Fill(b.Context(), series.History{Keys: keys, From: monday + 5000, To: monday + 7*86400 + 5000,
			Every: 300, Value: value}); err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// The data is a day of five data points of an instance, at intervals of five minutes.
func BenchmarkRange(b *testing.B) {
	db, err := series.Open(b.Context(), series.Options{Path: filepath.Join(b.TempDir(), "series.db")})
	if err != nil {
		b.Fatal(err)
	}
	keys := make([]series.Key, 1000)
	for i := range keys {
		keys[i] = series.Key{Instance: int64(i / 5), DataPoint: int64(i % 5)}
	}
	value := func(i int, at int64) float64 { return float64(int64(i+1)*at/300*7919%10000) / 100 }
	if err := db.Fill(b.Context(), series.History{Keys: keys, From: monday, To: monday + 7*86400, Every: 300,
		Value: value}); err != nil {
		b.Fatal(err)
	}
	for i := int64(0); b.Loop(); i++ {
		if _,
			err := db.Range(b.Context(), series.Query{Instance: i % 200, DataPoints: []int64{0, 1, 2, 3, 4},
			From: monday + 2*86400 + 600, To: monday + 3*86400 + 600}); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
}
