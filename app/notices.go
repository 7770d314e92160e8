package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"spyglass/app/keychain"
	"spyglass/app/shell/notice"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/threshold"
)

const (
	// noticePause is the minimum time between two notices, to limit notices in an
	// alert storm.
	noticePause = 10 * time.Second

	noticesSetting = "notices" // of the user: false for no notices
	mostCritical   = 500       // alerts to check, the most recently changed
	mostNamed      = 3         // devices that a notice about several alerts names
)

// sendNotices sends notices of critical alerts that open from now on to show,
// until ctx ends: alerts that the window's user may view and that are neither in
// maintenance nor acknowledged.
func (a *App) sendNotices(ctx context.Context, show chan<- notice.Notice) error {
	if err := keychain.Bus(); err != nil {
		return nil //nolint:nilerr // a desktop without a session bus cannot show notices
	}
	look := alertWatch{alerts: a.criticalAlerts, wanted: a.wantsNotices, known: map[string]bool{}}
	if _, err := look.news(ctx); err != nil {
		return err
	}
	return a.alertsChange(ctx, func() error {
		opened, err := look.news(ctx)
		if err != nil || len(opened) == 0 {
			return err
		}
		select {
		case show <- noticeOf(opened):
		case <-ctx.Done():
		}
		select {
		case <-time.After(noticePause):
		case <-ctx.Done():
		}
		return ctx.Err()
	})
}

// criticalAlerts returns the alerts for notices.
func (a *App) criticalAlerts(ctx context.Context) ([]openAlert, error) {
	alerts, _, err := a.openAlerts(ctx, threshold.SeverityCritical, mostCritical)
	return alerts, err
}

// wantsNotices reports whether the window's user wants notices now.
func (a *App) wantsNotices(ctx context.Context) (bool, error) {
	if a.paused.Load() {
		return false, nil
	}
	wanted := true
	err := a.workspace.Setting(ctx, a.window.Load(), noticesSetting, &wanted)
	return wanted, err
}

// alertWatch finds alerts that have opened since its last call.
type alertWatch struct {
	alerts func(context.Context) ([]openAlert, error)
	wanted func(context.Context) (bool, error)
	known  map[string]bool
}

// mostKnown is the number of known alerts above which closed ones are
// forgotten.
const mostKnown = 10_000

// news returns the alerts that have opened since the last check, if notices are
// wanted.
func (l *alertWatch) news(ctx context.Context) (opened []openAlert, err error) {
	now, err := l.alerts(ctx)
	if err != nil {
		return nil, err
	}
	for _, alert := range now {
		if !l.known[alert.ID] {
			opened = append(opened, alert)
		}
	}
	if len(l.known) > mostKnown {
		clear(l.known)
	}
	for _, alert := range now {
		l.known[alert.ID] = true
	}
	if wanted, err := l.wanted(ctx); err != nil || !wanted {
		return nil, err
	}
	return opened, nil
}

// noticeOf returns a notice about one alert, or about several at once.
func noticeOf(opened []openAlert) notice.Notice {
	if len(opened) == 1 {
		a := opened[0]
		return notice.Notice{
			Title: a.Device + " is critical", Link: alertsLink + "/" + a.ID,
			Body: strings.TrimSpace(
				fmt.Sprintf("%s %s is %s", a.Source, a.DataPoint,
					alert.AlertInShort(a.Value, a.Threshold, threshold.SeverityCritical))),
		}
	}
	var names []string
	for _, a := range opened {
		if !slices.Contains(names, a.Device) {
			names = append(names, a.Device)
		}
	}
	body := strings.Join(names, ", ")
	if more := len(names) - mostNamed; more > 0 {
		body = fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), more)
	}
	return notice.Notice{Title: fmt.Sprintf("%d new critical alerts", len(opened)), Body: body, Link: alertsLink}
}
