//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/store/postgres/pgtest"
)

func needsPostgres() string {
	if pgtest.Missing() {
		return "PostgreSQL (Debian: postgresql)"
	}
	return ""
}

// Sizes of the trial.
const (
	source     = "Torture"
	dataPoints = 20  // of each result
	collectors = 10  // that post at the same time, each for a part of the devices
	every      = 2   // seconds between two results of a device
	pageOfData = 500 // times of an instance that one response has at most
	mostAlerts = 200
	tooMuch    = 2_000_000 // a value beyond the threshold
)

// nodes runs three nodes on one database. Results of a collector arrive at any of them,
// while the nodes and the database have the trouble of harm; the clocks of two of three
// machines are wrong by an hour. Afterwards, each acknowledged sample has to be there once,
// each breach of a threshold has to have opened one alert, and each alert must have been
// notified.
func nodes(ctx context.Context, o options, r *result) error {
	c := &cluster{o: o, r: r, size: 1000, nodes: 3}
	if o.long < time.Minute { // a short run has no time for so many
		c.size = 100
	}
	return c.run(ctx, c.harm)
}

// run runs the nodes on a new database, and posts results while harm makes trouble.
func (c *cluster) run(ctx context.Context, harm func(ctx context.Context)) error {
	c.program, c.acked, c.notices, c.lines = c.o.program, map[int64]map[int64]bool{}, map[string]int{},
		map[*program]*line{}
	return pgtest.Serve(func(database pgtest.Server) error {
		return inFolder(func(folder string) (err error) {
			c.folder, c.database = folder, database
			if c.standby, err = newLine(""); err != nil {
				return err
			}
			defer c.standby.close()
			defer func() {
				for _, p := range c.all {
					p.kill()
					c.lines[p].close()
				}
			}()
			for range c.nodes {
				if err := c.join(ctx); err != nil {
					return err
				}
			}
			hook := httptest.NewServer(http.HandlerFunc(c.notify))
			defer hook.Close()
			if err := c.prepare(ctx, hook.URL); err != nil {
				return err
			}
			c.trouble(ctx, harm)
			return c.check(ctx)
		})
	}, "synchronous_commit=on", "wal_level=replica", "max_wal_senders=4") // for the standby
}

// device is a device with its only instance.
type device struct{ id, instance int64 }

// cluster is the portal of the trial.
type cluster struct {
	o        options
	r        *result
	folder   string
	database pgtest.Server
	size     int    // devices; 1000 have 10,000 samples a second
	nodes    int    // when it starts
	samples  string // address of the sample store; empty for the database
	bearer   string
	all      []*program
	program  string // path of that of new nodes

	collector int64
	devices   []device
	begun     int64 // epoch seconds

	mu      sync.Mutex
	serving []*program
	acked   map[int64]map[int64]bool // times of acknowledged results, by instance
	notices map[string]int           // by alert
	next    atomic.Int64
	harms   int
	gap     time.Duration // the longest time without an acknowledgement
	last    time.Time

	lines   map[*program]*line // of each node to the database
	standby *line              // of all nodes, to the server that takes over
}

// join starts one more node.
func (c *cluster) join(ctx context.Context) error {
	folder := filepath.Join(c.folder, fmt.Sprint("node", len(c.all)))
	if len(c.all) > 0 {
		key, err := os.ReadFile(filepath.Join(c.all[0].folder, "portal.db.key"))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "portal.db.key"), key, 0o600); err != nil {
			return err
		}
	} else if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return err
	}
	l, err := newLine(c.database.Socket())
	if err != nil {
		return err
	}
	address := fmt.Sprintf("postgres://postgres@%s,%s/postgres?sslmode=disable&target_session_attrs=read-write",
		l.address(), c.standby.address())
	off := []string{"0s", "1h", "-1h"}[len(c.all)%3] // the clocks of two machines are wrong
	p, err := startProgram(c.program, folder, []string{"SPYGLASS_DATABASE=" + address, "SPYGLASS_SAMPLES=" + c.samples},
		"--rate-limit", "off", "--clock-off", off)
	if err != nil {
		l.close()
		return err
	}
	c.lines[p] = l
	if p.bearer = c.bearer; c.bearer == "" {
		if err := p.authorize(ctx); err != nil {
			p.kill()
			l.close()
			return err
		}
		c.bearer = p.bearer
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all, c.serving = append(c.all, p), append(c.serving, p)
	return nil
}

// leave takes a node away from the load balancer.
func (c *cluster) leave(p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.serving = slices.DeleteFunc(slices.Clone(c.serving), func(one *program) bool { return one == p })
}

// pick returns the next node, as a load balancer does.
func (c *cluster) pick() *program {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.serving[int(c.next.Add(1))%len(c.serving)]
}

