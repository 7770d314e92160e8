//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"spyglass/backend/samplestore/prometheustest"
)

func needsPrometheus() string {
	if prometheustest.Missing() {
		return "Prometheus (Debian: prometheus)"
	}
	return needsPostgres()
}

// storeAway runs two nodes whose samples lie in a Prometheus. It is killed at the beginning
// and away for three quarters of the time; meanwhile the node that monitors is killed as
// well. Afterwards, the Prometheus has to have each acknowledged sample.
func storeAway(ctx context.Context, o options, r *result) error {
	return inFolder(func(folder string) error {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		store, err := prometheustest.New(folder)
		if err != nil {
			return err
		}
		defer store.Kill()
		c := &cluster{o: o, r: r, size: 100, nodes: 2, samples: "http://" + store.Address}
		return c.run(ctx, func(ctx context.Context) {
			_ = pause(ctx, o.long/8) // an end of ctx ends the others, too
			store.Kill()
			_ = pause(ctx, o.long/4)
			if err := c.killOne(ctx); err != nil && ctx.Err() == nil {
				r.isWrong("kill: %v", err)
			}
			_ = pause(ctx, o.long/2)
			if err := store.Start(); err != nil {
				r.isWrong("the sample store: %v", err)
			}
			<-ctx.Done()
		})
	})
}

// checkStore waits until the sample store has as many samples of each device as were
// acknowledged.
func (c *cluster) checkStore(ctx context.Context) error {
	var list struct {
		Items []struct {
			ID          int64
			DisplayName string
		}
	}
	if err := c.send(ctx, "GET", "/device/devices?size=1000&fields=id,displayName", "", &list); err != nil {
		return err
	}
	names := map[int64]string{}
	for _, d := range list.Items {
		names[d.ID] = d.DisplayName
	}
	began := time.Now()
	for limit := began.Add(5 * time.Minute); ; {
		there, err := c.stored(ctx)
		if err != nil {
			return err
		}
		missing, more := 0, 0
		for _, d := range c.devices {
			n := len(c.acked[d.instance])*dataPoints - there[names[d.id]]
			missing += max(0, n)
			more += max(0, -n)
		}
		switch {
		case missing > 0 && time.Now().Before(limit):
			if err := pause(ctx, time.Second); err != nil {
				return err
			}
			continue
		case missing > 0:
			c.r.isLost("%d samples that the sample store should have", missing)
		case more > 0:
			c.r.isWrong("the sample store has %d samples that were not acknowledged", more)
		default:
			c.r.saw("the sample store had all of them %d s after the end", int(time.Since(began).Seconds()))
		}
		return nil
	}
}

// stored returns the number of samples in the sample store, by the name of the device.
func (c *cluster) stored(ctx context.Context) (map[string]int, error) {
	query := url.Values{"query": {fmt.Sprintf("sum by (device) (count_over_time({datasource=%q}[1d]))", source)}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.samples+"/api/v1/query?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var found struct {
		Data struct {
			Result []struct {
				Metric struct{ Device string }
				Value  [2]any
			}
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		return nil, err
	}
	there := map[string]int{}
	for _, one := range found.Data.Result {
		text, _ := one.Value[1].(string)
		if there[one.Metric.Device], err = strconv.Atoi(text); err != nil {
			return nil, err
		}
	}
	return there, nil
}
