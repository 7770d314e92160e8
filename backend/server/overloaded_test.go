package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

func TestExpressionOverTheLimitAfterAnUpgradeIsOneAlert(t *testing.T) {
	o := options(t)
	s := start(t, o)
	var last int64
	err := s.DB().Write(t.Context(), func(tx resource.Tx) error {
		hostile := `description =~ "^` + strings.Repeat("a?", 450) + `$"`
		for i := 0; ; i++ { // as an older version without the limit did
			g := fleet.Group{Name: fmt.Sprint("old", i), FullPath: fmt.Sprint("old", i), ParentID: ground.RootGroup,
				AppliesTo: hostile, GroupType: "Dynamic"}
			if err := resource.Put(t.Context(), tx, fleet.Groups.Name, &g); err != nil {
				return err
			}
			last = g.ID
			over, err := fleet.Overloaded(t.Context(), tx)
			if err != nil || len(over) > 0 {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	stop(t, s)
	s = start(t, o)
	w := &fixture{t: t, s: s, bearers: map[string]string{"admin": token(t, o, "admin")}}
	alerts := w.listen("admin", "/events?kinds=alert")
	const list = `GET /alert/alerts?filter=condition:"expressions",cleared:*&fields=cleared,reason`
	if _, response := w.request("admin", list, ""); !strings.Contains(response, `"cleared":false`) {
		w.hears(alerts, "alert", `"condition":"expressions"`, `"cleared":false`)
	}
	if _, response := w.request("admin", list, ""); strings.Count(response, `"cleared"`) != 1 ||
		!strings.Contains(response, "those of the group old") {
		t.Errorf("after the upgrade there is %s", response)
	}
	if status, response := w.request("admin", fmt.Sprint("PATCH /device/groups/", last),
		`{"appliesTo":"displayName =~ \"web*\""}`); status != http.StatusOK {
		t.Fatalf("a simpler expression is returned %d %s", status, response)
	}
	stop(t, s)
	w.s = start(t, o)
	alerts = w.listen("admin", "/events?kinds=alert")
	if _, response := w.request("admin", list, ""); !strings.Contains(response, `"cleared":true`) {
		w.hears(alerts, "alert", `"condition":"expressions"`, `"cleared":true`)
	}
}
