package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

func TestEachCollectorConditionHasItsOwnAlert(t *testing.T) {
	w := watch(t)
	w.steps(nil, []step{
		{"POST /setting/alert/chains", `{"name":"Portal","destinations":[{"type":"single",` +
			`"stages":[[{"type":"ARBITRARY","method":"email","addr":"a@example.net"}]]}]}`, ""},
		{"POST /setting/alert/rules", `{"name":"Portal","priority":10,"levelStr":"All","datasource":"Collector",` +
			`"datapoint":"network","escalatingChainId":1}`, ""},
	})
	finding := func(condition, reason string, severity int64) *alert.Finding {
		return &alert.Finding{CollectorID: ground.BuiltInCollector, Condition: condition, Severity: severity,
			Value: "bad", Reason: reason, At: w.now}
	}
	raise := func(f *alert.Finding) (a *alert.Alert, changed bool) {
		w.tx(func(ctx context.Context, tx resource.Tx) (err error) {
			a, changed, err = alert.Raise(ctx, tx, f)
			return err
		})
		return a, changed
	}
	clear := func(condition string) {
		w.tx(func(ctx context.Context, tx resource.Tx) error {
			_, err := alert.Clear(ctx, tx, finding(condition, "", 0))
			return err
		})
	}
	raise(finding("", "", threshold.SeverityCritical))
	raise(finding(alert.ConditionNetwork, "This machine has no network.", threshold.SeverityError))
	if _,
		changed := raise(finding(alert.ConditionNetwork, "This machine has no network.",
		threshold.SeverityError)); changed {
		t.Error("the same finding changed the alert a second time")
	}
	clear(alert.ConditionClock) // there is no such alert
	clear(alert.ConditionHeartbeat)
	if a, _ := raise(finding(alert.ConditionNetwork, "No route at all.", threshold.SeverityCritical)); a.ID != 2 {
		t.Errorf("a worse network is alert %d, want 2", a.ID)
	}
	raise(finding("volcano", "It erupts.", threshold.SeverityWarn)) // a condition without a message of its own
	alerts, err := resource.Find(t.Context(), w.db, alert.Alerts.Name)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range alerts {
		a := &alerts[i]
		words, err := alert.WordingOf(t.Context(), w.db, a)
		if err != nil {
			t.Fatal(err)
		}
		m := words.Message()
		got = append(got, fmt.Sprintf("%d %s %s %s %s/%s %v rule %q: %s | %s", a.ID, a.Type, a.ObjectType, a.Condition,
			a.DataSourceName, a.DataPointName, a.Cleared, a.Rule, m.Subject, m.Body))
	}
	const since = "since 2026-05-04 12:00:00 UTC."
	want := `1 agentDownAlert collector heartbeat / true rule "": critical: the collector localhost is down | The collector localhost has not responded ` + since + `
2 dataSourceAlert collector network Collector/network false rule "Portal": critical: the portal has no network | No route at all. Critical ` + since + `
3 dataSourceAlert collector volcano Collector/volcano false rule "": warn: the portal volcano | It erupts. Warning ` + since
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestHeartbeatAlertOfAnOlderVersionClears(t *testing.T) {
	w := watch(t)
	w.tx(func(ctx context.Context, tx resource.Tx) error {
		old := alert.Alert{Type: alert.AgentDownAlert, ObjectType: "collector", CollectorID: 1,
			Severity: threshold.SeverityCritical, StartOn: w.now}
		if err := resource.Put(ctx, tx, alert.Alerts.Name, &old); err != nil {
			return err
		}
		cleared, err := alert.Clear(ctx, tx, &alert.Finding{CollectorID: 1, Condition: alert.ConditionHeartbeat,
			At: w.now})
		if err == nil && (cleared == nil || cleared.ID != old.ID) {
			t.Errorf("cleared %+v, want the old alert", cleared)
		}
		return err
	})
}
