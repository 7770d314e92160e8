package reporting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// The types of reports, with the names of the published API.
const (
	ReportAlert     = "Alert"
	ReportInventory = "Host inventory"
	ReportUser      = "User"
	ReportRole      = "Role"
	ReportAuditLog  = "Audit Log"

	ReportAlertTrends  = "Alert trends"
	ReportAvailability = "Alert SLA"
	ReportThreshold    = "Alert threshold"
	ReportMetrics      = "Host metric trends"
)

// The formats of a report's file.
const (
	FormatHTML = "HTML"
	FormatCSV  = "CSV"
	FormatXLSX = "XLSX"
	FormatPDF  = "PDF"
)

// ReportTypeInfo is one type of report; package report defines them. Its JSON is
// the description for a form.
type ReportTypeInfo struct {
	Name    string         `json:"name" doc:"the type of such reports"`
	Title   string         `json:"title" doc:"display name"`
	About   string         `json:"about" doc:"its content in a few words"`
	Icon    string         `json:"icon" doc:"name of its icon"`
	Fields  []string       `json:"fields" doc:"fields of a report that a form shows for this type only"`
	Columns []string       `json:"columns" doc:"columns that it can show, in their default order"`
	Right   resource.Right `json:"-"` // the right its user must have; rows are also limited to what the user can view
}

// earlierColumns maps former names of columns, in the normalized form that Column
// compares, so that reports with them still work.
var earlierColumns = map[string]string{"warn": "warning", "insdt": "inmaintenance"}

// Column returns the index of the column with that name, ignoring letter case,
// spaces and hyphens; -1 if there is none.
func (t *ReportTypeInfo) Column(name string) int {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(s))
	}
	name = plain(name)
	name = cmp.Or(earlierColumns[name], name)
	return slices.IndexFunc(t.Columns, func(have string) bool { return plain(have) == name })
}

// Levels returns the severities of an alert report; nil for all.
func (r *Report) Levels() ([]int64, error) {
	var out []int64
	for word := range strings.SplitSeq(strings.ToLower(r.Level), ",") {
		switch strings.TrimSpace(word) {
		case "", "all":
			return nil, nil
		case "warn":
			out = append(out, threshold.SeverityWarn)
		case "error":
			out = append(out, threshold.SeverityError)
		case "critical":
			out = append(out, threshold.SeverityCritical)
		default:
			return nil, fault.At("level", "level must be all, or a comma-separated list of warn, error and critical")
		}
	}
	return out, nil
}

const maxReportColumns = 100 // properties and metrics together

// checkContent validates the fields that depend on the type.
func (r *Report) checkContent(w *resource.Write, types []ReportTypeInfo) error {
	kind := &types[slices.IndexFunc(types, func(t ReportTypeInfo) bool { return t.Name == r.Type })]
	for i, c := range r.Columns {
		if kind.Column(c.Name) < 0 {
			return wrongColumn(kind, fmt.Sprintf("columns[%d].name", i), c.Name)
		}
	}
	if r.SortedBy != "" && kind.Column(r.SortedBy) < 0 {
		return wrongColumn(kind, "sortedBy", r.SortedBy)
	}
	if _, err := r.Levels(); err != nil {
		return err
	}
	if len(r.Columns)+len(r.Properties)+len(r.Metrics) > maxReportColumns {
		return fault.At("columns", "a report has at most %d columns", maxReportColumns)
	}
	if r.Type == ReportInventory && len(r.Properties) == 0 && w.Call.Access != nil {
		return fault.At("properties",
			"properties is required for the type %s: the names of properties to show, such as location", r.Type)
	}
	for i, name := range r.Properties {
		if strings.TrimSpace(name) == "" || len(name) > 255 || strings.ContainsFunc(name,
			func(c rune) bool { return c < ' ' }) {
			return fault.At(fmt.Sprintf("properties[%d]", i),
				"properties[%d] must be the name of a property, one line of 1 to 255 characters", i)
		}
	}
	return r.checkMetrics(w)
}

// checkMetrics refuses datasources that do not exist. If other fields change, the
// caller may keep or drop deleted datasources of the row.
func (r *Report) checkMetrics(w *resource.Write) error {
	if r.Type == ReportAlertTrends {
		return r.checkItems()
	}
	if r.Type == ReportMetrics && len(r.Metrics) == 0 && w.Call.Access != nil {
		return fault.At("metrics", "metrics is required for the type %s: the datasources to show, and of each a "+
			"datapoint",
			r.Type)
	}
	for i, m := range r.Metrics {
		found, err := resource.Find(w.Context, w.Tx, datasource.DataSourceRows,
			resource.Where{Field: "id", Op: "=", Value: m.DataSourceID})
		if err != nil {
			return err
		}
		if len(found) == 0 {
			field := fmt.Sprintf("metrics[%d].dataSourceId", i)
			return fault.At(field, "%s: there is no datasource %d", field, m.DataSourceID)
		}
		if _, ok := m.PointsOf(&found[0]); !ok {
			field := fmt.Sprintf("metrics[%d].dataPointName", i)
			return fault.At(field, "%s: %s does not have this datapoint", field, found[0].Name)
		}
	}
	return nil
}

// checkItems validates the items that an alert trend is limited to.
func (r *Report) checkItems() error {
	for i, m := range r.Metrics {
		if kind := strings.ToLower(m.ItemType); kind != ItemGroup && kind != ItemHost {
			field := fmt.Sprintf("metrics[%d].itemType", i)
			return &fault.Error{Kind: fault.Invalid, Field: field, Message: field + " must be group or host",
				Allowed: []any{ItemGroup, ItemHost}}
		}
		if strings.TrimSpace(m.ItemVal) == "" {
			field := fmt.Sprintf("metrics[%d].itemVal", i)
			return fault.At(field,
				"%s is required: full paths of groups or display names of devices, * for any characters", field)
		}
	}
	return nil
}

func wrongColumn(kind *ReportTypeInfo, field, name string) error {
	allowed := make([]any, len(kind.Columns))
	for i, c := range kind.Columns {
		allowed[i] = c
	}
	return &fault.Error{
		Kind: fault.Invalid, Field: field, Allowed: allowed,
		Message: fmt.Sprintf("%s: a report of the type %s has no column %s; it has %s", field, kind.Name,
			fault.Quote(name),
			strings.Join(kind.Columns, ", ")),
	}
}

// PointsOf returns the data points of a data source that the metric names: one of
// them, or all. It returns false if the data source does not have that one.
func (m *ReportMetric) PointsOf(d *datasource.DataSource) ([]datasource.DataPoint, bool) {
	if m.DataPointID == 0 && m.DataPointName == "" {
		return d.DataPoints, true
	}
	i := slices.IndexFunc(d.DataPoints, func(p datasource.DataPoint) bool {
		return m.DataPointID == p.ID || m.DataPointID == 0 && strings.EqualFold(m.DataPointName, p.Name)
	})
	if i < 0 {
		return nil, false
	}
	return d.DataPoints[i : i+1], true
}
