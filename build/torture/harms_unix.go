//go:build unix

package main

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"syscall"
	"time"
)

// troubled is the duration of a trouble that does not end by itself.
const troubled = 15 * time.Second

// delay is the time that a slow database takes for each message.
const delay = 2 * time.Second

// harm makes trouble, one after the other, until ctx ends.
func (c *cluster) harm(ctx context.Context) {
	harms := []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"kill", c.killOne}, {"upgrade", c.upgrade}, {"pause", c.pauseOne},
		{"restart of the database", c.restartDatabase},
		{"no way to the database", c.cutOne}, {"slow database", c.slowDown},
		{"no free connection", c.takeConnections}, {"failover to a standby", c.failOver},
	}
	for i := 0; ; i++ {
		if pause(ctx, min(20*time.Second, c.o.long/5)) != nil {
			return
		}
		c.mu.Lock()
		c.harms++
		c.gap, c.last = 0, time.Now()
		c.mu.Unlock()
		one := harms[i%len(harms)]
		err := one.do(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			c.r.isWrong("%s: %v", one.name, err)
		}
		c.awaitPost(ctx)
		c.mu.Lock()
		c.r.saw("%s: at most %.1f s without an acknowledgement", one.name, c.gap.Seconds())
		c.mu.Unlock()
	}
}

// awaitPost waits for the next acknowledgement.
func (c *cluster) awaitPost(ctx context.Context) {
	for began := time.Now(); pause(ctx, 10*time.Millisecond) == nil; {
		c.mu.Lock()
		last := c.last
		c.mu.Unlock()
		if last.After(began) {
			return
		}
	}
}

func (c *cluster) killOne(ctx context.Context) error {
	p, err := c.monitoring(ctx)
	if err != nil {
		return err
	}
	c.r.used(p.peak())
	c.leave(p)
	p.kill()
	if _, err := c.monitoring(ctx); err != nil {
		return err
	}
	return c.join(context.WithoutCancel(ctx))
}

func (c *cluster) pauseOne(ctx context.Context) error {
	p, err := c.monitoring(ctx)
	if err != nil {
		return err
	}
	c.leave(p)
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	_, err = c.monitoring(ctx)
	if err := errors.Join(err, p.cmd.Process.Signal(syscall.SIGCONT)); err != nil {
		return err
	}
	c.comeBack(p)
	return nil
}

func (c *cluster) restartDatabase(ctx context.Context) error {
	if err := c.database.Restart(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	_, err := c.monitoring(ctx)
	return err
}

// cutOne keeps the messages of the monitoring node from the database, until another one
// monitors.
func (c *cluster) cutOne(ctx context.Context) error {
	p, err := c.monitoring(ctx)
	if err != nil {
		return err
	}
	c.lines[p].cut()
	c.leave(p)
	_, err = c.monitoring(ctx)
	c.lines[p].restore()
	c.comeBack(p)
	return err
}

// slowDown delays all messages of all nodes.
func (c *cluster) slowDown(ctx context.Context) error {
	for _, l := range c.lines {
		l.slow(delay)
	}
	defer func() {
		for _, l := range c.lines {
			l.restore()
		}
	}()
	return pause(ctx, troubled)
}

// takeConnections leaves no connection of the database to the nodes.
func (c *cluster) takeConnections(ctx context.Context) error {
	return c.database.TakeConnections(ctx, troubled)
}

// failOver stops the database for good, and a standby takes its place, as often as there is
// one.
func (c *cluster) failOver(ctx context.Context) error {
	if c.standby.target() != "" {
		return nil
	}
	if err := c.database.FailOver(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	c.standby.lead(c.database.Socket())
	_, err := c.monitoring(ctx)
	return err
}

// comeBack gives a node to the load balancer again.
func (c *cluster) comeBack(p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving = append(c.serving, p)
}

// upgrade replaces each node by one of a newer version, one after the other, if there is a
// newer version.
func (c *cluster) upgrade(ctx context.Context) error {
	if c.o.newer == "" || c.program == c.o.newer {
		return nil
	}
	c.program = c.o.newer
	c.mu.Lock()
	older := slices.Clone(c.serving)
	c.mu.Unlock()
	if err := c.join(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	for _, p := range older { // the load balancer requests their /readyz
		if err := c.untilNotReady(ctx, p); err != nil {
			return err
		}
		c.leave(p)
	}
	if _, err := c.monitoring(ctx); err != nil {
		return err
	}
	for i, p := range older {
		p.stop()
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			c.r.isWrong("an older node exits with code %d: %s", code, p.tail())
		}
		if i > 0 {
			if err := c.join(context.WithoutCancel(ctx)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cluster) untilNotReady(ctx context.Context, p *program) error {
	for {
		status, _, err := p.request(ctx, "GET", "/readyz", "")
		if err != nil || status == http.StatusServiceUnavailable {
			return err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}
