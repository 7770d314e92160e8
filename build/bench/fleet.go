package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"spyglass/build/desktop"
	"spyglass/build/serving"
)

// The figures of polling: the program polls 10,000 simulated devices, each of
// them once a minute and with ten data points. They run for a minute and a half
// before measuring, and then for two.
var (
	fleetCPU = figure{
		name: "fleet-cpu", does: "10,000 devices, 10 datapoints a minute each: % of one core (other: limit)",
		goal:   "≤ 1",
		beside: ofFleet(func(b burden) score { return score{ours: b.cpu, other: 15} }),
	}
	fleetMemory = figure{
		name: "fleet-memory", does: "the same, with 100,000 series: resident memory, MB (other: limit)", goal: "≤ 1",
		beside: ofFleet(func(b burden) score { return score{ours: b.memory, other: 300} }),
	}
	fleetLate = figure{
		name: "fleet-late", does: "the same: the latest that a check began since the start, s (other: limit)",
		goal:   "≤ 1",
		beside: ofFleet(func(b burden) score { return score{ours: b.late, other: 1} }),
	}
)

const (
	fleetDevices = 10_000
	fleetEvery   = 60 // seconds
	fleetWarm    = 90 * time.Second
	fleetCounts  = 2 * fleetEvery * time.Second
)

// fleet is a portal that polls devices, with its results.
type fleet struct {
	*serving.Server
	source  int64 // the data source
	burden  func() (burden, error)
	trouble func() (trouble, error)
}

// burden is the cost of polling: of one core in percent, MB, and how many
// seconds the latest check was late.
type burden struct {
	cpu, memory, late float64
}

func ofFleet(what func(burden) score) func(context.Context, *rivals) (score, error) {
	return func(ctx context.Context, r *rivals) (score, error) {
		f, err := r.watched(ctx)
		if err != nil {
			return score{}, err
		}
		b, err := f.burden()
		return what(b), err
	}
}

