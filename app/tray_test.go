package app

import (
	"reflect"
	"strconv"
	"testing"

	"spyglass/app/shell"
)

func TestTheTrayTellsHowManyAlertsAreOpenAndTheWorst(t *testing.T) {
	alerts := func(from, to int) (some []openAlert) {
		for id := from; id <= to; id++ {
			some = append(some, openAlert{ID: strconv.Itoa(id), Device: "web-0" + strconv.Itoa(id), Source: "CPU", DataPoint: "busy"})
		}
		return some
	}
	entries := func(to int) (some []shell.Entry) {
		for id := 1; id <= to; id++ {
			some = append(some, shell.Entry{Text: "web-0" + strconv.Itoa(id) + ": CPU busy", Link: "spyglass://monitor/alerts/" + strconv.Itoa(id)})
		}
		return some
	}
	for _, tt := range []struct {
		criticals, failures int
		alerts              []openAlert
		want                shell.Tray
	}{
		{0, 0, nil, shell.Tray{Level: shell.Calm, Text: "no alert is critical or an error"}},
		{0, 1, alerts(1, 1), shell.Tray{Level: shell.Errors, Text: "1 error", Worst: entries(1)}},
		{2, 0, alerts(1, 2), shell.Tray{Level: shell.Critical, Text: "2 critical", Worst: entries(2)}},
		{1200, 7, alerts(1, 9), shell.Tray{Level: shell.Critical, Text: "1200 critical, 7 errors", Worst: entries(5)}},
	} {
		if got := trayOf(tt.criticals, tt.failures, tt.alerts); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("of %d and %d it tells %+v, want %+v", tt.criticals, tt.failures, got, tt.want)
		}
	}
}
