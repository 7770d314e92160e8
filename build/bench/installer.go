package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"spyglass/build/project"
)

// installer measures the size of the file that users download.
var installer = figure{
	name: "installer", does: "the .deb, MB (other: limit)", goal: "≤ 1",
	measure: plain(func(ctx context.Context, p project.Project) (ours, limit float64, err error) {
		folder, err := os.MkdirTemp("", "spyglass-bench-")
		if err != nil {
			return 0, 0, err
		}
		defer os.RemoveAll(folder)
		k := project.Release{Out: folder, Linux: true}
		if k.Version, err = p.Version(); err != nil {
			return 0, 0, err
		}
		if err := p.Install(ctx, project.ForWindow); err != nil {
			return 0, 0, err
		}
		if err := p.Programs(ctx, &k); err != nil {
			return 0, 0, err
		}
		if err := p.Packages(ctx, k); err != nil {
			return 0, 0, err
		}
		found, err := filepath.Glob(filepath.Join(folder, "*.deb"))
		if err != nil || len(found) != 1 {
			return 0, 0, fmt.Errorf("there are %v, and not one .deb (%w)", found, err)
		}
		info, err := os.Stat(found[0])
		if err != nil {
			return 0, 0, err
		}
		return float64(info.Size()) / 1e6, 15, nil
	}),
}
