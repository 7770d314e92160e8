package agent

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/service"
)

// search runs the discovery searches that the portal assigns, and posts each
// result. Searches without a result are assigned again.
func (a *agent) search(ctx context.Context) (time.Duration, error) {
	var got searches
	_, err := a.call(ctx, http.MethodGet, "/searches", "", nil, &got)
	// a portal of an earlier version runs discovery itself; if the collector was deleted, the heartbeat fails
	if fault.Is(err, fault.Unknown) {
		return assignEvery, nil
	}
	if err != nil {
		return searchEvery, err
	}
	failed := make(chan error, len(got.Items))
	room := make(chan struct{}, sideBySide)
	var running service.Parts
	for i := range got.Items {
		room <- struct{}{}
		running.Go(func() {
			defer func() { <-room }()
			response := a.find(ctx, &got.Items[i])
			err := a.postFinding(ctx, response)
			if fault.Is(err, fault.Invalid) { // the result cannot be stored, and would be the same next time
				err = a.postFinding(ctx, check.Finding{ID: response.ID, Found: []check.Found{}, Error: err.Error()})
			}
			failed <- err
		})
	}
	running.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return searchEvery, err
		}
	}
	return searchEvery, nil
}

func (a *agent) postFinding(ctx context.Context, response check.Finding) error {
	var taken struct{}
	_, err := a.call(ctx, http.MethodPost, "/findings", "", response, &taken)
	return err
}

// find queries one device.
func (a *agent) find(ctx context.Context, s *check.Search) check.Finding {
	response := check.Finding{ID: s.ID, Found: []check.Found{}}
	by := a.finds[s.Method]
	if by == nil {
		response.Error = fmt.Sprintf("this collector's version has no check %s that finds instances; install it again",
			s.Method)
		return response
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := by.Discover(ctx, *s)
	if err != nil {
		response.Error = err.Error()
		return response
	}
	response.Found = append(response.Found, found...)
	return response
}
