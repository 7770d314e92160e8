package alert

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/resource"
)

// alertParams are the additional parameters of all lists of alerts, and of one
// alert.
var alertParams = []resource.Param{
	{Name: "needMessage", In: "query",
		Schema: resource.Schema{Type: "boolean", Doc: "Return the text of each alert in detailMessage",
			Default: false}},
	{Name: "customColumns", In: "query",
		Schema: resource.Text("Device properties to return in customColumns, as ##name##, comma-separated; " +
			"secret-looking ones are masked"), Example: "##system.hostname##"},
}

// alertTimes are the additional parameters of the list of a device's alerts.
var alertTimes = []resource.Param{
	{Name: "start", In: "query",
		Schema: resource.Schema{Type: "integer", Format: "epoch-seconds",
			Doc: "Only alerts that opened then or later"}},
	{Name: "end", In: "query",
		Schema: resource.Schema{Type: "integer", Format: "epoch-seconds",
			Doc: "Only alerts that opened then or earlier; 0 for no end"}},
	{Name: "bound", In: "query", Schema: resource.Text("Kept for clients of the published API")},
	{Name: "netflowFilter", In: "query", Schema: resource.Text("Kept for clients of the published API")},
}

func alertsOfDevice(ctx context.Context, _ resource.Reader, id int64) ([]resource.Where, error) {
	where := []resource.Where{{Field: "monitorObjectId", Op: "=", Value: id}}
	c := resource.CallOf(ctx)
	for _, bound := range []struct{ param, op string }{{"start", ">="}, {"end", "<="}} {
		text := ""
		if c != nil {
			text = c.Query.Get(bound.param)
		}
		if text == "" || text == "0" {
			continue
		}
		at, err := strconv.ParseInt(text, 10, 64)
		if err != nil || at < 0 {
			return nil, fault.At(bound.param, "%s must be a time in epoch seconds", bound.param)
		}
		where = append(where, resource.Where{Field: "startEpoch", Op: bound.op, Value: at})
	}
	return where, nil
}

func alertsOfGroup(ctx context.Context, r resource.Reader, id int64) ([]resource.Where, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	below := tree.Inside(id)
	return []resource.Where{resource.Either(
		resource.Of("monitorObjectId", resource.Where{Field: "hostGroupIds", Op: "has any", Value: below}),
		resource.Where{Field: "deviceGroupId", Op: "in", Value: below},
	)}, nil
}

// alertDerived are the fields that are computed from other rows or are
// constant.
var alertDerived = []resource.Derived{
	{Name: "internalId", Doc: "The id with a prefix for the type of alert", Schema: resource.Text(""), Example: "DS12",
		Of: func(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
			return resource.EachRow(rows, func(row resource.Row) any { return "DS" + strconv.FormatInt(row.ID, 10) })
		}},
	{Name: "resourceTemplateType", Doc: "DS for a data source", Schema: resource.Text(""), Example: "DS", From: "type",
		Of: func(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
			return resource.EachRow(rows, func(row resource.Row) any {
				if row.From == AgentDownAlert {
					return ""
				}
				return "DS"
			})
		}},
	{Name: "dataPointUnit",
		Doc: "The unit of the value: of the data point, from its graphs; empty if they have none. A " +
			"hostClusterAlert counts devices or instances, or is a percentage of them",
		Schema: resource.Text(""), Example: "%", From: "dataPointId", Of: unitsOfAlerts},
	{Name: "alertValueWord", Doc: "Display text of alertValue, from statusDisplayNames of the data point; empty if " +
		"it has none", Schema: resource.Text(""), Example: "", Of: wordsOfAlerts},
	{Name: "monitorObjectGroups", Doc: "Groups of the device that the caller can view",
		Schema:  resource.List(resource.SchemaOf(alertGroup{}), ""),
		Example: []alertGroup{{ID: 8, Name: "Linux", FullPath: "Servers/Linux"}},
		From:    "monitorObjectId", Of: groupsOfAlerts},
	{Name: "SDT", Doc: "The maintenance window that covers it; if there are several, the one that ends last; null: " +
		"none",
		Schema: resource.Nullable(resource.SchemaOf(alertSDT{})), Example: alertSDT{ID: "R_12", Type: "ResourceSDT"},
		From: "sdtIds", Of: sdtsOfAlerts},
	{Name: "detailMessage", Doc: "Its text, with needMessage=true; else null",
		Schema: resource.Nullable(resource.SchemaOf(AlertMessage{})),
		Example: AlertMessage{Subject: "error: web-42 Ping PingLossPercent",
			Body: "PingLossPercent of Ping on web-42 is 83 %; it should be at most 60 % (error above 80 %). Error " +
				"since " +
				"2026-05-04 14:00:00 CEST."}, Of: messagesOfAlerts},
	{Name: "customColumns", Doc: "The properties requested by customColumns, by token; otherwise " +
		"null", Schema: audit.AnyObject,
		Example: map[string]any{"##system.hostname##": "web-42.example.net"}, Of: columnsOfAlerts},
	same("tenant", "Kept for clients of the published API"),
	same("dependencyRole", "Kept for clients of the published API"),
	same("dependencyRoutingState", "Kept for clients of the published API"),
}

