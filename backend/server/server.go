// Package server is the portal as one value: New, Start, Stop.
//
// New takes the data folder for this process, opens its database, makes a new
// portal in an empty folder, and opens the listener, so that every error that
// can occur does so before anything runs. Start starts the services that floors
// lists, from the database up to HTTP. Stop is idempotent and bounded: it stops
// them in reverse order, and then the folder is free for the next process.
//
// # Concurrency
//
// All methods are safe for concurrent use. The goroutines of a Server end
// before Stop returns.
//
// # Errors
//
// A folder in use, not writable, damaged or from a newer version, and a taken
// port, are faults of kind Conflict whose sentence says what to do.
package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spyglass/backend/api"
	"spyglass/backend/backup"
	"spyglass/backend/clock"
	"spyglass/backend/demo"
	"spyglass/backend/demo/stage"
	"spyglass/backend/events"
	"spyglass/backend/fault"
	"spyglass/backend/lease"
	"spyglass/backend/localca"
	"spyglass/backend/loopback"
	"spyglass/backend/metrics"
	"spyglass/backend/monitor"
	"spyglass/backend/notify"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/setting"
	"spyglass/backend/private"
	"spyglass/backend/remotewrite"
	"spyglass/backend/report"
	"spyglass/backend/resource"
	"spyglass/backend/samplestore"
	"spyglass/backend/series"
	"spyglass/backend/service"
	"spyglass/backend/session"
	"spyglass/backend/store"
	"spyglass/backend/topology"
)

// Options configures the portal and its address.
type Options struct {
	Data string // the folder; created if it does not exist
	// Database is the address of a PostgreSQL database, which takes the place of
	// portal.db and series.db; empty: the files
	Database string
	Listen   string // address and port, "127.0.0.1:0" for a free one; empty: no listener
	Key      []byte // decrypts secrets in the database, in place of portal.db.key; store.KeySize bytes
	Version  string // of this program

	Samples samplestore.Settings // of a sample store for the portal; zero for none

	ReportLimit int // with Database: the maximum size of the file of a report, in MB; 0 for UsualReportLimit

	Socket net.Listener // is open on Listen's port already; nil: none is

	SamePort bool // with a Listen that ends in ":0": use the port of the last start again

	// lost files that the portal should start without: series.db, workspace.db,
	// portal.db.key
	Without []string

	Seed        string // file with the first devices, users and tokens of a new portal; empty: none
	Demo        bool   // fill an empty folder with the demo environment
	DemoDevices int    // number of devices of the demo; 0 for the standard company
	NoLimits    bool   // no rate limits
	NoHistory   bool   // measure nothing: no polls, and no history of the demo
	Twice       bool   // run each write twice, for tests
	TLSCert     string
	TLSKey      string

	HTTPS       bool         // serve over TLS, with a certificate authority of the data folder
	Names       []string     // host names to be served with HTTPS; localhost and Listen are in any case
	SwitchHTTPS bool         // HTTPS can be turned on beside Listen, with SetHTTPS
	Keys        localca.Keys // stores the key of the authority; nil: a file in the data folder does
	HostsFile   string       // for tests; that of the system when empty

	Workspace Workspace // the Explorer's, which moves with the portal; zero: it has none

	Collections string // the Explorer's: administrators may keep collections in folders below it; empty: none

	UpdateURL, UpdateKey string // the Explorer's: where to check for a newer version (app/updates); empty: nowhere

	Rehearsals string // folder in which the Explorer's administrators may create copies of portals; empty: none

	Agents http.Handler // serves /mcp; may be nil

	OIDC       bool   // users can sign in with the OpenID Connect provider of the settings
	OIDCSecret string // of the client, unless the settings have one

	Page  fs.FS                                            // the built UI
	Look  func(ctx context.Context, userID int64) api.Look // appearance of the page; may be nil
	Raise func(args []string)                              // handles the arguments of a second start; may be nil
	// Run handles a job that another process of the same OS user sends with Run, and
	// reports its progress in lines; nil: nothing does
	Run func(ctx context.Context, job json.RawMessage, line func(string)) (json.RawMessage, error)
	// called when no other Spyglass has Data open, before it is opened; may be
	// nil
	Held func()
	// Upgrade is called with the progress of an upgrade of the data folder to this
	// version, which can take minutes; may be nil
	Upgrade func(Progress)

	Log      *slog.Logger
	Clock    func() time.Time // time.Now when nil; with Database, corrected by the time of the database
	ClockOff time.Duration    // error of time.Now, for tests
}

