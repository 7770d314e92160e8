package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/loopback"
)

// Requests to the portal and its responses (package collect).
type (
	hello struct {
		Hostname string `json:"hostname"`
		Platform string `json:"platform"`
		Arch     string `json:"arch"`
		Build    string `json:"build"`
	}
	welcome struct {
		Collector int64  `json:"collectorId"`
		Token     string `json:"token"`
	}
	beat struct {
		Build     string `json:"build"`
		Waiting   int    `json:"waiting"`
		Instances int    `json:"instances"`
		Offset    *int64 `json:"clockOffset,omitempty"` // only for a portal that sends its time
	}
	pulse struct {
		NowMillis int64  `json:"nowMillis"` // 0 for a portal of an earlier version
		Heartbeat int64  `json:"heartbeat"`
		Devices   *int64 `json:"devices"`
	}
	assignments struct {
		Items []check.Task `json:"items"`
	}
	searches struct {
		Items []check.Search `json:"items"`
	}
	posted struct {
		Results   []check.Result `json:"results"`
		Corrected bool           `json:"corrected,omitempty"`
	}
	taken struct {
		Refused int `json:"refused"`
	}
	refusal struct {
		Message string `json:"errorMessage"`
	}
)

// maxResponse limits how much of a response is read.
const maxResponse = 256 << 20

// kinds maps HTTP statuses of the portal to kinds of errors.
var kinds = map[int]fault.Kind{400: fault.Invalid, 401: fault.NoLogin, 403: fault.Denied, 404: fault.Unknown,
	409: fault.Conflict}

// call sends one request as this collector, and reads the response into out.
func (a *agent) call(ctx context.Context, method, path, tag string, in, out any) (newTag string, err error) {
	body, err := json.Marshal(in)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("%s/setting/collectors/%d%s", a.self.Portal,
		a.self.Collector, path), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+a.self.Secret)
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	response, err := a.Client.Do(r)
	if err != nil {
		why := strings.TrimSuffix(check.Sentence(err, r.URL.Host), ".")
		return "", &fault.Error{Kind: fault.Offline, Message: "the portal does not respond: " + why, Err: err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	switch {
	case err != nil:
		return "", &fault.Error{Kind: fault.Offline, Message: "the response broke off", Err: err}
	case response.StatusCode == http.StatusNotModified:
		return tag, nil
	case response.StatusCode != http.StatusOK:
		var refused refusal
		_ = json.Unmarshal(text, &refused) // another server may respond in another format
		kind := cmp.Or(kinds[response.StatusCode], fault.Offline)
		return "", fault.New(kind, "the portal responded: %s", cmp.Or(refused.Message, response.Status))
	}
	if err := json.Unmarshal(text, out); err != nil {
		return "", &fault.Error{Kind: fault.Offline, Message: "the response is not from a portal", Err: err}
	}
	return response.Header.Get("ETag"), nil
}

// register exchanges the installation token for a credential.
func (a *agent) register(ctx context.Context, h hello) (*identity, error) {
	base, err := apiOf(a.Portal)
	if err != nil {
		return nil, err
	}
	var id int64
	if _, err := fmt.Sscanf(a.Token, "col_%d_", &id); err != nil {
		return nil, fault.New(fault.Invalid, "this is not an installation token; create one at "+
			"/setting/collectors/ID/downloadToken")
	}
	a.self = identity{Portal: base, Collector: id, Secret: a.Token}
	var w welcome
	if _, err := a.call(ctx, http.MethodPost, "/register", "", h, &w); err != nil {
		return nil, err
	}
	return &identity{Portal: base, Collector: w.Collector, Secret: w.Token}, nil
}

// apiOf returns the URL of the portal's API: its address, with or without /api.
func apiOf(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fault.New(fault.Invalid,
			"--portal must be the address of the portal, such as https://portal.example:8443")
	}
	if u.Scheme == "http" && !loopback.Host(u.Hostname()) {
		return "", fault.New(fault.Invalid, "%s would receive secrets unencrypted over the network; a portal that is "+
			"reached from other machines has https", u.Host)
	}
	u.Path, u.RawQuery, u.Fragment = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/api")+"/api", "", ""
	return u.String(), nil
}

// beat sends a heartbeat. The response has the portal's time, and shows whether
// the assigned devices have changed.
func (a *agent) beat(ctx context.Context) (time.Duration, error) {
	var p pulse
	offset := a.clock.offset()
	sent := a.Clock()
	_, err := a.call(ctx, http.MethodPost, "/heartbeat", "", beat{Build: a.Version, Waiting: a.waiting.count(),
		Instances: a.poller.Len(), Offset: offset}, &p)
	if err != nil {
		return 0, err
	}
	if p.Devices != nil && *p.Devices != a.devices {
		a.devices = *p.Devices
		select {
		case a.assignNow <- struct{}{}:
		default: // already requested
		}
	}
	wait := time.Duration(max(p.Heartbeat, 5)) * time.Second
	if p.NowMillis == 0 {
		return wait, nil
	}
	a.clock.learn(sent, a.Clock(), time.UnixMilli(p.NowMillis))
	now := a.clock.offset()
	if offset != nil && *offset == *now {
		return wait, nil
	}
	if off := time.Duration(*now) * time.Second; off.Abs() >= clockWarning {
		a.Log.WarnContext(ctx, "the clock of this machine differs from the portal's; results are corrected by that, "+
			"but set the clock", "ahead", off)
	}
	return min(wait, sayOffset), nil // so that the portal shows the offset soon
}

// assign fetches the assignments and updates the tasks to poll. This takes only
// seconds even after a portal restart, or when a collector gets its devices back.
func (a *agent) assign(ctx context.Context) (time.Duration, error) {
	var got assignments
	tag, err := a.call(ctx, http.MethodGet, "/assignments", a.tag, nil, &got)
	if err != nil || tag != "" && tag == a.tag {
		if len(a.known) == 0 {
			return assignFirst, err
		}
		return assignEvery, err
	}
	a.tag = tag
	now := make(map[int64]bool, len(got.Items))
	tasks := make([]*check.Task, len(got.Items))
	for i := range got.Items {
		tasks[i] = &got.Items[i]
		now[got.Items[i].InstanceID] = true
	}
	var gone []int64
	for id := range a.known {
		if !now[id] {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	a.poller.Drop(gone...)
	a.poller.Put(tasks...)
	a.known = now
	a.Log.InfoContext(ctx, "assignments have changed", "instances", len(tasks))
	if len(tasks) == 0 {
		return assignFirst, nil
	}
	return assignEvery, nil
}

// post sends the pending batches, the oldest first. It does not report an outage
// of this machine's network that has ended, because the portal was usually
// unreachable as well.
func (a *agent) post(ctx context.Context) (time.Duration, error) {
	for {
		name, results, err := a.waiting.first()
		if err != nil {
			return time.Second, err
		}
		if name == "" {
			return time.Second, nil
		}
		reached := a.reached.Load()
		results = slices.DeleteFunc(results, func(r check.Result) bool {
			return r.Local == check.LocalUplink &&
				r.At <= reached
		})
		var reply taken
		_, err = a.call(ctx, http.MethodPost, "/samples", "", posted{results, a.clock.offset() != nil}, &reply)
		if err == nil && reply.Refused > 0 {
			a.Log.WarnContext(ctx, "the portal refused results because they lie in its future; set the clock of this "+
				"machine", "results", reply.Refused)
		}
		if err != nil && !fault.Is(err, fault.Conflict) {
			return 0, err
		}
		if err := a.waiting.remove(name); err != nil {
			return 0, err
		}
	}
}
