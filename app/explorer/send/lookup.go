package send

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/api"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/service"
)

// maxLookup limits the bytes of the response to a lookup.
const maxLookup = 4 << 20

// maxLookups limits the lookups of one request.
const maxLookups = 8

// lookups are GETs that the page needs at the same time: the palette looks for a name
// in several lists with each key.
type lookups struct{ Drafts []workspace.Draft }

var lookupRequests = resource.Resource[*lookups]{Name: "lookups", Label: "lookup",
	Fields: []resource.Field[*lookups]{
		{Name: "drafts", At: func(l *lookups) any { return &l.Drafts }, Doc: "GETs, up to 8", Required: true},
	}}

// lookedUp is the response to a lookup.
type lookedUp struct {
	Body   json.RawMessage `json:"body" doc:"null if it is not JSON; the errorMessage if the draft was not sent"`
	Status int             `json:"status"`
}

// allLookedUp is the response to lookups.
type allLookedUp struct {
	Found []lookedUp `json:"found" doc:"in the order of the drafts"`
}

// lookup sends GETs that the page needs for itself: names for an id, the number
// of matches. They are not recorded in the history. An error of all of them is the
// error of the request.
func (s *Sender) lookup(ctx context.Context, c *resource.Call, in *lookups) (*allLookedUp, error) {
	if n := len(in.Drafts); n == 0 || n > maxLookups {
		return nil, fault.At("drafts", "there must be 1 to %d drafts", maxLookups)
	}
	for i := range in.Drafts {
		if in.Drafts[i].Method != "GET" {
			return nil, fault.At("drafts", "only GET requests can be looked up")
		}
	}
	found, errs := make([]lookedUp, len(in.Drafts)), make([]error, len(in.Drafts))
	var parts service.Parts
	for i := range in.Drafts {
		parts.Go(func() { found[i], errs[i] = s.lookupOne(ctx, c, &in.Drafts[i]) })
	}
	parts.Wait()
	if !slices.Contains(errs, nil) {
		return nil, errs[0]
	}
	for i, err := range errs {
		if err == nil {
			continue
		}
		f := fault.Of(err)
		if f.Kind == fault.Internal {
			return nil, err
		}
		text, err := json.Marshal(map[string]string{"errorMessage": f.Message})
		if err != nil {
			return nil, err
		}
		found[i] = lookedUp{Status: api.Status(f.Kind), Body: text}
	}
	return &allLookedUp{found}, nil
}

func (s *Sender) lookupOne(ctx context.Context, c *resource.Call, draft *workspace.Draft) (lookedUp, error) {
	t, _, out, err := s.Outgoing(ctx, c, draft, outgoing.Strict)
	if err != nil {
		return lookedUp{}, err
	}
	response, body, err := s.FetchSmall(ctx, t, out)
	if err != nil {
		return lookedUp{}, err
	}
	found := lookedUp{Status: response.StatusCode}
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
