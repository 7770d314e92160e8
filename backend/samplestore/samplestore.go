// Package samplestore keeps the samples of a portal in a time-series database with the
// interface of Prometheus: it sends them by remote write (package remotewrite), and reads
// them by the query API.
//
// # Location of samples
//
// The portal's own series (package series) hold the newest samples: those of the last
// Recent, and those that the store has not accepted yet. So what is newest is read without
// the store, and waits there while the store does not respond, for up to Longest. Before
// the floor, samples are only in the store; package series reads both.
//
// The floor is a mark in the portal's database. It rises once a day, before the samples
// are deleted.
//
// # Names
//
// A series has the labels that package remotewrite describes, and two by which the portal
// finds it: spyglass_portal, the id of the portal, and spyglass_series, INSTANCE-DATAPOINT.
// A renamed device begins a new series with the same spyglass_series; reading combines
// them.
//
// # Late samples
//
// Prometheus accepts a sample that is older than the newest of its series only within
// storage.tsdb.out_of_order_time_window, 0 by default. What it refuses is logged, counted,
// and lost when the floor passes it. Thanos stores the other samples of a request that it
// refuses, and may refuse those when they are sent again: the count can be too high.
//
// # Errors
//
// fault.Offline: the store does not respond, or not as Prometheus does.
package samplestore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/forward"
	"spyglass/backend/portal/ground"
	"spyglass/backend/remotewrite"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/service"
)

// Recent is the time for which the portal holds samples that the store has accepted, at least; and
// Longest how long those that it has not.
const (
	Recent  = 24 * time.Hour
	Longest = 7 * 24 * time.Hour
)

// Settings are the address of a store and how to sign in there.
type Settings struct {
	URL   string // without /api/v1/query; a user and a password in it are for basic authentication
	Write string // of remote write; URL with /api/v1/write when empty
	Token string // bearer token; empty for none
	// Tenant goes into the headers of Mimir (X-Scope-OrgID) and Thanos (THANOS-TENANT);
	// empty for none.
	Tenant string
}

// tenants are the tenants that Mimir accepts.
var tenants = regexp.MustCompile(`^[A-Za-z0-9!_.*'()-]{0,150}$`)

// Check returns the settings with Write, or an error for a wrong address.
func (s Settings) Check() (Settings, error) {
	s.URL = strings.TrimSuffix(s.URL, "/")
	s.Write = cmp.Or(s.Write, s.URL+"/api/v1/write")
	for _, text := range []string{s.URL, s.Write} {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
			return s, fault.New(fault.Invalid, "the address of the sample store must be one such as "+
				"http://prometheus.example.net:9090")
		}
	}
	if !tenants.MatchString(s.Tenant) {
		return s, fault.New(fault.Invalid, "the tenant of the sample store can have letters, digits and !-_.*'()")
	}
	return s, nil
}

// without returns an address without its user, and that user.
func without(address string) (string, *url.Userinfo) {
	u, err := url.Parse(address)
	if err != nil {
		return address, nil
	}
	user := u.User
	u.User = nil
	return u.String(), user
}

// Options configure a Store.
type Options struct {
	Settings
	Portal   string // the id of the portal
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
	Version  string           // of the program
	Log      *slog.Logger     // slog.Default when nil
	Clock    func() time.Time // time.Now when nil
	Guard    *service.Guard
	Interval int64 // seconds between requests, unless there are enough samples for one; 5 when 0
	// Others returns the time before which others have read the samples of the portal; ok is
	// false if nobody else reads them. May be nil.
	Others func() (at int64, ok bool)
}

// Store is one sample store. It implements series.Older.
type Store struct {
	writer *remotewrite.Service
	db     resource.LiveDB
	o      Options
	client *http.Client
	query  string // address of the query API
	user   *url.Userinfo
	header http.Header // of all requests
	floor  atomic.Int64
}

// batch is the number of samples in a request.
const batch = 2000

