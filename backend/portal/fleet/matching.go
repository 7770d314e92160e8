package fleet

import (
	"context"
	"slices"

	"spyglass/backend/appliesto"
	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// Matches lists the devices to which an expression applies.
type Matches struct {
	Total    int64     `json:"total" doc:"how many devices it applies to, of those that the caller can view"`
	SearchID *string   `json:"searchId" doc:"always null"`
	Items    []Matched `json:"items" doc:"the first of them, by id"`
	Data     *string   `json:"data" doc:"always null"`
}

// Matched is a device that the expression applies to.
type Matched struct {
	ID          int64  `json:"id" doc:"id of the device"`
	DisplayName string `json:"displayName" doc:"display name"`
}

// shownMatches limits the devices in the response.
const shownMatches = 20

// MatchesEndpoint declares GET /device/devices/matching.
func MatchesEndpoint(r resource.Reader) resource.Endpoint {
	schema := resource.SchemaOf(Matches{})
	text := resource.Text("The expression, as in appliesTo of a data source or a group")
	text.MaxLen = appliesto.MaxBytes
	const example = `hasCategory("linux")`
	return resource.Endpoint{
		Method: "GET", Path: "/device/devices/matching", Category: ground.CategoryDevices,
		Summary: "Try an appliesTo expression",
		Doc: "Returns how many devices an expression applies to, and the first of them, without storing it. " +
			"Groups that the caller cannot view are ignored.",
		Right:    resource.Right{Object: resource.DeviceGroup, Op: resource.Read},
		Params:   []resource.Param{{Name: "appliesTo", In: "query", Required: true, Schema: text, Example: example}},
		Response: &schema, Example: resource.Example{Query: [][2]string{{"appliesTo", example}}},
		Errors: []resource.Failure{
			{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
			{Kind: fault.Denied, When: "the user's role does not have the permission"},
			{Kind: fault.Invalid, When: "the expression is invalid; errorDetail has the reason"},
			{Kind: fault.TooMany, When: "the rate limit is reached"},
		},
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			return matching(ctx, r, c.Access, c.Query.Get("appliesTo"))
		},
	}
}

// matching evaluates the expression for all devices that who may view, a thousand
// at a time to limit memory.
func matching(ctx context.Context, r resource.Reader, who *resource.Access, text string) (*Matches, error) {
	functions, err := resource.Find(ctx, r, datasource.FunctionRows)
	if err != nil {
		return nil, err
	}
	expr, err := appliesto.Parse(text, datasource.CodeOf(functions))
	if err != nil {
		return nil, datasource.FieldError("appliesTo", err)
	}
	a, err := ApplyingOf(ctx, r)
	if err != nil {
		return nil, err
	}
	out := &Matches{Items: []Matched{}}
	for last := int64(0); ; {
		devices, err := resource.Find(ctx, r, DeviceRows, resource.Where{Field: "id", Op: ">", Value: last},
			resource.SeenBy(who, resource.Read), resource.Limit(placed))
		if err != nil || len(devices) == 0 {
			return out, err
		}
		last = devices[len(devices)-1].ID
		for i := range devices {
			if ctx.Err() != nil {
				return nil, tooLong(ctx)
			}
			s := a.subject(&devices[i])
			s.static = slices.DeleteFunc(s.static, func(id int64) bool { return !MayRead(who, id) })
			if !expr.Match(s) {
				continue
			}
			if out.Total++; len(out.Items) < shownMatches {
				out.Items = append(out.Items, Matched{devices[i].ID, devices[i].DisplayName})
			}
		}
	}
}

// tooLong returns the error for an expression that timed out before it was
// evaluated for all devices.
func tooLong(ctx context.Context) error {
	return &fault.Error{Kind: fault.Invalid, Field: "appliesTo",
		Message: "appliesTo takes longer than a query may; use simpler regular expressions", Err: ctx.Err()}
}