// Server is one running portal.
type Server struct {
	Sessions *session.Service
	Setting  setting.Setting
	// Passwords holds the passwords of the users that this start has created, by
	// name; show them once.
	Passwords map[string]string

	o         Options
	lock      *lock
	db        *store.DB
	endpoints []resource.Endpoint
	staged    []resource.Endpoint // endpoints of a demo
	examples  []demo.Sample       // for documentation examples of resources that the demo does not fill
	takers    []taker             // for the resources that a reset of the demo recreates
	shapes    []store.Shape       // shapes of the tables that tables would add
	verifies  []func() error      // verify the declarations, in tests
	kinds     []string            // names of the resources that have endpoints
	series    *series.DB
	samples   *samples
	pace      *clock.Clock       // clock of the monitored devices: real time, unless this is a demo
	stage     *stage.Stage       // nil unless this is a demo
	remaking  sync.Mutex         // held during a reset of the demo, and permanently after the server has stopped
	leases    *lease.Keeper      // nil for a portal in files
	handlers  map[string]handler // what other nodes may request, by endpoint
	within    context.Context    // of the engine
	readiness readiness

	requests       context.Context // ends the open ones when the server stops
	cancelRequests context.CancelCauseFunc
	drainWithin    time.Duration
	onDrain        []func()
	unanswered     atomic.Int64 // number of requests that are open

	alerts   service.Group // what opens alerts about the portal itself
	engines  func() *monitor.Engine
	engine   atomic.Pointer[monitor.Engine]
	monitor  *monitor.Monitor
	reports  *report.Service
	files    report.Files // of reports
	notices  *notify.Service
	metrics  *metrics.Metrics
	events   *events.Service
	remote   *remotewrite.Service
	store    *samplestore.Store // nil: the portal has all its samples
	listener net.Listener
	handler  http.Handler // set by Start
	door     *door        // serves before Start; nil unless the databases were upgraded
	pin      string       // SHA-256 of the certificate or its key; empty without TLS
	secure   secure
	http     *http.Server
	control  *control
	guard    *service.Guard
	panics   *panics
	storage  storage
	clock    *nodeClock  // nil for a portal in files, and with a clock for tests
	full     atomic.Bool // the disk was full at the start, and is
	looking  sync.Mutex  // for room
	services service.Stack
	wait     service.Group // the server's own tasks
	stop     sync.Once
	stopped  error
	failed   chan error
}

// New opens a portal. If it fails, it closes everything again.
func New(ctx context.Context, o Options) (_ *Server, err error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	node := o.nodeClock()
	for _, name := range o.Without {
		if !slices.Contains(losable, name) {
			return nil, fault.New(fault.Invalid, "--without must be %s, not %q", strings.Join(losable, ", "), name)
		}
	}
	s := &Server{o: o, clock: node, guard: &service.Guard{Log: o.Log}, pace: clock.New(o.Clock),
		failed: make(chan error, 1)}
	s.drainWithin = drainWithin
	s.requests, s.cancelRequests = context.WithCancelCause(context.Background())
	s.services.Guard, s.wait.Guard, s.alerts.Guard, s.panics = s.guard, s.guard, s.guard, newPanics(s.guard)
	defer func() {
		s.services.Add(s.floors()...)
		if err != nil {
			_ = s.Stop(context.WithoutCancel(ctx))
		}
		if fault.Is(err, fault.Full) {
			err = &fault.Error{Kind: fault.Full, Message: fmt.Sprintf("the disk that holds the data folder %s is "+
				"full; make room on it, or choose another folder with --data", o.Data), Err: err}
		}
	}()
	if s.o.Names, err = checkHTTPS(o); err != nil {
		return nil, err
	}
	if err := private.MkdirAll(o.Data); err != nil {
		return nil, fault.New(fault.Conflict,
			"the data folder %s cannot be created (%v); choose another one with --data",
			o.Data, cause(err))
	}
	if s.lock, err = holdFolder(o); err != nil {
		return nil, err
	}
	if o.Held != nil {
		o.Held()
	}
	s.full.Store(s.reserve())
	if err := backup.Finish(o.Data); err != nil {
		return nil, err
	}
	if o.Listen != "" {
		open := listen
		if o.SamePort {
			open = listenAgain
		}
		if s.listener, err = open(o); err != nil {
			return nil, err
		}
		if s.listener, err = s.secured(s.listener); err != nil {
			return nil, err
		}
	}
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	if err := s.openHTTPS(); err != nil {
		return nil, err
	}
	if s.control, err = listenControl(o.Data); err != nil {
		return nil, err
	}
	if s.full.Load() {
		s.refuseWrites()
	}
	return s, nil
}

