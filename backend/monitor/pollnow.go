package monitor

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// PollNow is one on-demand poll of one instance, in the form of the published
// API.
type PollNow struct {
	AgentID   int64       `json:"agentId" doc:"id of the collector that polled it"`
	RequestID int64       `json:"requestId" doc:"under which the result can be read again"`
	Status    string      `json:"requestStatus" doc:"done; unknown for a request whose result is no longer kept"`
	Result    *PollResult `json:"result" doc:"result of the poll; null while the status is unknown"`
}

// PollResult is the outcome of a poll.
type PollResult struct {
	Status    string      `json:"status" doc:"done"`
	Message   string      `json:"message" doc:"why there are no values; empty when there are"`
	Timestamp int64       `json:"timestamp" doc:"epoch seconds"`
	Date      string      `json:"date" doc:"the same as date and time, in UTC"`
	Values    []PollValue `json:"result" doc:"one for each data point"`
	Raw       []PollRaw   `json:"rawData" doc:"what the check measured; empty for a simulated device"`
	Diagnose  string      `json:"diagnose" doc:"always empty"`
}

// PollValue is the value of a data point.
type PollValue struct {
	ID      int64  `json:"id" doc:"id of the data point"`
	Name    string `json:"name" doc:"name of the data point"`
	Note    string `json:"note" doc:"effective threshold; empty for none"`
	Value   string `json:"value" doc:"the number; empty for no data"`
	Message string `json:"errMsg" doc:"why there is no value"`
}

// PollRaw is one value that a check measured.
type PollRaw struct {
	Name  string `json:"name" doc:"name in the check"`
	Value string `json:"value" doc:"the number"`
}

// PollNow polls one instance at once and processes the result like that of a
// regular poll: it updates samples, alerts and the state of the device. It ends
// with its context, or after 20 s.
func (e *Engine) PollNow(ctx context.Context, device *fleet.Device, instance int64) (*PollNow, error) {
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
	i := slices.IndexFunc(all, func(a assigned) bool { return a.instance.ID == instance })
	if i < 0 {
		return nil,
			fault.New(fault.Conflict, "instance %d of %s is not polled; set stopMonitoring to false on it first",
				instance, device.DisplayName)
	}
	one := all[i : i+1]
	if !e.polls(&one[0]) {
		return nil, fault.New(fault.Conflict, "%s is polled by collector %d; only what the portal polls itself "+
			"can be polled now",
			device.DisplayName, device.CurrentCollector)
	}
	source, err := resource.Get(ctx, e.o.DB, datasource.DataSources.Name, one[0].instance.DataSourceID)
	if err != nil {
		return nil, err
	}
	results := e.lookAll(ctx, one)
	readings, err := e.readOnce(ctx, one, results)
	if err == nil {
		err = e.Take(context.WithoutCancel(ctx), ground.BuiltInCollector, results)
	}
	if err != nil {
		return nil, err
	}
	shown := b.shown(&one[0], source, &results[0], readings[instance])
	at := time.Unix(results[0].At, 0).UTC()
	out := &PollResult{Status: "done", Message: shown.Error, Timestamp: at.Unix(),
		Date: at.Format("2006-01-02 15:04:05 UTC"), Values: []PollValue{}, Raw: []PollRaw{}}
	for _, v := range shown.Values {
		value := PollValue{ID: v.DataPointID, Name: v.Name, Note: v.Threshold, Message: "no data"}
		if v.Value != nil {
			value.Value, value.Message = number(*v.Value), ""
		}
		out.Values = append(out.Values, value)
	}
	for _, name := range slices.Sorted(maps.Keys(results[0].Values)) {
		out.Raw = append(out.Raw, PollRaw{name, number(results[0].Values[name])})
	}
	return &PollNow{AgentID: max(device.CurrentCollector, ground.BuiltInCollector), Status: "done", Result: out}, nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// keptPolls limits the stored results of on-demand polls.
const keptPolls = 500

// polls stores the newest results of on-demand polls in memory. It is safe for
// concurrent use.
type polls struct {
	mu   sync.Mutex
	last int64
	kept map[int64]keptPoll
}

// keptPoll is a result, and the user it belongs to.
type keptPoll struct {
	user, instance int64
	result         *PollNow
}

func (p *polls) keep(user, instance int64, result *PollNow) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	result.RequestID = p.last
	p.kept[p.last] = keptPoll{user, instance, result}
	delete(p.kept, p.last-keptPolls)
}

