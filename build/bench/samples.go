package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/series"
	"spyglass/build/project"
)

// The figures of samples, and of Prometheus' database, used as a library in a
// process of its own: a week of 2,000 series, polled every five minutes. Our
// samples are on disk when a round returns; Prometheus does not wait for the
// disk.
var (
	samples = figure{
		name: "samples", does: "samples appended a second (other: Prometheus TSDB)", goal: "≥ 0.5",
		measure: sampled(func(r sampling) float64 { return r.Rate }),
	}
	samplesSize = figure{
		name: "samples-size", does: "bytes of a sample on disk (other: Prometheus TSDB)", goal: "≤ 1.2",
		measure: sampled(func(r sampling) float64 { return r.Bytes }),
	}
	samplesDay = figure{
		name: "samples-day", does: "one day of one datapoint, µs (other: Prometheus TSDB)", goal: "≤ 1",
		measure: sampled(func(r sampling) float64 { return r.Day * 1e6 }),
	}
)

// sampling is the cost of samples: number appended a second, bytes for each,
// seconds for reading a day.
type sampling struct{ Rate, Bytes, Day float64 }

const (
	sampleSeries = 2000
	sampleRounds = 7 * 24 * 12
	sampleEvery  = 300
	sampleBegin  = 1_700_006_400 // midnight
)

func sampled(what func(sampling) float64) func(context.Context, project.Project) (score, error) {
	return func(ctx context.Context, p project.Project) (score, error) {
		folder, err := os.MkdirTemp("", "spyglass-samples-")
		if err != nil {
			return score{}, err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		values := sampleValues()
		theirs, err := theirSamples(ctx, p, folder, values)
		if err != nil {
			return score{}, err
		}
		ours, err := ourSamples(ctx, filepath.Join(folder, "series.db"), values)
		return score{ours: what(ours), other: what(theirs)}, err
	}
}

// sampleValues returns one value of each series for the first round, then for the
// next.
func sampleValues() []float64 {
	values := make([]float64, 0, sampleSeries*sampleRounds)
	for round := range int64(sampleRounds) {
		for i := range int64(sampleSeries) {
			shape := check.Shapes[int(i)%len(check.Shapes)]
			values = append(values, check.Simulate(shape, uint64(i), time.Unix(sampleBegin+round*sampleEvery, 0)))
		}
	}
	return values
}

func theirSamples(ctx context.Context, p project.Project, folder string, values []float64) (r sampling, err error) {
	program := p.Path("build", "bin", "tsdb-bench")
	if err := p.DoIn(ctx, "build/bench/rivals/tsdb", "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program,
		"."); err != nil {
		return r, err
	}
	in := make([]byte, 0, 8*len(values))
	for _, v := range values {
		in = binary.LittleEndian.AppendUint64(in, math.Float64bits(v))
	}
	run := p.Command(ctx, ".", program, filepath.Join(folder, "tsdb"), strconv.Itoa(sampleSeries),
		strconv.Itoa(sampleRounds), strconv.Itoa(sampleBegin), strconv.Itoa(sampleEvery))
	run.Stdin, run.Stdout = bytes.NewReader(in), nil
	out, err := run.Output()
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(out, &r)
}

func ourSamples(ctx context.Context, path string, values []float64) (r sampling, err error) {
	db, err := series.Open(ctx, series.Options{Path: path})
	if err != nil {
		return r, err
	}
	defer func() { _ = db.Close() }() // a file in the system's temporary folder
	batch := make([]series.Sample, sampleSeries)
	begun := time.Now()
	for round := range int64(sampleRounds) {
		for i, v := range values[round*sampleSeries : (round+1)*sampleSeries] {
			batch[i] = series.Sample{Instance: int64(i / 10), DataPoint: int64(i % 10), At: sampleBegin +
				round*sampleEvery, Value: v}
		}
		if err := db.Append(ctx, batch); err != nil {
			return r, err
		}
	}
	r.Rate = float64(len(values)) / time.Since(begun).Seconds()
	size, err := db.Size(ctx)
	if err != nil {
		return r, err
	}
	r.Bytes = float64(size) / float64(len(values))
	r.Day, err = ourDay(ctx, db)
	return r, err
}

// ourDay reads the second day of two hundred series, like the other database.
func ourDay(ctx context.Context, db *series.DB) (float64, error) {
	var took []float64
	for n := range int64(201) {
		i := n * 7919 % sampleSeries
		begun := time.Now()
		table, err := db.Range(ctx, series.Query{Instance: i / 10, DataPoints: []int64{i % 10}, From: sampleBegin +
			86400, To: sampleBegin + 2*86400})
		took = append(took, time.Since(begun).Seconds())
		if err != nil {
			return 0, err
		}
		if want := 86400 / sampleEvery; len(table.Times) != want {
			return 0, fmt.Errorf("a day has %d samples, want %d", len(table.Times), want)
		}
	}
	return median(took), nil
}