// holdFolder checks the data folder and locks it. It reports a folder in use
// before one of another user, so that root can find out which process uses it.
func holdFolder(o Options) (*lock, error) {
	err := checkFolder(o.Data, cmp.Or(o.Log, slog.Default()))
	if err != nil {
		if _, missing := os.Stat(filepath.Join(o.Data, lockFile)); missing != nil {
			return nil, err
		}
	}
	l, taken := takeLock(o.Data)
	if taken != nil {
		if err != nil && !errors.Is(taken, errTaken) {
			return nil, err
		}
		return nil, taken
	}
	if err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

func (s *Server) open(ctx context.Context) error {
	path := filepath.Join(s.o.Data, "portal.db")
	if err := s.samplesHavePortal(path); err != nil {
		return err
	}
	var err error
	if err = s.openDB(ctx, path); err != nil {
		return err
	}
	if s.clock != nil {
		if err := s.clock.compare(ctx, s.db.Now); err != nil {
			return err
		}
	}
	known, err := shapes()
	if err == nil {
		err = s.db.Accept(ctx, known...)
	}
	if err != nil {
		return err
	}
	if err := s.tables(); err != nil {
		return err
	}
	s.db.SetAuditor(audit.Audit)
	others, err := s.joinNodes(ctx)
	if err != nil {
		return err
	}
	if err := s.openFiles(); err != nil {
		return err
	}
	if err := s.db.Alone(ctx, func() error {
		if err := s.begin(ctx, others); err != nil {
			return err
		}
		return s.openSeries(ctx)
	}); err != nil {
		return err
	}
	s.db.SetZone(s.zone)
	if _, err := store.Add(s.db, &session.Credentials); err != nil {
		return err
	}
	if _, err := store.Add(s.db, &session.SignedIns); err != nil {
		return err
	}
	if _, err := store.Add(s.db, &session.Failures); err != nil {
		return err
	}
	if s.Sessions,
		err = session.New(s.db, session.Options{Shared: s.o.Database != "", Instance: s.Setting.Instance,
		Secure: s.overTLS(), Log: s.o.Log,
		Clock: s.o.Clock, Guard: s.guard, OIDC: session.OIDC{Serve: s.o.OIDC, Secret: s.o.OIDCSecret,
			Dial: s.dialer().DialContext}}); err != nil {
		return err
	}
	if err := s.openStage(ctx); err != nil {
		return err
	}
	if err := s.watch(ctx); err != nil {
		return err
	}
	s.measure()
	s.endpoints = append(s.endpoints, datasource.ImportEndpoints(s.db, s.endpoints)...)
	s.endpoints = append(s.endpoints, setting.VersionEndpoint(s.o.Version), datasource.ChecksEndpoint(),
		s.nodesEndpoint())
	s.endpoints = append(s.endpoints, alert.SummaryEndpoints(s.db)...)
	s.endpoints = append(s.endpoints, s.Sessions.Endpoints()...)
	s.reports = report.New(s.db, report.Options{
		Files: s.files, Access: s.Sessions.Access, Zone: s.zone, Series: s.series, Deliver: s.notices.Post,
		Origin: s.Link, Log: s.o.Log, Clock: s.pace.Now, Guard: s.guard,
	})
	s.endpoints = append(s.endpoints, s.reports.Endpoints()...)
	s.endpoints = append(s.endpoints, s.notices.Endpoints()...)
	s.endpoints = append(s.endpoints, s.realTime(s.collectors().Endpoints())...)
	s.endpoints = append(s.endpoints, s.data()...)
	s.endpoints = append(s.endpoints, s.onMonitoring(s.stories())...)
	s.endpoints = append(s.endpoints, topology.New(s.db).Endpoints()...)
	s.endpoints = append(s.endpoints, s.trials()...)
	s.endpoints = resource.WithAliases(s.endpoints)
	s.events = events.New(events.Options{DB: s.db, Endpoints: s.endpoints, Renew: s.Sessions.Renew, Guard: s.guard})
	s.endpoints = append(s.endpoints, s.events.Endpoints()...)
	return s.seed(ctx)
}

// openFiles opens the files of reports, in the data folder or in the database.
func (s *Server) openFiles() (err error) {
	if s.o.Database != "" {
		s.files = report.InDatabase(s.db, s.o.reportLimit())
		return nil
	}
	s.files, err = report.InFolder(filepath.Join(s.o.Data, report.Folder))
	return err
}

// filesIn returns the files of reports for a transaction.
func (s *Server) filesIn(tx resource.Tx) report.Files {
	if s.o.Database != "" {
		return report.InTx(tx, s.o.reportLimit())
	}
	return s.files
}

// reportLimit returns the maximum size of the file of a report in the database, in bytes.
func (o *Options) reportLimit() int64 { return int64(cmp.Or(o.ReportLimit, UsualReportLimit)) << 20 }

// UsualReportLimit is the default of Options.ReportLimit.
const UsualReportLimit = 256

// listen opens the port. Addresses other than loopback require TLS (trust.md,
// rule 1).
func listen(o Options) (net.Listener, error) {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--listen must be an address and a port, such as 127.0.0.1:8443, "+
			"not %q", o.Listen)
	}
	if !loopback.Host(host) && o.TLSCert == "" {
		return nil, fault.New(fault.Invalid, "%s can be reached from other machines: that requires --tls-cert and "+
			"--tls-key. Listen on 127.0.0.1 to stay on this one", cmp.Or(host, "every address"))
	}
	if (o.TLSCert == "") != (o.TLSKey == "") {
		return nil, fault.New(fault.Invalid, "--tls-cert and --tls-key must be used together")
	}
	l, err := o.bind()
	if err != nil {
		return nil, err
	}
	// a host name may resolve to another address
	if at, ok := l.Addr().(*net.TCPAddr); o.TLSCert == "" && (!ok || !loopback.Host(at.IP.String())) {
		_ = l.Close()
		return nil, fault.New(fault.Invalid, "%s is %s here, which can be reached from other machines. Listen on "+
			"127.0.0.1 to stay on this one", host, l.Addr())
	}
	return api.CapConns(l, o.Log), nil
}

