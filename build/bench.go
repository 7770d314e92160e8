package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// figure is one thing that is measured, beside the least that it could cost
// on the same machine at the same time.
type figure struct {
	name    string // for the command line
	does    string // for the table, with the unit
	goal    string
	measure func(ctx context.Context, p project) (ours, floor float64, err error)
}

// figures are measured in this order, one after the other.
var figures = []figure{
	paint,
	list,
	create,
	send,
	document,
	task,
	heap,
}

// bench measures the figures that args name, or all of them. It writes into
// build/bin and the system's temporary folder only.
func bench(ctx context.Context, p project, args []string) error {
	for _, name := range args {
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.name == name }) {
			return fmt.Errorf("there is no figure %s", name)
		}
	}
	var failed []string
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "figure\tours\tfloor\tratio\tgoal")
	for _, f := range figures {
		if len(args) > 0 && !slices.Contains(args, f.name) {
			continue
		}
		ours, floor, err := f.measure(ctx, p)
		if err != nil {
			failed = append(failed, f.name)
			fmt.Fprintf(os.Stderr, "%s: %v\n", f.name, err)
			continue
		}
		fmt.Fprintf(table, "%s\t%.4g\t%.4g\t%.2f\t%s\n", f.does, ours, floor, ours/floor, f.goal)
	}
	if err := table.Flush(); err != nil {
		return err
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
