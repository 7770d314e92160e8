package main

import (
	"context"
	"flag"
	"os"
	"time"

	"spyglass/build/project"
)

func main() { project.Main(start) }

// start builds the program and runs the trials that args name, or all.
func start(ctx context.Context, p project.Project, args []string) error {
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
	return run(ctx, options{program: program, long: *long, trials: flags.Args(), seed: *seed, timed: true,
		out: os.Stdout})
}
