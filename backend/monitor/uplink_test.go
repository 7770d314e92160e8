package monitor

import (
	"testing"

	"spyglass/backend/check"
	"spyglass/backend/portal/alert"
)

func TestFirstResponseClearsTheUplinkAlert(t *testing.T) {
	known := map[int64]*watched{1: {instance: 1}, 2: {instance: 2}, 3: {instance: 3}, 4: {instance: 4}}
	yes, no := true, false
	key := localKey{2, alert.ConditionNetwork}
	remote := func(w *watched) bool { return w.instance != 4 }
	silent := func(lack string, ids ...int64) (all []check.Result) {
		for _, id := range ids {
			all = append(all, check.Result{InstanceID: id, At: 100, Local: lack, Error: "No response.", Responded: &no})
		}
		return all
	}
	for _, tt := range []struct {
		name          string
		lack          string
		then          check.Result
		open, changed bool
	}{
		{"the first response", check.LocalUplink, check.Result{InstanceID: 3, At: 101, Responded: &yes, Reached: true},
			false, true},
		{"this machine responds", check.LocalUplink, check.Result{InstanceID: 4, At: 101, Responded: &yes}, true,
			false},
		{"one network of a machine without a default route", check.LocalNetwork,
			check.Result{InstanceID: 3, At: 101, Responded: &yes, Reached: true}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := &local{}
			if v := l.take(key, silent(tt.lack, 1, 2), known, remote); !v.open || !v.changed ||
				v.reason != "No response." {
				t.Fatalf("the alert does not open: %+v", v)
			}
			if v := l.take(key, []check.Result{tt.then}, known, remote); v.open != tt.open || v.changed != tt.changed {
				t.Errorf("open %v, changed %v; want %v, %v", v.open, v.changed, tt.open, tt.changed)
			}
		})
	}
	l := &local{}
	if v := l.take(key, []check.Result{{InstanceID: 4, At: 100, Responded: &yes}}, known, remote); v.changed {
		t.Error("a response of this machine clears the alert of an earlier process")
	}
	v := l.take(key, []check.Result{{InstanceID: 3, At: 100, Responded: &yes}}, known, remote)
	if !v.changed || v.open {
		t.Error("a response of another machine does not clear the alert of an earlier process")
	}
}
