package reporting

import (
	"testing"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

func TestScheduledReportKeepsThePermissionsOfTheUserWhoSetItsRecipients(t *testing.T) {
	clerk := &resource.Access{UserID: 2, User: "clerk",
		Grants: []resource.Grant{{Object: resource.DeviceGroup, Op: resource.Read, Groups: map[int64]bool{7: true}}}}
	admin := &resource.Access{UserID: 1, User: "admin", Admin: true}
	report := Report{Name: "Weekly", Type: ReportAlert, GroupID: 1, Delivery: "email",
		Recipients: []alert.Recipient{{Type: "ARBITRARY", Method: "email", Addr: "clerk@example.net"}}}
	change := func(was *Report, who *resource.Access, do func(*Report)) Report {
		now := report
		if was != nil {
			now = *was
		}
		do(&now)
		now.ModifiedID, now.ModifiedBy = who.UserID, who.User
		now.setRunAs(who, was)
		return now
	}
	same := func(*Report) {}
	more := func(r *Report) {
		r.Recipients = append(r.Recipients[:1:1],
			alert.Recipient{Type: "ARBITRARY", Method: "email", Addr: "board@example.net"})
	}

	of := func(who *resource.Access) *Report { r := change(nil, who, same); return &r }
	old := func() *Report { r := *of(clerk); r.RunAsID, r.RunAs = 0, ""; return &r }
	for _, tt := range []struct {
		what string
		was  *Report
		who  *resource.Access
		do   func(*Report)
		want string
	}{
		{"a new report", nil, clerk, same, "clerk"},
		{"an administrator renames it", of(clerk), admin, func(r *Report) { r.Name = "Monthly" }, "clerk"},
		{"an administrator changes the recipients", of(clerk), admin, more, "admin"},
		{"a clerk renames the report of an administrator", of(admin), clerk,
			func(r *Report) { r.Name = "Mine" }, "clerk"},
		{"an administrator renames one of an older version", old(), admin,
			func(r *Report) { r.Name = "Monthly" }, "clerk"},
	} {
		if got := change(tt.was, tt.who, tt.do); got.RunAs != tt.want {
			t.Errorf("%s: it runs as %s, want %s", tt.what, got.RunAs, tt.want)
		}
	}
}