// watched returns the fleet, and starts it at the first call.
func (r *rivals) watched(ctx context.Context) (*fleet, error) {
	if r.fleet != nil {
		return r.fleet, nil
	}
	s, err := serving.Open(ctx, r.Project)
	if err != nil {
		return nil, err
	}
	f := &fleet{Server: s}
	f.burden = sync.OnceValues(func() (burden, error) { return f.measure(ctx) })
	f.trouble = sync.OnceValues(func() (trouble, error) { return f.alarm(ctx) })
	if err = f.fill(ctx); err == nil {
		err = f.settle(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	r.fleet = f
	return f, nil
}

// point is a data point of the fleet.
type point struct {
	Name      string `json:"name"`
	Raw       string `json:"rawDataFieldName"`
	AlertExpr string `json:"alertExpr,omitempty"`
}

// fleetPoints returns data points, each with values of a different shape. A storm
// raises the second.
func fleetPoints(alert string) []point {
	names := []string{"cpuPercent", "memoryPercent", "responseTime", "inOctets", "errors", "temperature", "upTime",
		"diskPercent", "sessions", "load1"}
	points := make([]point, len(names))
	for i, name := range names {
		points[i] = point{Name: name, Raw: name}
	}
	points[1].AlertExpr = alert
	return points
}

// fill creates the devices and their data source, and deletes the pings that
// every new portal has.
func (f *fleet) fill(ctx context.Context) error {
	if err := f.Send(ctx, http.MethodDelete, "/api/setting/datasources/1", nil, &struct{}{}); err != nil {
		return err
	}
	var made struct{ ID int64 }
	err := f.Post(ctx, "/api/setting/datasources", map[string]any{
		"name": "Fleet", "appliesTo": `displayName =~ "fleet-*"`, "collectMethod": "simulate",
		"collectInterval": fleetEvery, "dataPoints": fleetPoints(""),
	}, &made)
	if err != nil {
		return err
	}
	f.source = made.ID
	type operation struct {
		Op   string         `json:"op"`
		Body map[string]any `json:"body"`
	}
	var all []operation
	for i := range fleetDevices {
		all = append(
			all,
			operation{"create", map[string]any{"name": fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255),
				"displayName": fmt.Sprintf("fleet-%05d", i), "hostGroupIds": "1"}})
	}
	for some := range slices.Chunk(all, 1000) {
		if err := f.Post(ctx, "/api/device/devices/batch", map[string]any{"operations": some},
			&struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until all devices are polled.
func (f *fleet) settle(ctx context.Context) error {
	err := f.until(ctx, 5*time.Minute, func() (bool, error) {
		now, err := f.figures(ctx)
		return now[`spyglass_polled_instances{devices="simulated"}`] == fleetDevices, err
	})
	if err != nil {
		return fmt.Errorf("not all devices are polled: %w", err)
	}
	return nil
}

// measure measures the burden of two intervals.
func (f *fleet) measure(ctx context.Context) (b burden, err error) {
	if err := wait(ctx, fleetWarm); err != nil {
		return b, err
	}
	before, err := f.figures(ctx)
	if err != nil {
		return b, err
	}
	if b.cpu, err = spent(ctx, fleetCounts, f.Cmd.Process.Pid); err != nil {
		return b, err
	}
	if b.memory, err = resident(f.Cmd.Process.Pid); err != nil {
		return b, err
	}
	now, err := f.figures(ctx)
	if err != nil {
		return b, err
	}
	b.late = now[`spyglass_poll_delay_max_seconds{devices="simulated"}`]
	const polls, samples = `spyglass_polls_total{devices="simulated",result="done"}`, "spyglass_samples_appended_total"
	if did, kept := now[polls]-before[polls], now[samples]-before[samples]; did < 1.99*fleetDevices || kept < 9.5*did {
		return b, fmt.Errorf("in two minutes there were %.0f polls and %.0f samples, want %d and ten times that", did,
			kept, 2*fleetDevices)
	}
	return b, nil
}

// spent returns the processor time of processes over d, in percent of one core.
func spent(ctx context.Context, d time.Duration, pids ...int) (float64, error) {
	begun := time.Now()
	before, err := processorTime(pids)
	if err != nil {
		return 0, err
	}
	if err := wait(ctx, d); err != nil {
		return 0, err
	}
	now, err := processorTime(pids)
	return 100 * (now - before).Seconds() / time.Since(begun).Seconds(), err
}

// settled waits until a demo has assigned its data sources: until the program has computed
// little for a while.
func settled(ctx context.Context, s *serving.Server) error {
	const little, longest = 15, 10 * time.Minute // percent of one core
	begun := time.Now()
	for quiet := 0; quiet < 3; quiet++ {
		percent, err := spent(ctx, 3*time.Second, s.Cmd.Process.Pid)
		if err != nil {
			return err
		}
		if percent > little {
			quiet = -1
		}
		if time.Since(begun) > longest {
			return fmt.Errorf("after %v the demo still takes %.0f %% of a core", longest, percent)
		}
	}
	return nil
}

// figures returns the portal's own metrics.
func (f *fleet) figures(ctx context.Context) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.Origin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+f.Bearer)
	response, err := f.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET /metrics returned %s", response.Status)
	}
	all := map[string]float64{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		at := strings.LastIndexByte(lines.Text(), ' ')
		if v, err := strconv.ParseFloat(lines.Text()[at+1:], 64); err == nil && at > 0 {
			all[lines.Text()[:at]] = v
		}
	}
	return all, lines.Err()
}

// processorTime returns the processor time that processes have used so far.
func processorTime(pids []int) (total time.Duration, err error) {
	for _, pid := range pids {
		own, _, err := processTimes(pid)
		if err != nil {
			return 0, err
		}
		total += own
	}
	return total, nil
}

// familyTime returns the processor time of a process and its descendants, with its
// children that have ended.
func familyTime(pid int) (time.Duration, error) {
	own, ended, err := processTimes(pid)
	if err != nil {
		return 0, err
	}
	total := own + ended
	for _, child := range desktop.Family(pid)[1:] {
		if own, _, err := processTimes(child); err == nil { // otherwise it has ended
			total += own
		}
	}
	return total, nil
}

// processTimes returns the processor time of a process, and of its children that have
// ended.
func processTimes(pid int) (own, ended time.Duration, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name before it may contain anything
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return 0, 0, fmt.Errorf("/proc/%d/stat is %q", pid, text)
	}
	var ticks [4]time.Duration // in user mode and in the kernel, both
	for i := range ticks {
		n, err := strconv.ParseInt(fields[11+i], 10, 64)
		if err != nil {
			return 0, 0, err
		}
		ticks[i] = time.Duration(n) * time.Second / 100 // USER_HZ is 100 on all that Go runs on
	}
	return ticks[0] + ticks[1], ticks[2] + ticks[3], nil
}

// resident returns the resident memory of a process, in MB; of shared memory, its
// part.
func resident(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "\nPss:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, fmt.Errorf("/proc/%d/smaps_rollup has no Pss", pid)
	}
	kB, err := strconv.ParseFloat(fields[0], 64)
	return kB / 1024, err
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
