package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"

	"spyglass/build/project"
)

// The figures of the editors that other programs show responses in. Monaco has a
// package.json of its own, so that the product does not depend on it.
var (
	editorCodeMirror = figure{
		name: "codemirror", does: "50 MB in CodeMirror: first lines painted, ms (floor: JSON.parse)",
		goal:    "ours is document",
		measure: inEditors(func(t editorTimes) editorTime { return t.CodeMirror }),
	}
	editorMonaco = figure{
		name: "monaco", does: "50 MB in Monaco: first lines painted, ms (floor: JSON.parse)", goal: "ours is document",
		measure: inEditors(func(t editorTimes) editorTime { return t.Monaco }),
	}
)

// editorTimes holds the output of build/bench/rivals/editors/measure.mjs, in
// milliseconds.
type (
	editorTimes struct{ CodeMirror, Monaco editorTime }
	editorTime  struct{ Paint, Task, Parse float64 }
)

func inEditors(pick func(editorTimes) editorTime) func(context.Context, project.Project) (score, error) {
	return plain(func(ctx context.Context, p project.Project) (ours, floor float64, err error) {
		if err := p.Install(ctx, project.ForPage); err != nil {
			return 0, 0, err
		}
		if err := p.Modules(ctx); err != nil {
			return 0, 0, err
		}
		const folder = "build/bench/rivals/editors"
		if err := p.DoIn(ctx, folder, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"); err != nil {
			return 0, 0, err
		}
		var text, out bytes.Buffer
		if err := writeItems(ctx, &text, documentBytes*6/10); err != nil { // some 50 MB when indented
			return 0, 0, err
		}
		var shown bytes.Buffer
		// the response is indented, because neither shows one line of 50 MB
		if err := json.Indent(&shown, text.Bytes(), "", "  "); err != nil {
			return 0, 0, err
		}
		cmd := p.Command(ctx, folder, "node", "measure.mjs", p.Path("frontend"))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = &shown, &out, os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, 0, project.Named(err, "measure.mjs", nil)
		}
		var t editorTimes
		if err := json.Unmarshal(out.Bytes(), &t); err != nil {
			return 0, 0, err
		}
		one := pick(t)
		return one.Paint, one.Parse, nil
	})
}
