package send

import (
	"context"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// previewRequest is the body of /preview.
type previewRequest struct{ Draft workspace.Draft }

var previewRequests = resource.Resource[*previewRequest]{Name: "preview", Label: "preview",
	Fields: []resource.Field[*previewRequest]{
		{Name: "draft", At: func(p *previewRequest) any { return &p.Draft }, Doc: "What to show", Required: true},
	}}

// preview is a request as it would go out.
type preview struct {
	Body      string          `json:"body"`
	Headers   [][2]string     `json:"headers"`
	Method    string          `json:"method" enum:"GET|POST|PUT|PATCH|DELETE"`
	URL       string          `json:"url"`
	Variables []outgoing.Used `json:"variables"`
}

// preview shows a request as it would go out.
func (s *Sender) preview(ctx context.Context, c *resource.Call, in *previewRequest) (*preview, error) {
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
