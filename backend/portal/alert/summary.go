package alert

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// AlertSummary is the response of GET /alert/summary.
type AlertSummary struct {
	Now      int64       `json:"now" doc:"the portal's time, in epoch seconds"`
	Critical alertCount  `json:"critical" doc:"active alerts of severity 4 that no maintenance covers"`
	Error    alertCount  `json:"error" doc:"active alerts of severity 3 that no maintenance covers"`
	Warn     alertCount  `json:"warn" doc:"active alerts of severity 2 that no maintenance covers"`
	Acked    int64       `json:"acked" doc:"acknowledged active alerts"`
	SDTed    int64       `json:"sdted" doc:"active alerts that maintenance covers"`
	Raised   raisedCount `json:"raised" doc:"alerts by when they opened, active or not"`
}

type alertCount struct {
	Active int64 `json:"active" doc:"active alerts"`
	Opened int64 `json:"opened" doc:"alerts of this severity that opened in the last hour"`
	Ended  int64 `json:"ended" doc:"alerts of this severity that cleared in the last hour"`
}

// raisedCount holds one number for each step of the time range.
type raisedCount struct {
	Start    int64   `json:"start" doc:"start of the first step in epoch seconds, a multiple of the step"`
	Step     int64   `json:"step" doc:"length of a step in seconds"`
	Critical []int64 `json:"critical" doc:"alerts of severity 4 that opened in each step"`
	Error    []int64 `json:"error" doc:"alerts of severity 3 that opened in each step"`
	Warn     []int64 `json:"warn" doc:"alerts of severity 2 that opened in each step"`
}

// GroupHealth counts the devices of a group by status, in a response of GET
// /device/groups/{id}/health.
type GroupHealth struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	FullPath string `json:"fullPath" doc:"names from the root down, joined by slashes"`
	Inside   bool   `json:"inside" doc:"there are groups in it"`
	Total    int64  `json:"total" doc:"devices in it and in all groups below that the caller may view"`
	Critical int64  `json:"critical" doc:"devices whose worst active alert is critical"`
	Error    int64  `json:"error" doc:"devices whose worst active alert is error"`
	Warn     int64  `json:"warn" doc:"devices whose worst active alert is warn"`
	Silent   int64  `json:"silent" doc:"devices that do not respond, and have no alert of their own"`
	NoData   int64  `json:"noData" doc:"other devices that have never had data; their state is unknown"`
	Healthy  int64  `json:"healthy" doc:"all others"`
}

type healthList struct {
	Total    int64         `json:"total"`
	SearchID *string       `json:"searchId" doc:"always null"`
	Items    []GroupHealth `json:"items"`
	Data     *string       `json:"data" doc:"always null"`
	Own      GroupHealth   `json:"own" doc:"health of the devices in the group itself, without groups below; without a name if the caller cannot view it"`
}

const (
	defaultStep  = 300
	defaultRange = 6 * 3600
	maxSteps     = 1000
)

// SummaryEndpoints returns the endpoints that count alerts and devices for
// overviews.
func SummaryEndpoints(db resource.Counter) []resource.Endpoint {
	s := summaries{db}
	read := resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
	alerts, health := resource.SchemaOf(AlertSummary{}), resource.SchemaOf(healthList{})
	seconds := func(doc string) resource.Schema {
		return resource.Schema{Type: "integer", Format: "epoch-seconds", Doc: doc}
	}
	return []resource.Endpoint{
		{
			Method: "GET", Path: "/alert/summary", Category: ground.CategoryAlerts, Right: read, Response: &alerts,
			Summary: "Count alerts",
			Alias:   resource.Alias{Path: "/alert/stat", Summary: "Count alerts for statistics"},
			Doc: "Returns how many alerts are active, by severity, and how many opened in each step of a time range. " +
				"Only alerts that the caller can view are counted.",
			Params: []resource.Param{
				{Name: "groupId", In: "query",
					Schema: resource.Schema{Type: "integer", Doc: "Only alerts of devices in this group and in all " +
						"groups below"}},
				{Name: "start", In: "query",
					Schema: seconds("Start of the time range; default: 6 hours before its end")},
				{Name: "end", In: "query", Schema: seconds("End of the time range; default: now")},
				{Name: "step", In: "query",
					Schema: resource.Schema{Type: "integer",
						Doc:     "Length of a step in seconds; a time range has up to 1,000 steps",
						Default: defaultStep}},
			},
			Errors: []resource.Failure{{Kind: fault.Invalid, When: "the time range is invalid, or has too many steps"}},
			Handle: s.alerts,
		},
		{
			Method: "GET", Path: "/device/groups/{id}/health", Category: ground.CategoryGroups, Right: read,
			Response: &health,
			Summary:  "Count devices by health", Noun: resource.Regular("group"),
			Doc: "Returns the health of the devices in each group of a group, including all groups below, and of " +
				"those that are in the group itself. A device counts once in each.",
			Params: []resource.Param{
				{Name: "id", In: "path", Schema: resource.Integer("The group; the root group is 1"),
					Required: true}},
			Errors: []resource.Failure{
				{Kind: fault.Unknown, When: "there is no such group, or you cannot view it"}},
			Example: resource.Example{Path: "/device/groups/1/health"},
			Handle:  s.health,
		},
	}
}

