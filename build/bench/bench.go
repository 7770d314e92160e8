// Bench compares the program with a floor, the least that its work could
// cost, or with other programs that do the same, on the same machine at the same
// time, and prints a row for each figure.
//
// To add a figure, add a file and a line in figures. The other programs have
// modules of their own in rivals/, so that the product does not depend on them.
//
// The environment variable SPYGLASS_BENCH_DEVICES sets a smaller number of devices for
// the figures of PostgreSQL.
//
// Each row gives its unit. Figures are measured one after the other; a figure may
// use several goroutines, which end with it. A failed measurement does not stop
// the others: the last line names it.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"spyglass/build/project"
)

func main() { project.Main(start) }

// figure is one comparison with the least that the work could cost, or with
// another program.
type figure struct {
	name    string // on the command line
	does    string // in the table, with the unit
	goal    string
	measure func(ctx context.Context, p project.Project) (score, error)
	// replaces measure where several figures share the running programs
	beside func(ctx context.Context, r *rivals) (score, error)
}

// score is the result of a figure. The ratio is ours to the other.
type score struct {
	ours, other float64
	late        *[2]float64 // p99 of both in ms, if responses were timed
	used        *[2]float64 // processor time of both servers for a response in ms, if it was measured
}

// plain wraps a measurement without a p99.
func plain(measure func(ctx context.Context, p project.Project) (ours, floor float64, err error)) func(context.Context,
	project.Project) (score, error) {
	return func(ctx context.Context, p project.Project) (score, error) {
		ours, floor, err := measure(ctx, p)
		return score{ours: ours, other: floor}, err
	}
}

func (f *figure) run(ctx context.Context, r *rivals) (score, error) {
	if f.measure != nil {
		return f.measure(ctx, r.Project)
	}
	return f.beside(ctx, r)
}

// figures are measured in this order, one after the other.
var figures = []figure{
	paint,
	paintTabs,
	overview,
	overviewLarge,
	idleMemory,
	idleCPU,
	installer,
	pageScript,
	list,
	create,
	send,
	runs,
	runNewman,
	runBru,
	document,
	indexed,
	findIn,
	task,
	heap,
	compare,
	huge,
	hugeScroll,
	hugeMemory,
	editorCodeMirror,
	editorMonaco,
	catalogSearch,
	palette,
	paletteLocal,
	mapPan,
	history,
	besidePage, besideRandom,
	besideContains,
	besideGet,
	besideCreate,
	besideMemory,
	deep,
	deepSorted,
	million,
	samples,
	samplesSize,
	samplesDay,
	fleetCPU,
	fleetMemory,
	fleetLate,
	prometheusCPU,
	prometheusMemory,
	alertSoon,
	alertLate,
	stormKept,
	stormList,
	backfill,
	postgresPage,
	postgresTrips,
	postgresGet,
	postgresCreate,
	postgresContains,
	postgresNodes,
	postgresNodesCreate,
	postgresLate,
	postgresStale,
}

// named reports whether an argument names the figure: "fleet" names all that begin with
// "fleet-".
func (f *figure) named(name string) bool {
	return f.name == name || strings.HasPrefix(f.name, name+"-")
}

// start measures the figures that args name, or all of them. It writes into
// build/bin and the system's temporary folder only.
func start(ctx context.Context, p project.Project, args []string) error {
	if len(args) > 0 && args[0] == partCommand {
		return runPart(ctx, args[1:])
	}
	for _, name := range args {
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.named(name) }) {
			var names []string
			for _, f := range figures {
				names = append(names, f.name)
			}
			return fmt.Errorf("there is no figure %s; there are %s", name, strings.Join(names, ", "))
		}
	}
	var failed []string
	r := &rivals{Project: p}
	defer r.close()
	const row = "%-84s %10s %10s %7s  %-16s %-16s %s\n" // prints each row as soon as it is measured
	fmt.Printf(row, "figure", "ours", "other", "ratio", "goal", "p99 ms, other", "CPU ms, other")
	for _, f := range figures {
		if len(args) > 0 && !slices.ContainsFunc(args, f.named) {
			continue
		}
		s, err := f.run(ctx, r)
		if err != nil {
			failed = append(failed, f.name)
			fmt.Fprintf(os.Stderr, "%s: %v\n", f.name, err)
			continue
		}
		both := func(values *[2]float64) string {
			if values == nil {
				return ""
			}
			return fmt.Sprintf("%.3g, %.3g", values[0], values[1])
		}
		fmt.Printf(row, f.does, fmt.Sprintf("%.4g", s.ours), fmt.Sprintf("%.4g", s.other),
			fmt.Sprintf("%.2f", s.ours/s.other), f.goal, both(s.late), both(s.used))
	}
	if len(failed) > 0 {
		return fmt.Errorf("not measured: %s", strings.Join(failed, ", "))
	}
	return nil
}

// median sorts an odd number of values and returns the middle one.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
