// Package collect is what remote collectors talk to: how one is installed, and
// the requests it lives by.
//
// An administrator downloads an installer: a script with a token in it that is
// good for one installation. The script fetches this portal's own program with
// that token and starts it; the program registers, and gets a credential of its
// own for it. From then on it sends heartbeats, fetches what it has to poll, looks
// for the instances it is asked for, and posts what came of either. These are endpoints like any other, below
// /setting/collectors/{id}: whoever may change all settings can try them.
//
// # Secrets
//
// Assignments hold the properties of devices in clear, communities and passwords
// among them, for the collector's own credential; anybody else sees them masked.
//
// Who installs a collector therefore gets them, too: making an installation token
// takes the right to view all devices of the collector. Registering one again
// while it runs opens an alert and is noted in the audit log.
//
// # A GET that makes a token
//
// Clients of the published API download an installer with GET and run it, so it has
// to hold a token: of those that exist only digests are kept. It stays that way.
// A page of another origin cannot send that GET (the guard of package api), it
// needs write access, its answer is never cached (Once), the token lives for an
// hour and is good once, and the audit log names it. Who wants the token by a
// POST uses downloadToken.
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

// Options say what a Service works with.
type Options struct {
	DB     resource.DB
	Folder string // where programs for other systems lie; may not be there

	// Tasks is what a collector has to poll now.
	Tasks func(ctx context.Context, r resource.Reader, collector int64) ([]check.Task, error)
	// Take receives what a collector has polled.
	Take func(ctx context.Context, collector int64, results []check.Result) error
	// Searches are what a collector has to look for now: instances of data sources
	// on devices that it polls.
	Searches func(ctx context.Context, collector int64) ([]check.Search, error)
	// TakeFinding receives what it found; false where it was not asked for that.
	TakeFinding func(ctx context.Context, collector int64, f *check.Finding) (taken bool, err error)
}

// Service answers remote collectors.
type Service struct {
	Options
	programs programs
	lags     lags
}

// New makes a Service.
func New(o Options) *Service { return &Service{Options: o, programs: programs{folder: o.Folder}} }

// Endpoints are those of installers and of collectors.
func (s *Service) Endpoints() []resource.Endpoint {
	return append(s.installEndpoints(), s.liveEndpoints()...)
}

const path = "/setting/collectors/{id}"

// sample is the collector that examples use.
const sample int64 = 2

var idParam = resource.Param{Name: "id", In: "path", Required: true, Schema: resource.Integer("Id of the collector"), Example: sample}

func right(area string) resource.Right {
	return resource.Right{Object: resource.Setting, Area: area, Op: resource.Modify}
}

func failures(more ...resource.Failure) []resource.Failure {
	return append([]resource.Failure{
		{Kind: fault.NoLogin, When: "nobody is signed in, or the token is wrong or has expired"},
		{Kind: fault.Denied, When: "the role lacks the right, or the token is another collector's"},
		{Kind: fault.Unknown, When: "there is no such collector"},
		{Kind: fault.TooMany, When: "the rate limit is reached"},
	}, more...)
}

// named is the collector of the path, for who may act for it.
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

// remote is named for what the built-in collector does not do.
func (s *Service) remote(ctx context.Context, r resource.Reader, c *resource.Call) (*collector.Collector, error) {
	row, err := s.named(ctx, r, c)
	if err == nil && row.ID == ground.BuiltInCollector {
		return nil, fault.New(fault.Invalid, "collector 1 is built into the portal; add another one to collect from elsewhere")
	}
	return row, err
}
