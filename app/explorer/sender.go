package explorer

import (
	"context"
	"log/slog"
	"time"

	"spyglass/app/document"
	"spyglass/app/explorer/catalog"
	"spyglass/app/explorer/client"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/app/explorer/view"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// Writes keeps the undo records of writes.
type Writes interface {
	// Before looks at what a request is about to change. The function that it
	// returns keeps the undo record of the response, and returns the effect of
	// undoing in one sentence; empty when the request cannot be undone.
	Before(ctx context.Context, x *exchange) (after func(ctx context.Context, doc *document.Document) string)
	// Says returns that sentence for a request of the history.
	Says(historyID, userID int64) string
}

// Sender sends drafts to portals. Its fields are set before the first use.
type Sender struct {
	Workspace  *workspace.Workspace
	Catalog    *catalog.Catalog           // of the built-in portal
	BaseURL    func() string              // "http://127.0.0.1:8443/api"
	Cookie     func(secret string) string // the Cookie header of a session
	PortalName func() string
	Version    string
	Timeout    time.Duration // of one request
	Log        *slog.Logger

	Client    *client.Client // for the built-in portal
	Documents *view.Documents
	Life      *serve.Life
	Hub       *stream.Hub

	Remote func(ctx context.Context, c *resource.Call, id int64) (*outgoing.Target, error) // returns a remote portal
	Writes Writes
}

// Endpoint returns the endpoint that sends a draft.
func (e *Sender) Endpoint() resource.Endpoint {
	return serve.Post("/send", "Send a draft", &sendRequests, e.send)
}

// DraftEndpoints returns the endpoints that answer about a draft, and leave the
// history as it is.
func (e *Sender) DraftEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Post("/lookup", "Ask the portal something by the way", &lookupRequests, e.lookup),
		serve.Post("/preview", "Show a draft as it would go out", &previewRequests, e.preview),
	}
}
