package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync/atomic"
	"time"

	"spyglass/backend/server"
)

// jumps lists changes of the clock: small corrections, a laptop that slept, a
// wrong battery, a wrong year. Each is undone before the next.
var jumps = []time.Duration{
	time.Second, -time.Second, 5 * time.Minute, -5 * time.Minute, 3 * time.Hour, -3 * time.Hour,
	26 * time.Hour, -26 * time.Hour, 40 * 24 * time.Hour, -40 * 24 * time.Hour, 10 * 365 * 24 * time.Hour,
	-3 * 365 * 24 * time.Hour,
}

// sessionLasts is a jump that no session may end at: less than its idle limit.
const sessionLasts = 10 * time.Minute

// jumpingClock runs a portal in this process, whose clock it can set, and
// checks after each jump for requests that are refused, sessions that end too
// early, limits that never reset, and maintenance that does not follow the
// clock.
func jumpingClock(ctx context.Context, o options, r *result) error {
	return inFolder(func(folder string) (err error) {
		var offset atomic.Int64
		clock := func() time.Time { return time.Now().Round(0).Add(time.Duration(offset.Load())) }
		s, err := server.New(ctx, server.Options{Data: folder, Listen: "127.0.0.1:0",
			Log: slog.New(slog.DiscardHandler), Clock: clock})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stopSoon(s, r)) }()
		if err := s.Start(nil); err != nil {
			return err
		}
		v := &visitor{origin: s.Origin(), r: r, clock: clock}
		if err := v.signIn(ctx, s.Passwords["admin"]); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, o.long)
		defer cancel()
		random := rand.New(rand.NewPCG(o.seed, 2))
		for round := 0; round < len(jumps) || ctx.Err() == nil; round++ {
			if round >= len(jumps) {
				if err := pause(ctx, time.Second); err != nil { // the portal takes 500 requests a minute
					return nil
				}
			}
			jump := jumps[round%len(jumps)]
			if round >= len(jumps) {
				jump = time.Duration(random.Int64N(int64(2*400*24*time.Hour))) - 400*24*time.Hour
			}
			if err := v.maintenance(ctx, 0, true); err != nil {
				return err
			}
			offset.Store(int64(jump))
			v.look(ctx, jump)
			if err := v.maintenance(ctx, jump, jump > -time.Hour && jump < time.Hour); err != nil {
				return err
			}
			offset.Store(0)
			v.look(ctx, -jump)
			if jump.Abs() > sessionLasts && !v.signedIn(ctx) {
				if err := v.signIn(ctx, s.Passwords["admin"]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// pause waits, so that a long run stays below the limits that it expects.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// stopSoon stops the portal and reports a finding when that takes too long.
func stopSoon(s *server.Server, r *result) error {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	err := s.Stop(ctx)
	if ctx.Err() != nil {
		r.isWrong("the portal takes longer than 15 s to stop after jumps of its clock")
	}
	return err
}

// visitor is a browser at the portal.
type visitor struct {
	origin string
	r      *result
	clock  func() time.Time
	http   *http.Client
	csrf   string
	window string // id of the maintenance window
}

func (v *visitor) signIn(ctx context.Context, password string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	v.http = &http.Client{Jar: jar, Timeout: 20 * time.Second}
	status, reply, err := v.request(ctx, http.MethodPost, "/api/session",
		fmt.Sprintf(`{"username":"admin","password":%q}`, password))
	if err != nil || status != http.StatusOK {
		v.r.isWrong("signing in at %s returned %d %.200s %v", v.clock().Format(time.RFC3339), status, reply, err)
		return err
	}
	var session struct{ CSRFToken string }
	err = json.Unmarshal(reply, &session)
	v.csrf = session.CSRFToken
	return err
}

func (v *visitor) signedIn(ctx context.Context) bool {
	status, _, err := v.request(ctx, http.MethodGet, "/api/session", "")
	return err == nil && status == http.StatusOK
}

// look sends reads and a write after a jump.
func (v *visitor) look(ctx context.Context, jump time.Duration) {
	short := jump.Abs() <= sessionLasts
	for _, call := range []struct{ method, path, body string }{
		{http.MethodGet, "/api/setting/version", ""}, {http.MethodGet, "/api/device/devices", ""},
		{http.MethodGet, "/api/alert/alerts", ""},
		{http.MethodPost, "/api/setting/opsnotes", `{"note":"after a jump"}`},
	} {
		began := time.Now()
		status, reply, err := v.request(ctx, call.method, call.path, call.body)
		v.r.tried(time.Since(began))
		ended := status == http.StatusUnauthorized && !short
		if err != nil || status != http.StatusOK && status != http.StatusCreated && !ended {
			v.r.isWrong("after a jump by %v, %s %s returned %d %.200s %v", jump, call.method, call.path, status,
				reply, err)
		}
	}
}

// maintenance expects a window of two hours around the true time to be in
// effect or not. It makes the window when there is none.
func (v *visitor) maintenance(ctx context.Context, jump time.Duration, effective bool) error {
	now := time.Now()
	if v.window == "" {
		body := fmt.Sprintf(`{"type":"ResourceGroupSDT","deviceGroupId":1,"sdtType":"oneTime","startDateTime":%d,`+
			`"endDateTime":%d,"comment":"torture"}`,
			now.Add(-time.Hour).UnixMilli(), now.Add(time.Hour).UnixMilli())
		status, reply, err := v.request(ctx, http.MethodPost, "/api/sdt/sdts", body)
		if err != nil || status != http.StatusCreated {
			return fmt.Errorf("a maintenance window returned %d %.300s %v", status, reply, err)
		}
		var made struct{ ID string }
		if err := json.Unmarshal(reply, &made); err != nil {
			return err
		}
		v.window = made.ID
	}
	status, reply, err := v.request(ctx, http.MethodGet, "/api/sdt/sdts/"+v.window, "")
	if status == http.StatusUnauthorized {
		return nil // the session ended with the jump
	}
	var got struct{ IsEffective bool }
	if err = errors.Join(err, json.Unmarshal(reply, &got)); err != nil {
		return fmt.Errorf("the maintenance window returned %d %.300s: %w", status, reply, err)
	}
	if status != http.StatusOK {
		v.r.isWrong("after a jump by %v the maintenance window returned %d %.300s", jump, status, reply)
		return nil
	}
	if got.IsEffective != effective {
		v.r.isWrong("after a jump by %v the maintenance window says isEffective %v, want %v", jump,
			got.IsEffective, effective)
	}
	return nil
}

func (v *visitor) request(ctx context.Context, method, path, body string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), method, v.origin+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-CSRF-Token", v.csrf)
	response, err := v.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	return response.StatusCode, reply, err
}
