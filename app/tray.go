package app

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"spyglass/app/keychain"
	"spyglass/app/shell/tray"
	"spyglass/backend/portal/threshold"
)

const traySetting = "tray" // of the user: false for no icon

// updateTray sends the tray's content to show, now and at each change until ctx
// ends: the numbers of critical and error alerts, of those that notices would
// report.
func (a *App) updateTray(ctx context.Context, show chan<- tray.Tray) error {
	if err := keychain.Bus(); err != nil {
		return nil //nolint:nilerr // no tray either, on a desktop without a session bus
	}
	wanted := true
	if err := a.workspace.Setting(ctx, a.window.Load(), traySetting, &wanted); err != nil || !wanted {
		return err
	}
	var shown tray.Tray
	update := func() error {
		now, err := a.tray(ctx)
		if err != nil || reflect.DeepEqual(now, shown) {
			return err
		}
		select {
		case show <- now:
			shown = now
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := update(); err != nil {
		return err
	}
	return a.alertsChange(ctx, update)
}

func (a *App) tray(ctx context.Context) (tray.Tray, error) {
	critical, criticals, err := a.openAlerts(ctx, threshold.SeverityCritical, tray.MostWorst)
	if err != nil {
		return tray.Tray{}, err
	}
	failed, failures, err := a.openAlerts(ctx, threshold.SeverityError, tray.MostWorst)
	if err != nil {
		return tray.Tray{}, err
	}
	return trayOf(criticals, failures, append(critical, failed...)), nil
}

// trayOf returns the tray's content; it names the first of the sorted alerts.
func trayOf(criticals, failures int, alerts []openAlert) tray.Tray {
	content := tray.Tray{Text: "no alert is critical or an error"}
	errorCount := fmt.Sprintf("%d errors", failures)
	if failures == 1 {
		errorCount = "1 error"
	}
	switch {
	case criticals > 0 && failures > 0:
		content.Level, content.Text = tray.Critical, fmt.Sprintf("%d critical, %s", criticals, errorCount)
	case criticals > 0:
		content.Level, content.Text = tray.Critical, fmt.Sprintf("%d critical", criticals)
	case failures > 0:
		content.Level, content.Text = tray.Errors, errorCount
	}
	for _, alert := range alerts[:min(len(alerts), tray.MostWorst)] {
		content.Worst = append(content.Worst, tray.Entry{
			Text: alert.Device + ": " + strings.TrimSpace(alert.Source+" "+alert.DataPoint), Link: alertsLink +
				"/" + alert.ID,
		})
	}
	return content
}
