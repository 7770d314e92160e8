package samplestore_test

import (
	"bufio"
	"errors"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"spyglass/backend/series"
)

// real is a Prometheus that is installed.
type real struct {
	t            *testing.T
	dir, address string
	process      *exec.Cmd
}

func newReal(t *testing.T) *real {
	t.Helper()
	if _, err := exec.LookPath("prometheus"); err != nil {
		t.Skip("Prometheus is not installed (Debian: prometheus)")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &real{t: t, dir: t.TempDir(), address: l.Addr().String()}
	config := "storage: {tsdb: {out_of_order_time_window: 1d}}\n"
	if err := errors.Join(l.Close(), os.WriteFile(filepath.Join(p.dir, "p.yml"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	p.start()
	t.Cleanup(p.kill)
	return p
}

// start starts it, and waits until it is ready.
func (p *real) start() {
	p.t.Helper()
	p.process = exec.Command("prometheus", "--config.file="+filepath.Join(p.dir, "p.yml"),
		"--storage.tsdb.path="+filepath.Join(p.dir, "data"), "--web.listen-address="+p.address,
		"--web.enable-remote-write-receiver", "--storage.tsdb.retention.time=10y")
	out, err := p.process.StderrPipe()
	if err == nil {
		err = p.process.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "Server is ready") {
			return // the pipe has room for what follows
		}
	}
	p.t.Fatalf("Prometheus has ended: %v", lines.Err())
}

func (p *real) kill() {
	_ = p.process.Process.Kill()
	_ = p.process.Wait()
}

// sent waits until the store has accepted that many samples since its start.
func (f *fixture) sent(n int64) {
	f.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for f.store.Stats().Sent < n {
		select {
		case <-tick.C:
		case <-f.Context().Done():
			f.Fatal("the samples were not sent")
		}
	}
}

func TestPrometheusReturnsEverySampleExactly(t *testing.T) {
	p := newReal(t)
	f := openAt(t, "http://"+p.address)
	var all []series.Sample
	for i, value := range []float64{0.1, 1.0 / 3, 1e300, -0.25, math.MaxFloat64, math.SmallestNonzeroFloat64, 0,
		12345678.9, math.Inf(1)} {
		all = append(all, at(noon.Add(time.Duration(i)*time.Minute), value))
	}
	late := at(noon.Add(-6*time.Hour), 42) // within the window
	f.measure(all...)
	f.sent(int64(len(all)))
	p.kill() // away for a while
	f.measure(late)
	missed := at(noon.Add(time.Hour), 7)
	f.measure(missed)
	p.start()
	f.sent(int64(len(all)) + 2)
	f.now = noon.AddDate(0, 0, 3)
	f.measure(at(f.now, 1))
	f.sent(int64(len(all)) + 3)
	f.retain()
	if f.store.Floor() <= missed.At {
		t.Fatalf("the floor is %v", time.Unix(f.store.Floor(), 0))
	}
	want := []float64{late.Value}
	for _, s := range all {
		want = append(want, s.Value)
	}
	if got := f.values(noon.AddDate(0, 0, -1), f.now); !reflect.DeepEqual(got, append(want, missed.Value)) {
		t.Errorf("got %v, want %v", got, append(want, missed.Value))
	}
	if got := f.values(noon, noon.Add(time.Minute)); !reflect.DeepEqual(got, []float64{0.1}) { // both ends
		t.Errorf("got %v, want the first sample", got)
	}
	if stats := f.store.Stats(); stats.Refused > 0 {
		t.Errorf("%d samples were refused", stats.Refused)
	}
}
