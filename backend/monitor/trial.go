package monitor

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

const (
	mostTried = 20 // instances of one trial
	trialTime = 20 * time.Second
)

// Trial is the outcome of trying a data source on a device.
type Trial struct {
	DeviceID     int64           `json:"deviceId" doc:"id of the device"`
	DataSourceID int64           `json:"dataSourceId" doc:"id of the data source"`
	Total        int64           `json:"total" doc:"instances that are polled there"`
	Items        []TrialInstance `json:"items" doc:"the first 20 of them, each checked once"`
}

// TrialInstance is one check of one instance.
type TrialInstance struct {
	ID     int64        `json:"instanceId" doc:"id of the instance"`
	Name   string       `json:"instanceName" doc:"display name"`
	Took   float64      `json:"took" doc:"milliseconds; 0 for a simulated device"`
	Error  string       `json:"error" doc:"why there are no values; empty when there are"`
	Values []TrialValue `json:"values" doc:"one for each data point"`
}

// TrialValue is the value of a data point.
type TrialValue struct {
	DataPointID int64    `json:"dataPointId" doc:"id of the data point"`
	Name        string   `json:"dataPointName" doc:"name of the data point"`
	Value       *float64 `json:"value" doc:"null for no data; a rate needs a poll before this one"`
	Threshold   string   `json:"threshold" doc:"effective threshold, such as > 60 80 90; empty: none"`
	Severity    int64    `json:"severity" doc:"severity by the threshold: 0 none, 2 warn, 3 error, 4 critical"`
}

// Try checks the instances of a data source on a device once, and stores
// nothing. It ends with its context, or after 20 s.
func (e *Engine) Try(ctx context.Context, device *fleet.Device, source *datasource.DataSource) (*Trial, error) {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	b, err := newTasks(ctx, e.o.DB)
	if err != nil {
		return nil, err
	}
	all, err := b.of(ctx, e.o.DB, []fleet.Device{*device})
	if err != nil {
		return nil, err
	}
	out := &Trial{DeviceID: device.ID, DataSourceID: source.ID, Items: []TrialInstance{}}
	var tried []assigned
	for _, a := range all {
		if a.instance.DataSourceID == source.ID {
			if out.Total++; len(tried) < mostTried {
				tried = append(tried, a)
			}
		}
	}
	if len(tried) == 0 {
		return nil, fault.New(fault.Conflict, "%s has no polled instance on %s: either it does not apply "+
			"there, or its instances are not discovered yet", source.Name, device.DisplayName)
	}
	if !e.polls(&tried[0]) {
		return nil, fault.New(fault.Conflict, "%s is polled by collector %d; only what the portal polls itself "+
			"can be tested", device.DisplayName, device.CurrentCollector)
	}
	results := e.lookAll(ctx, tried)
	readings, err := e.readOnce(ctx, tried, results)
	if err != nil {
		return nil, err
	}
	for i := range tried {
		out.Items = append(out.Items, b.shown(&tried[i], source, &results[i], readings[tried[i].instance.ID]))
	}
	return out, nil
}

// lookAll runs the checks of the tasks concurrently. Simulated instances need no
// check.
func (e *Engine) lookAll(ctx context.Context, tried []assigned) []check.Result {
	results := make([]check.Result, len(tried))
	var looks service.Parts
	for i, a := range tried {
		r := &results[i]
		if r.InstanceID = a.instance.ID; a.task.Method == methodSimulate {
			r.At = e.o.Pace.Now().Unix()
			continue
		}
		r.At = e.o.Clock().Unix()
		looks.Go(func() { look(ctx, e.o.Checks, a.task, r) })
	}
	looks.Wait()
	return results
}

func look(ctx context.Context, checks []check.Check, t *check.Task, r *check.Result) {
	began := time.Now()
	values, err := check.Run(ctx, checks, t)
	r.Took = float64(time.Since(began).Microseconds()) / 1000
	r.Set(values, err)
}

// readOnce returns readings like Take, by instance, without changing the engine's
// memory. Rates are computed from its last poll.
func (e *Engine) readOnce(ctx context.Context, tried []assigned, results []check.Result) (map[int64]*reading, error) {
	known := map[int64]*watched{}
	once := &intake{db: e.intake.db, world: e.intake.world, before: map[int64]raw{}}
	e.intake.mu.Lock()
	for i := range tried {
		w := newWatched(&tried[i])
		known[w.instance] = w
		if before, ok := e.intake.before[w.instance]; ok {
			once.before[w.instance] = before
		}
	}
	e.intake.mu.Unlock()
	if err := e.judge.begin(ctx); err != nil {
		return nil, err
	}
	readings, err := once.read(ctx, results, known, e.judge.held(known), 0)
	of := map[int64]*reading{}
	for i := range readings {
		of[readings[i].of.instance] = &readings[i]
	}
	return of, err
}

