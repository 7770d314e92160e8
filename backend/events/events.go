// Package events streams changes of alerts and devices to callers: GET /events.
//
// It is an endpoint like any other, and not in OpenAPI because its response
// consists of server-sent events and not JSON:
//
//	event: alert
//	data: {"id":"12","severity":3,…}
//
//	event: device
//	data: {"id":7,"displayName":"web-42","hostStatus":"dead",…}
//
// The data is the row as its list has it, for a device, the fields of its state.
// A row that was deleted, or that the caller may no longer see, is
// {"id":7,"gone":true}; only a caller who could see it gets that event. Changes
// of a row between two evaluations, at most a tenth of a second, are sent as one
// event with the latest state. An event lost with the data {} means that too much has changed to send
// each row: list again. A client that lists after the stream has begun misses
// nothing.
//
// # Who sees what
//
// Rows come from the lists, so each caller receives what they may read. When
// roles, groups or the permissions of the user change, the stream ends; the
// client reconnects with its new permissions.
//
// # Cost
//
// A change is evaluated once for all streams with the same rights (scope) rather
// than once per stream, and a scope rests between evaluations (rest). Streams are bounded: 20 a
// user and 500 in all. A stream that is not read keeps at most mostWaiting events
// in memory; then it gets lost in place of them.
//
// # Concurrency
//
// A Service is safe for concurrent use. Stop ends its streams and goroutines.
package events

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// Options set where the rows come from.
type Options struct {
	DB resource.LiveDB
	// with the lists of alerts and devices among them
	Endpoints []resource.Endpoint
	Renew     func(context.Context, *resource.Access) (*resource.Access, error) // what a caller may do now
	Guard     *service.Guard
}

// Service streams changes.
type Service struct {
	db    resource.LiveDB
	renew func(context.Context, *resource.Access) (*resource.Access, error)
	kinds []*kind
	wait  service.Group

	mu        sync.Mutex
	stopped   bool
	scopes    map[scopeKey]*scope
	listeners int           // in all
	byUser    map[int64]int // listeners
}

// kind is a kind of row that is streamed.
type kind struct {
	name  string // of the resource, and of its events
	query url.Values
	list  func(ctx context.Context, c *resource.Call) (any, error)
	gone  func(id int64) any // the event for a deleted row
}

// New returns a new Service.
func New(o Options) *Service {
	list := func(path string) func(context.Context, *resource.Call) (any, error) {
		return o.Endpoints[slices.IndexFunc(o.Endpoints, func(e resource.Endpoint) bool {
			return e.ID() == "GET "+
				path
		})].Handle
	}
	return &Service{
		db: o.DB, renew: o.Renew, wait: service.Group{Guard: o.Guard}, scopes: map[scopeKey]*scope{},
		byUser: map[int64]int{},
		kinds: []*kind{
			{
				name: string(alert.Alerts.Name), list: list(alert.Alerts.Path),
				query: url.Values{"filter": {"cleared:*"}},
				gone:  func(id int64) any { return gone[string]{strconv.FormatInt(id, 10), true} },
			},
			{
				name: string(fleet.Devices.Name), list: list(fleet.Devices.Path), query: url.Values{"fields": {shown}},
				gone: func(id int64) any { return gone[int64]{id, true} },
			},
		},
	}
}

// Stop ends all streams and waits for the goroutines that served them, no longer
// than until ctx is done.
func (s *Service) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	return s.wait.Stop(ctx)
}

// shown are the fields of a device that say how it is.
const shown = "id,name,displayName,hostGroupIds,hostStatus,alertStatus,disableAlerting,lastDataTime,lastRawdataTime," +
	"upTimeInSeconds,updatedOn"

type gone[ID any] struct {
	ID   ID   `json:"id"`
	Gone bool `json:"gone"`
}

