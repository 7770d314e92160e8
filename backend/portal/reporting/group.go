package reporting

import (
	"context"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// reportGroupRows names the rows of ReportGroup.
const reportGroupRows resource.Name[*ReportGroup] = "reportGroup"

// ReportGroup is a folder of reports. Privileges on reports refer to it.
type ReportGroup struct {
	ID          int64
	Name        string
	Description string
}

// ReportGroups declares /report/groups.
var ReportGroups = resource.Resource[*ReportGroup]{
	Name: reportGroupRows, Label: "report group", Sample: 4, Path: "/report/groups", Category: ground.CategoryReports,
	Object: resource.Reports, Scope: []string{"id"},
	Doc: "A folder of reports. A role may hold privileges on all of them or on some; adding one takes the privilege " +
		"on all.",
	Fields: []resource.Field[*ReportGroup]{
		{Name: "id", At: func(g *ReportGroup) any { return &g.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 2},
		{Name: "name", At: func(g *ReportGroup) any { return &g.Name }, Doc: "Unique name", Required: true, MaxLen: 255,
			Index: true, Example: "Monthly"},
		{Name: "description", At: func(g *ReportGroup) any { return &g.Description }, Doc: "What the group contains",
			MaxLen:  4000,
			Example: "Sent on the first of each month"},
	},
	Derived: []resource.Derived{
		{Name: "reportsCount", Doc: "How many reports are in it", Schema: resource.Integer(""), Example: 2,
			Of: reportsIn},
		{Name: "matchedReportCount", Doc: "The same; kept for clients of the published API",
			Schema:  resource.Integer(""),
			Example: 2, Of: reportsIn},
		{Name: "userPermission", Doc: "Your permission for its reports: read or write", Schema: resource.Text(""),
			Example: "write", From: "id", Of: reportPermission},
	},
	Unique: [][]string{{"name"}},
	Remove: func(w *resource.Write, g *ReportGroup) error {
		inside, err := resource.Find(w.Context, w.Tx, ReportRows,
			resource.Where{Field: "groupId", Op: "=", Value: g.ID})
		if err == nil && len(inside) > 0 {
			err = fault.New(fault.Conflict,
				"%d reports are still in the report group %s, %s among them; move or remove them first",
				len(inside), g.Name,
				inside[0].Name)
		}
		return err
	},
	Check: func(w *resource.Write, was, now *ReportGroup) error {
		now.Name = strings.TrimSpace(now.Name)
		if who := w.Call.Access; was == nil && who != nil {
			if all, _ := who.In(resource.Reports, resource.Modify); !all {
				return fault.New(fault.Denied, "your role can edit some report groups, but cannot add one")
			}
		}
		return nil
	},
}

func reportsIn(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	counts, err := r.CountBy(ctx, string(ReportRows), "groupId")
	out := make([][]byte, len(rows))
	for i, row := range rows {
		out[i] = strconv.AppendInt(nil, counts[row.ID], 10)
	}
	return out, err
}