func (b *taskMaker) shown(a *assigned, source *datasource.DataSource, r *check.Result, one *reading) TrialInstance {
	out := TrialInstance{ID: a.instance.ID, Name: a.instance.DisplayName, Took: r.Took, Error: r.Error,
		Values: []TrialValue{}}
	if one == nil || one.values == nil {
		if out.Error == "" {
			out.Error = fmt.Sprintf("%s did not respond", a.device.DisplayName)
		}
		return out
	}
	spot := newWatched(a).spot
	for i := range source.DataPoints {
		p := &source.DataPoints[i]
		shown := TrialValue{DataPointID: p.ID, Name: p.Name, Threshold: b.thresholds.For(spot, p).Expr}
		if v, ok := one.values[p.ID]; ok && !math.IsNaN(v) {
			shown.Value = &v
			// its syntax was checked when it was written
			if expr, err := threshold.ParseAlertExpr(shown.Threshold); err == nil {
				shown.Severity = expr.Severity(v)
			}
		}
		out.Values = append(out.Values, shown)
	}
	return out
}

// Prospect lists what would be monitored on a device, and whether the device
// responds.
type Prospect struct {
	Name      string           `json:"name" doc:"host name or address that was tried"`
	Responds  bool             `json:"answers" doc:"at least one check had a response"`
	Items     []ProspectSource `json:"items" doc:"the data sources that apply to it"`
	Simulated bool             `json:"simulated" doc:"it is simulated, and nothing was sent"`
}

// ProspectSource is a data source that applies.
type ProspectSource struct {
	ID          int64   `json:"dataSourceId" doc:"id of the data source"`
	Name        string  `json:"dataSourceName" doc:"its name"`
	DisplayName string  `json:"displayName" doc:"its name shown on devices"`
	Description string  `json:"description" doc:"what it measures"`
	Responded   bool    `json:"answered" doc:"its check had a response"`
	Took        float64 `json:"took" doc:"milliseconds; for a ping, of one round trip"`
	Error       string  `json:"error" doc:"why there was no response; empty if nothing was checked"`
}

// TryNew runs the checks of the data sources that would apply to a device that
// does not exist yet, once each.
func (e *Engine) TryNew(ctx context.Context, device *fleet.Device) (*Prospect, error) {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	applying, err := fleet.ApplyingOf(ctx, e.o.DB)
	if err != nil {
		return nil, err
	}
	b, err := newTasks(ctx, e.o.DB)
	if err != nil {
		return nil, err
	}
	properties := b.tree.Properties(device)
	out := &Prospect{Name: device.Name, Items: []ProspectSource{}}
	var tried []assigned
	one := fleet.Instance{WildValue: fleet.OnlyWildValue}
	for _, source := range applying.To(device) {
		out.Items = append(out.Items, ProspectSource{ID: source.ID, Name: source.Name, DisplayName: source.DisplayName,
			Description: source.Description})
		tried = append(tried, assigned{b.task(&one, device, source, properties), &one, device})
	}
	if out.Simulated = fleet.IsSimulated(properties[categories]); out.Simulated {
		out.Responds = true
		return out, nil
	}
	var looks service.Parts
	for i := range tried {
		if source := b.sources[out.Items[i].ID]; source.HasMultiInstances || source.CollectMethod == methodSimulate {
			continue
		}
		looks.Go(func() {
			var r check.Result
			look(ctx, e.o.Checks, tried[i].task, &r)
			p := &out.Items[i]
			p.Took, p.Error = r.Took, r.Error
			lost, pinged := r.Values["lossPercent"]
			if p.Responded = r.Error == "" && len(r.Values) > 0 && !(pinged && lost == 100); !p.Responded &&
				p.Error == "" {
				p.Error = "no packet was received"
			}
			if pinged && p.Responded { // the check itself waits between its packets
				p.Took = r.Values["average"]
			}
		})
	}
	looks.Wait()
	for i := range out.Items {
		out.Responds = out.Responds || out.Items[i].Responded
	}
	return out, nil
}

// trialOf is the body of a trial of a data source.
type trialOf struct {
	DeviceID int64 `json:"deviceId" doc:"the device to try it on" refs:"device"`
}

// prospect is the body of a trial of a device that does not exist yet.
type prospect struct {
	Name       string              `json:"name" doc:"host name or IP address"`
	Groups     string              `json:"hostGroupIds,omitempty" doc:"ids of its groups, joined by commas; the root group unless given" refs:"deviceGroup"`
	Properties []resource.Property `json:"customProperties,omitempty" doc:"name/value pairs that checks need, such as http.url"`
}

