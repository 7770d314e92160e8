// Package address serves the portal's address for clients on this machine: whether it is
// served over HTTPS, under which names, and whether this computer trusts its certificate.
//
// The endpoints are for administrators. In the desktop, those that change something are
// for the window only, because they change the computer of its user. A portal
// that spyglass serve serves only shows its address: the command line sets it.
//
// # Concurrency
//
// An Address is safe for concurrent use; its fields are set before the first use. One
// change of the trust stores runs at a time, on the goroutine of its request; the
// system may ask the user for a password.
//
// # Errors
//
// fault.Invalid names the field port or names. fault.Conflict: the port is taken, or
// the command line decides. fault.Denied: the caller is no administrator, or a store of
// the whole computer was not changed, with the command that does it.
package address

import (
	"context"
	"sync"

	"spyglass/app/explorer/serve"
	"spyglass/app/trust"
	"spyglass/backend/fault"
	"spyglass/backend/localca"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

// Portal is the part of the portal that serves HTTPS.
type Portal interface {
	HTTPSState() server.HTTPSState
	SetHTTPS(ctx context.Context, to server.HTTPS) error
	Note(ctx context.Context, sentence string) error // in the audit log, about a call
}

// Trust changes the trust stores of this computer; trust.Computer does.
type Trust interface {
	States(ctx context.Context, a trust.Authority) []trust.State
	Add(ctx context.Context, a trust.Authority) error
	Remove(ctx context.Context, a trust.Authority) error
}

// Address serves the address for clients.
type Address struct {
	Portal  Portal
	Trust   Trust
	Folder  string // the data folder, as an absolute path
	Desktop bool   // there is a window on this computer

	changing sync.Mutex // held while trust stores change
}

// Endpoints returns the endpoints of the address.
func (a *Address) Endpoints() []resource.Endpoint {
	writes := serve.OnlyWindow(a.Desktop,
		serve.Post("/https", "Turn HTTPS on or off, or change its port and names", &settings, a.set),
		serve.Call("POST", "/https/trust", "Make this computer trust the portal's certificate authority",
			a.change("Trusted the certificate authority on this computer", Trust.Add)),
		serve.Call("POST", "/https/untrust", "Make this computer forget the portal's certificate authority",
			a.change("Removed the certificate authority from this computer", Trust.Remove)),
	)
	return serve.OnlyAdministrators(append(writes,
		serve.Get("/https", "Get the address for clients on this machine", a.show))...)
}

// httpsAddress is the address as it is now.
type httpsAddress struct {
	On         bool         `json:"on"`
	Port       int          `json:"port" doc:"the one that is used when it is on"`
	Names      []string     `json:"names" doc:"host names besides localhost and the loopback address"`
	Switchable bool         `json:"switchable" doc:"the caller may change it; otherwise the command line decides"`
	Problem    string       `json:"problem" doc:"why it is on, but not served; empty if it is served"`
	Addresses  []string     `json:"addresses" doc:"origins, those with a name first"`
	HostsFile  string       `json:"hostsFile" doc:"path of this computer's hosts file"`
	HostsLine  string       `json:"hostsLine" doc:"line that the hosts file lacks; empty if it has all names"`
	Elsewhere  []string     `json:"elsewhere" doc:"names that the hosts file leads to another computer"`
	Authority  string       `json:"authority" doc:"path of the authority's certificate; empty if there is none"`
	Expires    int64        `json:"expires" doc:"when the authority expires, in epoch milliseconds; 0 if there is none"`
	Stores     []trustStore `json:"stores" doc:"trust stores of this computer; none without a window or an authority"`
}

// trustStore is one place in which programs look for authorities.
type trustStore struct {
	Name    string `json:"name"`
	Trusted bool   `json:"trusted"`
	Problem string `json:"problem" doc:"what prevents it; empty if nothing does"`
	Command string `json:"command" doc:"for a terminal, that makes it trust the authority; empty if none is needed"`
}

func (a *Address) show(ctx context.Context, c *resource.Call) (*httpsAddress, error) {
	state := a.Portal.HTTPSState()
	out := &httpsAddress{On: state.On, Port: state.Port, Names: given(state.Names),
		Switchable: state.Switchable && c.Session.Window, Problem: state.Problem, Addresses: given(state.Addresses),
		HostsFile: state.Hosts.File, HostsLine: state.Hosts.Line, Elsewhere: given(state.Hosts.Other),
		Stores: []trustStore{}}
	authority, err := trust.Of(a.Folder)
	if fault.Is(err, fault.Unknown) {
		return out, nil
	}
	if err != nil {
		out.Problem = fault.Sentence(err)
		return out, nil
	}
	out.Authority, out.Expires = localca.File(a.Folder), authority.Cert.NotAfter.UnixMilli()
	if a.Desktop && c.Session.Window {
		for _, s := range a.Trust.States(ctx, authority) {
			out.Stores = append(out.Stores, trustStore{s.Store, s.Trusted, s.Problem, s.Command})
		}
	}
	return out, nil
}

// given returns a list that JSON shows as one.
func given(list []string) []string { return append([]string{}, list...) }

// setting is the body of POST /https.
type setting struct {
	On    bool
	Port  int64
	Names []string
}

var settings = resource.Resource[*setting]{Name: "https", Label: "HTTPS", Fields: []resource.Field[*setting]{
	{Name: "on", At: func(s *setting) any { return &s.On }, Doc: "Serve HTTPS", Required: true},
	{Name: "port", At: func(s *setting) any { return &s.Port }, Doc: "Its port; 443 is the one that clients use " +
		"without being told", Default: int64(server.UsualHTTPSPort), Min: new(int64(1)), Max: new(int64(65535))},
	{Name: "names", At: func(s *setting) any { return &s.Names }, Doc: "Host names, such as acme.example.test"},
}}

func (a *Address) set(ctx context.Context, c *resource.Call, in *setting) (*httpsAddress, error) {
	ctx = resource.WithCall(ctx, c)
	if err := a.Portal.SetHTTPS(ctx, server.HTTPS{On: in.On, Port: int(in.Port), Names: in.Names}); err != nil {
		return nil, err
	}
	return a.show(ctx, c)
}

// change returns an endpoint that changes the trust stores of this computer.
func (a *Address) change(sentence string, do func(Trust, context.Context, trust.Authority) error,
) func(context.Context, *resource.Call) (*httpsAddress, error) {
	return func(ctx context.Context, c *resource.Call) (*httpsAddress, error) {
		if !a.Desktop {
			return nil, fault.New(fault.Conflict, "this portal runs without a window. Use spyglass trust and spyglass "+
				"untrust on the computer whose programs use it")
		}
		authority, err := trust.Of(a.Folder)
		if err != nil {
			return nil, err
		}
		if !a.changing.TryLock() {
			return nil, fault.New(fault.Conflict, "the system already asks for a password; enter it first")
		}
		defer a.changing.Unlock()
		if err := do(a.Trust, ctx, authority); err != nil {
			return nil, err
		}
		if err := a.Portal.Note(resource.WithCall(ctx, c), sentence); err != nil {
			return nil, err
		}
		return a.show(ctx, c)
	}
}
