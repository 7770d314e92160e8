package script

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// tokenRequest is the body of /tokens and of /tokens/plan.
type tokenRequest struct {
	Draft workspace.Draft
	Note  string
	Days  int64
}

// longestDays limits the life of a token for a snippet.
const longestDays = 365

var tokenRequests = resource.Resource[*tokenRequest]{Name: "snippetToken", Label: "token",
	Fields: []resource.Field[*tokenRequest]{
		{Name: "draft", At: func(r *tokenRequest) any { return &r.Draft }, Doc: "The request that the token is for",
			Required: true},
		{Name: "note", At: func(r *tokenRequest) any { return &r.Note }, Doc: "Purpose of the token", MaxLen: 255},
		{Name: "days", At: func(r *tokenRequest) any { return &r.Days }, Doc: "How long it works", Default: int64(7),
			Min: resource.Bound(1), Max: resource.Bound(longestDays)},
	}}

// tokenPlan describes the limits of a token for a request.
type tokenPlan struct {
	Right  string `json:"right" doc:"permission that the request needs"`
	Role   string `json:"role" doc:"name of the role that has this permission and no other"`
	RoleID int64  `json:"roleId" doc:"0: the role does not exist yet"`
}

// madeToken is a new token for a request. Nothing can show its secret again.
type madeToken struct {
	ID         int64  `json:"id"`
	AdminID    int64  `json:"adminId" doc:"its user"`
	Note       string `json:"note"`
	Role       string `json:"role"`
	NewRole    bool   `json:"newRole" doc:"the role was created for it"`
	ExpiresOn  int64  `json:"expiresOn" doc:"epoch seconds"`
	Shell      string `json:"shell" doc:"the command that sets it in a POSIX shell"`
	PowerShell string `json:"powerShell" doc:"the command that sets it in PowerShell"`
}

// planToken returns the least role for the request of a draft.
func (s *Scripts) planToken(ctx context.Context, c *resource.Call, in *tokenRequest) (*tokenPlan, error) {
	t, right, err := s.rightOf(ctx, c, &in.Draft)
	if err != nil {
		return nil, err
	}
	role, err := s.leastRole(ctx, t, right, privilegesFor(c.Access, right))
	if err != nil {
		return nil, err
	}
	return &tokenPlan{Right: right.String(), Role: role.Name, RoleID: role.ID}, nil
}

// makeToken creates a token of the caller that expires, and can do no more than the
// request of a draft needs. It creates the role for it if none fits. The token is
// only in the response: neither the history nor the log has it.
func (s *Scripts) makeToken(ctx context.Context, c *resource.Call, in *tokenRequest) (*madeToken, error) {
	t, right, err := s.rightOf(ctx, c, &in.Draft)
	if err != nil {
		return nil, err
	}
	role, err := s.leastRole(ctx, t, right, privilegesFor(c.Access, right))
	if err != nil {
		return nil, err
	}
	made := &madeToken{AdminID: c.Access.UserID, Role: role.Name, NewRole: role.ID == 0,
		Note:      cmp.Or(strings.TrimSpace(in.Note), "Snippet: "+in.Draft.Method+" "+in.Draft.Path),
		ExpiresOn: time.Now().Add(time.Duration(in.Days) * 24 * time.Hour).Unix()}
	if made.NewRole {
		if err := s.call(ctx, t, "POST", "/setting/roles", role, role); err != nil {
			return nil, err
		}
	}
	var token struct {
		ID     int64
		Bearer string
	}
	path := fmt.Sprintf("/setting/admins/%d/apitokens", made.AdminID)
	made.Note = string([]rune(made.Note)[:min(255, len([]rune(made.Note)))])
	err = s.call(ctx, t, "POST", path, map[string]any{"note": made.Note, "roleId": role.ID,
		"expiresOn": made.ExpiresOn}, &token)
	made.ID = token.ID
	made.Shell, made.PowerShell = "export SPYGLASS_TOKEN='"+token.Bearer+"'", "$env:SPYGLASS_TOKEN = '"+token.Bearer+"'"
	return made, err
}

