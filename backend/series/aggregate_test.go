package series_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/series"
)

// naive computes Aggregate directly from all samples.
func naive(m model, q series.Query, step int64) [][]series.Step {
	all := [][]series.Step{}
	for _, d := range q.DataPoints {
		var steps []series.Step
		for at := q.From; at < q.To; at += step {
			s := series.Step{At: at}
			one := series.Query{Instance: q.Instance, DataPoints: []int64{d}, From: at, To: min(at+step, q.To)}
			for i, v := range m.table(one).Values[0] {
				if i == 0 {
					s.First, s.Min, s.Max = v, v, v
				}
				s.Count, s.Sum, s.Last = s.Count+1, s.Sum+v, v
				s.Min, s.Max = math.Min(s.Min, v), math.Max(s.Max, v)
			}
			steps = append(steps, s)
		}
		all = append(all, steps)
	}
	return all
}

func regular(r *rand.Rand, instance int64, from, to, every int64) []series.Sample {
	var list []series.Sample
	for at := from; at < to; at += every {
		for d := range int64(2) {
			if r.IntN(10) > 0 {
				list = append(list, series.Sample{Instance: instance, DataPoint: d, At: at,
					Value: math.Round(r.Float64()*1e4) / 100})
			}
		}
	}
	return list
}

func TestAggregateMatchesANaiveImplementation(t *testing.T) {
	r, want := rand.New(rand.NewPCG(7, 7)), model{}
	db := open(t)
	samples := regular(r, 1, monday, monday+9*86400, 300)
	for some := range slices.Chunk(samples, 100) {
		appendAll(t, db, some...)
	}
	want.add(samples)
	for _, step := range []int64{1800, 3600, 43200, 86400, 100000, 30 * 86400} {
		from := monday + r.Int64N(86400)
		q := series.Query{Instance: 1, DataPoints: []int64{0, 1, 5}, From: from, To: from + 7*86400 + 11}
		got, err := db.Aggregate(t.Context(), q, step)
		if wanted := naive(want, q, step); err != nil || !reflect.DeepEqual(got, wanted) {
			t.Errorf("step %d: got %v %v, want %v", step, got, err, wanted)
		}
	}
}

func TestAggregateManyMatchesAggregate(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	db := open(t)
	for instance := range int64(3) {
		appendAll(t, db, regular(r, instance, monday, monday+2*86400, 300)...)
	}
	keys := []series.Key{{Instance: 2, DataPoint: 1}, {Instance: 7, DataPoint: 0}, {Instance: 0, DataPoint: 0},
		{Instance: 2, DataPoint: 1}}
	from, to := int64(monday+40_000), int64(monday+130_000)
	got, err := db.AggregateMany(t.Context(), keys, from, to, 1800)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		want, err := db.Aggregate(t.Context(), series.Query{Instance: key.Instance, DataPoints: []int64{key.DataPoint},
			From: from, To: to}, 1800)
		if err != nil || !reflect.DeepEqual(got[i], want[0]) {
			t.Errorf("%v: got %v %v, want %v", key, got[i], err, want[0])
		}
	}
	if got[0][5].Count == 0 || got[1][5].Count != 0 {
		t.Errorf("counts are %d and %d, want samples in the first series only", got[0][5].Count, got[1][5].Count)
	}
	for _, step := range []int64{0, 1} {
		if _, err := db.AggregateMany(t.Context(), keys, from, to, step); fault.Of(err).Field != "step" {
			t.Errorf("step %d: %v, want fault.Invalid at step", step, err)
		}
	}
}

func TestAggregateLimitsTheNumberOfSteps(t *testing.T) {
	db := open(t)
	for _, step := range []int64{0, -60, 1} {
		_, err := db.Aggregate(t.Context(), series.Query{Instance: 1, DataPoints: []int64{1}, To: monday}, step)
		if f := fault.Of(err); f.Kind != fault.Invalid || f.Field != "step" {
			t.Errorf("%d: %v, want fault.Invalid at step", step, err)
		}
	}
	got, err := db.Aggregate(t.Context(), series.Query{Instance: 1, DataPoints: []int64{1}, From: monday, To: monday +
		1}, math.MaxInt64)
	if want := [][]series.Step{{{At: monday}}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the longest step: %v %v, want %v", got, err, want)
	}
}

