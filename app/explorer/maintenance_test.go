package explorer_test

import (
	"strings"
	"testing"
)

// 2026-11-20 is a Friday; 1795132800000 is its midnight in UTC.
func TestMaintenanceIsInEffectInItsTimeZone(t *testing.T) {
	h := build(t)
	const friday = `"from":1795132800000,"to":1795392000000`
	for _, tt := range []struct{ planned, want string }{
		{`{"sdtType":"daily","hour":2,"minute":30,"duration":90,"timezone":"UTC"}`,
			`{"items":[{"of":0,"from":1795141800000,"to":1795147200000},{"of":0,"from":1795228200000,` +
				`"to":1795233600000},{"of":0,"from":1795314600000,"to":1795320000000}]}`},
		{`{"sdtType":"daily","hour":23,"minute":0,"endHour":1,"endMinute":0,"timezone":"Europe/Berlin"}`,
			`{"items":[{"of":0,"from":1795212000000,"to":1795219200000},{"of":0,"from":1795298400000,` +
				`"to":1795305600000},{"of":0,"from":1795384800000,"to":1795392000000}]}`},
		{`{"sdtType":"weekly","weekDay":"Saturday","hour":0,"duration":60,"timezone":"UTC"},{"sdtType":"oneTime",` +
			`"startDateTime":1795000000000,"endDateTime":1795140000000}`,
			`{"items":[{"of":0,"from":1795219200000,"to":1795222800000},{"of":1,"from":1795000000000,` +
				`"to":1795140000000}]}`},
		{`{"sdtType":"daily","hour":2,"duration":60,"timezone":"UTC","startDateTime":1795230000000}`,
			`{"items":[{"of":0,"from":1795312800000,"to":1795316400000}]}`},
		{`{"sdtType":"hourly","duration":10}`, `{"items":[]}`},
		{`{"sdtType":"oneTime","startDateTime":1,"endDateTime":2}`, `{"items":[]}`},
		{`{"sdtType":"monthly","monthDay":31,"hour":1,"duration":60,"timezone":"nowhere"}`, `{"items":[]}`},
	} {
		if a := h.call(1, "POST /explorer/maintenance/windows", `{`+friday+`,"planned":[`+tt.planned+
			`]}`); a.status != 200 || a.body != tt.want {
			t.Errorf("%s\n got %d %s\nwant %s", tt.planned, a.status, a.body, tt.want)
		}
	}
	if got := h.fault(h.call(1, "POST /explorer/maintenance/windows", `{`+friday+`,"planned":{}}`)); !strings.HasPrefix(
		got, "planned: planned does not have the documented shape") {
		t.Errorf("got %s", got)
	}
}
