// Tsdb stores the samples of a portal in Prometheus' database, for
// `go run ./build bench` to compare:
//
//	tsdb FOLDER SERIES ROUNDS BEGIN EVERY <values
//
// The values are float64 in little-endian order: one of each series, then the
// next round, EVERY seconds later. It prints one line
// {"rate":samples a second,"bytes":a sample,"day":seconds}: the rate of
// appending, with a commit for each round; the size on disk once the samples are
// in blocks; the median time of reading one day of one series.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// load holds the command-line arguments.
type load struct {
	folder                       string
	series, rounds, begin, every int64
	names                        []labels.Labels
	values                       []float64
}

// result is the printed line.
type result struct {
	Rate  float64 `json:"rate"`
	Bytes float64 `json:"bytes"`
	Day   float64 `json:"day"`
}

func main() {
	l, err := read(os.Args[1:], os.Stdin)
	var r result
	if err == nil {
		r, err = l.measure(context.Background())
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(args []string, in io.Reader) (l load, err error) {
	if len(args) != 5 {
		return l, fmt.Errorf("usage: tsdb FOLDER SERIES ROUNDS BEGIN EVERY <values")
	}
	l.folder = args[0]
	for i, n := range []*int64{&l.series, &l.rounds, &l.begin, &l.every} {
		if *n, err = strconv.ParseInt(args[i+1], 10, 64); err != nil {
			return l, err
		}
	}
	l.values = make([]float64, l.series*l.rounds)
	if err := binary.Read(bufio.NewReaderSize(in, 1<<20), binary.LittleEndian, l.values); err != nil {
		return l, err
	}
	for i := range l.series {
		l.names = append(l.names, labels.FromStrings("__name__", "sample", "instance", strconv.FormatInt(i/10, 10),
			"datapoint", strconv.FormatInt(i%10, 10)))
	}
	return l, nil
}

func (l load) measure(ctx context.Context) (r result, err error) {
	options := tsdb.DefaultOptions()
	options.RetentionDuration = 0
	db, err := tsdb.Open(l.folder, slog.New(slog.DiscardHandler), nil, options, nil)
	if err != nil {
		return r, err
	}
	begun := time.Now()
	if err := l.ingest(ctx, db); err != nil {
		return r, err
	}
	r.Rate = float64(len(l.values)) / time.Since(begun).Seconds()
	if err := db.Compact(ctx); err != nil {
		return r, err
	}
	if r.Bytes, err = l.bytes(db); err != nil {
		return r, err
	}
	if r.Day, err = l.day(ctx, db); err != nil {
		return r, err
	}
	return r, db.Close()
}

func (l load) ingest(ctx context.Context, db *tsdb.DB) error {
	refs := make([]storage.SeriesRef, l.series)
	for round := range l.rounds {
		app := db.Appender(ctx)
		at := (l.begin + round*l.every) * 1000
		for i, v := range l.values[round*l.series : (round+1)*l.series] {
			var err error
			if refs[i], err = app.Append(refs[i], l.names[i], at, v); err != nil {
				return err
			}
		}
		if err := app.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// bytes returns the size of the blocks per sample in them.
func (l load) bytes(db *tsdb.DB) (float64, error) {
	var samples uint64
	var size int64
	for _, block := range db.Blocks() {
		samples += block.Meta().Stats.NumSamples
		err := filepath.WalkDir(block.Dir(), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return float64(size) / float64(samples), nil
}

// day reads the second day of two hundred series.
func (l load) day(ctx context.Context, db *tsdb.DB) (float64, error) {
	var took []float64
	from := (l.begin + 86400) * 1000
	for n := range int64(201) {
		name := l.names[n*7919%l.series]
		begun := time.Now()
		q, err := db.Querier(from, from+86400*1000-1)
		if err != nil {
			return 0, err
		}
		count, sum := 0, 0.0
		set := q.Select(ctx, false, nil,
			labels.MustNewMatcher(labels.MatchEqual, "__name__", "sample"),
			labels.MustNewMatcher(labels.MatchEqual, "instance", name.Get("instance")),
			labels.MustNewMatcher(labels.MatchEqual, "datapoint", name.Get("datapoint")))
		for set.Next() {
			for it := set.At().Iterator(nil); it.Next() == chunkenc.ValFloat; count++ {
				_, v := it.At()
				sum += v
			}
		}
		if err := q.Close(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begun).Seconds())
		if want := int(86400 / l.every); count != want || math.IsNaN(sum) {
			return 0, fmt.Errorf("a day has %d samples, want %d", count, want)
		}
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
