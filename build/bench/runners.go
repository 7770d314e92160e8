package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"spyglass/app/exchange"
	"spyglass/app/expect"
	"spyglass/app/workspace"
	"spyglass/build/project"
)

// The figures of other programs that run collections on a command line. Each runs the same
// 1,000 requests with the same checks in order, because the others send no two at a time,
// as a process of its own. They have a package.json of their own, so that the product does
// not depend on them.
var (
	runNewman = figure{
		name: "run-newman", does: "1,000 requests with checks in order, a process, ms (other: newman)", goal: "≤ 0.5",
		measure: besideRunner("newman", writeNewman),
	}
	runBru = figure{
		name: "run-bru", does: "1,000 requests with checks in order, a process, ms (other: bru)", goal: "≤ 0.5",
		measure: besideRunner("bru", writeBru),
	}
)

// besideRunner measures spyglass run and another program. write writes its collection
// into a folder, and returns its arguments.
func besideRunner(program string, write func(folder, address string) ([]string, error)) func(context.Context,
	project.Project) (score, error) {
	return plain(func(ctx context.Context, p project.Project) (ours, theirs float64, err error) {
		const runners = "build/bench/rivals/runners"
		if err := p.DoIn(ctx, runners, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
			return 0, 0, err
		}
		dir, err := os.MkdirTemp("", "spyglass-bench-run-")
		if err != nil {
			return 0, 0, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		own, err := p.Compile(ctx, "spyglass-bench", "", ".")
		if err != nil {
			return 0, 0, err
		}
		portal := runPortal()
		defer portal.Close()
		file, folder := filepath.Join(dir, "run.spyglass.json"), filepath.Join(dir, "collection")
		text, err := exchange.Spyglass.Write(&exchange.Bundle{Name: "Run", Folders: []workspace.Folder{runFolder()}})
		if err == nil {
			err = errors.Join(os.WriteFile(file, text, 0o600), os.Mkdir(folder, 0o700))
		}
		if err != nil {
			return 0, 0, err
		}
		args, err := write(folder, portal.URL+"/api/device/devices?n=1")
		if err != nil {
			return 0, 0, err
		}
		program := p.Path(runners, "node_modules", ".bin", program)
		for range 2 { // the second counts: the first reads the programs from the disk
			if ours, err = timed(exec.CommandContext(ctx, own, "run", file, "--portal", portal.URL)); err != nil {
				return 0, 0, err
			}
			other := exec.CommandContext(ctx, program, args...)
			other.Dir = folder
			if theirs, err = timed(other); err != nil {
				return 0, 0, err
			}
		}
		return ours, theirs, nil
	})
}

// timed runs a command, and returns the milliseconds.
func timed(cmd *exec.Cmd) (float64, error) {
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, out[max(0, len(out)-500):])
	}
	return milliseconds(time.Since(begun)), nil
}

// runFolder returns the requests of a run, in our own form.
func runFolder() workspace.Folder {
	f := workspace.Folder{Name: "Run"}
	for i := range runRequests {
		f.Requests = append(f.Requests, workspace.Saved{Name: fmt.Sprint("Request ", i+1), Draft: workspace.Draft{
			Method: "GET", Path: "/device/devices", Query: workspace.Rows{{On: true, Key: "n", Value: "1"}},
			Checks: []expect.Check{{On: true, Kind: "status", Op: "is", Value: "200"},
				{On: true, Kind: "json", Target: "$.items[49].name", Op: "is", Value: "web-02"}},
		}})
	}
	return f
}

func writeNewman(folder, address string) ([]string, error) {
	script := []string{`pm.test("status", () => pm.response.to.have.status(200));`,
		`pm.test("name", () => pm.expect(pm.response.json().items[49].name).to.eql("web-02"));`}
	items := make([]any, runRequests)
	for i := range items {
		items[i] = map[string]any{"name": fmt.Sprint("Request ", i+1),
			"request": map[string]any{"method": "GET", "url": address},
			"event": []any{map[string]any{"listen": "test", "script": map[string]any{"type": "text/javascript",
				"exec": script}}}}
	}
	text, err := json.Marshal(map[string]any{"item": items, "info": map[string]any{"name": "Run",
		"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}})
	if err != nil {
		return nil, err
	}
	return []string{"run", "run.json", "--silent"}, os.WriteFile(filepath.Join(folder, "run.json"), text, 0o600)
}

func writeBru(folder, address string) ([]string, error) {
	err := os.WriteFile(filepath.Join(folder, "bruno.json"),
		[]byte(`{"version":"1","name":"Run","type":"collection"}`), 0o600)
	for i := range runRequests {
		text := fmt.Sprintf("meta {\n  name: Request %d\n  type: http\n  seq: %d\n}\n\nget {\n  url: %s\n"+
			"  body: none\n  auth: none\n}\n", i+1, i+1, address)
		if i > 0 { // assertions of the first request can fail, because bru still loads its interpreter then
			text += "\nassert {\n  res.status: eq 200\n  res.body.items[49].name: eq web-02\n}\n"
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, fmt.Sprintf("request-%04d.bru", i+1)), []byte(text),
			0o600))
	}
	return []string{"run"}, err
}