type summaries struct{ db resource.Counter }

func (s summaries) alerts(ctx context.Context, c *resource.Call) (any, error) {
	out := AlertSummary{Now: c.At.Unix()}
	scope, err := s.scope(ctx, c)
	if err != nil {
		return nil, err
	}
	from, steps, step, err := requestedSteps(c)
	if err != nil {
		return nil, err
	}
	out.Raised = raisedCount{Start: from, Step: step, Critical: make([]int64, steps), Error: make([]int64, steps),
		Warn: make([]int64, steps)}
	if err := s.count(ctx, &out, scope); err != nil {
		return nil, err
	}
	raised, err := s.db.Tally(ctx, string(alertRows),
		[]resource.By{{Field: "severity"}, {Field: "startEpoch", Step: step}},
		append(scope, resource.Where{Field: "startEpoch", Op: ">=", Value: from},
			resource.Where{Field: "startEpoch", Op: "<", Value: from + steps*step})...)
	for _, t := range raised {
		if of := out.Raised.of(t.Of[0].(int64)); of != nil {
			of[t.Of[1].(int64)-from/step] = t.Count
		}
	}
	return out, err
}

// count counts the active alerts, and the changes in the last hour.
func (s summaries) count(ctx context.Context, out *AlertSummary, scope []resource.Where) error {
	now, err := s.db.Tally(ctx, string(alertRows), []resource.By{{Field: "severity"}, {Field: "acked"},
		{Field: "sdted"}},
		append(scope, active)...)
	if err != nil {
		return err
	}
	for _, t := range now {
		of, acked, covered := out.of(t.Of[0].(int64)), t.Of[1] != int64(0), t.Of[2] != int64(0)
		switch {
		case covered:
			out.SDTed += t.Count
		case of != nil:
			of.Active += t.Count
		}
		if acked {
			out.Acked += t.Count
		}
	}
	for _, field := range []string{"startEpoch", "endEpoch"} {
		recent, err := s.db.Tally(ctx, string(alertRows), []resource.By{{Field: "severity"}},
			append(scope, resource.Where{Field: field, Op: ">", Value: out.Now - 3600})...)
		if err != nil {
			return err
		}
		for _, t := range recent {
			of := out.of(t.Of[0].(int64))
			switch {
			case of == nil:
			case field == "startEpoch":
				of.Opened = t.Count
			default:
				of.Ended = t.Count
			}
		}
	}
	return nil
}

// scope returns the conditions for the alerts of the requested group that the
// caller may view.
func (s summaries) scope(ctx context.Context, c *resource.Call) ([]resource.Where, error) {
	scope := []resource.Where{resource.SeenBy(c.Access, resource.Read)}
	text := c.Query.Get("groupId")
	if text == "" {
		return slices.Clip(scope), nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fault.At("groupId", "groupId must be the id of a device group")
	}
	if err := s.seesGroup(ctx, c, id); err != nil {
		return nil, err
	}
	inside, err := alertsOfGroup(ctx, s.db, id)
	return slices.Clip(append(scope, inside...)), err
}

func (s summaries) seesGroup(ctx context.Context, c *resource.Call, id int64) error {
	found, err := resource.Find(ctx, s.db, fleet.GroupRows, resource.Where{Field: "id", Op: "=", Value: id},
		resource.SeenBy(c.Access, resource.Read))
	if err == nil && len(found) == 0 {
		err = fault.New(fault.Unknown, "there is no device group %d", id)
	}
	return err
}

// requestedSteps returns the requested time range and its steps.
func requestedSteps(c *resource.Call) (from, steps, step int64, err error) {
	value := func(name string, usual int64) int64 {
		text := c.Query.Get(name)
		if text == "" {
			return usual
		}
		n, failed := strconv.ParseInt(text, 10, 64)
		if failed != nil || n < 1 || n > time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC).Unix() {
			err = fault.At(name, "%s must be a whole number of at least 1", name)
		}
		return n
	}
	step = value("step", defaultStep)
	end := value("end", c.At.Unix()+1)
	from = value("start", end-defaultRange)
	if err != nil {
		return 0, 0, 0, err
	}
	from -= from % step
	if steps = (end - from + step - 1) / step; steps < 1 || steps > maxSteps {
		return 0, 0, 0, fault.At("step", "the time range must have 1 to %d steps, not %d", maxSteps, steps)
	}
	return from, steps, step, nil
}

