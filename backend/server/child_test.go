package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/server"
	"spyglass/backend/store/postgres/pgtest"
)

// childFolder is an environment variable that makes the test binary run a portal on that folder,
// so that a test can kill it.
const childFolder = "SPYGLASS_TEST_CHILD"

// childDatabase is an environment variable with the address of the child's database; without
// it, the child has files.
const childDatabase = "SPYGLASS_TEST_CHILD_DATABASE"

// childNewer is an environment variable that makes the child a portal of a newer version, whose
// devices have the field "newer".
const childNewer = "SPYGLASS_TEST_CHILD_NEWER"

// childClock is an environment variable with the error of the clock of the child's machine.
const childClock = "SPYGLASS_TEST_CHILD_CLOCK"

func TestMain(m *testing.M) {
	if folder := os.Getenv(childFolder); folder != "" {
		err := error(nil)
		if database := os.Getenv(childMigration); database != "" {
			err = migrateAsChild(folder, database)
		} else {
			err = serveAsChild(folder)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(childCollector) != "" {
		if err := collectAsChild(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(pgtest.Main(func() int { return withPrepared(m.Run) }))
}

// serveAsChild serves until its standard input ends, as when the parent process dies,
// and runs the commands that it reads there, one per line.
func serveAsChild(folder string) error {
	ctx := context.Background()
	if os.Getenv(childNewer) != "" {
		fleet.Devices.Fields = append(fleet.Devices.Fields, resource.Field[*fleet.Device]{Name: "newer",
			At: func(d *fleet.Device) any { return &d.Link }})
	}
	s, err := server.New(ctx, childOptions(folder))
	if err != nil {
		return err
	}
	if err := s.Start(nil); err != nil {
		return err
	}
	fmt.Println(s.Origin())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if err := obey(in.Text()); err != nil {
			return err
		}
		fmt.Println("done")
	}
	return s.Stop(ctx)
}

func childOptions(folder string) server.Options {
	off, _ := time.ParseDuration(os.Getenv(childClock)) // zero without the variable
	return server.Options{Data: folder, ClockOff: off, Database: os.Getenv(childDatabase), Listen: "127.0.0.1:0",
		Version: "test", NoLimits: true, Twice: true, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
}

// child is a portal in a child process.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	origin string
}

func startChild(t *testing.T, folder string, env ...string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	c.cmd.Env = append(os.Environ(), childFolder+"="+folder)
	c.cmd.Env = append(c.cmd.Env, env...)
	log := &strings.Builder{}
	c.cmd.Stderr = log
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if c.origin = c.line(); c.origin == "" {
		_ = c.cmd.Wait()
		t.Fatalf("the portal did not start: %s", log)
	}
	t.Cleanup(c.kill)
	return c
}

// line returns the next line of the child's output; empty at its end.
func (c *child) line() string {
	text, _ := c.out.ReadString('\n')
	return strings.TrimSpace(text)
}

// tell sends a command and waits until the child has completed it.
func (c *child) tell(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		c.t.Fatal(err)
	}
	if got := c.line(); got != "done" {
		c.t.Fatalf("%s: the child says %q", line, got)
	}
}

// kill ends the child as a power failure would, and waits for it.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}
