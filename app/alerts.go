package app

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// alertsLink opens the alerts in the window.
const alertsLink = "spyglass://monitor/alerts"

// openAlert is an active alert as the API returns it.
type openAlert struct {
	ID        string
	Device    string `json:"monitorObjectName"`
	Source    string `json:"resourceTemplateName"`
	DataPoint string
	Value     string `json:"alertValue"`
	Threshold string
}

// openAlerts returns the active alerts of a severity that the window's user may
// view, without those in maintenance or acknowledged: the most recently changed alerts,
// and the total number.
func (a *App) openAlerts(ctx context.Context, severity int64, most int) (items []openAlert, total int, err error) {
	access, err := a.Sessions.Access(ctx, a.window.Load())
	if err != nil {
		return nil, 0, err
	}
	all := a.Endpoints()
	list := all[slices.IndexFunc(all, func(e resource.Endpoint) bool { return e.ID() == "GET "+alert.Alerts.Path })]
	call := &resource.Call{Access: access, At: time.Now(), Query: url.Values{
		"filter": {fmt.Sprintf("severity:%d,acked:false,sdted:false", severity)},
		"sort":   {"-lastUpdatedOnEpoch"}, "size": {strconv.Itoa(most)},
		"fields": {"id,monitorObjectName,resourceTemplateName,dataPointName,alertValue,threshold"},
	}}
	response, err := list.Handle(resource.WithCall(ctx, call), call)
	if err != nil {
		return nil, 0, err
	}
	return resource.ReadList[openAlert](response)
}

// alertsChange calls notify at each change of alerts until ctx ends or notify
// fails.
func (a *App) alertsChange(ctx context.Context, notify func() error) error {
	return a.Changes(ctx, func(kinds []string) error {
		if !slices.Contains(kinds, string(alert.Alerts.Name)) {
			return nil
		}
		return notify()
	})
}