// Trials returns the endpoints that run checks once and store nothing. engine
// returns the current engine. They connect only to addresses that checks may
// connect to.
func Trials(r resource.Reader, engine func() *Engine) []resource.Endpoint {
	right := resource.Right{Object: resource.DeviceGroup, Op: resource.Modify}
	failures := func(conflict string) []resource.Failure {
		all := []resource.Failure{
			{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
			{Kind: fault.Denied, When: "the user's role does not have the permission, or only for other groups"},
			{Kind: fault.Unknown, When: "there is no such data source or device, or you cannot view it"},
			{Kind: fault.Invalid, When: "a field of the body is wrong; errorDetail names it"},
			{Kind: fault.TooMany, When: "the rate limit is reached"},
		}
		if conflict != "" {
			all = append(all, resource.Failure{Kind: fault.Conflict, When: conflict})
		}
		return all
	}
	trial, found, of, ahead := resource.SchemaOf(Trial{}), resource.SchemaOf(Prospect{}), resource.SchemaOf(trialOf{}),
		resource.SchemaOf(prospect{})
	return []resource.Endpoint{
		{
			Method: "POST", Path: "/setting/datasources/{id}/test", Category: ground.CategoryDataSources,
			Summary: "Test a data source on a device",
			Doc: "Runs the check of the data source once, on up to 20 instances of a device that the caller may " +
				"change, and returns the values. Nothing is stored, and no alert opens.",
			Right: right, Params: []resource.Param{
				{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the data source"),
					Example: 1}},
			Body: &of, Response: &trial, Errors: failures("the data source polls nothing on the device, or another " +
				"collector polls it"),
			Example: resource.Example{Path: "/setting/datasources/1/test", Body: trialOf{DeviceID: 1}},
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				device, source, err := toTry(ctx, r, c)
				if err != nil {
					return nil, err
				}
				return engine().Try(ctx, device, source)
			},
		},
		{
			Method: "POST", Path: "/device/devices/test", Category: ground.CategoryDevices,
			Summary: "Test a device before it is added",
			Doc: "Returns the data sources that would apply to such a device, and runs the check of each once, from " +
				"the portal itself. Nothing is stored.",
			Right: right, Body: &ahead, Response: &found, Errors: failures(""),
			Example: resource.Example{Path: "/device/devices/test",
				Body: prospect{Name: "web-43.example.net", Groups: "8", Properties: []resource.Property{
					{Name: "system.categories", Value: "linux,simulated"}}}},
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				device, err := toAdd(c)
				if err != nil {
					return nil, err
				}
				return engine().TryNew(ctx, device)
			},
		},
	}
}

func toTry(ctx context.Context, r resource.Reader, c *resource.Call) (*fleet.Device, *datasource.DataSource, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, nil, err
	}
	var in trialOf
	if err := c.Read(&in); err != nil {
		return nil, nil, err
	}
	source, err := resource.Get(ctx, r, datasource.DataSources.Name, id)
	if err != nil {
		return nil, nil, err
	}
	device, err := toPoll(ctx, r, c, in.DeviceID)
	return device, source, err
}

// toPoll returns a device on which the caller may run checks.
func toPoll(ctx context.Context, r resource.Reader, c *resource.Call, id int64) (*fleet.Device, error) {
	seen := func(op resource.Operation) ([]fleet.Device, error) {
		return resource.Find(ctx, r, fleet.Devices.Name, resource.Where{Field: "id", Op: "=", Value: id},
			resource.SeenBy(c.Access, op))
	}
	devices, err := seen(resource.Modify)
	if err == nil && len(devices) == 0 {
		if devices, err = seen(resource.Read); err == nil && len(devices) > 0 {
			return nil, fault.New(fault.Denied,
				"your role can view %s, but testing checks on it requires the permission to "+
					"change it", devices[0].DisplayName)
		}
	}
	if err != nil {
		return nil, err
	}
	if len(devices) == 0 {
		return nil, fault.New(fault.Unknown, "there is no device %d", id)
	}
	return &devices[0], nil
}

// toAdd returns the device of the body, in groups that the caller may add it to,
// because checks use the properties of these groups, including secrets.
func toAdd(c *resource.Call) (*fleet.Device, error) {
	var in prospect
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	name, err := fleet.HostName(in.Name)
	if err != nil {
		return nil, err
	}
	groups, err := resource.ParseIDs(in.Groups)
	if err != nil {
		return nil, fault.At("hostGroupIds", "hostGroupIds must be ids of groups, joined by commas")
	}
	if len(groups) == 0 {
		groups = resource.IDs{ground.RootGroup}
	}
	all, may := c.Access.Groups(resource.Modify)
	for _, id := range groups {
		if !all && !slices.Contains(may, id) {
			return nil, fault.New(fault.Denied, "your role cannot add devices to group %d", id)
		}
	}
	return fleet.Prospective(name, groups, in.Properties), nil
}
