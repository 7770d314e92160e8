package collect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/session"
)

// hello describes a program that registers.
type hello struct {
	Hostname string `json:"hostname" doc:"the machine it runs on"`
	Platform string `json:"platform" doc:"linux, windows or darwin"`
	Arch     string `json:"arch" doc:"its processor"`
	Build    string `json:"build" doc:"its version"`
}

// welcome is the response to a registration.
type welcome struct {
	Collector int64  `json:"collectorId" doc:"the id of the collector"`
	Token     string `json:"token" doc:"its credential; shown once"`
	Heartbeat int64  `json:"heartbeat" doc:"seconds between two heartbeats"`
}

// beat is a heartbeat.
type beat struct {
	Build    string `json:"build,omitempty" doc:"its version"`
	Waiting  int64  `json:"waiting,omitempty" doc:"results that are not yet sent"`
	Instance int64  `json:"instances,omitempty" doc:"how many instances it polls"`
	Offset   *int64 `json:"clockOffset,omitempty" doc:"seconds that its clock is ahead of the portal's, as it has measured by nowMillis"`
}

// pulse is the response to a heartbeat.
type pulse struct {
	Now       resource.Seconds `json:"now" doc:"the portal's clock, in epoch seconds"`
	NowMillis resource.Millis  `json:"nowMillis" doc:"the portal's clock, with which the collector corrects its times"`
	Heartbeat int64            `json:"heartbeat" doc:"seconds until the next one"`
	Devices   int64            `json:"devices" doc:"how many devices it monitors; if it changes, the assignments have changed"`
}

// assignments lists the instances that a collector polls.
type assignments struct {
	Total    int          `json:"total" doc:"how many instances"`
	SearchID *string      `json:"searchId" doc:"always null"`
	Items    []check.Task `json:"items" doc:"one for each instance"`
	Data     *string      `json:"data" doc:"always null"`
}

// posted holds the results that a collector sends.
type posted struct {
	Results   []check.Result `json:"results" doc:"up to 10,000, of instances that this collector polls"`
	Corrected bool           `json:"corrected,omitempty" doc:"their times are already corrected to the portal's clock"`
}

// searches lists the discovery searches of a collector.
type searches struct {
	Total    int            `json:"total" doc:"how many"`
	SearchID *string        `json:"searchId" doc:"always null"`
	Items    []check.Search `json:"items" doc:"one for each pending discovery of a data source on a device; up to 100 at a time"`
	Data     *string        `json:"data" doc:"always null"`
}

// taken is the response to posted results.
type taken struct {
	Taken   int `json:"taken" doc:"how many were accepted"`
	Refused int `json:"refused,omitempty" doc:"how many were rejected, because they were more than 5 minutes in the future"`
}

const (
	// heartbeat is the interval in seconds. Two consecutive ones may be lost
	// before a collector counts as down, even with the smallest
	// collectorDownSeconds.
	heartbeat  = 15
	maxResults = 10_000
	// maxAhead limits how far a collector's clock may be ahead of the portal's,
	// in seconds.
	maxAhead  = 300
	warnAhead = 30 // seconds; less may be the network's delay
	// maxFinding limits the body of a finding: check.MostFound instances, each of
	// a line or two.
	maxFinding = 16 << 20
	maxText    = 255 // characters of an instance's texts
)

