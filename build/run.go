package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"spyglass/build/project"
)

// run opens the app, or serves it if there is no display.
func run(ctx context.Context, p project.Project, args []string) error {
	path, err := p.Binary(ctx)
	if err != nil {
		return err
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if !display() && (len(args) == 0 || strings.HasPrefix(args[0], "-")) {
		fmt.Println("There is no display: open the address below in a browser. Ctrl+C ends it.")
		args = append([]string{"serve", "--demo"}, args...)
	}
	cmd := p.Command(ctx, ".", path, args...)
	cmd.Stdin, cmd.Dir = os.Stdin, "" // paths in the arguments are relative to this folder
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil // ended by the user
	}
	return project.Named(err, "spyglass", args)
}

// display reports whether a window can be shown.
func display() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
