package send

import (
	"context"

	"spyglass/app/explorer/outgoing"
	"spyglass/backend/resource"
)

// preview is a request as it would go out.
type preview struct {
	Body      string          `json:"body"`
	Headers   [][2]string     `json:"headers"`
	Method    string          `json:"method" enum:"GET|POST|PUT|PATCH|DELETE"`
	URL       string          `json:"url"`
	Variables []outgoing.Used `json:"variables"`
}

// preview shows a request as it would go out.
func (s *Sender) preview(ctx context.Context, c *resource.Call, in *OfDraft) (*preview, error) {
	t, v, out, err := s.Outgoing(ctx, c, &in.Draft, outgoing.Shown)
	if err != nil {
		return nil, err
	}
	headers := out.Headers
	for _, h := range t.Sign(out) {
		headers = append(headers, [2]string{h[0], resource.Mask})
	}
	variables := v.Seen
	if variables == nil {
		variables = []outgoing.Used{}
	}
	return &preview{out.Body, headers, out.Method, out.URL, variables}, nil
}
