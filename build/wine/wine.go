// Package wine runs programs for Windows on Linux, with Wine: each Windows is a
// folder of its own, with drive C and a registry, without a display. It does not
// touch the user's own Wine.
//
// It needs an x86-64 processor, Wine, and a C compiler for Windows (MinGW-w64).
// Close ends every program of a Windows and removes its folder. A Windows belongs to
// one goroutine.
package wine

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// primitives is a library with what Go's programs need and Wine 8 lacks.
//
//go:embed files/bcryptprimitives.c
var primitives []byte

// Windows is an installed Windows.
type Windows struct {
	Folder string // absolute
}

// Install installs a Windows in a folder, which must not exist.
func Install(ctx context.Context, folder string) (Windows, error) {
	w := Windows{folder}
	if err := os.MkdirAll(w.home(), 0o700); err != nil {
		return w, err
	}
	if err := finish(w.Command(ctx, "wineboot", "--init")); err != nil {
		return w, err
	}
	if err := w.Wait(ctx); err != nil { // it writes the registry when its last program has ended
		return w, err
	}
	library := exec.CommandContext(ctx, "x86_64-w64-mingw32-gcc", "-shared", "-s", "-x", "c", "-", "-o",
		w.Path("windows", "system32", "bcryptprimitives.dll"), "-ladvapi32")
	library.Stdin = strings.NewReader(string(primitives))
	return w, finish(library)
}

func finish(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}

// home is the home folder, to which Wine links the user's documents.
func (w Windows) home() string { return filepath.Join(w.Folder, "home") }

// Path returns the path, for Linux, of a file or folder of drive C.
func (w Windows) Path(elements ...string) string {
	return filepath.Join(append([]string{w.Folder, "prefix", "drive_c"}, elements...)...)
}

// Words returns the words of a command line for Linux that runs a command on w: a
// program for Windows after "wine".
func (w Windows) Words(command ...string) []string {
	return append([]string{"env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "HOME=" + w.home(),
		"WINEPREFIX=" + filepath.Join(w.Folder, "prefix"), "WINEDEBUG=-all",
		"LC_ALL=C.UTF-8", // file names with umlauts
		// neither .NET nor a browser, which it would download, nor entries in the user's menus
		"WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe="}, command...)
}

// Command returns a program for Windows with its arguments, not yet started. If the
// command is killed, the program is: it is the same process.
func (w Windows) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	return w.command(ctx, append([]string{"wine", program}, args...)...)
}

func (w Windows) command(ctx context.Context, words ...string) *exec.Cmd {
	words = w.Words(words...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = w.home()
	return cmd
}

// Wait returns when the last program has ended.
func (w Windows) Wait(ctx context.Context) error {
	return finish(w.command(ctx, "wineserver", "--wait"))
}

// Keep keeps the services of the system running until Close. They inherit the output of
// the program that starts them: go test would wait for them after its own program has
// ended.
func (w Windows) Keep(ctx context.Context) error {
	shell := w.Command(ctx, "cmd")
	if _, err := shell.StdinPipe(); err != nil { // it waits for a command
		return err
	}
	if err := shell.Start(); err != nil {
		return err
	}
	// ends after the services have started; without a pipe, because it may be the one that starts them
	if err := w.Command(ctx, "cmd", "/c", "exit").Run(); err != nil {
		return fmt.Errorf("cmd: %w", err)
	}
	return nil
}

// Close ends every program and removes the Windows.
func (w Windows) Close() error {
	_ = w.command(context.Background(), "wineserver", "--kill").Run() // it fails if nothing runs
	return errors.Join(w.Wait(context.Background()), os.RemoveAll(w.Folder))
}
