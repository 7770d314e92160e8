package series_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"spyglass/backend/series"
	"spyglass/backend/store/postgres/pgtest"
)

// victim is the environment variable that makes this test binary write samples
// to the file it names, until the test kills it. With retaining, it also turns samples
// into hours.
const (
	victim    = "SPYGLASS_TEST_SERIES"
	retaining = "SPYGLASS_TEST_RETAIN"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(victim); path != "" {
		write := writeUntilKilled
		if os.Getenv(retaining) != "" {
			write = retainUntilKilled
		}
		if err := write(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(pgtest.Main(m.Run))
}

// crowd is the number of series whose chunks need several transactions.
const crowd = 1500

// The value of every ten minutes is their number. Half days pass quickly, so that
// the kill interrupts chunk writes. The second data point of instance 1 always
// arrives late, into a half day that ended long ago.
func writeUntilKilled(path string) error {
	db, err := series.Open(context.Background(),
		series.Options{Path: path, Clock: func() time.Time { return time.Unix(never, 0) }})
	if err != nil {
		return err
	}
	last, ok, err := db.Last(context.Background(), 1, 1)
	if err != nil {
		return err
	}
	next := int64(0)
	if ok {
		next = int64(last.Value) + 1
	}
	for ; ; next += 10 {
		var some []series.Sample
		for i := next; i < next+10; i++ {
			some = append(some, series.Sample{Instance: 1, DataPoint: 2, At: monday + i, Value: float64(i)})
			for instance := range int64(crowd) {
				some = append(some, series.Sample{Instance: instance, DataPoint: 1, At: monday + i*600,
					Value: float64(i)})
			}
		}
		if err := db.Append(context.Background(), some); err != nil {
			return err
		}
		fmt.Println(next + 9)
	}
}

func TestAcknowledgedSamplesSurviveAKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "series.db")
	acknowledged := -1
	for round := range 4 {
		n := 0
		untilKilled(t, path, func(line string, kill func()) {
			acknowledged = numberIn(t, line)
			if n == 16+round*5 {
				kill()
			}
			n++
		})
		checkRun(t, path, acknowledged)
	}
}

// untilKilled runs a child that writes to path, passes each line that it prints
// to heard, and expects a kill to end it.
func untilKilled(t *testing.T, path string, heard func(line string, kill func()), env ...string) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(append(os.Environ(), victim+"="+path), env...)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kill := func() {
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		heard(lines.Text(), kill)
	}
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the child ended with %v, want killed", err)
	}
}

func numberIn(t *testing.T, line string) int {
	t.Helper()
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkRun reopens a file that was not closed. It must contain every sample up to the
// acknowledged sample once, and of the following samples all or none.
func checkRun(t *testing.T, path string, acknowledged int) {
	t.Helper()
	db := openAt(t, path, time.Now().Unix())
	late := rangeOf(t, db, series.Query{Instance: 1, DataPoints: []int64{2}, To: 1 << 37})
	if n := len(late.Times); n <= acknowledged || late.Times[n-1] != monday+int64(n)-1 {
		t.Fatalf("%d late samples are there, want more than %d", n, acknowledged)
	}
	for instance := int64(0); instance < crowd; instance += 7 {
		got := rangeOf(t, db, series.Query{Instance: instance, DataPoints: []int64{1}, To: 1 << 37})
		if n := len(got.Times); n <= acknowledged || n%10 != 0 {
			t.Fatalf("instance %d has %d samples, want more than %d, in tens", instance, n, acknowledged)
		}
		for i, at := range got.Times {
			if at != monday+int64(i)*600 || got.Values[0][i] != float64(i) {
				t.Fatalf("instance %d: sample %d is %v at %d", instance, i, got.Values[0][i], at)
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestHundredThousandSeriesUseLittleMemory(t *testing.T) {
	db := open(t)
	before := heap()
	for round := range int64(3) {
		some := make([]series.Sample, 0, 100_000)
		for i := range int64(100_000) {
			some = append(some, series.Sample{Instance: i, DataPoint: 1, At: monday + round*300,
				Value: float64(i*7%1000) / 10})
		}
		appendAll(t, db, some...)
	}
	took := heap() - before
	if took > 100<<20 {
		t.Errorf("100,000 series take %d MB, want at most 100", took>>20)
	}
	t.Logf("%d MB", took>>20)
	runtime.KeepAlive(db)
}

// heap returns the number of heap bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
