package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// backfill measures from the start of the program on an empty folder until the
// demo has the samples of seven days. The demo serves requests meanwhile: the
// filler rests for a quarter of the time of each step.
var backfill = figure{
	name: "backfill", does: "start of the demo until it has a past of 7 days, s (other: limit)", goal: "≤ 1",
	measure: func(ctx context.Context, p project) (_ score, err error) {
		if err := p.frontend(ctx); err != nil {
			return score{}, err
		}
		var all []float64
		for range 3 {
			took, err := p.backfilled(ctx)
			if err != nil {
				return score{}, err
			}
			all = append(all, took)
		}
		return score{ours: median(all), other: 15}, nil
	},
}

func (p project) backfilled(ctx context.Context) (seconds float64, err error) {
	program, err := p.compile(ctx, "spyglass-bench", "", ".")
	if err != nil {
		return 0, err
	}
	s := &served{client: http.DefaultClient}
	if s.folder, err = os.MkdirTemp("", "spyglass-bench-"); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	begun := time.Now()
	if err := s.start(ctx, program, []string{"serve", "--demo", "--data", s.data()}); err != nil {
		return 0, err
	}
	err = s.filled(ctx)
	return time.Since(begun).Seconds(), err
}

// filled returns when the demo has its past.
func (s *served) filled(ctx context.Context) error {
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); {
		log, err := os.ReadFile(filepath.Join(s.folder, "log"))
		if err != nil {
			return err
		}
		if strings.Contains(string(log), "the past of the demo is filled") {
			return nil
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("three minutes after its start the demo has no past yet")
}
