package send

import (
	"bytes"
	"context"
	"net/url"
	"strings"
	"time"

	"spyglass/app/document"
	"spyglass/app/expect"
	"spyglass/app/explorer/outgoing"
	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// kindTable is the response of /checks.
type kindTable struct {
	Kinds []expect.ShownKind `json:"kinds" doc:"in the order to show them"`
}

func kinds(context.Context, *resource.Call) (*kindTable, error) {
	return &kindTable{expect.Shown(expect.Kinds)}, nil
}

// check is a check of the response to a request under way.
type check struct {
	expect.Check
	value   string // with variables filled in
	problem string // why they could not be
}

// fillChecks returns the checks of a draft that are on, with their variables filled in.
func fillChecks(v *outgoing.Values, d *workspace.Draft) []check {
	if len(d.Checks) == 0 {
		return nil
	}
	all := make([]check, 0, len(d.Checks))
	f := v.Filler(outgoing.Strict, d)
	for _, c := range d.Checks {
		if !c.On {
			continue
		}
		one := check{Check: c}
		var err error
		if one.value, err = f.Text("checks", c.Value); err == nil && len(one.value) > expect.MaxValue {
			err = fault.New(fault.Invalid, "the expected value has more than %d KiB", expect.MaxValue>>10)
		}
		if err != nil {
			one.problem = fault.Of(err).Message
		}
		all = append(all, one)
	}
	return all
}

// checkTime limits the time of all checks of one response together.
const checkTime = 10 * time.Second

// check runs the checks of the request on its response.
func (x *Exchange) check(ctx context.Context, doc *document.Document, headers [][2]string) []expect.Result {
	if len(x.checks) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
	defer cancel()
	r := &expect.Response{
		Status: x.History.Status, Headers: headers, MS: x.History.MS, Bytes: x.History.Bytes,
		Partial: selectsFields(x.Out.URL),
		Query: func(ctx context.Context, text string) (expect.Value, int, error) {
			return x.first(ctx, doc, text)
		},
		Body: func() ([]byte, error) {
			if doc.Size() > expect.MaxBody {
				return nil, fault.New(fault.TooLarge, "the response has more than %d MiB, too much to compare with a "+
					"schema", expect.MaxBody>>20)
			}
			var body bytes.Buffer
			err := doc.WriteText(&body)
			return body.Bytes(), err
		},
	}
	if x.Out.Endpoint != nil {
		r.Schema = x.Out.Endpoint.Response
	}
	results := make([]expect.Result, len(x.checks))
	for i, c := range x.checks {
		result := expect.Run(ctx, r, c.Check, c.value)
		if c.problem != "" {
			result.Passed, result.Actual, result.Problem = false, "", c.problem
		}
		results[i] = x.masked(result)
	}
	return results
}

// selectsFields reports whether a request selects only some keys of objects.
func selectsFields(address string) bool {
	if !strings.ContainsAny(address, "%") && !strings.Contains(address, "fields") { // most requests
		return false
	}
	u, err := url.Parse(address)
	return err == nil && u.Query().Has("fields")
}

// first returns the first value of a response that a query finds.
func (x *Exchange) first(ctx context.Context, doc *document.Document, text string) (v expect.Value, n int, err error) {
	if ok, problem := doc.JSON(); !ok {
		return v, 0, fault.New(fault.Invalid, "the response is not JSON: %s", problem)
	}
	q, err := x.queries.of("checks", text)
	if err != nil {
		return v, 0, err
	}
	m, n, err := doc.First(ctx, q, expect.MaxValue)
	return expect.Value{Kind: string(m.Kind), Text: m.Text, Large: m.More}, n, err
}

// masked hides the secrets of a result: those of the request, values with the name of a
// secret, and all of an endpoint that shows secrets once.
func (x *Exchange) masked(r expect.Result) expect.Result {
	once := outgoing.GivesSecrets(x.Out.Endpoint) && r.Check.Kind == expect.JSON.ID
	if x.Echoes(r.Label) {
		shown := r.Check
		shown.Value = resource.Mask
		r.Label = expect.Label(shown)
	}
	for _, text := range []*string{&r.Label, &r.Expected, &r.Actual, &r.Problem} {
		if x.Echoes(*text) {
			*text = resource.Mask
		}
	}
	if (once || outgoing.SecretTarget(r.Check.Target)) && r.Found {
		r.Actual = resource.Mask
	}
	return r
}
