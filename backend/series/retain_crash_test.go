package series_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/series"
)

// few is the number of series that need several transactions to be turned into
// hours.
const few = 450

// keeps turns samples older than five days into hours, ten days per step.
var keeps = series.Keep{Samples: 5, Hours: 10_000}

// never is a time after all samples of the tests, so that no sample is in the
// future.
const never = monday + 100*365*86400

const begins, ends = "begins", "ends"

// The value of every half hour is its number. Each line has the number of the last value
// on disk. begins and ends report the start and the end of turning ten days of samples
// into hours.
func retainUntilKilled(path string) error {
	var clock atomic.Int64
	clock.Store(never)
	ctx := context.Background()
	db, err := series.Open(
		ctx, series.Options{Path: path, Clock: func() time.Time { return time.Unix(clock.Load(), 0) }})
	if err != nil {
		return err
	}
	last, ok, err := db.Last(ctx, 1, 1)
	if err != nil {
		return err
	}
	next := int64(0)
	if ok {
		next = int64(last.Value) + 1
	}
	clock.Store(monday + next*1800)
	for {
		const day = 48
		var some []series.Sample
		for i := next; i < next+day; i++ {
			for instance := range int64(few) {
				some = append(some, series.Sample{Instance: instance, DataPoint: 1, At: monday + i*1800,
					Value: float64(i)})
			}
		}
		if err := db.Append(ctx, some); err != nil {
			return err
		}
		next += day
		clock.Store(monday + next*1800)
		fmt.Println(next - 1)
		if next%(10*day) != 5*day {
			continue
		}
		fmt.Println(begins)
		if err := db.Retain(ctx, keeps); err != nil {
			return err
		}
		fmt.Println(ends)
	}
}

func TestKillDuringDownsamplingLosesAndDuplicatesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.db")
	acknowledged, took := -1, time.Duration(0)
	const rounds = 4
	for round := range rounds {
		begun := time.Now()
		untilKilled(t, path, func(line string, kill func()) {
			switch {
			case line == begins && took > 0: // kill at a random moment of the known duration
				<-time.After(took * time.Duration(round+1) / (rounds + 1))
				kill()
			case line == begins:
				begun = time.Now()
			case line == ends && acknowledged > 10*48:
				took = time.Since(begun)
			case line == ends:
			default:
				acknowledged = numberIn(t, line)
			}
		}, retaining+"=1")
		db := openAt(t, path, monday+int64(acknowledged+1)*1800)
		checkHours(t, db, acknowledged)
		if err := db.Retain(t.Context(), keeps); err != nil { // completes the work that the kill interrupted
			t.Fatal(err)
		}
		if checkHours(t, db, acknowledged) == 0 {
			t.Fatal("no samples have become hours")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkHours checks that each sample counts once, as a sample or as part of an hour,
// and returns the number of samples in hours.
func checkHours(t *testing.T, db *series.DB, acknowledged int) (hours int) {
	t.Helper()
	for instance := int64(0); instance < few; instance += 29 {
		q := series.Query{Instance: instance, DataPoints: []int64{1}, From: monday, To: monday +
			int64(acknowledged+1000)*1800}
		steps, err := db.Aggregate(t.Context(), q, 3600)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i, s := range steps[0] {
			if s.Count == 0 {
				break
			}
			if want := float64(4*i + 1); s.Count != 2 || s.Sum != want || s.Min != float64(2*i) ||
				s.Max != float64(2*i+1) {
				t.Fatalf("instance %d: hour %d is %+v, want two samples of the sum %v", instance, i, s, want)
			}
			n += s.Count
		}
		if n <= acknowledged {
			t.Fatalf("instance %d has %d samples, want more than %d", instance, n, acknowledged)
		}
		hours += n - len(rangeOf(t, db, q).Times)
	}
	return hours
}