func (s *Service) liveEndpoints() []resource.Endpoint {
	in, out := resource.SchemaOf(hello{}), resource.SchemaOf(welcome{})
	beats, pulses := resource.SchemaOf(beat{}), resource.SchemaOf(pulse{})
	tasks, results, kept := resource.SchemaOf(assignments{}), resource.SchemaOf(posted{}), resource.SchemaOf(taken{})
	tosearch, finding := resource.SchemaOf(searches{}), resource.SchemaOf(check.Finding{})
	wrong := resource.Failure{Kind: fault.Invalid, When: "the body is wrong; errorDetail names the field"}
	builtIn := resource.Failure{Kind: fault.Invalid, When: "the collector is the built-in one"}
	at := func(below string, body any) resource.Example {
		return resource.Example{Path: fmt.Sprintf("/setting/collectors/%d%s", sample, below), Body: body}
	}
	return []resource.Endpoint{
		{
			Method: "POST", Path: path + "/register", Category: ground.CategorySettings,
			Summary: "Register a collector",
			Doc: "Registers the machine of the collector, and returns the collector's own credential. This revokes " +
				"the installation token and the previous credential.",
			Right: right(collector.AreaInstalling), Params: []resource.Param{idParam}, Body: &in, Response: &out,
			Once: true, Errors: failures(wrong, builtIn),
			Example: at("/register", hello{"probe-1.fra", "linux", "amd64", "0.1.0"}), Handle: s.register,
		},
		{
			Method: "POST", Path: path + "/heartbeat", Category: ground.CategorySettings, Summary: "Send a heartbeat",
			Doc: "Reports that the collector is running. If it sends no heartbeat for collectorDownSeconds of the " +
				"portal settings, it is down.",
			Right: right(collector.AreaCollecting), Params: []resource.Param{idParam}, Body: &beats, Response: &pulses,
			Errors: failures(wrong, builtIn), Example: at("/heartbeat", beat{Build: "0.1.0", Instance: 12}),
			Handle: s.heartbeat,
		},
		{
			Method: "GET", Path: path + "/assignments", Category: ground.CategorySettings,
			Summary: "List what a collector polls", Noun: resource.Regular("instance"),
			Doc: "Returns the instances the collector polls now, with all that its checks need. Secrets are in " +
				"clear for the collector's own credential, and masked for anyone else. If-None-Match returns 304 " +
				"while nothing has changed.",
			Right: right(collector.AreaCollecting), Params: []resource.Param{idParam}, Response: &tasks, Tagged: true,
			Errors: failures(builtIn), Example: at("/assignments", nil), Handle: s.assigned,
		},
		{
			Method: "POST", Path: path + "/samples", Category: ground.CategorySettings, Summary: "Post samples",
			Doc: "Accepts the raw fields of checks. Results that are late, by more than 3 minutes or after " +
				"another collector has taken over, fill gaps and open no alert; results of devices that the " +
				"collector does not monitor are ignored. Results more than 5 minutes in the future are rejected " +
				"and counted.",
			Right: right(collector.AreaCollecting), Params: []resource.Param{idParam}, Body: &results, Response: &kept,
			Errors: failures(wrong, builtIn), Example: at("/samples", posted{Results: []check.Result{}}),
			Handle: s.samples,
		},
		{
			Method: "GET", Path: path + "/searches", Category: ground.CategorySettings,
			Summary: "List pending discoveries of a collector", Noun: resource.Regular("pending discovery"),
			Doc: "Returns the data sources whose instances the collector should discover now on devices that it " +
				"polls, such as the interfaces of a switch, until it has posted them. Secrets are in clear for the " +
				"collector's own credential, and masked for anyone else.",
			Right: right(collector.AreaCollecting), Params: []resource.Param{idParam}, Response: &tosearch,
			Errors: failures(builtIn), Example: at("/searches", nil), Handle: s.searches,
		},
		{
			Method: "POST", Path: path + "/findings", Category: ground.CategorySettings,
			Summary: "Post discovered instances",
			Doc: "Accepts the instances of one discovery, up to 10,000, or the reason why it failed. A " +
				"discovery that is not assigned to the collector, or that another one has taken over, is ignored.",
			Right: right(collector.AreaCollecting), Params: []resource.Param{idParam}, Body: &finding,
			Limit: maxFinding, Response: &kept, Errors: failures(wrong, builtIn),
			Example: at("/findings",
				check.Finding{
					ID: 1, Found: []check.Found{{WildValue: "2", DisplayName: "Ethernet1", Description: "Uplink"}}}),
			Handle: s.finding,
		},
	}
}

