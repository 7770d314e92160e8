package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	kept "spyglass/app/document"
	"spyglass/build/project"
)

// compare measures the differences of two stored responses of 50 MB. Every
// thousandth device of the second one has another name.
var compare = figure{
	name: "diff", does: "two of 50 MB: all differences, ms (floor: to store and index both)", goal: "≤ 2",
	measure: plain(measureDiff),
}

func measureDiff(ctx context.Context, _ project.Project) (ours, floor float64, err error) {
	folder, err := os.MkdirTemp("", "spyglass-bench-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	store, err := kept.NewStore(folder, kept.Limits{})
	if err != nil {
		return 0, 0, err
	}
	defer store.Close()
	var body bytes.Buffer
	if err := writeItems(ctx, &body, documentBytes); err != nil {
		return 0, 0, err
	}
	other := bytes.ReplaceAll(body.Bytes(), []byte(`000.fra"`), []byte(`000.osl"`))
	var our, least []float64
	for range rounds {
		begun := time.Now()
		left, err := stored(store, body.Bytes())
		if err != nil {
			return 0, 0, err
		}
		right, err := stored(store, other)
		if err != nil {
			return 0, 0, err
		}
		least = append(least, milliseconds(time.Since(begun)))
		begun = time.Now()
		found, err := kept.Diff(ctx, left, right, nil)
		if err != nil {
			return 0, 0, err
		}
		our = append(our, milliseconds(time.Since(begun)))
		if want := bytes.Count(other, []byte(`000.osl"`)); found.Changed != want {
			return 0, 0, fmt.Errorf("%d differences were found, not %d", found.Changed, want)
		}
		store.Drop(left.ID)
		store.Drop(right.ID)
	}
	return median(our), median(least), nil
}

// stored stores a body as it would arrive.
func stored(store *kept.Store, body []byte) (*kept.Document, error) {
	w := store.Create("application/json")
	for len(body) > 0 {
		n := min(len(body), 64<<10)
		if _, err := w.Write(body[:n]); err != nil {
			w.Abort()
			return nil, err
		}
		body = body[n:]
	}
	return w.Finish()
}
