// Package events tells callers of alerts and devices as they change: GET /events.
//
// It is an endpoint like any other, and not in OpenAPI because what it answers
// are server-sent events and not JSON:
//
//	event: alert
//	data: {"id":"12","severity":3,…}
//
//	event: device
//	data: {"id":7,"displayName":"web-42","hostStatus":"dead",…}
//
// The data is the row as its list has it, of a device the fields that say how it
// is. A row that has gone is {"id":7,"gone":true}. Changes that come faster than
// they are told are one event, of how the row is by then: no row is left out, and
// who lists after the stream has begun misses nothing. An event lost with the
// data {} says that too much has changed to tell of each: list again.
//
// # Who sees what
//
// Rows come from the lists, so everybody hears of what they may read. When roles
// or groups change the stream ends, and whoever comes back has the rights of then.
//
// # Concurrency
//
// A Service never changes; it is safe to share.
package events

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// Options say where the rows come from.
type Options struct {
	DB        *store.DB
	Endpoints []resource.Endpoint // with the lists of alerts and devices among them
}

// Service tells of changes.
type Service struct {
	db    *store.DB
	kinds []kind
}

// kind is a sort of row that is told of.
type kind struct {
	name  string // of the resource, and of its events
	query url.Values
	list  func(ctx context.Context, c *resource.Call) (any, error)
	there func(ctx context.Context, ids []int64) (map[int64]bool, error) // those of ids that have not gone
	event func(id int64) any                                             // of one that has
}

// New makes a service.
func New(o Options) *Service {
	list := func(path string) func(context.Context, *resource.Call) (any, error) {
		return o.Endpoints[slices.IndexFunc(o.Endpoints, func(e resource.Endpoint) bool { return e.ID() == "GET "+path })].Handle
	}
	return &Service{db: o.DB, kinds: []kind{
		{
			name: string(portal.Alerts.Name), list: list(portal.Alerts.Path), query: url.Values{"filter": {"cleared:*"}},
			there: there(o.DB, portal.Alerts.Name, func(a *portal.Alert) int64 { return int64(a.ID) }),
			event: func(id int64) any { return gone[string]{strconv.FormatInt(id, 10), true} },
		},
		{
			name: string(portal.Devices.Name), list: list(portal.Devices.Path), query: url.Values{"fields": {shown}},
			there: there(o.DB, portal.Devices.Name, func(d *portal.Device) int64 { return d.ID }),
			event: func(id int64) any { return gone[int64]{id, true} },
		},
	}}
}

// shown are the fields of a device that say how it is.
const shown = "id,name,displayName,hostGroupIds,hostStatus,alertStatus,disableAlerting,lastDataTime,lastRawdataTime,upTimeInSeconds,updatedOn"

type gone[ID any] struct {
	ID   ID   `json:"id"`
	Gone bool `json:"gone"`
}

func there[T any](db *store.DB, name resource.Name[*T], id func(*T) int64) func(context.Context, []int64) (map[int64]bool, error) {
	return func(ctx context.Context, ids []int64) (map[int64]bool, error) {
		rows, err := resource.Find(ctx, db, name, resource.Where{Field: "id", Op: "in", Value: ids})
		all := make(map[int64]bool, len(rows))
		for i := range rows {
			all[id(&rows[i])] = true
		}
		return all, err
	}
}

// Endpoints answer GET /events.
func (s *Service) Endpoints() []resource.Endpoint {
	kinds := resource.Text("Only events of these, joined by commas: alert, device")
	kinds.Default = "alert,device"
	return []resource.Endpoint{{
		Method: "GET", Path: "/events", Summary: "Tell of alerts and devices as they change",
		Right:  resource.Right{Object: resource.DeviceGroup, Op: resource.Read},
		Params: []resource.Param{{Name: "kinds", In: "query", Schema: kinds, Example: "alert"}},
		Handle: s.handle,
	}}
}

func (s *Service) handle(ctx context.Context, c *resource.Call) (any, error) {
	wanted, err := s.wanted(c.Query.Get("kinds"))
	if err != nil {
		return nil, err
	}
	names := []string{string(portal.Roles.Name), string(portal.Groups.Name)}
	for _, k := range wanted {
		names = append(names, k.name)
	}
	feed := s.db.Follow(names...) // before the first sign of life, so that no change after it is missed
	context.AfterFunc(ctx, feed.Close)
	return &resource.Answer{Events: func(send func(resource.Event) error) error {
		defer feed.Close()
		for {
			rows, lost, err := feed.Next(ctx)
			if err != nil {
				return nil // the caller has gone
			}
			if slices.ContainsFunc(rows, func(r store.Changed) bool { return slices.Contains(names[:2], r.Name) }) {
				return nil
			}
			if lost {
				rows = nil
				if err := send(resource.Event{Name: "lost", Data: struct{}{}}); err != nil {
					return err
				}
			}
			for _, k := range wanted {
				if err := k.tell(ctx, c, rows, send); err != nil {
					return err
				}
			}
		}
	}}, nil
}

func (s *Service) wanted(text string) ([]kind, error) {
	if text == "" {
		return s.kinds, nil
	}
	var wanted []kind
	for name := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(s.kinds, func(k kind) bool { return k.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fault.At("kinds", "kinds is alert, device or both, joined by a comma")
		}
		wanted = append(wanted, s.kinds[i])
	}
	return wanted, nil
}

// atOnce is how many rows are listed at a time: a filter takes no more values.
const atOnce = 90

// tell sends the rows of the kind that have changed, in the order of their ids.
func (k *kind) tell(ctx context.Context, c *resource.Call, rows []store.Changed, send func(resource.Event) error) error {
	var ids []int64
	for _, row := range rows {
		if row.Name == k.name {
			ids = append(ids, row.ID)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, atOnce) {
		items, err := k.rows(ctx, c, some)
		if err != nil {
			return err
		}
		there := map[int64]bool(nil)
		if len(items) < len(some) {
			if there, err = k.there(ctx, some); err != nil {
				return err
			}
		}
		for _, item := range items {
			if err := send(resource.Event{Name: k.name, Data: item}); err != nil {
				return err
			}
		}
		for _, id := range some {
			if there == nil || there[id] { // told above, or not for this caller
				continue
			}
			if err := send(resource.Event{Name: k.name, Data: k.event(id)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows are those of the ids that the caller may see, as the list shows them.
func (k *kind) rows(ctx context.Context, c *resource.Call, ids []int64) ([]json.RawMessage, error) {
	call := *c
	call.Query = url.Values{"size": {"1000"}, "sort": {"+id"}}
	for name, values := range k.query {
		call.Query[name] = values
	}
	filter := "id:" + strings.ReplaceAll(resource.IDs(ids).String(), ",", "|")
	if also := k.query.Get("filter"); also != "" {
		filter += "," + also
	}
	call.Query.Set("filter", filter)
	answer, err := k.list(resource.WithCall(ctx, &call), &call)
	if err != nil {
		return nil, err
	}
	var page struct{ Items []json.RawMessage }
	return page.Items, json.Unmarshal(answer.(resource.JSON), &page)
}