func (s *Service) register(ctx context.Context, c *resource.Call) (any, error) {
	var in hello
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"hostname": in.Hostname, "platform": in.Platform, "arch": in.Arch,
		"build": in.Build} {
		if !isLine(text) {
			return nil, fault.At(name, "%s must be one line of at most %d characters", name, maxText)
		}
	}
	out := welcome{Heartbeat: heartbeat}
	err := s.DB.Write(ctx, func(tx resource.Tx) error {
		row, err := s.remote(ctx, tx, c)
		if err != nil {
			return err
		}
		now := resource.SecondsOf(c.At)
		again, err := s.running(ctx, tx, row, now)
		if err != nil {
			return err
		}
		if again {
			if err := noteReplaced(ctx, tx, c, row, in.Hostname, now); err != nil {
				return err
			}
		}
		row.Hostname, row.Platform, row.Arch, row.Build = in.Hostname, in.Platform, in.Arch, in.Build
		row.Status, row.IsDown, row.LastHeartbeatOn, row.UpdatedOn = 1, false, now, now
		bearer, hash := session.NewCollectorToken(row.ID)
		out.Collector, out.Token = row.ID, bearer
		if err := resource.Put(ctx, tx, collector.Collectors.Name, row); err != nil {
			return err
		}
		for _, installs := range []bool{true, false} {
			if err := dropTokens(resource.WithCall(ctx, nil), tx, row.ID, installs); err != nil {
				return err
			}
		}
		token := collector.CollectorToken{CollectorID: row.ID, Hash: hash, CreatedOn: now, CreatedBy: c.Access.User}
		return resource.Put(resource.WithCall(ctx, nil), tx, collector.CollectorTokens.Name, &token)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// running reports whether the collector has sent a heartbeat recently.
func (s *Service) running(ctx context.Context, r resource.Reader, row *collector.Collector,
	now resource.Seconds) (bool, error) {
	limit, err := setting.CollectorDownAfter(ctx, r)
	silent := time.Duration(now-row.LastHeartbeatOn) * time.Second
	return row.LastHeartbeatOn > 0 && !row.IsDown && silent < limit, err
}

// noteReplaced opens an alert about a running collector that was registered
// again, which ends its credential.
func noteReplaced(ctx context.Context, tx resource.Tx, c *resource.Call, row *collector.Collector, host string,
	now resource.Seconds) error {
	row.ReplacedOn = now
	f := &alert.Finding{
		CollectorID: row.ID, Condition: alert.ConditionCredential, Severity: threshold.SeverityWarn,
		Value: "registered again", Threshold: "registered while it ran", At: now,
		Reason: fmt.Sprintf("The collector on %s was registered again while it was running, now from %s. If nobody "+
			"reinstalled it, someone else has its devices' secrets.", row.Hostname, host),
	}
	if _, _, err := alert.Raise(ctx, tx, f); err != nil {
		return err
	}
	return tx.Note(ctx, &resource.Change{Call: c, Action: "credential replaced",
		Object: string(collector.Collectors.Name), Label: collector.Collectors.Label, ID: row.ID,
		Title: cmp.Or(row.Description, row.Hostname)})
}

// heartbeat handles a heartbeat, without an audit log entry.
func (s *Service) heartbeat(ctx context.Context, c *resource.Call) (any, error) {
	var in beat
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	ctx = resource.WithCall(ctx, nil)
	var id int64
	err := s.DB.Write(ctx, func(tx resource.Tx) error {
		row, err := s.remote(ctx, tx, c)
		if err != nil {
			return err
		}
		if id = row.ID; in.Offset != nil {
			row.ClockOffset = *in.Offset
		}
		row.LastHeartbeatOn, row.Status, row.IsDown = resource.SecondsOf(c.At), 1, false
		row.Acked, row.AckedBy, row.AckedOn, row.AckComment = false, "", 0, ""
		if in.Build != "" && isLine(in.Build) {
			row.Build = in.Build
		}
		return resource.Put(ctx, tx, collector.Collectors.Name, row)
	})
	if err != nil {
		return nil, err
	}
	s.lags.waits(id, in.Waiting)
	counts, err := s.DB.CountBy(ctx, string(fleet.Devices.Name), "currentCollectorId")
	return pulse{resource.SecondsOf(c.At), resource.MillisOf(c.At), heartbeat, counts[id]}, err
}

func (s *Service) assigned(ctx context.Context, c *resource.Call) (any, error) {
	row, err := s.remote(ctx, s.DB, c)
	if err != nil {
		return nil, err
	}
	tasks, err := s.Tasks(ctx, s.DB, row.ID)
	if err != nil {
		return nil, err
	}
	if !isItself(c, row) {
		of := func(i int) (int64, *map[string]string) { return tasks[i].DeviceID, &tasks[i].Properties }
		if err := s.mask(ctx, len(tasks), of); err != nil {
			return nil, err
		}
	}
	body, err := json.Marshal(assignments{Total: len(tasks), Items: append([]check.Task{}, tasks...)})
	return &resource.Response{Body: resource.JSON(body), ETag: resource.ETag(body)}, err
}

// isItself reports whether the caller is the collector itself.
func isItself(c *resource.Call, row *collector.Collector) bool {
	return c.Access != nil && c.Access.Collector == row.ID
}

// mask masks the properties of n devices.
func (s *Service) mask(ctx context.Context, n int, of func(i int) (device int64, properties *map[string]string)) error {
	var ids []int64
	for i := range n {
		id, _ := of(i)
		ids = append(ids, id)
	}
	slices.Sort(ids)
	devices, err := resource.Find(ctx, s.DB, fleet.Devices.Name,
		resource.Where{Field: "id", Op: "in", Value: slices.Compact(ids)})
	if err != nil {
		return err
	}
	tree, err := fleet.TreeOf(ctx, s.DB)
	if err != nil {
		return err
	}
	shown := map[int64]map[string]string{}
	for i := range devices {
		shown[devices[i].ID] = tree.ShownProperties(&devices[i])
	}
	for i := range n {
		id, properties := of(i)
		*properties = shown[id]
	}
	return nil
}

func (s *Service) samples(ctx context.Context, c *resource.Call) (any, error) {
	row, err := s.remote(ctx, s.DB, c)
	if err != nil {
		return nil, err
	}
	var in posted
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	if len(in.Results) > maxResults {
		return nil, fault.At("results", "send at most 10,000 results at a time")
	}
	for i, r := range in.Results {
		in.Results[i].Tidy()
		if r.At < 1 {
			return nil, fault.At(fmt.Sprintf("results[%d].at", i), "results[%d].at must be a time in epoch seconds", i)
		}
		for name, v := range r.Values {
			if math.IsInf(v, 0) {
				return nil, fault.At(fmt.Sprintf("results[%d].values.%s", i, name),
					"results[%d].values.%s must be a finite number", i, name)
			}
		}
	}
	ctx = resource.WithCall(ctx, nil)
	kept := slices.DeleteFunc(slices.Clone(in.Results),
		func(r check.Result) bool { return r.At > c.At.Unix()+maxAhead })
	if err := s.Take(ctx, row.ID, kept); err != nil {
		return nil, err
	}
	refused := len(in.Results) - len(kept)
	ahead := row.ClockOffset // reported by the collector
	if !in.Corrected {
		ahead = s.lags.offset(row.ID, row.ClockOffset, c.At.Unix(), in.Results)
	}
	return taken{len(kept), refused}, s.noteAhead(ctx, row, ahead, refused)
}

// noteAhead counts refused results, and records the clock offset of a collector
// that does not measure it.
func (s *Service) noteAhead(ctx context.Context, row *collector.Collector, ahead int64, refused int) error {
	if refused == 0 && row.ClockOffset == ahead {
		return nil
	}
	return s.DB.Write(ctx, func(tx resource.Tx) error {
		row, err := resource.Get(ctx, tx, collector.Collectors.Name, row.ID)
		if err != nil {
			return err
		}
		row.ClockOffset, row.Refused = ahead, row.Refused+int64(refused)
		return resource.Put(ctx, tx, collector.Collectors.Name, row)
	})
}

func (s *Service) searches(ctx context.Context, c *resource.Call) (any, error) {
	row, err := s.remote(ctx, s.DB, c)
	if err != nil {
		return nil, err
	}
	items, err := s.Searches(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	if !isItself(c, row) {
		of := func(i int) (int64, *map[string]string) { return items[i].DeviceID, &items[i].Properties }
		if err := s.mask(ctx, len(items), of); err != nil {
			return nil, err
		}
	}
	return searches{Total: len(items), Items: append([]check.Search{}, items...)}, nil
}

func (s *Service) finding(ctx context.Context, c *resource.Call) (any, error) {
	row, err := s.remote(ctx, s.DB, c)
	if err != nil {
		return nil, err
	}
	var in check.Finding
	if err := c.Read(&in); err != nil {
		return nil, err
	}
	if len(in.Found) > check.MostFound {
		return nil, fault.At("found", "found can have at most 10,000 instances")
	}
	for i, f := range in.Found {
		for name, text := range map[string]string{"wildValue": f.WildValue, "displayName": f.DisplayName,
			"description": f.Description} {
			if !isLine(text) {
				field := fmt.Sprintf("found[%d].%s", i, name)
				return nil, fault.At(field, "%s must be one line of at most %d characters", field, maxText)
			}
		}
	}
	ok, err := s.TakeFinding(resource.WithCall(ctx, nil), row.ID, &in)
	if err != nil || !ok {
		return taken{}, err
	}
	return taken{Taken: 1}, nil
}

// isLine reports whether text is one line of a valid length.
func isLine(text string) bool {
	return utf8.RuneCountInString(text) <= maxText && resource.IsLine(text)
}
