package content

import (
	"context"
	"strings"

	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

func auditLogKind() kind {
	return kind{table: auditLog, ReportTypeInfo: reporting.ReportTypeInfo{
		Name: reporting.ReportAuditLog, Title: "Audit log", Icon: "book",
		About:   "Who changed what in a period",
		Right:   resource.Right{Object: resource.Setting, Area: ground.AreaAudit, Op: resource.Read},
		Fields:  []string{"dateRange", "username", "filter"},
		Columns: []string{"Time", "User", "IP", "Action", "Description"},
	}}
}

// auditLog lists the changes in a time range.
func auditLog(ctx context.Context, r *Run) (*layout.Table, error) {
	type entry = audit.AuditLog
	from, to, about, err := r.span()
	if err != nil {
		return nil, err
	}
	who, words := newGlobs(r.Report.Username), strings.ToLower(strings.TrimSpace(r.Report.Filter))
	s := &source[entry]{
		name: audit.AuditLogs.Name, id: func(a *entry) int64 { return int64(a.ID) },
		keep: func(a *entry) bool {
			return who.match(a.Username) && strings.Contains(strings.ToLower(a.Description), words)
		},
		columns: plain(reporting.ReportAuditLog,
			func(a *entry) string { return r.moment(a.HappenedOn) },
			func(a *entry) string { return a.Username },
			func(a *entry) string { return a.IP },
			func(a *entry) string { return a.Action },
			func(a *entry) string { return a.Description },
		),
	}
	s.columns[0].key = func(a *entry) string { return number(int64(a.HappenedOn)) }
	if !to.IsZero() {
		s.where = append(s.where, resource.Where{Field: "happenedOn", Op: "<", Value: to.Unix()})
	}
	if !from.IsZero() {
		s.where = append(s.where, resource.Where{Field: "happenedOn", Op: ">=", Value: from.Unix()})
	}
	return s.table(ctx, r, about)
}
