// Torture runs the spyglass program under hostile conditions and counts
// what it lost and what it did wrong: hostile requests and files, kill -9, a
// full disk, a clock that jumps, and slow connections.
//
// Each trial starts the program on a new data folder and talks to it on the
// loopback interface only. Its share of the time begins when the program is
// ready; when it is over, the trial finishes the round that has begun, and stops
// every process it started. Times are in milliseconds, sizes in bytes unless a
// name says otherwise. A trial uses several goroutines; all end before
// it returns.
//
// # What counts
//
// Lost is a write that was acknowledged and is not there afterwards. Wrong is
// any other broken promise: a 5xx, an error of another shape, a program that
// ends by itself, memory beyond the limit. A trial that cannot run at all
// returns an error.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// options select the program and the trials, and limit their duration.
type options struct {
	program string        // path of the built program
	newer   string        // path of a program with one more field of devices, as a newer version has; may be empty
	long    time.Duration // of all trials together, without their preparation; of one in its run
	trials  []string      // names; all when empty
	seed    uint64        // of everything random
	timed   bool          // a slow response is wrong, too: not where other programs share the machine
	out     io.Writer     // gets the table
}

// trial is one kind of hostile condition.
type trial struct {
	name, does string
	lacks      func() string // what it cannot run without here; nil or empty when it can
	run        func(ctx context.Context, o options, r *result) error
}

// trials run in this order.
func trials() []trial {
	return []trial{
		{name: "requests", does: "hostile bodies, headers and parameters to every endpoint", run: hostileRequests},
		{name: "files", does: "hostile files to every importer", run: hostileFiles},
		{name: "kill", does: "kill -9 while four writers write", run: killed},
		{name: "disk", does: "a disk that fills up and gets room again", lacks: needsRoot, run: fullDisk},
		{name: "database", does: "a disk of PostgreSQL that fills up and gets room again", lacks: needsRootAndPostgres,
			run: fullDatabase},
		{name: "clock", does: "a clock that jumps by minutes, days and years", run: jumpingClock},
		{name: "nodes", does: "three nodes, with trouble of nodes and of their database", lacks: needsPostgres,
			run: nodes},
		{name: "samples", does: "two nodes whose Prometheus is away while one is killed",
			lacks: needsPrometheus, run: storeAway},
		{name: "slow", does: "1,000 slow or silent connections", run: slowConnections},
	}
}

// trialNames lists the trials.
func trialNames() []string {
	var names []string
	for _, t := range trials() {
		names = append(names, t.name)
	}
	return names
}

// errFound ends a run that lost something or did something wrong.
var errFound = errors.New("the program lost something or did something wrong; the lines above say what")

// run runs the trials one after the other and prints a row for each.
func run(ctx context.Context, o options) error {
	chosen, err := choose(o.trials)
	if err != nil {
		return err
	}
	o.long /= time.Duration(len(chosen))
	fmt.Fprintf(o.out, "seed %d\n", o.seed)
	const row = "%-10s %-58s %9s %6s %6s %9s %10s\n"
	fmt.Fprintf(o.out, row, "trial", "what it does", "tries", "lost", "wrong", "peak, MB", "slowest ms")
	found := false
	for _, t := range chosen {
		if t.lacks != nil && t.lacks() != "" {
			fmt.Fprintf(o.out, "%-10s needs %s and is left out\n", t.name, t.lacks())
			continue
		}
		r := &result{timed: o.timed}
		err := t.run(ctx, o, r)
		if ctx.Err() != nil {
			return errors.New("the run was stopped")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Fprintf(o.out, row, t.name, t.does, fmt.Sprint(r.tries), fmt.Sprint(r.lost), fmt.Sprint(r.wrong),
			megabytes(r.peak), fmt.Sprint(r.slowest.Milliseconds()))
		for _, line := range r.findings {
			fmt.Fprintln(o.out, "   "+line)
		}
		found = found || r.lost+r.wrong > 0
	}
	if found {
		return errFound
	}
	return nil
}

func choose(names []string) ([]trial, error) {
	all := trials()
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		if !slices.Contains(trialNames(), name) {
			return nil, fmt.Errorf("there is no trial %s; there are %s", name, strings.Join(trialNames(), ", "))
		}
	}
	return slices.DeleteFunc(all, func(t trial) bool { return !slices.Contains(names, t.name) }), nil
}

func megabytes(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprint(bytes >> 20)
}
