package server_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestPanickingTaskOpensOneAlertUntilTheNextStart(t *testing.T) {
	o := options(t)
	s := start(t, o)
	w := &fixture{t: t, s: s, bearers: map[string]string{"admin": token(t, o, "admin")}}
	alerts := w.listen("admin", "/events?kinds=alert")
	s.Crash("report")
	w.hears(alerts, "alert", `"condition":"panic"`, `"cleared":false`, `"severity":3`)
	s.Crash("report")
	const list = `GET /alert/alerts?filter=condition:"panic",cleared:*&fields=cleared`
	if status, response := w.request("admin", list, ""); status != http.StatusOK ||
		!strings.Contains(response, `"items":[{"cleared":false}]`) {
		t.Errorf("after two panics there is %d %s", status, response)
	}
	stop(t, s)
	w.s = start(t, o)
	alerts = w.listen("admin", "/events?kinds=alert")
	if _, response := w.request("admin", list, ""); !strings.Contains(response, `"cleared":true`) {
		w.hears(alerts, "alert", `"condition":"panic"`, `"cleared":true`)
	}
	if _, response := w.request("admin", list, ""); !strings.Contains(response, `"items":[{"cleared":true}]`) {
		t.Errorf("after the next start there is %s", response)
	}
}
