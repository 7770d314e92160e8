package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"spyglass/app/exchange/hostile"
)

// hostileFiles gives every importer generated files of up to 100 KB that would
// grow, nest or repeat without end. None may take more than 64 MB and 2 s.
func hostileFiles(ctx context.Context, o options, r *result) error {
	return inFolder(func(folder string) error {
		p, err := startProgram(o.program, folder, []string{fmt.Sprintf("GOMEMLIMIT=%d", memoryLimit)},
			"--rate-limit", "off")
		if err != nil {
			return err
		}
		defer p.stop()
		if err := p.authorize(ctx); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, o.long)
		defer cancel()
		before := p.peak()
		random := rand.New(rand.NewPCG(o.seed, 3))
		for round := 0; round == 0 || ctx.Err() == nil; round++ {
			for _, file := range hostile.Files(1000 + random.IntN(99_000)) {
				p.read(ctx, r, file)
				if !p.running() {
					r.isWrong("%s of %d bytes ended the program: %s", file.Attack, len(file.Text), p.tail())
					return nil
				}
			}
		}
		if peak := p.peak(); peak > 0 {
			r.used(peak)
			if peak-before > 64<<20+64<<20 { // and what the collector has not returned yet
				r.isWrong("hostile files took %d MB beside the %d of the start", (peak-before)>>20, before>>20)
			}
		}
		return nil
	})
}

// read has a file looked into; a refusal is a good response.
func (p *program) read(ctx context.Context, r *result, f hostile.File) {
	body := fmt.Sprintf(`{"name":%s,"text":%s}`, asJSON(f.Name), asJSON(string(f.Text)))
	began := time.Now()
	status, response, err := p.request(context.WithoutCancel(ctx), http.MethodPost, "/explorer/exchange/look", body)
	took := time.Since(began)
	r.tried(took)
	what := fmt.Sprintf("%s of %d bytes", f.Attack, len(f.Text))
	switch {
	case err != nil:
		r.isWrong("%s gives no response: %v", what, err)
	case status >= 500:
		r.isWrong("%s returned %d %.200s", what, status, response)
	case status >= 400 && !isError(response):
		r.isWrong("%s returned %d %.200s, which is no error of the API", what, status, response)
	default:
		r.isSlow(took, patience, what)
	}
}
