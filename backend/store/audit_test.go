package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// auditLines returns the audit log, one entry per line: "who action object id: sentence".
func (h *fixture) auditLines() []string {
	h.t.Helper()
	rows, err := resource.Find(h.t.Context(), h.db, audit.AuditLogs.Name)
	if err != nil {
		h.t.Fatal(err)
	}
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%s %s %s %d: %s", r.Username, r.Action, r.Object, r.ObjectID, r.Description))
	}
	return lines
}

func TestEveryWriteIsOneAuditLogEntry(t *testing.T) {
	h := open(t)
	for _, do := range [][2]string{
		{"POST /device/groups", `{"name":"Oslo"}`},
		{"POST /device/devices", `{"name":"web-1","hostGroupIds":"2"}`},
		{"POST /device/devices", `{"name":"web-1"}`}, // refused, so not in the log
		{"PATCH /device/devices/1", `{"description":"front","disableAlerting":true}`},
		{"PATCH /setting/admins/9", `{}`}, // user 9 does not exist
		{"POST /setting/admins", `{"username":"jo","password":"correct horse","email":"jo@example.net",` +
			`"roles":[{"name":"readonly"}]}`},
		{"PATCH /setting/admins/1", `{"password":"another horse"}`},
		{"DELETE /device/groups/2?deleteChildren=true", ``},
		{"POST /device/recyclebin/1/restore", ``},
		{"DELETE /device/devices/1", ``},
		{"DELETE /device/recyclebin/1", ``},
	} {
		h.send(admin, do[0], do[1])
	}
	want := []string{
		`admin create deviceGroup 2: Added the device group 2, "Oslo"`,
		`admin create device 1: Added the device 1, "web-1"`,
		`admin change device 1: Changed the device 1, "web-1": description, disableAlerting`,
		`admin create admin 1: Added the user 1, "jo"`,
		`admin change admin 1: Changed the user 1, "jo": password`,
		`admin delete deviceGroup 2: Deleted the device group 2, "Oslo", and 1 device`,
		`admin restore device 1: Restored the device 1, "web-1"`,
		`admin delete device 1: Deleted the device 1, "web-1"`,
		`admin purge device 1: Deleted for good the device 1, "web-1"`,
	}
	if got := h.auditLines(); !reflect.DeepEqual(got, want) {
		t.Errorf("the log says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAuditLogDescribesAChangeInASentence(t *testing.T) {
	h := open(t)
	for _, tt := range []struct {
		change resource.Change
		want   string
	}{
		{resource.Change{Action: "run", Label: "report", ID: 11, Title: "My weekly alerts"},
			`Ran the report 11, "My weekly alerts"`},
		{resource.Change{Action: "stop", Label: "incident", ID: 5}, "Stopped the incident 5"},
		{resource.Change{Action: "rebalance", Label: "collector group", ID: 3},
			"Ran rebalance on the collector group 3"},
		{resource.Change{Action: "delete", Label: "device group", ID: 2, Title: "Oslo",
			Along: map[string]int{"device": 12, "instance": 1}},
			`Deleted the device group 2, "Oslo", and 12 devices, and 1 instance`},
	} {
		tt.change.Call = &resource.Call{Access: admin, At: noon}
		if err := h.db.Write(t.Context(), func(tx resource.Tx) error {
			return tx.Note(t.Context(), &tt.change)
		}); err != nil {
			t.Fatal(err)
		}
		log, err := resource.Find(t.Context(), h.db, audit.AuditLogs.Name)
		if err != nil || log[len(log)-1].Description != tt.want {
			t.Errorf("the log says %q (%v), want %q", log[len(log)-1].Description, err, tt.want)
		}
	}
}

func TestAuditLogUsesTheNameOfARow(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":11,"name":"My weekly alerts","username":"*","description":"x"}`: "My weekly alerts",
		`{"id":7,"name":"10.0.0.7","displayName":"web-42"}`:                    "web-42",
		`{"id":2,"username":"jo","note":"on leave"}`:                           "jo",
		`{"id":3}`: "",
	} {
		if got := store.Title([]byte(body)); got != want {
			t.Errorf("%s is called %q, want %q", body, got, want)
		}
	}
}

func TestAuditLogShowsBeforeAndAfterWithoutSecrets(t *testing.T) {
	h := open(t)
	h.send(admin, "POST /device/groups", `{"name":"Oslo","customProperties":[{"name":"ssh.pass","value":"hunter22"}]}`)
	h.send(admin, "PATCH /device/groups/2", `{"customProperties":[{"name":"ssh.pass","value":"hunter23"}]}`)
	h.send(admin, "DELETE /device/groups/2", "")
	const group = `{"id":2,"name":"Oslo",`
	for id, want := range map[int][2]string{1: {"null", group}, 2: {group, group}, 3: {group, "null"}} {
		var row map[string]json.RawMessage
		text := h.send(admin, fmt.Sprint("GET /setting/accesslogs/", id), "")
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(row["before"]), want[0]) || !strings.HasPrefix(string(row["after"]), want[1]) ||
			strings.Contains(text, "hunter") {
			t.Errorf("line %d is %s", id, text)
		}
		if string(row["id"]) != fmt.Sprintf("%q", fmt.Sprint(id)) ||
			string(row["happenedOn"]) != fmt.Sprint(noon.Unix()) ||
			string(row["happenedOnLocal"]) != `"2026-05-04 12:00:00 UTC"` {
			t.Errorf("line %d is %s", id, text)
		}
	}
}

