package app

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"spyglass/app/shell/tray"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

func TestTrayShowsCountAndSeverityOfActiveAlerts(t *testing.T) {
	alerts := func(from, to int) (some []openAlert) {
		for id := from; id <= to; id++ {
			some = append(some, openAlert{ID: strconv.Itoa(id), Device: "web-0" + strconv.Itoa(id), Source: "CPU",
				DataPoint: "busy"})
		}
		return some
	}
	entries := func(to int) (some []tray.Entry) {
		for id := 1; id <= to; id++ {
			some = append(some, tray.Entry{Text: "web-0" + strconv.Itoa(id) + ": CPU busy",
				Link: "spyglass://monitor/alerts/" + strconv.Itoa(id)})
		}
		return some
	}
	for _, tt := range []struct {
		criticals, failures int
		alerts              []openAlert
		want                tray.Tray
	}{
		{0, 0, nil, tray.Tray{Level: tray.Calm, Text: "no alert is critical or an error"}},
		{0, 1, alerts(1, 1), tray.Tray{Level: tray.Errors, Text: "1 error", Worst: entries(1)}},
		{2, 0, alerts(1, 2), tray.Tray{Level: tray.Critical, Text: "2 critical", Worst: entries(2)}},
		{1200, 7, alerts(1, 9), tray.Tray{Level: tray.Critical, Text: "1200 critical, 7 errors", Worst: entries(5)}},
	} {
		if got := trayOf(tt.criticals, tt.failures, tt.alerts); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("of %d and %d it tells %+v, want %+v", tt.criticals, tt.failures, got, tt.want)
		}
	}
}

func TestUserTurnsOffTrayAndPausesNotices(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nobody/listens/there")
	a, err := Open(t.Context(), server.Options{Data: t.TempDir(), Listen: "127.0.0.1:0", Twice: true,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := a.Launch(t.Context()); err != nil {
		t.Fatal(err)
	}
	access, err := a.Sessions.Access(t.Context(), a.window.Load())
	if err != nil {
		t.Fatal(err)
	}
	all := a.workspace.Endpoints()
	settings := all[slices.IndexFunc(all, func(e resource.Endpoint) bool { return e.ID() == "PATCH /settings" })]
	change := func(body string) {
		t.Helper()
		call := &resource.Call{Access: access, Body: []byte(body)}
		if _, err := settings.Handle(resource.WithCall(t.Context(), call), call); err != nil {
			t.Fatal(err)
		}
	}
	show := make(chan tray.Tray, 1)
	change(`{"tray":false}`)
	if err := a.updateTray(t.Context(), show); err != nil || len(show) != 0 {
		t.Errorf("switched off, it tells %d times (%v)", len(show), err)
	}
	change(`{"tray":null}`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.updateTray(ctx, show) }()
	if got, want := <-show, (tray.Tray{Text: "no alert is critical or an error"}); !reflect.DeepEqual(got, want) {
		t.Errorf("of no alerts it tells %+v, want %+v", got, want)
	}
	cancel()
	<-ended

	for _, paused := range []bool{false, true} {
		a.paused.Store(paused)
		if wanted, err := a.wantsNotices(t.Context()); err != nil || wanted == paused {
			t.Errorf("paused %t, notices are wanted: %t (%v)", paused, wanted, err)
		}
	}
}
