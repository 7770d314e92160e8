package rehearse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"spyglass/app/explorer/outgoing"
	"spyglass/app/explorer/payload"
	"spyglass/backend/fault"
)

// Limits of requests.
const (
	pageSize = 1000     // items of a page
	maxPage  = 64 << 20 // bytes of a response
	maxTries = 20       // of one request that the portal refuses temporarily
	maxWait  = 10 * time.Minute
)

// side is one of the two portals.
type side struct {
	*outgoing.Target
	line  func(string)
	sleep func(ctx context.Context, d time.Duration) error
	pace  map[string]*payload.Pace // by method and list
	quota *payload.Quota           // from the last response; nil: it had none
}

// refusal is a response that is not a success.
type refusal struct {
	status  int
	problem *payload.Problem
}

func (r *refusal) Error() string {
	if r.problem != nil && r.problem.Message != "" {
		return r.problem.Message
	}
	return fmt.Sprintf("the portal responded with %d %s", r.status, http.StatusText(r.status))
}

// send sends a request, again as long as the portal refuses it temporarily, and stays
// below its rate limit. list is the path that the request belongs to. A response that is
// not a success is a *refusal.
func (s *side) send(ctx context.Context, list, method, path string, body any) ([]byte, error) {
	text := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		text = string(encoded)
	}
	for try := 1; ; try++ {
		response, got, err := s.Fetch(ctx, s.Plain(method, path, text), maxPage)
		if err != nil {
			return nil, err
		}
		if payload.IsTemporary(response.StatusCode, response.Header) && try < maxTries {
			wait := payload.RetryAfter(response.Header, time.Now())
			if wait > maxWait {
				return nil, fault.New(fault.TooMany, "%s accepts no further requests for %s", s.Name,
					wait.Round(time.Minute))
			}
			if err := s.wait(ctx, wait); err != nil {
				return nil, err
			}
			continue
		}
		if err := s.slow(ctx, method+" "+list, response.Header); err != nil {
			return nil, err
		}
		if response.StatusCode/100 != 2 {
			return nil, &refusal{response.StatusCode, payload.ProblemOf(int64(response.StatusCode),
				headersOf(response.Header), got)}
		}
		return got, nil
	}
}

func headersOf(header http.Header) (out [][2]string) {
	for name, values := range header {
		for _, v := range values {
			out = append(out, [2]string{name, v})
		}
	}
	return out
}

// slow waits as the quota of a response requires.
func (s *side) slow(ctx context.Context, of string, header http.Header) error {
	if s.pace[of] == nil {
		s.pace[of] = &payload.Pace{}
	}
	s.quota = payload.QuotaOf(headersOf(header))
	wait := s.pace[of].After(s.quota, time.Now())
	if wait <= 0 {
		return nil
	}
	return s.wait(ctx, wait)
}

func (s *side) wait(ctx context.Context, d time.Duration) error {
	s.line(fmt.Sprintf("%s limits the rate of requests: waiting %s", s.Name, d.Round(time.Second)))
	return s.sleep(ctx, d)
}

// sleep waits, unless ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// each calls do with each object of a list at a path, once for each key. list names all
// lists of the kind, which share a rate limit.
func (s *side) each(ctx context.Context, list, at string, key func(object) string, do func(object) error) error {
	seen := map[string]bool{}
	for offset := 0; ; {
		path := at + "?size=" + strconv.Itoa(pageSize) + "&offset=" + strconv.Itoa(offset)
		body, err := s.send(ctx, list, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		page, err := payload.ReadPage(body)
		if err != nil {
			return fault.New(fault.Offline, "%s did not return a list of %s: %v", s.Name, at, err)
		}
		for _, item := range page.Items {
			o, err := readObject(item)
			if err != nil {
				return err
			}
			if id := key(o); id != "" && !seen[id] { // an object may move to the next page meanwhile
				seen[id] = true
				if err := do(o); err != nil {
					return err
				}
			}
		}
		offset += len(page.Items)
		if len(page.Items) == 0 || page.Total != nil && *page.Total >= 0 && int64(offset) >= *page.Total {
			return nil
		}
	}
}

// objects returns all objects of a list, in its order.
func (s *side) objects(ctx context.Context, list string) (all []object, err error) {
	err = s.each(ctx, list, list, object.id, func(o object) error {
		all = append(all, o)
		return nil
	})
	return all, err
}

// lacks reports whether an error says that the portal does not have a list, or does not
// show it.
func lacks(err error) bool {
	var r *refusal
	return errors.As(err, &r) && (r.status == http.StatusNotFound || r.status == http.StatusForbidden ||
		r.status == http.StatusMethodNotAllowed)
}
