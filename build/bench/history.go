package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"strconv"

	"spyglass/build/project"
)

// history is the slowest search of 100,000 requests, as measured by the benchmark
// of app/workspace.
var history = figure{
	name: "history", does: "search of 100,000 requests of the history, the slowest, ms (floor: 30)", goal: "≤ 1",
	measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		cmd := p.Command(ctx, ".", "go", "test", "-run", "^$", "-bench", "^BenchmarkSearch$", "-benchtime", "20x",
			"./app/workspace")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, 0, project.Named(err, "go test", nil)
		}
		for _, m := range nanoseconds.FindAllSubmatch(out.Bytes(), -1) {
			ns, err := strconv.ParseFloat(string(m[1]), 64)
			if err != nil {
				return 0, 0, err
			}
			ours = max(ours, ns/1e6)
		}
		if ours == 0 {
			return 0, 0, errors.New("BenchmarkSearch says nothing")
		}
		return ours, 30, nil
	}),
}

var nanoseconds = regexp.MustCompile(`([0-9.]+) ns/op`)
