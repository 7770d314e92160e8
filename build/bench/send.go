package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"spyglass/build/project"
	"spyglass/build/serving"
)

// send measures a request through the Explorer, sent as its page does, until the
// first rows of the response are available. The floor is the same request without
// the Explorer.
var send = figure{
	name: "send", does: "a page of 50 devices through the Explorer, ms (floor: a curl process)",
	goal: "≤ 0.25", measure: plain(measureSend),
}

// sends is the number of measurements of each; odd, for the median.
const sends = 101

func measureSend(ctx context.Context, p project.Project) (ours, floor float64, err error) {
	if err := p.Install(ctx, project.ForCurl); err != nil {
		return 0, 0, err
	}
	s, err := serving.Serve(ctx, p)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := waitForSamples(ctx, s); err != nil { // the portal of a real user has history
		return 0, 0, err
	}
	const path = "/device/devices?size=50"
	var our, least []float64
	for i := range sends + 1 {
		begun := time.Now()
		var reply struct {
			Status int
			Rows   []struct{}
		}
		err := s.Post(ctx, "/explorer/send", map[string]any{
			"sendId": fmt.Sprint("bench-", i),
			"draft":  map[string]any{"method": "GET", "path": path, "template": "/device/devices"},
		}, &reply)
		if err != nil {
			return 0, 0, err
		}
		a := milliseconds(time.Since(begun))
		if reply.Status != 200 || len(reply.Rows) == 0 {
			return 0, 0, fmt.Errorf("the reply is %d with %d rows", reply.Status, len(reply.Rows))
		}
		begun = time.Now()
		curl := exec.CommandContext(ctx, "curl", "--silent", "--fail", "--output", os.DevNull, "--config", "-",
			s.Origin+"/api"+path)
		curl.Stdin = strings.NewReader(`header = "Authorization: Bearer ` + s.Bearer + `"`)
		if err := curl.Run(); err != nil {
			return 0, 0, fmt.Errorf("curl: %w", err)
		}
		b := milliseconds(time.Since(begun))
		if i > 0 { // the first request opens connections
			our, least = append(our, a), append(least, b)
		}
	}
	return median(our), median(least), nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