func TestAuditLogOmitsRollbacksAndInternalWrites(t *testing.T) {
	h := open(t)
	d := fleet.Device{Name: "x", DisplayName: "x", GroupIDs: resource.IDs{ground.RootGroup}, CollectorID: 1}
	failed := fmt.Errorf("no")
	write := func(ctx context.Context, err error) {
		d.ID = 0
		_ = h.db.Write(ctx, func(tx resource.Tx) error {
			if err := resource.Put(ctx, tx, fleet.Devices.Name, &d); err != nil {
				t.Error(err)
			}
			return err
		})
	}
	call := &resource.Call{Access: admin, At: noon, Remote: "127.0.0.1"}
	write(t.Context(), nil)
	d.DisplayName = "y"
	write(resource.WithCall(t.Context(), call), failed)
	if got := h.auditLines(); got != nil {
		t.Errorf("the log says %v, want nothing", got)
	}
	write(resource.WithCall(t.Context(), call), nil) // a separate write that serves a call
	if got, want := h.auditLines(), []string{`admin create device 2: Added the device 2, "y"`}; !reflect.DeepEqual(
		got, want) {
		t.Errorf("the log says %v, want %v", got, want)
	}
}

func TestAuditLogDeletesOldEntries(t *testing.T) {
	h := open(t)
	err := h.db.Write(t.Context(), func(tx resource.Tx) error {
		for i := range 600 {
			at := noon
			if i < 200 {
				at = noon.AddDate(0, 0, -91)
			}
			if err := tx.Note(t.Context(), &resource.Change{Call: &resource.Call{At: at}, Action: "sign-in",
				Title: "Signed in"}); err != nil {
				return err
			}
		}
		return nil
	})
	if got := len(h.auditLines()); err != nil || got != 400 {
		t.Errorf("%d lines are left (%v), want the 400 that are younger than 90 days", got, err)
	}
	err = h.db.Write(t.Context(),
		func(tx resource.Tx) error { return audit.PruneAudit(t.Context(), tx, 100_250, noon) })
	if got := len(h.auditLines()); err != nil || got != 350 {
		t.Errorf("%d lines are left (%v), want the 350 of the newest 100,000", got, err)
	}
}

func BenchmarkWriteWithAuditLog(b *testing.B) {
	for _, kept := range []bool{false, true} {
		b.Run(fmt.Sprint(kept), func(b *testing.B) {
			h := open(b)
			if !kept {
				h.db.SetAuditor(nil)
			}
			h.send(admin, "POST /device/devices", `{"name":"web-1","customProperties":[{"name":"location",`+
				`"value":"Oslo"}]}`)
			call := &resource.Call{Access: admin, At: noon}
			body := []byte(h.send(admin, "GET /device/devices/1", ""))
			err := h.db.Write(b.Context(), func(tx resource.Tx) error {
				for b.Loop() {
					if kept {
						if err := tx.Note(b.Context(), &resource.Change{Call: call, Action: "create", Object: "device",
							Label: "device", ID: 1, Title: "web-1", After: body}); err != nil {
							return err
						}
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
