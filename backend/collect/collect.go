// Package collect provides the API of remote collectors: their installation,
// and the requests they send while they run.
//
// An administrator downloads an installer: a script with a token in it that is
// good for one installation. The script fetches this portal's own program with
// that token and starts it; the program registers, and gets a credential of its
// own for it. From then on it sends heartbeats, fetches the instances it has to
// poll, runs the discovery searches that are assigned to it, and posts the
// results of both. These are endpoints like any other, below
// /setting/collectors/{id}: any user with Edit access to all settings can try
// them.
//
// # Secrets
//
// Assignments hold the properties of devices in clear, communities and passwords
// among them, for the collector's own credential; everyone else sees them masked.
//
// Installing a collector therefore gives access to them: making an installation
// token requires View access to all devices of the collector. Registering one
// again while it runs opens an alert and is noted in the audit log.
//
// # A GET that makes a token
//
// Clients of the published API download an installer with GET and run it, so it
// has to hold a token; only digests of existing tokens are kept. It stays that
// way. A page of another origin cannot send that GET (the guard of package
// api), it needs write access, its response is never cached (Once), the token
// lives for an hour and is good once, and the audit log names it. To get the
// token by POST, use downloadToken.
//
// # Concurrency
//
// All methods are safe for concurrent use.
package collect

import (
	"context"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Options configures a Service.
type Options struct {
	DB     resource.DB
	Folder string // with programs for other systems; may not exist

	// Tasks returns the instances that a collector has to poll now.
	Tasks func(ctx context.Context, r resource.Reader, collector int64) ([]check.Task, error)
	// Take stores poll results of a collector.
	Take func(ctx context.Context, collector int64, results []check.Result) error
	// Searches returns the discovery searches of a collector: instances of data
	// sources to find on devices that it polls.
	Searches func(ctx context.Context, collector int64) ([]check.Search, error)
	// TakeFinding stores the result of a search; taken is false if it was not
	// requested.
	TakeFinding func(ctx context.Context, collector int64, f *check.Finding) (taken bool, err error)
}

// Service handles the requests of remote collectors.
type Service struct {
	Options
	programs programs
	lags     lags
}

// New returns a Service.
func New(o Options) *Service { return &Service{Options: o, programs: programs{folder: o.Folder}} }

// Endpoints returns the endpoints of installers and of collectors.
func (s *Service) Endpoints() []resource.Endpoint {
	all := append(s.installEndpoints(), s.liveEndpoints()...)
	for i := range all {
		all[i].Published = collector.Collectors.PublishedPath(all[i].Path)
	}
	return all
}

const path = "/setting/collectors/{id}"

// sample is the id of the collector in examples.
const sample int64 = 2

var idParam = resource.Param{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the collector"),
	Example: sample}

func right(area string) resource.Right {
	return resource.Right{Object: resource.Setting, Area: area, Op: resource.Modify}
}

func failures(more ...resource.Failure) []resource.Failure {
	return append([]resource.Failure{
		{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong or has expired"},
		{Kind: fault.Denied, When: "the user's role does not have the permission, or the token is another collector's"},
		{Kind: fault.Unknown, When: "there is no such collector"},
		{Kind: fault.TooMany, When: "the rate limit is reached"},
	}, more...)
}

// named returns the collector in the path, if the caller may act for it.
func (s *Service) named(ctx context.Context, r resource.Reader, c *resource.Call) (*collector.Collector, error) {
	id, err := c.ID("id")
	if err != nil {
		return nil, err
	}
	if c.Access != nil && c.Access.Collector > 0 && c.Access.Collector != id {
		return nil, fault.New(fault.Denied, "the token belongs to collector %d", c.Access.Collector)
	}
	return resource.Get(ctx, r, collector.Collectors.Name, id)
}

// remote returns the collector in the path, and refuses the built-in one.
func (s *Service) remote(ctx context.Context, r resource.Reader, c *resource.Call) (*collector.Collector, error) {
	row, err := s.named(ctx, r, c)
	if err == nil && row.ID == ground.BuiltInCollector {
		return nil, fault.New(fault.Invalid, "collector 1 is built into the portal; add another one to collect from "+
			"elsewhere")
	}
	return row, err
}
