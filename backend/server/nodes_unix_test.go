//go:build unix

package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"spyglass/backend/server"
	"spyglass/backend/store/postgres/pgtest"
)

// cluster is a portal of several processes on one database.
type cluster struct {
	t        *testing.T
	database string
	key      []byte
	bearer   string
	folder   string // of the first node
	nodes    []*child
}

// startCluster starts n nodes, of which the first one creates the portal.
func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	c := &cluster{t: t, database: pgtest.Database(t)}
	for range n {
		c.join()
	}
	return c
}

// join starts one more node.
func (c *cluster) join(env ...string) *child {
	c.t.Helper()
	folder := filepath.Join(c.t.TempDir(), "data")
	if c.key != nil {
		write(c.t, filepath.Join(folder, "portal.db.key"), string(c.key))
	}
	node := startChild(c.t, folder, append(env, childDatabase+"="+c.database)...)
	c.nodes = append(c.nodes, node)
	if c.key == nil {
		var err error
		if c.key, err = os.ReadFile(filepath.Join(folder, "portal.db.key")); err != nil {
			c.t.Fatal(err)
		}
		c.bearer, c.folder = token(c.t, server.Options{Data: folder}, "admin"), folder
	}
	return node
}

// send sends a request to a node.
func (c *cluster) send(node *child, request, body string) (status int, response string, err error) {
	method, path, _ := strings.Cut(request, " ")
	of := &client{t: c.t, origin: node.origin, bearer: c.bearer, http: &http.Client{Timeout: 40 * time.Second}}
	status, raw, err := of.request(method, "/api"+path, body)
	return status, string(raw), err
}

// must sends a request that has to succeed.
func (c *cluster) must(node *child, request, body string) string {
	c.t.Helper()
	status, response, err := c.send(node, request, body)
	if err != nil || status >= 300 {
		c.t.Fatalf("%s: %d %s %v", request, status, response, err)
	}
	return response
}

// until repeats a request until the response contains want.
func (c *cluster) until(node *child, request, want string) string {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		_, response, err := c.send(node, request, "")
		if err == nil && strings.Contains(response, want) {
			return response
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%s returns %s %v, without %s", request, response, err, want)
		}
	}
}

// does waits until another node than not does a work, and returns it.
func (c *cluster) does(work string, not *child) *child {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		for _, node := range c.nodes {
			if node == not {
				continue
			}
			_, response, err := c.send(node, "GET /setting/nodes", "")
			var list struct {
				Items []struct {
					Address string
					Leases  []struct{ Name string }
				}
			}
			if err != nil || json.Unmarshal([]byte(response), &list) != nil {
				continue
			}
			for _, item := range list.Items {
				for _, w := range item.Leases {
					for _, node := range c.nodes {
						if w.Name == work && node.origin == item.Address && node != not {
							return node
						}
					}
				}
			}
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("no node does the work %s", work)
		}
	}
}

// leave removes a node from those that receive requests.
func (c *cluster) leave(node *child) {
	for i, n := range c.nodes {
		if n == node {
			c.nodes = append(c.nodes[:i:i], c.nodes[i+1:]...)
			return
		}
	}
}