// fingerprint returns the SHA-256 of a certificate.
func fingerprint(pair *tls.Certificate) string {
	sum := sha256.Sum256(pair.Certificate[0])
	return hex.EncodeToString(sum[:])
}

// overTLS reports whether the portal's own address is one of https.
func (s *Server) overTLS() bool { return s.o.TLSCert != "" || s.o.HTTPS }

// Endpoints returns all endpoints of the portal, for the catalog.
func (s *Server) Endpoints() []resource.Endpoint { return s.endpoints }

// DB returns the portal's database.
func (s *Server) DB() *store.DB { return s.db }

// Databases returns the functions to copy and check database files, for backups.
func (s *Server) Databases() backup.Databases { return s.o.databases(s.files) }

// Address returns the host and port of the listener, "127.0.0.1:8443".
func (s *Server) Address() string { return s.listener.Addr().String() }

// Origin returns the origin of the listener, "http://127.0.0.1:8443". The certificate of
// TLS can be for another name, that of Link.
func (s *Server) Origin() string { return s.scheme() + s.Address() }

// Link returns the origin of the portal for users, "https://portal.example.net:8443"; "" if
// it does not listen. It has the name in Options.Listen, which the certificate is for, and
// which all nodes share; without a name, it is that of Origin.
func (s *Server) Link() string {
	if s.listener == nil {
		return ""
	}
	name, _, err := net.SplitHostPort(s.o.Listen)
	if _, notName := netip.ParseAddr(name); err != nil || name == "" || notName == nil {
		return s.Origin()
	}
	_, port, _ := net.SplitHostPort(s.Address()) // of a listener
	return s.scheme() + net.JoinHostPort(name, port)
}

