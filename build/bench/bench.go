// Package bench measures the program beside the least that its work could cost,
// or beside other programs that do the same, on the same machine at the same
// time, and prints a row for each figure.
//
// A figure is added as a file, and as a line of figures. The other programs have
// modules of their own in rivals/, so that the product does not depend on them.
//
// The unit of a figure stands in its row. Figures are measured one after the
// other; a figure may use several goroutines, which end with it. One that cannot
// be measured does not stop the others: Run names it at the end, in its error.
package bench

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"spyglass/build/project"
)

// figure is one measurement, beside the least that it could cost, or beside the
// cost of others for the same, on the same machine at the same time.
type figure struct {
	name    string // for the command line
	does    string // for the table, with the unit
	goal    string
	measure func(ctx context.Context, p project.Project) (score, error)
	// instead of measure, where several figures share what runs
	beside func(ctx context.Context, r *rivals) (score, error)
}

// score is the result of a figure. The ratio is ours to the other.
type score struct {
	ours, other float64
	late        *[2]float64 // p99 of both in ms, if responses were timed
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
	document,
	indexed,
	findIn,
	task,
	heap,
	huge,
	hugeScroll,
	hugeMemory,
	editorCodeMirror,
	editorMonaco,
	catalogSearch,
	history,
	besidePage,
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
}

// Run measures the figures that args name, or all of them. It writes into
// build/bin and the system's temporary folder only.
func Run(ctx context.Context, p project.Project, args []string) error {
	for _, name := range args {
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.name == name }) {
			return fmt.Errorf("there is no figure %s", name)
		}
	}
	var failed []string
	r := &rivals{Project: p}
	defer r.close()
	const row = "%-84s %10s %10s %7s  %-16s %s\n" // one is printed as soon as it is measured
	fmt.Printf(row, "figure", "ours", "other", "ratio", "goal", "p99 ms, other")
	for _, f := range figures {
		if len(args) > 0 && !slices.Contains(args, f.name) {
			continue
		}
		s, err := f.run(ctx, r)
		if err != nil {
			failed = append(failed, f.name)
			fmt.Fprintf(os.Stderr, "%s: %v\n", f.name, err)
			continue
		}
		var late string
		if s.late != nil {
			late = fmt.Sprintf("%.3g, %.3g", s.late[0], s.late[1])
		}
		fmt.Printf(row, f.does, fmt.Sprintf("%.4g", s.ours), fmt.Sprintf("%.4g", s.other),
			fmt.Sprintf("%.2f", s.ours/s.other), f.goal, late)
	}
	if len(failed) > 0 {
		return fmt.Errorf("not measured: %s", strings.Join(failed, ", "))
	}
	return nil
}

// median of an odd number of values; it sorts them.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