// same returns a field that is empty in every alert.
func same(name, doc string) resource.Derived {
	return resource.Derived{Name: name, Doc: doc, Schema: resource.Text(""), Example: "",
		Of: func(_ context.Context, _ resource.Reader, rows []resource.Row) ([][]byte, error) {
			return resource.EachRow(rows, func(resource.Row) any { return "" })
		}}
}

// unitsOfAlerts returns the units of all data points, cached until a data source
// changes.
func unitsOfAlerts(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	value, err := r.Memo("unitsOfDataPoints", []string{string(datasource.DataSourceRows)}, func() (any, error) {
		sources, err := resource.Find(ctx, r, datasource.DataSourceRows)
		units := map[string]string{}
		for i := range sources {
			for _, p := range sources[i].DataPoints {
				if unit := sources[i].UnitOf(p.Name); unit != "" {
					units[strconv.FormatInt(p.ID, 10)] = unit
				}
			}
		}
		return units, err
	})
	if err != nil {
		return nil, err
	}
	units := value.(map[string]string)
	clusters, err := clusterUnits(ctx, r, rows)
	if err != nil {
		return nil, err
	}
	return resource.EachRow(rows, func(row resource.Row) any {
		if unit, ok := clusters[row.ID]; ok {
			return unit
		}
		return units[row.From]
	})
}

// clusterUnits returns the units of those alerts that are of a group.
func clusterUnits(ctx context.Context, r resource.Reader, rows []resource.Row) (map[int64]string, error) {
	value, err := r.Memo("unitsOfClusterAlerts", []string{string(clusterAlertRows)}, func() (any, error) {
		all, err := resource.Find(ctx, r, clusterAlertRows)
		units := map[int64]string{}
		for i := range all {
			units[all[i].ID] = all[i].unit()
		}
		return units, err
	})
	if err != nil {
		return nil, err
	}
	units := value.(map[int64]string)
	if len(units) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	alerts, err := resource.Find(ctx, r, alertRows, resource.Where{Field: "id", Op: "in", Value: ids},
		resource.Where{Field: "type", Op: "=", Value: GroupAlert})
	out := map[int64]string{}
	for i := range alerts {
		out[int64(alerts[i].ID)] = units[alerts[i].ClusterID]
	}
	return out, err
}

// wordsOfAlerts returns the words for the values of alerts. The words of data
// points are cached until a data source changes.
func wordsOfAlerts(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	value, err := r.Memo("wordsOfDataPoints", []string{string(datasource.DataSourceRows)}, func() (any, error) {
		sources, err := resource.Find(ctx, r, datasource.DataSourceRows)
		points := map[int64]datasource.DataPoint{}
		for i := range sources {
			for _, p := range sources[i].DataPoints {
				if len(p.StatusDisplayNames) > 0 {
					points[p.ID] = p
				}
			}
		}
		return points, err
	})
	if err != nil {
		return nil, err
	}
	points := value.(map[int64]datasource.DataPoint)
	words := map[int64]string{}
	if len(points) > 0 {
		ids := make([]int64, len(rows))
		for i, row := range rows {
			ids[i] = row.ID
		}
		alerts, err := resource.Find(ctx, r, alertRows, resource.Where{Field: "id", Op: "in", Value: ids})
		if err != nil {
			return nil, err
		}
		for i := range alerts {
			a := &alerts[i]
			if v, err := strconv.ParseFloat(a.Value, 64); err == nil && a.Type != GroupAlert {
				words[int64(a.ID)] = points[a.DataPointID].WordFor(v)
			}
		}
	}
	return resource.EachRow(rows, func(row resource.Row) any { return words[row.ID] })
}