func TestNodesReplaceAKilledAndAPausedOne(t *testing.T) {
	c := startCluster(t, 3)
	first := c.does("monitoring", nil)
	var collector struct{ ID int64 }
	made := c.must(c.nodes[1], "POST /setting/collectors", `{"description":"Probe"}`)
	if err := json.Unmarshal([]byte(made), &collector); err != nil {
		t.Fatal(err)
	}
	var device struct{ ID int64 }
	made = c.must(c.nodes[2], "POST /device/devices", fmt.Sprintf(`{"name":"127.0.0.1","displayName":"probed",`+
		`"preferredCollectorId":%d,"customProperties":[{"name":"tcp.port","value":"1"}]}`, collector.ID))
	if err := json.Unmarshal([]byte(made), &device); err != nil {
		t.Fatal(err)
	}
	c.must(c.nodes[0], "POST /setting/datasources", `{"name":"Fast_Port","appliesTo":"hasProperty(\"tcp.port\")",`+
		`"collectMethod":"tcp","collectInterval":60,"collectorAttribute":{"port":"##tcp.port##"},`+
		`"dataPoints":[{"name":"open","rawDataFieldName":"status","alertExpr":"> 5"}]}`)
	for i := range 6 { // a node must not give a device a lower id than another node has given before
		made := c.must(c.nodes[(i+1)%3], "POST /device/devices", fmt.Sprintf(`{"name":"127.0.0.1","displayName":"d%d",`+
			`"preferredCollectorId":%d,"customProperties":[{"name":"tcp.port","value":"1"}]}`, i, collector.ID))
		var more struct{ ID int64 }
		if err := json.Unmarshal([]byte(made), &more); err != nil {
			t.Fatal(err)
		}
		c.until(c.nodes[0], fmt.Sprintf(`GET /device/devices/%d/instances?filter=name~Fast_Port&fields=id`, more.ID),
			`"total":1`)
	}
	var list struct {
		Items []struct{ ID, DeviceDataSourceID, DeviceID int64 }
	}
	found := c.until(c.nodes[1], fmt.Sprintf(`GET /device/devices/%d/instances?filter=name~Fast_Port&`+
		`fields=id,deviceDataSourceId,deviceId`, device.ID), `"total":1`)
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		t.Fatal(err)
	}
	instance := list.Items[0]
	start := time.Now().Unix() - 100 // so that no result is late, or too early
	posted := 0
	post := func(n int) {
		t.Helper()
		for range n {
			body := fmt.Sprintf(`{"results":[{"instanceId":%d,"at":%d,"values":{"status":%d}}]}`, instance.ID,
				start+int64(posted), 10+posted)
			for try := 0; ; try++ {
				node := c.nodes[(posted+try)%len(c.nodes)]
				status, response, err := c.send(node, fmt.Sprintf("POST /setting/collectors/%d/samples", collector.ID),
					body)
				if err == nil && status == 200 {
					break
				}
				if try > 20 || err == nil && status < 500 {
					t.Fatalf("result %d: %d %s %v", posted, status, response, err)
				}
			}
			posted++
		}
	}
	post(60)
	first.kill()
	c.leave(first)
	post(60)
	second := c.does("monitoring", first)
	if err := second.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.leave(second)
	third := c.does("monitoring", second)
	post(60)
	if err := second.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	c.nodes = append(c.nodes, second)
	post(60)
	if now := c.does("monitoring", nil); now != third {
		t.Error("the node that was paused has taken the work back")
	}
	path := fmt.Sprintf("GET /device/devices/%d/devicedatasources/%d/instances/%d/data?start=%d&end=%d",
		instance.DeviceID, instance.DeviceDataSourceID, instance.ID, start-1, start+600)
	for _, node := range c.nodes {
		var data struct{ Values [][]any }
		if err := json.Unmarshal([]byte(c.must(node, path, "")), &data); err != nil || len(data.Values) != posted {
			t.Errorf("a node has %d of %d samples, %v", len(data.Values), posted, err)
		}
		if alerts := c.must(node, "GET /alert/alerts?fields=id", ""); !strings.Contains(alerts, `"total":1`) {
			t.Errorf("the alerts are %s, want one", alerts)
		}
	}
}

func TestASessionIsValidAtNodesWhoseClocksAreWrong(t *testing.T) {
	c := startCluster(t, 1)
	for _, off := range []string{"1h", "-1h"} {
		c.join(childClock + "=" + off)
	}
	add := server.Command{Do: server.DoAddUser, Name: "kim", Role: "administrator", Password: "a-long-password-7"}
	if _, err := server.Send(t.Context(), server.Options{Data: c.folder}, add); err != nil {
		t.Fatal(err)
	}
	for i, node := range c.nodes {
		v := &visitor{cluster: c}
		status, reply := v.send(node, "POST", "/session", `{"username":"kim","password":"a-long-password-7"}`)
		var me struct{ CSRFToken string }
		if err := json.Unmarshal(reply, &me); err != nil || status != http.StatusOK {
			t.Fatalf("signing in at node %d: %d %s", i, status, reply)
		}
		v.csrf = me.CSRFToken
		for j, other := range c.nodes {
			began := time.Now().Add(-time.Second)
			status, reply := v.send(other, "POST", "/setting/opsnotes", `{"note":"from here"}`)
			var note struct{ HappenOnInSec int64 }
			if err := json.Unmarshal(reply, &note); err != nil || status >= 300 {
				t.Errorf("a session of node %d at node %d: %d %s", i, j, status, reply)
			}
			if at := time.Unix(note.HappenOnInSec, 0); at.Before(began.Truncate(time.Second)) ||
				at.After(time.Now()) {
				t.Errorf("node %d notes the time %v, want %v", j, at, began)
			}
		}
	}
}

// untilReady waits until /readyz of a node responds with a status, and returns the response.
func (c *cluster) untilReady(node *child, want int) string {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		of := &client{t: c.t, origin: node.origin, bearer: c.bearer, http: http.DefaultClient}
		status, response, err := of.request("GET", "/readyz", "")
		if err == nil && status == want {
			return string(response)
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("/readyz returns %d %s %v, want %d", status, response, err, want)
		}
	}
}

