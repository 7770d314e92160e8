// Package send sends drafts to portals, and keeps the requests in the history.
//
// An Exchange is one request under way: it goes out through app/explorer/outgoing, the
// response streams into a document (app/explorer/view), and a Reply holds what the
// page shows of it first. Extractors of the user and the checks of the draft run on it.
//
// The session goes out with the request and nowhere else. History, preview and
// snippets show resource.Mask in place of it and of secret variables.
//
// # Units
//
// Durations are milliseconds, sizes bytes.
//
// # Concurrency
//
// A Sender is safe for concurrent use; its fields are set before the first use. An
// Exchange belongs to one request. It makes the Reply on a goroutine beside the one
// that writes the history, and waits for it.
//
// # Errors
//
// fault.Invalid names the field of the draft. fault.Offline, with the field portal: no
// response. A response of the portal that is an error is a response like any other. A
// request that the history had no room for is sent nevertheless: Reply.NotKept says so.
package send

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
	// Before reads the object that a request is about to change. The function
	// that it returns keeps the undo record of the response, and returns the
	// effect of undoing in one sentence; empty when the request cannot be undone.
	Before(ctx context.Context, x *Exchange) (after func(ctx context.Context, doc *document.Document) string)
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
	Instance   string // the portal's id, which links to the history of this data folder contain
	Version    string
	Timeout    time.Duration // of one request

	// ClientOrigin returns the built-in portal's origin for programs; nil: that of BaseURL.
	ClientOrigin func() string

	Log *slog.Logger

	Client    *client.Client // for the built-in portal
	Documents *view.Documents
	Life      *serve.Life
	Hub       *stream.Hub

	Remote func(ctx context.Context, c *resource.Call, id int64) (*outgoing.Target, error) // returns a remote portal
	Writes Writes

	pieces  pieces // of responses
	queries queries
}

// Endpoint returns the endpoint that sends a draft.
func (s *Sender) Endpoint() resource.Endpoint {
	return serve.Post("/send", "Send a draft", &requests, s.send)
}

// DraftEndpoints returns the endpoints for drafts that do not write to the
// history.
func (s *Sender) DraftEndpoints() []resource.Endpoint {
	return []resource.Endpoint{
		serve.Post("/lookup", "Send GETs in the background", &lookupRequests, s.lookup),
		serve.Post("/preview", "Preview the request of a draft", &OfDrafts, s.preview),
		serve.Get("/checks", "List the kinds of checks", kinds),
		serve.Post("/links", "Get the link to a screen, a request, a response or a comparison", &linkRequests,
			s.writeLink),
		serve.Post("/as-role", "Send a GET as holders of another role would", &asRoleRequests, s.readAsRole),
		serve.Post("/links/open", "Read a link", &openLinkRequests, s.readLink),
	}
}
