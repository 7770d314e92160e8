package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// installer measures the file that people download.
var installer = figure{
	name: "installer", does: "the .deb, MB (other: limit)", goal: "≤ 1",
	measure: plain(func(ctx context.Context, p project) (ours, limit float64, err error) {
		folder, err := os.MkdirTemp("", "spyglass-bench-")
		if err != nil {
			return 0, 0, err
		}
		defer os.RemoveAll(folder)
		k := packing{out: folder}
		if k.version, err = p.version(); err != nil {
			return 0, 0, err
		}
		if err := p.install(ctx, forWindow); err != nil {
			return 0, 0, err
		}
		if err := p.programs(ctx, &k); err != nil {
			return 0, 0, err
		}
		if err := p.packages(ctx, k); err != nil {
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
		return float64(info.Size()) / 1e6, 20, nil
	}),
}