// New returns the store of a portal whose series are samples. It refuses samples from
// before the store: they would not be there.
func New(ctx context.Context, db resource.LiveDB, samples *series.DB, o Options) (*Store, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Log, o.Interval = cmp.Or(o.Log, slog.Default()), cmp.Or(o.Interval, 5)
	var err error
	if o.Settings, err = o.Check(); err != nil {
		return nil, err
	}
	s := &Store{db: db, o: o, client: &http.Client{Timeout: longestQuery,
		Transport:     &http.Transport{DialContext: o.Dial, IdleConnTimeout: 2 * time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	base, user := without(o.URL)
	s.query, s.user, s.header = base+"/api/v1/query", user, http.Header{}
	s.header.Set("User-Agent", "Spyglass/"+o.Version)
	if o.Tenant != "" {
		s.header.Set("X-Scope-OrgID", o.Tenant)
		s.header.Set("THANOS-TENANT", o.Tenant)
	}
	to := &forward.RemoteWrite{ID: forward.SampleStoreID, Enabled: true, Auth: forward.AuthNone,
		GroupID: ground.RootGroup, Interval: o.Interval, Batch: batch, Keep: int64(Longest / time.Hour)}
	var writer *url.Userinfo
	to.URL, writer = without(o.Write)
	if writer = cmp.Or(writer, user); writer != nil {
		to.Auth, to.Username = forward.AuthBasic, writer.Username()
		to.Secret, _ = writer.Password()
	}
	if o.Token != "" {
		to.Auth, to.Secret = forward.AuthBearer, o.Token
	}
	begun, err := resource.Lookup(ctx, db, forward.RemoteWriteMarks.Name, forward.SampleStoreID)
	if err != nil {
		return nil, err
	}
	if begun == nil && len(samples.Instances()) > 0 {
		return nil, fault.New(fault.Conflict, "the portal has samples already, and they cannot be moved to a sample "+
			"store yet; start without --samples, or use a new portal")
	}
	if begun == nil {
		err = s.mark(ctx, forward.SampleStoreID, o.Clock().Unix())
	}
	if err != nil {
		return nil, err
	}
	mark, err := resource.Lookup(ctx, db, forward.RemoteWriteMarks.Name, forward.SampleStoreFloorID)
	if err != nil {
		return nil, err
	}
	if mark != nil {
		s.floor.Store(int64(mark.At))
	}
	s.writer, err = remotewrite.New(ctx, db, samples, remotewrite.Options{Store: to, Portal: o.Portal, Dial: o.Dial,
		Version: o.Version, Log: o.Log, Clock: o.Clock, Guard: o.Guard, Header: s.header})
	if err != nil {
		return nil, err
	}
	samples.SetOlder(s)
	return s, nil
}

// Start starts to send, without blocking.
func (s *Store) Start(ctx context.Context) { s.writer.Start(ctx) }

// Stop stops sending; see remotewrite.Service.
func (s *Store) Stop(ctx context.Context) error { return s.writer.Stop(ctx) }

// Expect prepares for samples that the series will store; see remotewrite.Service.
func (s *Store) Expect(ctx context.Context, samples []series.Sample) (end func(), err error) {
	return s.writer.Expect(ctx, samples)
}

// Offer sends samples that the series have stored. It does not block.
func (s *Store) Offer(samples []series.Sample) { s.writer.Offer(samples) }

// Stats returns the counts of the samples that were sent.
func (s *Store) Stats() remotewrite.Stats { return s.writer.Stats() }

// Floor implements series.Older. Another node may have raised it.
func (s *Store) Floor() int64 {
	mark, err := resource.Lookup(context.Background(), s.db, forward.RemoteWriteMarks.Name, forward.SampleStoreFloorID)
	if err == nil && mark != nil {
		s.floor.Store(int64(mark.At))
	}
	return s.floor.Load()
}

// halfDay is the step of the floor in seconds.
const halfDay = 12 * 60 * 60

// Settle implements series.Older. Late samples may wait from before the floor.
func (s *Store) Settle(ctx context.Context) (int64, error) {
	to, ok := s.writer.Sent()
	if !ok {
		return 0, nil
	}
	if s.o.Others != nil {
		if at, others := s.o.Others(); others {
			to = min(to, at)
		}
	}
	to = min(to, s.o.Clock().Add(-Recent).Unix())
	if to -= to % halfDay; to <= s.Floor() {
		return to, nil
	}
	err := s.mark(ctx, forward.SampleStoreFloorID, to)
	if err == nil {
		s.floor.Store(to)
	}
	return s.Floor(), err
}

func (s *Store) mark(ctx context.Context, id, at int64) error {
	return s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) error {
		return resource.Put(ctx, tx, forward.RemoteWriteMarks.Name,
			&forward.RemoteWriteMark{ID: id, At: resource.Seconds(at)})
	})
}

// Limits of reading.
const (
	longestQuery = 30 * time.Second
	keysAtOnce   = 100
	mostRead     = 512 << 20 // bytes of a response
)

// Read implements series.Older.
func (s *Store) Read(ctx context.Context, keys []series.Key, from, to int64) ([][]series.Sample, error) {
	all := make([][]series.Sample, 0, len(keys))
	for some := range slices.Chunk(keys, keysAtOnce) {
		found, err := s.read(ctx, some, from, to)
		if err != nil {
			return nil, err
		}
		for _, key := range some {
			list := found[remotewrite.SeriesName(key)]
			slices.SortStableFunc(list, func(a, b series.Sample) int { return cmp.Compare(a.At, b.At) })
			list = slices.CompactFunc(list, func(a, b series.Sample) bool { return a.At == b.At })
			for i := range list {
				list[i].Instance, list[i].DataPoint = key.Instance, key.DataPoint
			}
			all = append(all, list)
		}
	}
	return all, nil
}

// answer is the part of a response of the query API that counts here.
type answer struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Data   struct {
		Result []struct {
			Metric map[string]string `json:"metric"`
			Values [][2]any          `json:"values"`
		} `json:"result"`
	} `json:"data"`
}

