package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"

	"spyglass/build/project"
)

// pageScript measures the scripts that the page needs before it shows anything.
// Editor, chart and export are loaded when they are first used.
var pageScript = figure{
	name: "script", does: "page script at the start, KB compressed (floor: 250)", goal: "≤ 1",
	measure: plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		if err := p.Frontend(ctx); err != nil {
			return 0, 0, err
		}
		dist := p.Path("frontend", "dist")
		page, err := os.ReadFile(filepath.Join(dist, "index.html"))
		if err != nil {
			return 0, 0, err
		}
		for _, m := range startScript.FindAllSubmatch(page, -1) {
			text, err := os.ReadFile(filepath.Join(dist, filepath.FromSlash(string(m[1]))))
			if err != nil {
				return 0, 0, err
			}
			var out bytes.Buffer
			z := gzip.NewWriter(&out)
			if _, err := z.Write(text); err != nil {
				return 0, 0, err
			}
			if err := z.Close(); err != nil {
				return 0, 0, err
			}
			ours += float64(out.Len()) / 1e3
		}
		if ours == 0 {
			return 0, 0, errors.New("index.html names no script")
		}
		return ours, 250, nil
	}),
}

// startScript matches the scripts that index.html loads itself.
var startScript = regexp.MustCompile(`(?:src|href)="/?([^"]+\.js)"`)
