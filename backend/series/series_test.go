package series_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/series"
)

// monday is midnight on a Monday, the start of a half day and of ten days of hours.
const monday = 1_699_228_800 - 1_699_228_800%(20*43200)

func openAt(t *testing.T, path string, now int64) *series.DB {
	t.Helper()
	db, err := series.Open(t.Context(),
		series.Options{Path: path, Clock: func() time.Time { return time.Unix(now, 0) }, Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func open(t *testing.T) *series.DB {
	return openAt(t, filepath.Join(t.TempDir(), "series.db"), monday+100*86400)
}

func appendAll(t *testing.T, db *series.DB, samples ...series.Sample) {
	t.Helper()
	if err := db.Append(t.Context(), samples); err != nil {
		t.Fatal(err)
	}
}

func rangeOf(t *testing.T, db *series.DB, q series.Query) series.Table {
	t.Helper()
	table, err := db.Range(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// model maps the expected samples of a file.
type model map[series.Key]map[int64]float64

func (m model) add(samples []series.Sample) {
	for _, s := range samples {
		if math.IsNaN(s.Value) {
			continue
		}
		key := series.Key{Instance: s.Instance, DataPoint: s.DataPoint}
		if m[key] == nil {
			m[key] = map[int64]float64{}
		}
		m[key][s.At] = s.Value
	}
}

func (m model) table(q series.Query) series.Table {
	t := series.Table{Times: []int64{}}
	for _, d := range q.DataPoints {
		for at := range m[series.Key{Instance: q.Instance, DataPoint: d}] {
			if at >= q.From && at < q.To {
				t.Times = append(t.Times, at)
			}
		}
	}
	slices.Sort(t.Times)
	t.Times = slices.Compact(t.Times)
	if q.Limit > 0 && len(t.Times) > q.Limit {
		t.Times = t.Times[len(t.Times)-q.Limit:]
	}
	for _, d := range q.DataPoints {
		values := make([]float64, len(t.Times))
		for i, at := range t.Times {
			v, ok := m[series.Key{Instance: q.Instance, DataPoint: d}][at]
			if values[i] = v; !ok {
				values[i] = math.NaN()
			}
		}
		t.Values = append(t.Values, values)
	}
	return t
}

// same compares values bit by bit, so that NaN equals NaN.
func same(a, b series.Table) bool {
	return slices.Equal(a.Times, b.Times) && slices.EqualFunc(a.Values, b.Values, func(x, y []float64) bool {
		return slices.EqualFunc(x, y, func(v, w float64) bool { return math.Float64bits(v) == math.Float64bits(w) })
	})
}

// anySamples returns roughly regular samples with gaps, repetitions, late samples
// and every kind of value.
func anySamples(r *rand.Rand, n int, from, to int64) []series.Sample {
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64,
		math.SmallestNonzeroFloat64, 42.17}
	var list []series.Sample
	for range n {
		s := series.Sample{Instance: r.Int64N(4) + 1, DataPoint: r.Int64N(3) + 10, At: from + r.Int64N(to-from),
			Value: r.NormFloat64() * 1e6}
		if r.IntN(4) > 0 {
			s.At -= s.At % 60
		}
		if r.IntN(3) == 0 {
			s.Value = odd[r.IntN(len(odd))]
		}
		list = append(list, s)
	}
	return list
}

func TestSamplesRoundTripBitForBit(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		path, want := filepath.Join(t.TempDir(), "series.db"), model{}
		from, to := int64(monday), int64(monday+12*86400)
		db := openAt(t, path, to)
		for round := range 40 {
			low := from + int64(round)*(to-from)/50
			if round%5 == 0 {
				low = from // late
			}
			samples := anySamples(r, 1+r.IntN(400), low, low+(to-from)/5)
			appendAll(t, db, samples...)
			want.add(samples)
			if round%13 == 12 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				db = openAt(t, path, to)
			}
			for range 4 {
				a, b := from+r.Int64N(to-from), from+r.Int64N(to-from)
				q := series.Query{Instance: r.Int64N(5) + 1, DataPoints: []int64{10, 11, 12, 99}[:1+r.IntN(4)],
					From: min(a, b), To: max(a, b), Limit: []int{0, 0, 1, 7}[r.IntN(4)]}
				if got, want := rangeOf(t, db, q), want.table(q); !same(got, want) {
					t.Fatalf("seed %d, round %d, %+v:\n got %v\nwant %v", seed, round, q, got, want)
				}
			}
		}
		for key, values := range want {
			newest := slices.Max(slices.Collect(mapKeys(values)))
			got, ok, err := db.Last(t.Context(), key.Instance, key.DataPoint)
			wanted := series.Sample{Instance: key.Instance, DataPoint: key.DataPoint, At: newest, Value: values[newest]}
			if err != nil || !ok || got != wanted {
				t.Errorf("seed %d: the last of %v is %v %v %v, want %v", seed, key, got, ok, err, wanted)
			}
		}
	}
}

func mapKeys(m map[int64]float64) func(func(int64) bool) {
	return func(yield func(int64) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestLaterSampleOfTheSameSecondWins(t *testing.T) {
	db := open(t)
	sample := func(at int64, v float64) series.Sample {
		return series.Sample{Instance: 1, DataPoint: 2, At: at, Value: v}
	}
	appendAll(t, db, sample(monday+60, 1), sample(monday, 2), sample(monday+60, 3))
	appendAll(t, db, sample(monday, 4), sample(monday+30, 5))
	want := series.Table{Times: []int64{monday, monday + 30, monday + 60}, Values: [][]float64{{4, 5, 3}}}
	q := series.Query{Instance: 1, DataPoints: []int64{2}, From: monday, To: monday + 61}
	if got := rangeOf(t, db, q); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	appendAll(t, db, sample(monday+2*86400, 0)) // earlier half days become chunks now
	appendAll(t, db, sample(monday+30, 6))
	want.Values[0][1] = 6
	if got := rangeOf(t, db, q); !reflect.DeepEqual(got, want) {
		t.Errorf("after chunks were written: got %v, want %v", got, want)
	}
}

func TestLastSampleIsNotInTheFutureAfterTheClockWasSetBack(t *testing.T) {
	path, clock := filepath.Join(t.TempDir(), "series.db"), atomic.Int64{}
	clock.Store(monday + 3*86400)
	reopened := func() *series.DB {
		db, err := series.Open(t.Context(),
			series.Options{Path: path, Clock: func() time.Time { return time.Unix(clock.Load(), 0) }})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := reopened()
	sample := func(at int64) series.Sample { return series.Sample{Instance: 1, DataPoint: 2, At: at, Value: 5} }
	want := func(when string, at int64) {
		t.Helper()
		if last, ok, err := db.Last(t.Context(), 1, 2); err != nil || ok != (at > 0) || ok && last != sample(at) {
			t.Errorf("%s: the last is %v %v %v, want that of %d", when, last, ok, err, at)
		}
	}
	appendAll(t, db, sample(monday+60), sample(monday+3*86400))
	want("before", monday+3*86400)
	clock.Store(monday + 86400)
	want("set back", monday+60)
	appendAll(t, db, sample(monday+86400-60), sample(monday+86400))
	want("polled again", monday+86400)
	appendAll(t, db, sample(monday+86400-30))
	want("one came late", monday+86400)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = reopened()
	want("another process", monday+86400)
	clock.Store(monday)
	want("set back before all", 0)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestInvalidTimeRefusesTheWholeBatch(t *testing.T) {
	db := open(t)
	for _, at := range []int64{-1, 253402300800, 1_700_000_000_000} {
		err := db.Append(t.Context(), []series.Sample{{Instance: 1, DataPoint: 1, At: monday, Value: 1},
			{Instance: 1, DataPoint: 1, At: at, Value: 1}})
		if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "at" {
			t.Errorf("%d: %v, want fault.Invalid at at", at, err)
		}
	}
	if _, ok, err := db.Last(t.Context(), 1, 1); ok || err != nil {
		t.Errorf("there is a sample (%v), want none", err)
	}
}

func TestNoDataIsNotStored(t *testing.T) {
	db := open(t)
	appendAll(t, db, series.Sample{Instance: 1, DataPoint: 1, At: monday, Value: math.NaN()})
	if got := rangeOf(t, db, series.Query{Instance: 1, DataPoints: []int64{1}, To: monday + 1}); len(got.Times) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
}

func TestDeletedInstanceIsGoneAndItsIDIsNotReused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.db")
	now := int64(monday + 40*86400)
	db := openAt(t, path, now)
	for day := range int64(3) {
		appendAll(t, db, series.Sample{Instance: 1, DataPoint: 1, At: monday + day*86400, Value: 1},
			series.Sample{Instance: 2, DataPoint: 1, At: monday + day*86400, Value: 2})
	}
	if err := db.Delete(t.Context(), 1, 77); err != nil {
		t.Fatal(err)
	}
	appendAll(t, db, series.Sample{Instance: 3, DataPoint: 1, At: monday, Value: 3})
	for range 2 { // before and after reopening
		for instance, want := range map[int64]int{1: 0, 2: 3, 3: 1} {
			q := series.Query{Instance: instance, DataPoints: []int64{1}, To: now}
			if got := rangeOf(t, db, q); len(got.Times) != want {
				t.Errorf("instance %d has %v, want %d samples", instance, got, want)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openAt(t, path, now)
	}
}

func TestDamagedFileIsRefusedWithAMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("these are no samples ", 4000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := series.Open(t.Context(), series.Options{Path: path})
	want := path + " is damaged; it was left as it is. Restore a backup, or choose another --data folder"
	if f := fault.Of(err); f.Kind != fault.Conflict || f.Message != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestClosedFileReopensWithoutPendingWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.db")
	key := series.Key{Instance: 1, DataPoint: 2}
	whole := series.Query{Instance: key.Instance, DataPoints: []int64{key.DataPoint}, From: monday, To: monday + 43200}
	for round := range int64(3) { // each round continues the half day of the previous round
		db := openAt(t, path, monday+21600)
		if held := db.Stats().Held; held != 0 {
			t.Errorf("round %d begins with %d samples to write", round, held)
		}
		appendAll(t, db, series.Sample{Instance: key.Instance, DataPoint: key.DataPoint, At: monday + round*60,
			Value: float64(round)})
		if last, ok, err := db.Last(t.Context(), key.Instance, key.DataPoint); err != nil || !ok ||
			last.Value != float64(round) {
			t.Errorf("round %d: the last sample is %v, %v, %v", round, last, ok, err)
		}
		if n := len(rangeOf(t, db, whole).Times); n != int(round)+1 {
			t.Errorf("round %d: %d moments", round, n)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCallsAfterCloseAreRefused(t *testing.T) {
	db := open(t)
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Append(t.Context(), []series.Sample{{Instance: 1, DataPoint: 1, At: monday, Value: 1}}); !fault.Is(
		err, fault.Offline) {
		t.Errorf("Append: %v, want fault.Offline", err)
	}
	if err := db.Delete(t.Context(), 1); !fault.Is(err, fault.Offline) {
		t.Errorf("Delete: %v, want fault.Offline", err)
	}
}

func TestConcurrentReadsAndWrites(t *testing.T) {
	db := open(t)
	var wait sync.WaitGroup
	for w := range int64(8) {
		wait.Go(func() {
			for i := range int64(300) { // ten days
				at := monday + i*2880
				if err := db.Append(context.Background(),
					[]series.Sample{{Instance: w, DataPoint: 1, At: at, Value: float64(i)},
						{Instance: w, DataPoint: 2, At: at, Value: float64(-i)}}); err != nil {
					t.Error(err)
					return
				}
				last, ok, err := db.Last(context.Background(), w, 1)
				if err != nil || !ok || last.Value != float64(i) {
					t.Errorf("the last of %d is %v %v %v, want %d", w, last, ok, err, i)
				}
				if i%50 != 49 {
					continue
				}
				table, err := db.Range(context.Background(), series.Query{Instance: w, DataPoints: []int64{1, 2},
					From: monday, To: at + 1})
				if err != nil || len(table.Times) != int(i+1) || table.Values[1][i] != float64(-i) {
					t.Errorf("%d has %d samples (%v), want %d", w, len(table.Times), err, i+1)
				}
			}
		})
	}
	wait.Wait()
}