func TestRetainDeletesOldSamples(t *testing.T) {
	now := int64(monday + 40*86400)
	path := filepath.Join(t.TempDir(), "series.db")
	db := openAt(t, path, now)
	for day := range int64(40) {
		appendAll(t, db, series.Sample{Instance: 1, DataPoint: 1, At: monday + day*86400, Value: float64(day)})
	}
	before, err := db.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Retain(t.Context(), series.Keep{Samples: 10}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got := rangeOf(t, db, series.Query{Instance: 1, DataPoints: []int64{1}, To: now})
		if want := int64(monday + 30*86400); len(got.Times) != 10 || got.Times[0] != want {
			t.Errorf("got %v, want ten samples from %d on", got, want)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openAt(t, path, now)
	}
	if after, err := db.Size(t.Context()); err != nil || after > before {
		t.Errorf("%d bytes after (%v), %d before", after, err, before)
	}
	if err := db.Retain(t.Context(), series.Keep{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("nothing kept: %v, want fault.Invalid", err)
	}
}

func TestOldSamplesBecomeEquivalentHourlyValues(t *testing.T) {
	r, want := rand.New(rand.NewPCG(3, 9)), model{}
	now := int64(monday + 45*86400)
	path := filepath.Join(t.TempDir(), "series.db")
	db := openAt(t, path, now)
	samples := append(regular(r, 1, monday, now, 600), regular(r, 2, monday+86400, now, 600)...)
	late := series.Sample{Instance: 1, DataPoint: 0, At: monday + 3*86400 + 1799, Value: 1e6}
	want.add(append(slices.Clone(samples), late))
	for some := range slices.Chunk(samples, 5000) {
		appendAll(t, db, some...)
	}
	retain := func() {
		t.Helper()
		if err := db.Retain(t.Context(), series.Keep{Samples: 15, Hours: 300}); err != nil {
			t.Fatal(err)
		}
	}
	retain()
	appendAll(t, db, late)
	retain()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openAt(t, path, now)
	for instance := int64(1); instance <= 2; instance++ {
		q := series.Query{Instance: instance, DataPoints: []int64{0, 1}, From: monday, To: now}
		got, err := db.Aggregate(t.Context(), q, 6*3600)
		if err != nil {
			t.Fatal(err)
		}
		for i, steps := range naive(want, q, 6*3600) {
			for j, w := range steps {
				g := got[i][j]
				if math.Abs(g.Sum-w.Sum) > 1e-6*math.Abs(w.Sum) {
					t.Errorf("instance %d, step %d: the sum is %v, want %v", instance, j, g.Sum, w.Sum)
				}
				g.Sum, w.Sum, w.Hourly = 0, 0, g.Hourly // sums differ in order; the days decide on hourly
				if w.At == monday+3*86400 && i == 0 && instance == 1 {
					g.Last, w.Last = 0, 0 // an hour loses the order of samples that are appended after it is computed
				}
				if g != w {
					t.Errorf("instance %d, step %d: got %+v, want %+v", instance, j, g, w)
				}
			}
		}
	}
	table := rangeOf(t, db, series.Query{Instance: 2, DataPoints: []int64{0}, From: monday, To: monday + 30*86400})
	if len(table.Times) != 29*24 {
		t.Errorf("of thirty days %d moments are left, want an hour's average for each of 29 days", len(table.Times))
	}
	if err := db.Delete(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if got := rangeOf(t, db, series.Query{Instance: 2, DataPoints: []int64{0}, To: now}); len(got.Times) != 0 {
		t.Errorf("a deleted instance has %d moments", len(got.Times))
	}
}

func TestFillAddsHistoryAndKeepsExistingSamples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.db")
	now := int64(monday + 3*86400 + 5000)
	db := openAt(t, path, now+500)
	had := []series.Sample{
		{Instance: 7, DataPoint: 1, At: monday + 400, Value: -1}, // goes into a chunk
		{Instance: 7, DataPoint: 1, At: monday + 100 + 2*86400, Value: -2},
		{Instance: 7, DataPoint: 1, At: now + 500, Value: -3},
	}
	for _, s := range had {
		appendAll(t, db, s)
	}
	keys := []series.Key{{Instance: 9, DataPoint: 1}, {Instance: 7, DataPoint: 1}, {Instance: 7, DataPoint: 2}}
	value := func(i int, at int64) float64 {
		if at%1500 == 0 {
			return math.NaN()
		}
		return float64(i) + float64(at)/7
	}
	err := db.Fill(t.Context(), series.History{Keys: keys, From: monday + 100, To: now, Every: 300, Value: value})
	if err != nil {
		t.Fatal(err)
	}
	want := model{}
	for i, key := range keys {
		for at := int64(monday + 100); at < now; at += 300 {
			want.add([]series.Sample{{Instance: key.Instance, DataPoint: key.DataPoint, At: at, Value: value(i, at)}})
		}
	}
	want.add(had)
	for range 2 {
		for _, instance := range []int64{7, 9} {
			q := series.Query{Instance: instance, DataPoints: []int64{1, 2}, From: 0, To: now + 1000}
			if got, want := rangeOf(t, db, q), want.table(q); !same(got, want) {
				t.Errorf("instance %d: got %v, want %v", instance, got, want)
			}
		}
		last, ok, err := db.Last(t.Context(), 9, 1)
		if err != nil || !ok || last.At != monday+100+(now-monday-101)/300*300 {
			t.Errorf("the last is %v %v %v", last, ok, err)
		}
		if last, ok, err = db.Last(t.Context(), 7, 1); err != nil || !ok || last != had[2] {
			t.Errorf("the last is %v %v %v, want %v", last, ok, err, had[2])
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = openAt(t, path, now+500)
	}
}
