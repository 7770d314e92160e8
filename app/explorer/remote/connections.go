package remote

import (
	"sync"

	"spyglass/app/explorer/client"
	"spyglass/app/workspace"
)

// abroad holds the connections to remote portals, separately for each. The zero
// value is ready to use.
type abroad struct {
	mu      sync.Mutex
	clients map[int64]*connected
	known   map[int64]*known
}

// connected is a client for a portal with its settings at that time.
type connected struct {
	as     settings
	may    client.Bounds
	client *client.Client
}

// settings are those of a portal that its connections depend on.
type settings struct{ base, authority, fingerprint, proxy, proxyPassword string }

func (a *abroad) hangUp() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.clients {
		c.client.CloseIdle()
	}
}

// client returns the client of a portal. It creates a new one if the portal has
// changed, or if the networks in the settings have changed, so that no open
// connection outlives a change.
func (a *abroad) client(p *workspace.Portal, proxyPassword string, may client.Bounds) (*client.Client, error) {
	as := settings{p.BaseURL, p.Authority, p.Fingerprint, p.Proxy, proxyPassword}
	a.mu.Lock()
	defer a.mu.Unlock()
	have := a.clients[p.ID]
	if have != nil && have.as == as && have.may.Equal(may) {
		return have.client, nil
	}
	client, err := client.For(p, proxyPassword, may)
	if err != nil {
		return nil, err
	}
	if have != nil {
		have.client.CloseIdle()
	}
	if p.ID == 0 { // not added yet: only a test
		return client, nil
	}
	if a.clients == nil {
		a.clients = map[int64]*connected{}
	}
	a.clients[p.ID] = &connected{as, may, client}
	return client, nil
}

// dialling returns the client for a portal, within the networks of the current
// settings.
func (r *Portals) dialling(p *workspace.Portal, proxyPassword string) (*client.Client, error) {
	may := client.Bounds{Own: r.Own}
	if r.Networks != nil {
		var err error
		if may.Networks, err = r.Networks(); err != nil {
			return nil, err
		}
	}
	return r.abroad.client(p, proxyPassword, may)
}
