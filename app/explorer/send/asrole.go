package send

import (
	"context"
	"net/http"
	"strconv"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// asRoleRequest is the body of /as-role.
type asRoleRequest struct {
	Draft  workspace.Draft
	RoleID int64
}

var asRoleRequests = resource.Resource[*asRoleRequest]{Name: "asRole", Label: "preview",
	Fields: []resource.Field[*asRoleRequest]{
		{Name: "draft", At: func(r *asRoleRequest) any { return &r.Draft }, Doc: "A GET", Required: true},
		{Name: "roleId", At: func(r *asRoleRequest) any { return &r.RoleID }, Doc: "The role to read as",
			Required: true, Min: resource.Bound(1)},
	}}

// seenAs is the response that holders of a role would get.
type seenAs struct {
	Status   int64  `json:"status"`
	Message  string `json:"message" doc:"why it is refused; empty for a response"`
	Right    string `json:"right" doc:"permission that the role does not have"`
	Document string `json:"document" doc:"the body, to compare; empty if it is refused"`
}

// readAsRole sends a GET as holders of another role would. The portal allows that to
// administrators only, never widens what they may read, and records it in the audit
// log. It is not recorded in the history.
func (s *Sender) readAsRole(ctx context.Context, c *resource.Call, in *asRoleRequest) (*seenAs, error) {
	if workspace.PortalID(c) != workspace.BuiltIn {
		return nil, fault.New(fault.Conflict, "Only the built-in portal can preview what another role sees.")
	}
	t, _, out, err := s.Outgoing(ctx, c, &in.Draft, outgoing.Strict)
	if err != nil {
		return nil, err
	}
	if out.Method != http.MethodGet {
		return nil, fault.At("draft.method", "A preview as another role can only read. Use GET.")
	}
	out.Headers = append(out.Headers, [2]string{"X-Spyglass-As-Role", strconv.FormatInt(in.RoleID, 10)})
	response, body, err := s.FetchSmall(ctx, t, out)
	if err != nil {
		return nil, err
	}
	seen := &seenAs{Status: int64(response.StatusCode)}
	if p := payload.ProblemOf(seen.Status, nil, body); p != nil {
		seen.Message, seen.Right = p.Message, p.Right
		return seen, nil
	}
	w := s.Documents.Create(response.Header.Get("Content-Type"))
	defer w.Abort()
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	doc, err := w.Finish()
	if err != nil {
		return nil, err
	}
	seen.Document = s.Documents.Sealed(doc.ID, c.Access.UserID)
	return seen, nil
}
