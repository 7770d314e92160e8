package rehearse

import (
	"context"
	"errors"
	"net/http"

	"spyglass/app/explorer/payload"
	"spyglass/backend/fault"
)

// PlannedKind is the number of objects of a kind that a copy would read.
type PlannedKind struct {
	Kind    string `json:"kind" doc:"the list, /device/devices"`
	Noun    string `json:"noun"`
	Count   int64  `json:"count" doc:"-1: unknown"`
	Problem string `json:"problem" doc:"why it cannot be copied; empty if it can"`
}

// CopyPlan lists the objects that a copy would read.
type CopyPlan struct {
	Kinds []PlannedKind  `json:"kinds"`
	Quota *payload.Quota `json:"quota" doc:"the portal's rate limit; null: it does not report one"`
}

// Preview counts what the portal has, with one request for each kind.
func (r *Rehearsal) Preview(ctx context.Context) (*CopyPlan, error) {
	out := &CopyPlan{Kinds: []PlannedKind{}}
	remote := r.source()
	for _, k := range kindsOf(r.Local.Catalog).all {
		one := PlannedKind{Kind: k.path, Noun: k.noun.Many, Count: -1}
		if k.path == partsPath { // counting them takes as long as reading them
			out.Kinds = append(out.Kinds, one)
			continue
		}
		body, err := remote.send(ctx, k.path, http.MethodGet, k.path+"?size=1", nil)
		switch refused := (*refusal)(nil); {
		case lacks(err):
			one.Problem = err.Error()
		case errors.As(err, &refused):
			return nil, fault.New(fault.Denied, "%s: %v", remote.Name, refused)
		case err != nil:
			return nil, err
		default:
			page, err := payload.ReadPage(body)
			if err != nil {
				return nil, fault.New(fault.Offline, "%s did not return a list of %s: %v", remote.Name, k.path, err)
			}
			if page.Total != nil && *page.Total >= 0 {
				one.Count = *page.Total
			}
		}
		out.Kinds = append(out.Kinds, one)
		if out.Quota == nil || remote.quota != nil && remote.quota.Limit < out.Quota.Limit {
			out.Quota = remote.quota
		}
	}
	return out, nil
}
