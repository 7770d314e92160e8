package main

import (
	"context"
	"flag"
	"os"
	"time"

	"spyglass/build/project"
	"spyglass/build/torture"
)

// tortured builds the program and runs the trials that args name, or all.
func tortured(ctx context.Context, p project.Project, args []string) error {
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	long := flags.Duration("for", time.Hour, "time for all trials together")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "of everything random, to repeat a run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := p.Frontend(ctx); err != nil {
		return err
	}
	program, err := p.Compile(ctx, "spyglass-torture", "", ".")
	if err != nil {
		return err
	}
	return torture.Run(ctx, torture.Options{Program: program, For: *long, Trials: flags.Args(), Seed: *seed,
		Timed: true, Out: os.Stdout})
}
