package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spyglass/build/project"
	"spyglass/build/serving"
)

// backfill measures from the start of the program on an empty folder until the
// demo has the samples of seven days. The demo serves requests meanwhile: the
// filler rests for a quarter of the time of each step.
var backfill = figure{
	name: "backfill", does: "start of the demo until it has a past of 7 days, s (other: limit)", goal: "≤ 1",
	measure: func(ctx context.Context, p project.Project) (_ score, err error) {
		if err := p.Frontend(ctx); err != nil {
			return score{}, err
		}
		var all []float64
		for range 3 {
			took, err := backfilled(ctx, p)
			if err != nil {
				return score{}, err
			}
			all = append(all, took)
		}
		return score{ours: median(all), other: 15}, nil
	},
}

func backfilled(ctx context.Context, p project.Project) (seconds float64, err error) {
	program, err := p.Compile(ctx, "spyglass-bench", "", ".")
	if err != nil {
		return 0, err
	}
	s := &serving.Server{Client: http.DefaultClient}
	if s.Folder, err = os.MkdirTemp("", "spyglass-bench-"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	begun := time.Now()
	if err := s.Start(ctx, program, []string{"serve", "--demo", "--data", s.Data()}); err != nil {
		return 0, err
	}
	err = waitForSamples(ctx, s)
	return time.Since(begun).Seconds(), err
}

// waitForSamples returns when the demo has its history.
func waitForSamples(ctx context.Context, s *serving.Server) error {
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); {
		log, err := os.ReadFile(filepath.Join(s.Folder, "log"))
		if err != nil {
			return err
		}
		if strings.Contains(string(log), "the demo history is filled") {
			return nil
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("three minutes after its start the demo has no past yet")
}