// send sends a request until it succeeds, to one node after the other.
func (c *cluster) send(ctx context.Context, method, path, body string, out any) error {
	for try := 0; ; try++ {
		status, reply, err := c.pick().request(ctx, method, "/api"+path, body)
		if err == nil && status < 300 {
			return json.Unmarshal(reply, out)
		}
		if ctx.Err() != nil || try > 300 || err == nil && status < 500 {
			return fmt.Errorf("%s %s: %d %.300s %w", method, path, status, reply, err)
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}

// prepare makes the devices, and what notifies of alerts.
func (c *cluster) prepare(ctx context.Context, hook string) error {
	var made struct{ ID int64 }
	if err := c.send(ctx, "POST", "/setting/collectors", `{"description":"Probe"}`, &made); err != nil {
		return err
	}
	c.collector = made.ID
	points := make([]string, dataPoints)
	for i := range points {
		points[i] = fmt.Sprintf(`{"name":"p%d","rawDataFieldName":"status"}`, i)
	}
	points[0] = `{"name":"p0","rawDataFieldName":"status","alertExpr":"> 1000000","alertTransitionInterval":0}`
	for _, one := range []struct{ path, body string }{
		{"/setting/datasources", fmt.Sprintf(`{"name":%q,"appliesTo":"hasProperty(\"torture\")",`+
			`"collectMethod":"tcp","collectInterval":60,"collectorAttribute":{"port":"1"},"dataPoints":[%s]}`, source,
			strings.Join(points, ","))},
		{"/setting/integrations", fmt.Sprintf(`{"name":"hook","type":"http","url":%q,"groupAbove":0}`, hook)},
		{"/setting/alert/chains", `{"name":"hook","destinations":[{"type":"single","stages":[[{"type":"ARBITRARY",` +
			`"method":"hook","addr":"receiver"}]]}]}`},
	} {
		if err := c.send(ctx, "POST", one.path, one.body, &made); err != nil {
			return err
		}
	}
	if err := c.send(ctx, "POST", "/setting/alert/rules", fmt.Sprintf(`{"name":"hook","priority":1,`+
		`"escalatingChainId":%d}`, made.ID), &made); err != nil {
		return err
	}
	return c.addDevices(ctx)
}

func (c *cluster) addDevices(ctx context.Context) error {
	var wait sync.WaitGroup
	failed := make([]error, 16)
	for w := range failed {
		wait.Go(func() {
			for i := w; i < c.size && failed[w] == nil; i += len(failed) {
				body := fmt.Sprintf(`{"name":"127.0.0.1","displayName":"d%d","preferredCollectorId":%d,`+
					`"customProperties":[{"name":"torture","value":"1"}]}`, i, c.collector)
				failed[w] = c.send(ctx, "POST", "/device/devices", body, new(any))
			}
		})
	}
	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	for limit := time.Now().Add(2 * time.Minute); ; {
		var list struct {
			Items []struct {
				DeviceID, InstanceID int64
				DataSource           string
			}
		}
		err := c.send(ctx, "GET", fmt.Sprintf("/setting/collectors/%d/assignments", c.collector), "", &list)
		if err != nil {
			return err
		}
		c.devices = c.devices[:0]
		for _, task := range list.Items {
			if task.DataSource == source {
				c.devices = append(c.devices, device{task.DeviceID, task.InstanceID})
			}
		}
		if len(c.devices) == c.size {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("only %d of %d devices have instances", len(c.devices), c.size)
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
	}
}

// trouble posts results for the whole time, while the nodes and the database have trouble.
func (c *cluster) trouble(parent context.Context, harm func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(parent, c.o.long)
	defer cancel()
	c.last, c.begun = time.Now(), time.Now().Unix()-1
	var wait sync.WaitGroup
	for first := 0; first < c.size; first += c.size / collectors {
		batch := make([]int, c.size/collectors)
		for i := range batch {
			batch[i] = first + i
		}
		wait.Go(func() { c.collect(ctx, parent, batch) })
	}
	wait.Go(func() { harm(ctx) })
	wait.Wait()
}

// collect posts results of some devices in the order of their times, as a collector does,
// until ctx ends.
func (c *cluster) collect(ctx, parent context.Context, batch []int) {
	each := time.NewTicker(every * time.Second)
	defer each.Stop()
	for at := c.begun + 1; ctx.Err() == nil; at += every {
		c.post(parent, batch, at)
		if at+every <= time.Now().Unix() {
			continue // it has to catch up
		}
		select {
		case <-each.C:
		case <-ctx.Done():
		}
	}
}

// post posts results until one node has acknowledged them.
func (c *cluster) post(ctx context.Context, batch []int, at int64) {
	began := time.Now()
	results := make([]string, len(batch))
	for i, n := range batch {
		value := n
		if int64(n) < min(at-c.begun, mostAlerts) { // one more device breaches its threshold each second
			value = tooMuch
		}
		results[i] = fmt.Sprintf(`{"instanceId":%d,"at":%d,"values":{"status":%d}}`, c.devices[n].instance, at, value)
	}
	path := fmt.Sprintf("/setting/collectors/%d/samples", c.collector)
	if err := c.send(ctx, "POST", path, `{"results":[`+strings.Join(results, ",")+`]}`, new(any)); err != nil {
		c.r.isWrong("results were not accepted: %v", err)
		return
	}
	c.r.tried(time.Since(began))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gap, c.last = max(c.gap, time.Since(c.last)), time.Now()
	for _, n := range batch {
		if c.acked[c.devices[n].instance] == nil {
			c.acked[c.devices[n].instance] = map[int64]bool{}
		}
		c.acked[c.devices[n].instance][at] = true
	}
}

// monitoring waits until a node that serves does the monitoring, and returns it.
func (c *cluster) monitoring(ctx context.Context) (*program, error) {
	for {
		var list struct {
			Items []struct {
				Address string
				Leases  []struct{ Name string }
			}
		}
		if err := c.send(ctx, "GET", "/setting/nodes", "", &list); err != nil {
			return nil, err
		}
		for _, item := range list.Items {
			for _, w := range item.Leases {
				if w.Name != "monitoring" {
					continue
				}
				c.mu.Lock()
				i := slices.IndexFunc(c.serving, func(p *program) bool { return p.origin == item.Address })
				var found *program
				if i >= 0 {
					found = c.serving[i]
				}
				c.mu.Unlock()
				if found != nil {
					return found, nil
				}
			}
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// notify is the receiver of notices.
func (c *cluster) notify(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notices[r.Header.Get("Idempotency-Key")]++
	w.WriteHeader(http.StatusNoContent)
}

// check compares what is there with what was acknowledged.
func (c *cluster) check(ctx context.Context) error {
	acked := 0
	for _, device := range c.devices {
		n, err := c.checkDevice(ctx, device)
		if err != nil {
			return err
		}
		acked += n
	}
	c.r.saw("%d samples of %d results were acknowledged", acked*dataPoints, acked)
	if c.samples != "" {
		if err := c.checkStore(ctx); err != nil {
			return err
		}
	}
	return c.checkAlerts(ctx)
}

// checkDevice compares the samples of the device's only instance with the acknowledged
// results, whose number it returns.
func (c *cluster) checkDevice(ctx context.Context, device device) (acked int, err error) {
	var found struct {
		Items []struct{ DeviceDataSourceID int64 }
	}
	path := fmt.Sprintf("/device/devices/%d/instances?filter=id:%d&fields=deviceDataSourceId", device.id,
		device.instance)
	err = c.send(ctx, "GET", path, "", &found)
	if err != nil || len(found.Items) != 1 {
		return 0, fmt.Errorf("device %d has %d such instances: %w", device.id, len(found.Items), err)
	}
	there := map[int64]bool{}
	now := time.Now().Unix() + 60
	for start := c.begun; start < now; start += pageOfData * every {
		var data struct {
			Time   []int64
			Values [][]any
		}
		path = fmt.Sprintf("/device/devices/%d/devicedatasources/%d/instances/%d/data?start=%d&end=%d", device.id,
			found.Items[0].DeviceDataSourceID, device.instance, start, start+pageOfData*every-1)
		if err := c.send(ctx, "GET", path, "", &data); err != nil {
			return 0, err
		}
		for i, at := range data.Time {
			at /= 1000
			if there[at] {
				c.r.isWrong("instance %d has two samples of second %d", device.instance, at)
			}
			there[at] = !slices.Contains(data.Values[i], any(nil)) && !slices.Contains(data.Values[i], any("No Data"))
		}
	}
	for at := range c.acked[device.instance] {
		if !there[at] {
			c.r.isLost("the samples of instance %d at second %d", device.instance, at)
		}
	}
	return len(c.acked[device.instance]), nil
}

// checkAlerts expects no alert that opened while another one of the same data point was
// open, and one notice for each. Those of the portal itself may clear and open again, but the
// breaches of the trial last.
func (c *cluster) checkAlerts(ctx context.Context) error {
	var list struct {
		Items []struct {
			MonitorObjectName, InstanceName, DataPointName string
			StartEpoch, EndEpoch                           int64 // EndEpoch is 0 while it is open
		}
	}
	if err := c.send(ctx, "GET", "/alert/alerts?size=1000&filter=cleared:*&sort=%2BstartEpoch", "", &list); err != nil {
		return err
	}
	opened := map[string]int64{} // by data point, when its last alert ended
	for _, a := range list.Items {
		name := a.MonitorObjectName + " " + a.InstanceName + " " + a.DataPointName
		if end, ok := opened[name]; ok && (end == 0 || end > a.StartEpoch || a.DataPointName == "p0") {
			c.r.isWrong("an alert for %s opened at %d, while the one before was open until %d", name, a.StartEpoch, end)
		}
		opened[name] = a.EndEpoch
	}
	for limit := time.Now().Add(time.Minute); ; {
		c.mu.Lock()
		n := len(c.notices)
		c.mu.Unlock()
		if n >= len(opened) {
			break
		}
		if time.Now().After(limit) {
			c.r.isLost("%d of %d alerts were notified", n, len(opened))
			break
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	again := 0
	for _, n := range c.notices {
		again += n - 1
	}
	switch { // a node that dies before it has noted a response leaves that notice in doubt
	case again > c.harms:
		c.r.isWrong("%d notices were sent again, after %d troubles", again, c.harms)
	case again > 0:
		c.r.saw("%d notices were sent again, with their key, by the node that took over", again)
	}
	c.r.saw("%d alerts opened", len(opened))
	return nil
}