// alertGroup is a group of an alert's device.
type alertGroup struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	FullPath string `json:"fullPath" doc:"names from the root down; empty for the root"`
}

func groupsOfAlerts(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	var who *resource.Access
	if c := resource.CallOf(ctx); c != nil {
		who = c.Access
	}
	return fleet.OfDevice(func(d *fleet.Device, t *fleet.Tree) any {
		groups := []alertGroup{}
		for _, id := range d.GroupIDs {
			if g := t.Groups[id]; g != nil && fleet.MaySee(who, resource.IDs{id}) {
				groups = append(groups, alertGroup{g.ID, g.Name, g.FullPath})
			}
		}
		return groups
	})(ctx, r, rows)
}

// alertSDT is a maintenance window in the JSON of an alert.
type alertSDT struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Admin   string          `json:"admin" doc:"who added it"`
	Comment string          `json:"comment"`
	Start   resource.Millis `json:"startDateTime" doc:"epoch milliseconds"`
	End     resource.Millis `json:"endDateTime" doc:"epoch milliseconds"`
}

// sdtsOfAlerts includes only windows that the caller may view.
func sdtsOfAlerts(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	ids := []int64{}
	for _, row := range rows {
		ids = append(ids, sdtIDs(row.From)...)
	}
	windows := map[int64]*maintenance.SDT{}
	if len(ids) > 0 {
		var who *resource.Access
		if c := resource.CallOf(ctx); c != nil {
			who = c.Access
		}
		found, err := resource.Find(ctx, r, maintenance.SDTRows, resource.Where{Field: "id", Op: "in", Value: ids},
			resource.SeenBy(who, resource.Read))
		if err != nil {
			return nil, err
		}
		for i := range found {
			windows[int64(found[i].ID)] = &found[i]
		}
	}
	return resource.EachRow(rows, func(row resource.Row) any {
		var last *maintenance.SDT
		for _, id := range sdtIDs(row.From) {
			if s := windows[id]; s != nil && (last == nil || s.End > last.End) {
				last = s
			}
		}
		if last == nil {
			return nil
		}
		return alertSDT{maintenance.SDTPrefix + strconv.FormatInt(int64(last.ID), 10), last.Type, last.Admin,
			last.Comment,
			last.Start, last.End}
	})
}

// sdtIDs parses "R_12,R_13".
func sdtIDs(text string) []int64 {
	ids, err := resource.ParseIDs(strings.ReplaceAll(text, maintenance.SDTPrefix, ""))
	if err != nil {
		return nil
	}
	return ids
}

func messagesOfAlerts(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	need := false
	if c := resource.CallOf(ctx); c != nil {
		var err error
		if need, err = c.Flag("needMessage"); err != nil {
			return nil, err
		}
	}
	if !need {
		return resource.EachRow(rows, func(resource.Row) any { return nil })
	}
	all, err := subjectsOf(ctx, r, resource.RowIDs(rows))
	if err != nil {
		return nil, err
	}
	return resource.EachRow(rows, func(row resource.Row) any { return all[row.ID].message() })
}

const maxColumns = 50

func columnsOfAlerts(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	columns, err := requestedColumns(resource.CallOf(ctx))
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return resource.EachRow(rows, func(resource.Row) any { return nil })
	}
	all, err := subjectsOf(ctx, r, resource.RowIDs(rows))
	if err != nil {
		return nil, err
	}
	return resource.EachRow(rows, func(row resource.Row) any {
		values := map[string]string{}
		for _, token := range columns {
			values[token], _ = all[row.ID].token(strings.Trim(token, "#"))
		}
		return values
	})
}

// requestedColumns returns the tokens of customColumns. Published clients encode them
// twice.
func requestedColumns(c *resource.Call) ([]string, error) {
	if c == nil {
		return nil, nil
	}
	text := c.Query.Get("customColumns")
	if plain, err := url.QueryUnescape(text); err == nil && strings.Contains(text, "%23") {
		text = plain
	}
	var columns []string
	for token := range strings.SplitSeq(text, ",") {
		if token = strings.TrimSpace(token); token != "" && !slices.Contains(columns, token) {
			columns = append(columns, token)
		}
	}
	if len(columns) > maxColumns {
		return nil, fault.At("customColumns", "customColumns takes at most %d properties", maxColumns)
	}
	return columns, nil
}
