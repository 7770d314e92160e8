package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// killed kills the program again and again while it writes to each database,
// and compares the data after the next start with the acknowledged writes.
func killed(ctx context.Context, o options, r *result) error {
	return inFolder(func(folder string) error {
		ctx, cancel := context.WithTimeout(ctx, o.long)
		defer cancel()
		random := rand.New(rand.NewPCG(o.seed, 1))
		books := []*ledger{newLedger(devices), newLedger(variables)}
		bearer := ""
		for round := 0; round == 0 || ctx.Err() == nil; round++ {
			p, err := startProgram(o.program, folder, nil, "--rate-limit", "off")
			if err != nil {
				r.isLost("round %d: %v", round, err)
				return nil
			}
			if p.bearer = bearer; bearer == "" {
				if err := p.authorize(context.WithoutCancel(ctx)); err != nil {
					p.kill()
					return err
				}
				bearer = p.bearer
			}
			enough := 1 + random.IntN(60)
			if err := p.round(context.WithoutCancel(ctx), r, books, round, enough); err != nil {
				r.isWrong("round %d: %v", round, err)
			}
		}
		return nil
	})
}

// round checks the data, writes until there were enough acknowledgements, and
// kills the program in the middle of the next writes.
func (p *program) round(ctx context.Context, r *result, books []*ledger, round, enough int) error {
	defer p.kill()
	for _, book := range books {
		if err := book.check(ctx, p, r); err != nil {
			return err
		}
		book.acks = 0
	}
	var wait sync.WaitGroup
	for i, book := range books {
		for w := range 2 {
			wait.Go(func() { book.write(ctx, p, r, fmt.Sprintf("%d-%d-%d", round, i, w), nil) })
		}
	}
	deadline := time.After(10 * time.Second)
	for written := 0; written < enough; {
		select {
		case <-deadline:
			return fmt.Errorf("%d writes in 10 s", written)
		case <-time.After(time.Millisecond):
		}
		written = 0
		for _, book := range books {
			book.mu.Lock()
			written += book.acks
			book.mu.Unlock()
		}
	}
	r.used(p.peak())
	p.kill()
	wait.Wait()
	return nil
}