func (s *Server) scheme() string {
	if s.overTLS() {
		return "https://"
	}
	return "http://"
}

// Pin returns the SHA-256 in hexadecimal of the certificate that the listener has, or of its
// public key; "" without TLS.
func (s *Server) Pin() string { return s.pin }

// hosts returns the accepted Host values for a listener at address that was
// requested as listen, and is also known by more names. Browsers omit the default port of
// the scheme.
func hosts(address, listen string, secure bool, more ...string) []string {
	host, port, _ := net.SplitHostPort(address)
	names := append(slices.Clone(more), host)
	if loopback.Host(host) {
		names = append(names, "localhost")
	}
	if name, _, err := net.SplitHostPort(listen); err == nil && name != "" {
		names = append(names, name)
	}
	var hosts []string
	for _, name := range names {
		hosts = append(hosts, net.JoinHostPort(name, port))
		if usual := map[bool]string{true: "443", false: "80"}[secure]; port == usual {
			hosts = append(hosts, strings.TrimSuffix(net.JoinHostPort(name, port), ":"+port))
		}
	}
	return hosts
}

// Start serves the portal and the Explorer's endpoints, whose errors have details.
func (s *Server) Start(explorer []resource.Endpoint, details ...resource.Key) error {
	limits := s.limit
	if s.o.NoLimits {
		limits = nil
	}
	var err error
	s.handler, err = api.New(api.Options{
		Endpoints: s.endpoints, Explorer: explorer, Details: details, Page: s.o.Page, Look: s.o.Look,
		Sessions: s.Sessions, Hosts: hosts(s.Address(), s.o.Listen, s.overTLS(), s.o.Names...),
		Instance: s.Setting.Instance, Secure: s.overTLS(), HTTPS: &s.secure.hosts, Version: setting.APIVersion,
		Root:   append(s.metrics.Endpoints(), s.healthEndpoints()...),
		Agents: s.o.Agents, Observer: s.metrics, Limits: limits, Trouble: s.trouble(),
		Damaged: store.Damaged, Log: s.o.Log, Clock: s.pace.Now,
	})
	if err != nil {
		return err
	}
	if s.door == nil {
		s.http = s.newHTTP(s.handler)
	}
	return s.services.Start(context.Background())
}

// newHTTP returns the server of a handler. While the portal stops, each response closes its
// connection, so that clients behind a load balancer connect to another node.
func (s *Server) newHTTP(handler http.Handler) *http.Server {
	server := api.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.unanswered.Add(1)
		defer s.unanswered.Add(-1)
		if s.readiness.stopping.Load() {
			w.Header()["Connection"] = []string{"close"}
		}
		handler.ServeHTTP(w, r)
	}), s.o.Log)
	server.BaseContext = func(net.Listener) context.Context { return s.requests }
	return server
}

// OnDrain lets Stop call end when it begins to wait for open requests: it ends the streams
// among them, which would not end by themselves. It must be called before Stop.
func (s *Server) OnDrain(end func()) { s.onDrain = append(s.onDrain, end) }

// ServeHTTP handles a request as if it had come through the listener. It may be called
// after Start.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Failed receives the error that stopped the server.
func (s *Server) Failed() <-chan error { return s.failed }

// Stop ends everything in reverse order. It may be called twice, and on a server
// that never started.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() { s.stopped = s.services.Stop(ctx) })
	return s.stopped
}

// word returns a random text of n characters, without ambiguous characters.
func word(n int, from func([]byte)) string {
	const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	raw := make([]byte, n)
	from(raw)
	var b strings.Builder
	for _, c := range raw {
		b.WriteByte(letters[int(c)%len(letters)])
	}
	return b.String()
}
