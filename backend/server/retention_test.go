package server_test

import (
	"testing"
	"time"

	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

func TestAccessLogIsKeptForTheConfiguredTime(t *testing.T) {
	s := start(t, options(t))
	now := time.Now()
	err := s.DB().Write(t.Context(), func(tx resource.Tx) error {
		settings, err := resource.Get(t.Context(), tx, setting.Settings.Name, setting.SettingID)
		if err != nil {
			return err
		}
		settings.AuditDays = 5
		if err := resource.Put(t.Context(), tx, setting.Settings.Name, settings); err != nil {
			return err
		}
		// the log is in time order: lines of the start are newer
		made := resource.Where{Field: "id", Op: ">", Value: int64(0)}
		if err := resource.DeleteAll(t.Context(), tx, audit.AuditLogs.Name, made); err != nil {
			return err
		}
		for i := range 256 { // every 64th line deletes expired lines
			at := now
			if i < 100 {
				at = now.AddDate(0, 0, -6)
			}
			if err := tx.Note(t.Context(), &resource.Change{Call: &resource.Call{At: at}, Action: "sign-in",
				Title: "Signed in"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	old := resource.Where{Field: "happenedOn", Op: "<", Value: int64(resource.SecondsOf(now.AddDate(0, 0, -5)))}
	left, err := resource.Find(t.Context(), s.DB(), audit.AuditLogs.Name, old)
	if err != nil || len(left) > 0 {
		t.Errorf("%d lines older than 5 days are left (%v)", len(left), err)
	}
}
