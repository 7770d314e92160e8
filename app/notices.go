package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/app/keychain"
	"spyglass/app/shell"
	"spyglass/backend/portal"
	"spyglass/backend/resource"
)

const (
	// noticePause is how long after a notice the next one comes: a storm is few.
	noticePause = 10 * time.Second

	noticesSetting = "notices" // of the person: false for none
	mostCritical   = 500       // alerts that are looked at, those changed last
	mostNamed      = 3         // devices that a notice about several alerts names
)

// tellAlerts hands a notice of critical alerts that open from now on to show,
// until ctx ends: of those that the window's user may see and nobody knows of.
func (a *App) tellAlerts(ctx context.Context, show chan<- shell.Notice) error {
	if err := keychain.Bus(); err != nil {
		return nil //nolint:nilerr // nobody to show them, on a desktop without a session bus
	}
	look := lookout{alerts: a.criticalAlerts, wanted: a.wantsNotices, known: map[string]bool{}}
	if _, err := look.news(ctx); err != nil {
		return err
	}
	return a.Changes(ctx, func(kinds []string) error {
		if !slices.Contains(kinds, string(portal.Alerts.Name)) {
			return nil
		}
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

// criticalAlert is as the API has it.
type criticalAlert struct {
	ID        string
	Device    string `json:"monitorObjectName"`
	Source    string `json:"resourceTemplateName"`
	DataPoint string
	Value     string `json:"alertValue"`
	Threshold string
}

// criticalAlerts are the active ones that the window's user may see, without
// those that maintenance covers or that somebody has acknowledged.
func (a *App) criticalAlerts(ctx context.Context) ([]criticalAlert, error) {
	access, err := a.Sessions.Access(ctx, a.window.Load())
	if err != nil {
		return nil, err
	}
	all := a.Endpoints()
	list := all[slices.IndexFunc(all, func(e resource.Endpoint) bool { return e.ID() == "GET "+portal.Alerts.Path })]
	call := &resource.Call{Access: access, At: time.Now(), Query: url.Values{
		"filter": {fmt.Sprintf("severity:%d,acked:false,sdted:false", portal.SeverityCritical)},
		"sort":   {"-lastUpdatedOnEpoch"}, "size": {strconv.Itoa(mostCritical)},
		"fields": {"id,monitorObjectName,resourceTemplateName,dataPointName,alertValue,threshold"},
	}}
	answer, err := list.Handle(resource.WithCall(ctx, call), call)
	if err != nil {
		return nil, err
	}
	var page struct{ Items []criticalAlert }
	return page.Items, json.Unmarshal(answer.(resource.JSON), &page)
}

// wantsNotices says whether the window's user wants to be told.
func (a *App) wantsNotices(ctx context.Context) (bool, error) {
	wanted := true
	err := a.workspace.Setting(ctx, a.window.Load(), noticesSetting, &wanted)
	return wanted, err
}

// lookout knows which alerts were there before.
type lookout struct {
	alerts func(context.Context) ([]criticalAlert, error)
	wanted func(context.Context) (bool, error)
	known  map[string]bool
}

// mostKnown is when those that are over are forgotten.
const mostKnown = 10_000

// news are the alerts that were not there at the last look, where they are wanted.
func (l *lookout) news(ctx context.Context) (opened []criticalAlert, err error) {
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

// noticeOf tells of one alert, or of several at once.
func noticeOf(opened []criticalAlert) shell.Notice {
	if len(opened) == 1 {
		a := opened[0]
		return shell.Notice{
			Title: a.Device + " is critical", Link: "spyglass://monitor/alerts/" + a.ID,
			Body: strings.TrimSpace(fmt.Sprintf("%s %s is %s, beyond %s", a.Source, a.DataPoint, a.Value, a.Threshold)),
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
	return shell.Notice{Title: fmt.Sprintf("%d new critical alerts", len(opened)), Body: body, Link: "spyglass://monitor/alerts"}
}