func (a *AlertSummary) of(severity int64) *alertCount {
	return map[int64]*alertCount{threshold.SeverityCritical: &a.Critical, threshold.SeverityError: &a.Error,
		threshold.SeverityWarn: &a.Warn}[severity]
}

func (r *raisedCount) of(severity int64) []int64 {
	return map[int64][]int64{threshold.SeverityCritical: r.Critical, threshold.SeverityError: r.Error,
		threshold.SeverityWarn: r.Warn}[severity]
}

func (s summaries) health(ctx context.Context, c *resource.Call) (any, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	groups, err := s.groupsIn(ctx, c, id)
	if err != nil {
		return nil, err
	}
	tree, err := fleet.TreeOf(ctx, s.db)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(groups))
	for i := range groups {
		ids[i] = groups[i].ID
	}
	within := tree.Below(ids)
	within[id] = []int64{id}
	by, seen := []resource.By{{Field: "hostGroupIds", Within: within}, {Field: "alertStatus"},
		{Field: "hostStatus"}}, resource.SeenBy(c.Access, resource.Read)
	tallies, err := s.db.Tally(ctx, string(fleet.DeviceRows), by, seen)
	if err != nil {
		return nil, err
	}
	// A separate query, because the first count is read from an index alone, and
	// few devices have no data.
	waiting, err := s.db.Tally(ctx, string(fleet.DeviceRows), by,
		resource.Where{Field: "lastDataTime", Op: "=", Value: int64(0)}, seen)
	if err != nil {
		return nil, err
	}
	all := map[int64]*GroupHealth{}
	out := healthList{Total: int64(len(groups)), Items: make([]GroupHealth, len(groups))}
	slices.SortFunc(groups,
		func(a, b fleet.Group) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	if g := tree.Groups[id]; g != nil && fleet.MaySee(c.Access, resource.IDs{id}) {
		out.Own = GroupHealth{ID: g.ID, Name: g.Name, FullPath: g.FullPath}
	}
	all[id] = &out.Own
	for i, g := range groups {
		out.Items[i] = GroupHealth{ID: g.ID, Name: g.Name, FullPath: g.FullPath, Inside: len(within[g.ID]) > 1}
		all[g.ID] = &out.Items[i]
	}
	for _, t := range tallies {
		all[t.Of[0].(int64)].add(t.Of[1].(string), t.Of[2].(string), t.Count)
	}
	for _, t := range waiting {
		var of GroupHealth
		of.add(t.Of[1].(string), t.Of[2].(string), t.Count)
		g := all[t.Of[0].(int64)]
		n := min(of.Healthy, g.Healthy) // a device that was added between the two counts waits for the next request
		g.NoData, g.Healthy = g.NoData+n, g.Healthy-n
	}
	return out, nil
}

// groupsIn returns the groups in a group. For users who cannot view the root, the
// highest groups that they can view take its place.
func (s summaries) groupsIn(ctx context.Context, c *resource.Call, id int64) ([]fleet.Group, error) {
	err := s.seesGroup(ctx, c, id)
	if err == nil {
		return resource.Find(ctx, s.db, fleet.GroupRows, resource.Where{Field: "parentId", Op: "=", Value: id},
			resource.SeenBy(c.Access, resource.Read))
	}
	if id != ground.RootGroup || !fault.Is(err, fault.Unknown) {
		return nil, err
	}
	groups, err := resource.Find(ctx, s.db, fleet.GroupRows, resource.SeenBy(c.Access, resource.Read))
	seen := map[int64]bool{}
	for i := range groups {
		seen[groups[i].ID] = true
	}
	return slices.DeleteFunc(groups, func(g fleet.Group) bool { return seen[g.ParentID] }), err
}

// add counts n devices by the more severe of alert status and host status.
func (h *GroupHealth) add(alertStatus, hostStatus string, n int64) {
	h.Total += n
	switch part := strings.Split(alertStatus, "-"); {
	case len(part) > 1 && part[1] == threshold.LevelWords[threshold.SeverityCritical]:
		h.Critical += n
	case len(part) > 1 && part[1] == threshold.LevelWords[threshold.SeverityError]:
		h.Error += n
	case len(part) > 1 && part[1] == threshold.LevelWords[threshold.SeverityWarn]:
		h.Warn += n
	case hostStatus != "" && hostStatus != "normal":
		h.Silent += n
	default:
		h.Healthy += n
	}
}
