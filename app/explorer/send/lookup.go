package send

import (
	"context"
	"encoding/json"
	"net/http"

	"spyglass/app/explorer/outgoing"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// maxLookup limits the bytes of the response to a lookup.
const maxLookup = 4 << 20

// lookedUp is the response to a lookup.
type lookedUp struct {
	Body   json.RawMessage `json:"body" doc:"null if it is not JSON"`
	Status int             `json:"status"`
}

// lookup sends a GET that the page needs for itself: names for an id, the number
// of matches. It is not recorded in the history.
func (s *Sender) lookup(ctx context.Context, c *resource.Call, in *OfDraft) (*lookedUp, error) {
	if in.Draft.Method != "GET" {
		return nil, fault.At("draft.method", "only GET requests can be looked up")
	}
	t, _, out, err := s.Outgoing(ctx, c, &in.Draft, outgoing.Strict)
	if err != nil {
		return nil, err
	}
	response, body, err := s.FetchSmall(ctx, t, out)
	if err != nil {
		return nil, err
	}
	found := &lookedUp{Status: response.StatusCode}
	if json.Valid(body) {
		found.Body = body
	}
	return found, nil
}

// FetchSmall sends a request and reads a response of at most maxLookup bytes.
func (s *Sender) FetchSmall(ctx context.Context, t *outgoing.Target,
	out *outgoing.Request) (*http.Response, []byte, error) {
	return s.FetchUpTo(ctx, t, out, maxLookup)
}

// FetchUpTo sends a request and reads a response of at most limit bytes.
func (s *Sender) FetchUpTo(ctx context.Context, t *outgoing.Target, out *outgoing.Request,
	limit int) (*http.Response, []byte, error) {
	life, done, err := s.Life.Begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	return t.Fetch(life, out, limit)
}
