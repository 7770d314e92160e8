package app

import (
	"context"
	"reflect"
	"testing"

	"spyglass/app/shell/notice"
)

func TestNoticesShowOnlyNewAlerts(t *testing.T) {
	alert := func(id, device string) openAlert {
		return openAlert{ID: id, Device: device, Source: "CPU", DataPoint: "busy", Value: "97", Threshold: "> 95"}
	}
	var now []openAlert
	off := false
	look := alertWatch{
		alerts: func(context.Context) ([]openAlert, error) { return now, nil },
		wanted: func(context.Context) (bool, error) { return !off, nil }, known: map[string]bool{},
	}
	for _, step := range []struct {
		now  []openAlert
		off  bool
		want notice.Notice
	}{
		{[]openAlert{alert("1", "web-01")}, false,
			notice.Notice{Title: "web-01 is critical", Body: "CPU busy is 97, above 95",
				Link: "spyglass://monitor/alerts/1"}},
		{[]openAlert{alert("1", "web-01")}, false, notice.Notice{}},
		{[]openAlert{alert("2", "db-01"), alert("3", "db-01"), alert("1", "web-01")}, false,
			notice.Notice{Title: "2 new critical alerts", Body: "db-01", Link: "spyglass://monitor/alerts"}},
		{nil, false, notice.Notice{}},
		{[]openAlert{alert("10", "web-02")}, true, notice.Notice{}},  // notified
		{[]openAlert{alert("10", "web-02")}, false, notice.Notice{}}, // not notified later either
		{[]openAlert{alert("1", "web-01")}, false, notice.Notice{}},  // it was acknowledged, and no longer is
		{
			[]openAlert{alert("4", "a"), alert("5", "b"), alert("6", "c"), alert("7", "d"), alert("8", "e"),
				alert("9", "a")}, false,
			notice.Notice{Title: "6 new critical alerts", Body: "a, b, c and 2 more",
				Link: "spyglass://monitor/alerts"},
		},
	} {
		now, off = step.now, step.off
		opened, err := look.news(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got notice.Notice
		if len(opened) > 0 {
			got = noticeOf(opened)
		}
		if !reflect.DeepEqual(got, step.want) {
			t.Errorf("of %v it tells %+v, want %+v", step.now, got, step.want)
		}
	}
}
