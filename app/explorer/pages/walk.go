package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/app/explorer/stream"
	"spyglass/backend/fault"
)

// Limits of one page.
const (
	maxPage  = 64 << 20 // bytes
	maxTries = 20       // consecutive 429s
)

// sink receives the items of a run.
type sink interface {
	page(first *int64, items []json.RawMessage) error
}

// run fetches the pages of one list.
type run struct {
	*send.Exchange
	pager *Pager
	*progressed
	*steering
	to    sink
	pace  payload.Pace
	quota *payload.Quota // from the last response; nil if there was none
	at    time.Time      // when it began
}

// refused is the response to a page request if it is not a page.
type refused struct {
	response *http.Response
	body     []byte
}

func (r *refused) Error() string {
	text := fmt.Sprintf("failed with %s", r.response.Status)
	if r.response.StatusCode == http.StatusOK {
		text += ", which is not a list"
	}
	if message := payload.MessageOf(r.body); message != "" {
		text += ": " + message
	}
	return text
}

// walk fetches page after page until the list ends. It returns the header of the
// last page. Unlike the portal's own code, it reads lists of any portal over HTTP: it
// keeps to rate limits, can be paused, and copes with totals that change.
func (r *run) walk(ctx context.Context) (header http.Header, err error) {
	for !r.whole {
		if err := r.gate(ctx, func() { r.publish("paused", 0) }); err != nil {
			return header, err
		}
		r.publish("running", 0)
		response, got, err := r.fetchPage(ctx)
		if err != nil {
			return header, err
		}
		header = response.Header
		r.take(got)
		r.History.PageSize = r.step
		if err := r.to.page(r.first, got.Items); err != nil {
			return header, err
		}
		if r.whole {
			break
		}
		if err := r.wait(ctx, r.pace.After(r.quota, time.Now())); err != nil {
			return header, err
		}
	}
	return header, nil
}

// wait waits for the time that the portal requires. A pause begins immediately,
// and wait spends the rest of the time after it.
func (r *run) wait(ctx context.Context, d time.Duration) error {
	end := time.Now().Add(d)
	for left := d; left > 0; left = time.Until(end) {
		r.publish("waiting", left)
		over := time.NewTimer(left)
		select {
		case <-over.C:
		case <-r.paused:
		case <-ctx.Done():
		}
		over.Stop()
		if err := r.gate(ctx, func() { r.publish("paused", 0) }); err != nil {
			return err
		}
	}
	return nil
}

// fetchPage fetches the next page. If the portal limits the rate, it waits as
// long as the portal requires.
func (r *run) fetchPage(ctx context.Context) (*http.Response, *payload.Page, error) {
	out := *r.Out
	out.URL = r.list.At(r.offset)
	for try := 1; ; try++ {
		response, body, err := r.FetchWhole(ctx, &out, maxPage)
		if err != nil {
			return nil, nil, err
		}
		r.quota = payload.QuotaOf(r.ShownHeaders(response.Header))
		switch {
		case payload.IsTemporary(response.StatusCode, response.Header) && try < maxTries:
			if err := r.wait(ctx, payload.RetryAfter(response.Header, time.Now())); err != nil {
				return nil, nil, err
			}
			r.publish("running", 0)
			continue
		case response.StatusCode != http.StatusOK:
			return nil, nil, &refused{response, body}
		}
		got, err := payload.ReadPage(body)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // a sign-in page, for example
			return nil, nil, &refused{response, body}
		}
		if err != nil {
			err = &fault.Error{Kind: fault.Offline, Field: "portal",
				Detail:  serve.Detail{Answered: true, Failure: serve.Incomplete},
				Err:     err,
				Message: fmt.Sprintf("the response from %s broke off after %d bytes", r.Target.Host, len(body))}
		}
		return response, got, err
	}
}

// publish sends the run's progress to the user's streams.
func (r *run) publish(state string, pause time.Duration) {
	r.Hub.Notify(r.User, "pages "+r.In.SendID, stream.PagesEvent{
		SendID: r.In.SendID, State: state, Page: r.pages, Pages: r.of(), Items: r.items, Total: r.total,
		MS: time.Since(r.at).Milliseconds(), Wait: pause.Milliseconds(), Quota: r.quota,
	})
}