// find returns a result to the user who requested it.
func (p *polls) find(request, user, instance int64) *PollNow {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.kept[request]; k.result != nil && k.user == user && k.instance == instance {
		return k.result
	}
	return &PollNow{RequestID: request, Status: "unknown"}
}

// PollEndpoints returns the endpoints that poll an instance on demand, and that
// return the result later. engine returns the current engine.
func PollEndpoints(r resource.Reader, engine func() *Engine) []resource.Endpoint {
	const path = "/device/devices/{deviceId}/devicedatasources/{hdsId}/instances/{id}/data/pollnow"
	id := func(name, doc string) resource.Param {
		return resource.Param{Name: name, In: "path", Required: true, Schema: resource.Integer(doc), Example: 1}
	}
	params := []resource.Param{id("deviceId", "Id of the device"), id("hdsId", "Id of the data source on the device"),
		id("id", "Id of the instance")}
	response, done := resource.SchemaOf(PollNow{}), &polls{kept: map[int64]keptPoll{}}
	failures := []resource.Failure{
		{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
		{Kind: fault.Denied, When: "the user's role does not have the permission, or only for other groups"},
		{Kind: fault.Unknown, When: "there is no such instance there, or you cannot view it"},
		{Kind: fault.TooMany, When: "the rate limit is reached"},
	}
	return []resource.Endpoint{
		{
			Method: "POST", Path: path, Category: ground.CategoryDevices, Summary: "Poll an instance now",
			Doc: "Polls the instance at once, for at most 20 seconds, and returns the result. It counts as any other " +
				"poll: its samples are stored, and it can open alerts. The newest 500 results can be read again by " +
				"requestId.",
			Right: resource.Right{Object: resource.DeviceGroup, Op: resource.Modify}, Params: params,
			Response: &response,
			Errors: append(slices.Clone(failures), resource.Failure{
				Kind: fault.Conflict, When: "the instance is not polled, or another collector polls it",
			}),
			Example: resource.Example{Path: "/device/devices/1/devicedatasources/1/instances/1/data/pollnow"},
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				deviceID, err := c.ID("deviceId")
				if err != nil {
					return nil, err
				}
				device, err := toPoll(ctx, r, c, deviceID)
				if err != nil {
					return nil, err
				}
				instance, err := instanceOf(ctx, r, c, deviceID)
				if err != nil {
					return nil, err
				}
				result, err := engine().PollNow(ctx, device, instance)
				if err != nil {
					return nil, err
				}
				done.keep(c.Access.UserID, instance, result)
				return result, nil
			},
		},
		{
			Method: "GET", Path: path + "/{requestId}", Category: ground.CategoryDevices,
			Summary: "Get the result of a poll",
			Doc: "Returns the result of a poll that the caller requested. The status is unknown once 500 newer " +
				"polls are done or the portal has restarted.",
			Right:    resource.Right{Object: resource.DeviceGroup, Op: resource.Read},
			Params:   append(slices.Clone(params), id("requestId", "requestId of the poll")),
			Response: &response, Errors: failures,
			Example: resource.Example{Path: "/device/devices/1/devicedatasources/1/instances/1/data/pollnow/1"},
			Handle: func(ctx context.Context, c *resource.Call) (any, error) {
				deviceID, err := c.ID("deviceId")
				if err != nil {
					return nil, err
				}
				instance, err := instanceOf(ctx, r, c, deviceID)
				if err != nil {
					return nil, err
				}
				request, err := c.ID("requestId")
				if err != nil {
					return nil, err
				}
				return done.find(request, c.Access.UserID, instance), nil
			},
		},
	}
}

// instanceOf returns the id of the instance in the path, if it is on that device
// and of that data source.
func instanceOf(ctx context.Context, r resource.Reader, c *resource.Call, device int64) (int64, error) {
	id, err := c.ID("id")
	if err != nil {
		return 0, err
	}
	on, err := c.ID("hdsId")
	if err != nil {
		return 0, err
	}
	found, err := resource.Find(ctx, r, fleet.Instances.Name, resource.Where{Field: "id", Op: "=", Value: id},
		resource.Where{Field: "deviceId", Op: "=", Value: device}, resource.Where{Field: "deviceDataSourceId", Op: "=",
			Value: on},
		resource.SeenBy(c.Access, resource.Read))
	if err == nil && len(found) == 0 {
		err = fault.New(fault.Unknown, "there is no instance %d of data source %d on device %d", id, on, device)
	}
	return id, err
}