// read returns the samples by the name of their series. A range selector returns samples
// as they were stored, and texts of values have all digits.
func (s *Store) read(ctx context.Context, keys []series.Key, from, to int64) (map[string][]series.Sample, error) {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = remotewrite.SeriesName(key)
	}
	selector := fmt.Sprintf(`{%s=%q,%s=~%q}[%ds]`, remotewrite.PortalLabel, s.o.Portal, remotewrite.SeriesLabel,
		strings.Join(names, "|"), to-from) // the range begins after its first second, or with it: version 3, 2
	var out answer
	if err := s.fetch(ctx, url.Values{"query": {selector}, "time": {strconv.FormatInt(to-1, 10)},
		// Without these, Thanos and a cluster of VictoriaMetrics respond with a part of the
		// samples while a part of them is away, and Thanos with averages. dedup=false would
		// make Thanos drop what is in two chunks at the same time, such as late samples.
		"partial_response": {"false"}, "deny_partial_response": {"1"}, "max_source_resolution": {"0s"},
	}, &out); err != nil {
		return nil, err
	}
	found := map[string][]series.Sample{}
	for _, r := range out.Data.Result {
		name := r.Metric[remotewrite.SeriesLabel]
		for _, v := range r.Values {
			at, timed := v[0].(float64)
			text, valued := v[1].(string)
			value, err := strconv.ParseFloat(text, 64)
			if !timed || !valued || err != nil {
				return nil, s.strange("a value cannot be read", err)
			}
			if sec := int64(math.Round(at)); sec >= from && sec < to && !math.IsNaN(value) {
				found[name] = append(found[name], series.Sample{At: sec, Value: value})
			}
		}
	}
	return found, nil
}

func (s *Store) fetch(ctx context.Context, form url.Values, out *answer) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.query, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header = s.header.Clone()
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if s.user != nil {
		password, _ := s.user.Password()
		request.SetBasicAuth(s.user.Username(), password)
	}
	if s.o.Token != "" {
		request.Header.Set("Authorization", "Bearer "+s.o.Token)
	}
	response, err := s.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.strange("it does not respond", err)
	}
	defer response.Body.Close()
	body := io.LimitReader(response.Body, mostRead)
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(body, 4<<10))
		return s.strange("it responds with "+response.Status, fmt.Errorf("%s", text))
	}
	if err := json.NewDecoder(body).Decode(out); err != nil {
		return s.strange("its response cannot be read", err)
	}
	if out.Status != "success" {
		return s.strange("it reports an error", fmt.Errorf("%s", out.Error))
	}
	return nil
}

// strange returns the fault of a store that does not respond as it should.
func (s *Store) strange(how string, err error) error {
	s.o.Log.Warn("the sample store cannot be read: "+how, "err", err)
	return &fault.Error{Kind: fault.Offline, Err: err,
		Message: "older samples cannot be read from the sample store: " + how}
}

var _ series.Older = (*Store)(nil)