func TestNodesOfANewerVersionReplaceTheOthers(t *testing.T) {
	c := startCluster(t, 2)
	first := c.does("monitoring", nil)
	c.must(c.nodes[0], "POST /device/devices", `{"name":"127.0.0.1","displayName":"older"}`)
	var device struct{ ID int64 }
	older := c.nodes
	newer := c.join(childNewer + "=1")
	made := c.must(newer, "POST /device/devices", `{"name":"127.0.0.2","displayName":"newer",`+
		`"newer":"https://kept.example.net"}`)
	if err := json.Unmarshal([]byte(made), &device); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprint("/device/devices/", device.ID)
	for i, node := range older {
		const want = "a newer version of Spyglass has changed the database; this node only reads until it is upgraded"
		status, response, err := c.send(node, "PATCH "+path, `{"description":"changed by an older node"}`)
		if err != nil || status != http.StatusServiceUnavailable || !strings.Contains(response, want) {
			t.Errorf("a write at older node %d: %d %s %v", i, status, response, err)
		}
		if got := c.until(node, "GET "+path+"?fields=displayName,description", `"newer"`); got !=
			`{"displayName":"newer","description":""}` {
			t.Errorf("older node %d shows %s", i, got)
		}
		if got := c.untilReady(node, http.StatusServiceUnavailable); !strings.Contains(got, want) {
			t.Errorf("older node %d is not ready: %s", i, got)
		}
	}
	c.nodes = []*child{newer}
	if c.does("monitoring", first) != newer {
		t.Error("the newer node does not monitor")
	}
	c.untilReady(newer, http.StatusOK)
	older[0].kill()
	c.join(childNewer + "=1")
	for i, node := range c.nodes {
		if got := c.must(node, "GET "+path+"?fields=newer", ""); got != `{"newer":"https://kept.example.net"}` {
			t.Errorf("newer node %d shows %s", i, got)
		}
		c.must(node, "PATCH "+path, fmt.Sprintf(`{"description":"changed by node %d"}`, i))
	}
}

// visitor is a browser that reaches any node, as behind a load balancer.
type visitor struct {
	*cluster
	cookies []*http.Cookie
	csrf    string
}

// send sends a request to a node, with the cookies.
func (v *visitor) send(node *child, method, path, body string) (status int, reply []byte) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, node.origin+"/api"+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-CSRF-Token", v.csrf)
	for _, c := range v.cookies {
		r.AddCookie(c)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	if len(response.Cookies()) > 0 {
		v.cookies = response.Cookies()
	}
	if reply, err = io.ReadAll(response.Body); err != nil {
		v.t.Fatal(err)
	}
	return response.StatusCode, reply
}

// refused waits until a node refuses the session.
func (v *visitor) refused(node *child) {
	v.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		status, reply := v.send(node, "GET", "/device/devices?size=1", "")
		if status == http.StatusUnauthorized {
			return
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("a node still responds with %d %s", status, reply)
		}
	}
}

func TestAnyNodeServesASession(t *testing.T) {
	c := startCluster(t, 3)
	add := server.Command{Do: server.DoAddUser, Name: "kim", Role: "administrator", Password: "a-long-password-7"}
	if _, err := server.Send(t.Context(), server.Options{Data: c.folder}, add); err != nil {
		t.Fatal(err)
	}
	v := &visitor{cluster: c}
	status, reply := v.send(c.nodes[0], "POST", "/session", `{"username":"kim","password":"a-long-password-7"}`)
	var me struct{ CSRFToken string }
	if err := json.Unmarshal(reply, &me); err != nil || status != http.StatusOK {
		t.Fatalf("signing in: %d %s", status, reply)
	}
	v.csrf = me.CSRFToken
	for i, node := range c.nodes {
		if status, reply := v.send(node, "POST", "/setting/opsnotes", `{"note":"from here"}`); status >= 300 {
			t.Errorf("node %d: %d %s", i, status, reply)
		}
	}
	c.nodes[0].kill()
	if status, reply := v.send(c.nodes[1], "GET", "/device/devices?size=1", ""); status != http.StatusOK {
		t.Errorf("after the node of the sign-in was killed: %d %s", status, reply)
	}
	if status, reply := v.send(c.nodes[1], "DELETE", "/session", ""); status >= 300 {
		t.Errorf("signing out: %d %s", status, reply)
	}
	v.refused(c.nodes[2])
}

func TestFailedSignInsCountAtAllNodes(t *testing.T) {
	c := startCluster(t, 2)
	add := server.Command{Do: server.DoAddUser, Name: "kim", Role: "administrator", Password: "a-long-password-7"}
	if _, err := server.Send(t.Context(), server.Options{Data: c.folder}, add); err != nil {
		t.Fatal(err)
	}
	v := &visitor{cluster: c}
	for i := range 10 {
		if status, reply := v.send(c.nodes[i%2], "POST", "/session", `{"username":"kim","password":"wrong"}`); status !=
			http.StatusUnauthorized {
			t.Fatalf("attempt %d: %d %s", i+1, status, reply)
		}
	}
	for i, node := range c.nodes {
		const right = `{"username":"kim","password":"a-long-password-7"}`
		if status, reply := v.send(node, "POST", "/session", right); status != http.StatusTooManyRequests {
			t.Errorf("node %d after ten failures: %d %s", i, status, reply)
		}
	}
}