// rightOf returns the portal and the right that its catalog declares for a draft.
func (s *Scripts) rightOf(ctx context.Context, c *resource.Call, d *workspace.Draft) (*outgoing.Target, resource.Right,
	error) {
	if workspace.PortalID(c) != workspace.BuiltIn {
		return nil, resource.Right{}, fault.New(fault.Conflict, "Tokens can be created for the built-in portal only. "+
			"Create one at the other portal.")
	}
	t, _, out, err := s.Outgoing(ctx, c, d, outgoing.Shown)
	if err != nil {
		return nil, resource.Right{}, err
	}
	if out.Endpoint == nil {
		return nil, resource.Right{}, fault.At("path", "the catalog has no %s %s, so the permission that it needs is "+
			"unknown", out.Method, out.Path)
	}
	right := out.Endpoint.Right
	// The response would show a secret that outlives the token.
	if right.Lasts() || out.Endpoint.Once {
		return nil, right, fault.New(fault.Conflict, "A limited token cannot change users, roles, tokens or reports, "+
			"or create installers. Create a token in the Monitor, under Settings, API tokens.")
	}
	return t, right, nil
}

// role is a role of the portal, as far as it matters here.
type role struct {
	ID          int64              `json:"id,omitempty"`
	Name        string             `json:"name"`
	Description string             `json:"description"`
	Privileges  []people.Privilege `json:"privileges"`
}

// privilegesFor returns the privileges for a right, on those objects on which the
// caller has it. A right that every user has needs none.
func privilegesFor(who *resource.Access, right resource.Right) []people.Privilege {
	of := func(id string) people.Privilege {
		return people.Privilege{ObjectType: string(right.Object), ObjectID: id, Operation: right.Op.String()}
	}
	switch right.Object {
	case resource.Open, resource.Anyone:
		return []people.Privilege{}
	case resource.Setting:
		return []people.Privilege{of(right.Area)}
	case resource.Explorer:
		return []people.Privilege{of("*")}
	}
	all, ids := who.In(right.Object, right.Op)
	if all {
		return []people.Privilege{of("*")}
	}
	out := []people.Privilege{}
	for _, id := range ids {
		out = append(out, of(fmt.Sprint(id)))
	}
	return out
}

// leastRole returns the role of the portal with exactly these privileges, or one
// without an id that is to be created.
func (s *Scripts) leastRole(ctx context.Context, t *outgoing.Target, right resource.Right,
	needed []people.Privilege) (*role, error) {
	var page struct{ Items []role }
	if err := s.call(ctx, t, "GET", "/setting/roles?size=1000&sort=id&fields=id,name,privileges", nil,
		&page); err != nil {
		return nil, err
	}
	wanted := normal(needed)
	taken := map[string]bool{}
	for i := range page.Items {
		if slices.Equal(normal(page.Items[i].Privileges), wanted) {
			return &page.Items[i], nil
		}
		taken[strings.ToLower(page.Items[i].Name)] = true
	}
	fresh := &role{Description: "Exactly what API tokens for one kind of request need", Privileges: needed}
	base := "token: " + right.String()
	fresh.Name = base
	for n := 2; taken[strings.ToLower(fresh.Name)]; n++ {
		fresh.Name = fmt.Sprintf("%s (%d)", base, n)
	}
	return fresh, nil
}

// normal returns what privileges allow, in a form that can be compared.
func normal(privileges []people.Privilege) []string {
	out := []string{}
	for _, p := range privileges {
		id := p.ObjectID
		if p.ObjectType == string(resource.DeviceGroup) && id == "1" { // the root group
			id = "*"
		}
		out = append(out, p.ObjectType+" "+id+" "+p.Operation)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// call sends a request of the page's own to the portal, with the caller's session. It
// is in no history.
func (s *Scripts) call(ctx context.Context, t *outgoing.Target, method, path string, body, into any) error {
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	response, reply, err := s.FetchSmall(ctx, t, t.Plain(method, path, text))
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		kind := fault.Conflict
		switch response.StatusCode {
		case http.StatusForbidden:
			kind = fault.Denied
		case http.StatusUnauthorized:
			kind = fault.NoLogin
		}
		return fault.New(kind, "%s", cmp.Or(payload.MessageOf(reply), response.Status))
	}
	return json.Unmarshal(reply, into)
}
