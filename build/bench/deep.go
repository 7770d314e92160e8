package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"spyglass/build/project"
)

// The figures of a page far down a list of 100,000 devices, compared with the
// first page.
var (
	deep = figure{
		name: "deep", does: "page at 90,000 of 100,000, ms (other: the first page)", goal: "≤ 2",
		measure: measureDeep("/api/device/devices?size=50"),
	}
	deepSorted = figure{
		name: "deep-sorted", does: "the same, sorted by displayName, ms (other: its first page)", goal: "≤ 2",
		measure: measureDeep("/api/device/devices?size=50&sort=%2BdisplayName"),
	}
)

// measurements is the number of measurements of each; odd, for the median.
const measurements = 51

func measureDeep(path string) func(context.Context, project.Project) (score, error) {
	return func(ctx context.Context, _ project.Project) (_ score, err error) {
		p, err := startPortal(ctx, 100_000)
		if err != nil {
			return score{}, err
		}
		defer func() { err = errors.Join(err, p.close(ctx)) }()
		var far, near []float64
		for i := range measurements + 1 {
			a, err := p.time(ctx, fmt.Sprint(path, "&offset=", 90_000+50*i))
			if err != nil {
				return score{}, err
			}
			b, err := p.time(ctx, path)
			if err != nil {
				return score{}, err
			}
			if i > 0 { // the first request fills the caches
				far, near = append(far, a), append(near, b)
			}
		}
		return score{ours: median(far), other: median(near)}, nil
	}
}

// warm repeats a request until the caches are filled; the first may exceed its
// timeout.
func (p *portal) warm(ctx context.Context) error {
	_, path, _ := ourContains(0)
	var err error
	for begun := time.Now(); time.Since(begun) < time.Minute; {
		if _, err = p.time(ctx, path); err == nil {
			return nil
		}
	}
	return err
}

// time returns the duration of one GET, in ms.
func (p *portal) time(ctx context.Context, path string) (float64, error) {
	begun := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Origin()+path, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+p.bearer)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s returned %s", path, response.Status)
	}
	return milliseconds(time.Since(begun)), errors.Join(err, response.Body.Close())
}

// million measures one request among 1,000,000 devices. The floor is a scan of
// the same names by SQLite with LIKE.
var million = figure{
	name: "million", does: "one contains request among 1,000,000 devices, ms (other: a LIKE scan)", goal: "≤ 0.1",
	measure: measureMillion,
}

func measureMillion(ctx context.Context, _ project.Project) (_ score, err error) {
	p, err := startPortal(ctx, 1_000_000)
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, p.close(ctx)) }()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.folder, "data", "portal.db")+
		"?_pragma=query_only(1)&_pragma=mmap_size(268435456)")
	if err != nil {
		return score{}, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	scan, err := db.PrepareContext(ctx, `SELECT count(*) FROM "device" WHERE "displayName" LIKE '%' || ? || '%' AND `+
		`"deletedTimeInMs" = 0`)
	if err != nil {
		return score{}, err
	}
	if err := p.warm(ctx); err != nil {
		return score{}, err
	}
	var ours, like []float64
	for i := range int64(len(words)) {
		_, path, _ := ourContains(i)
		a, err := p.time(ctx, path)
		if err != nil {
			return score{}, err
		}
		begun, count := time.Now(), 0
		if err := scan.QueryRowContext(ctx, word(i)).Scan(&count); err != nil {
			return score{}, err
		}
		if b := milliseconds(time.Since(begun)); i > 0 { // the first fills the system's cache
			ours, like = append(ours, a), append(like, b)
		}
	}
	return score{ours: median(ours), other: median(like)}, nil
}