// Endpoints returns GET /events.
func (s *Service) Endpoints() []resource.Endpoint {
	kinds := resource.Text("Only events of these kinds, comma-separated: alert, device")
	kinds.Default = "alert,device"
	return []resource.Endpoint{{
		Method: "GET", Path: "/events", Summary: "Stream changes of alerts and devices",
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
	l, err := s.join(c, wanted) // before the first sign of life, so that no change after it is missed
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { s.leave(l) })
	if err := l.ready(ctx); err != nil {
		s.leave(l)
		return nil, err
	}
	if !s.holds(ctx, l) { // the rights changed between the sign-in and now
		l.end()
	}
	return &resource.Response{Events: func(send func(...resource.Event) error) error {
		defer s.leave(l)
		return l.pass(ctx, send, func(ctx context.Context) bool { return s.holds(ctx, l) })
	}}, nil
}

func (s *Service) wanted(text string) ([]*kind, error) {
	if text == "" {
		return s.kinds, nil
	}
	var wanted []*kind
	for name := range strings.SplitSeq(text, ",") {
		i := slices.IndexFunc(s.kinds, func(k *kind) bool { return k.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fault.At("kinds", "kinds must be alert, device or both, joined by a comma")
		}
		wanted = append(wanted, s.kinds[i])
	}
	return wanted, nil
}

// Bounds of the streams that are open at a time.
const (
	mostStreams = 500
	mostPerUser = 20
)

// retry is the time after which a caller that was refused a stream may retry.
const retry = 30 * time.Second

// join adds a listener to the scopes of the kinds it subscribes to.
func (s *Service) join(c *resource.Call, wanted []*kind) (*listener, error) {
	rights, err := rightsOf(c.Access)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch user := c.Access.UserID; {
	case s.stopped:
		return nil, &fault.Error{Kind: fault.Busy, RetryAfter: retry, Message: "the portal is stopping"}
	case s.byUser[user] >= mostPerUser:
		return nil, &fault.Error{Kind: fault.TooMany, RetryAfter: retry,
			Message: "you have " + strconv.Itoa(mostPerUser) +
				" event streams open, the maximum; close one first"}
	case s.listeners >= mostStreams:
		return nil, &fault.Error{Kind: fault.Busy, RetryAfter: retry,
			Message: "this portal has " + strconv.Itoa(mostStreams) + " event streams open, the maximum; try again " +
				"later"}
	}
	l := &listener{user: c.Access.UserID, who: c.Access, rights: rights,
		wake: make(chan struct{}, 1), over: make(chan struct{})}
	s.listeners++
	s.byUser[l.user]++
	for _, k := range wanted {
		key := scopeKey{k.name, rights, c.Lenient, c.Base}
		sc := s.scopes[key]
		if sc == nil {
			sc = s.begin(key, k, c)
		}
		sc.listeners[l] = true
		if !slices.Contains(l.scopes, sc) {
			l.scopes = append(l.scopes, sc)
		}
	}
	return l, nil
}

// leave removes a listener; the last one of a scope ends it. It may be called twice.
func (s *Service) leave(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.left {
		return
	}
	l.left = true
	s.listeners--
	if s.byUser[l.user]--; s.byUser[l.user] == 0 {
		delete(s.byUser, l.user)
	}
	for _, sc := range l.scopes {
		if delete(sc.listeners, l); len(sc.listeners) == 0 {
			s.drop(sc)
		}
	}
}

// drop ends a scope; the next listener starts a new scope. s.mu is held.
func (s *Service) drop(sc *scope) {
	sc.cancel()
	if s.scopes[sc.key] == sc {
		delete(s.scopes, sc.key)
	}
}

// holds reports whether the listener still has the rights that it joined with.
func (s *Service) holds(ctx context.Context, l *listener) bool {
	access, err := s.renew(ctx, l.who)
	if err != nil {
		return false
	}
	rights, err := rightsOf(access)
	return err == nil && rights == l.rights
}

// rightsOf returns a text that is equal for users with the same rights.
func rightsOf(a *resource.Access) (string, error) {
	text, err := json.Marshal(struct {
		Admin  bool
		Grants []resource.Grant
	}{a.Admin, a.Grants})
	return string(text), err
}
