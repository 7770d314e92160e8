// Dev serves the demo from build/bin/dev-data, and the UI from Vite, which
// updates the open page after each change. A change in Go rebuilds the server and
// restarts it on the same address; if it does not build, the old one keeps
// running. It is the command go run ./build dev.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"spyglass/build/desktop"
	"spyglass/build/project"
)

func main() { project.Main(dev) }

// dev serves until ctx ends.
func dev(ctx context.Context, p project.Project, args []string) error {
	if len(args) > 0 {
		return errors.New("dev takes no arguments")
	}
	if err := p.Modules(ctx); err != nil {
		return err
	}
	address, err := desktop.FreeAddress()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	vite := p.Command(ctx, "frontend", "npm", "run", "--silent", "dev")
	vite.Env = append(os.Environ(), "SPYGLASS_ADDRESS=http://"+address)
	if err := vite.Start(); err != nil {
		return project.Named(err, "npm run dev", nil)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- vite.Wait()
		stop()
	}()
	err = serveChanges(ctx, p, address)
	stop()
	if viteErr := <-ended; err == nil && viteErr != nil && ctx.Err() == nil {
		err = project.Named(viteErr, "npm run dev", nil)
	}
	return err
}

// serveChanges serves until ctx ends.
func serveChanges(ctx context.Context, p project.Project, address string) error {
	var server *exec.Cmd
	defer func() { halt(server) }()
	tick := time.NewTicker(400 * time.Millisecond)
	defer tick.Stop()
	for built := (time.Time{}); ; {
		changed, err := goChanged(p)
		if err != nil {
			return err
		}
		if changed.After(built) {
			built = changed
			if next := rebuild(ctx, p); next != "" {
				halt(server)
				server = p.Command(context.WithoutCancel(ctx), ".", next,
					"serve", "--demo", "--data", p.Path("build", "bin", "dev-data"), "--listen", address)
				if err := server.Start(); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// rebuild returns the path of the new server; it is empty when the compiler
// reports errors.
func rebuild(ctx context.Context, p project.Project) string {
	started := time.Now()
	path, err := p.Compile(ctx, fmt.Sprintf("spyglass-dev-%d", started.UnixMilli()%2), "", ".")
	if err != nil {
		return ""
	}
	fmt.Printf("built in %v\n", time.Since(started).Round(10*time.Millisecond))
	return path
}

// goChanged returns when a Go file last changed.
func goChanged(p project.Project) (time.Time, error) {
	var last time.Time
	for _, folder := range []string{"main.go", "go.mod", "app", "backend"} {
		if strings.Contains(folder, ".") {
			info, err := os.Stat(p.Path(folder))
			if err != nil {
				return last, err
			}
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
			continue
		}
		changed, err := project.Newest(p.Path(folder), func(path string) bool { return filepath.Ext(path) == ".go" })
		if err != nil {
			return last, err
		}
		if changed.After(last) {
			last = changed
		}
	}
	return last, nil
}

// halt signals a program to end, and waits until it has.
func halt(cmd *exec.Cmd) {
	if cmd == nil {
		return
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait() // ended by us
}
