package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"spyglass/app/explorer/send"
	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// maxItemBytes limits the bytes of the items that Items returns.
const maxItemBytes = 64 << 20

// Items fetches all pages of a list from its beginning, and returns its items and the
// request. It reports its progress as the page's runs do. The list is not added to the
// history. It returns fault.TooLarge for more than most items, or more than 64 MiB.
func (p *Pager) Items(ctx context.Context, c *resource.Call, in *send.Request,
	most int) ([]json.RawMessage, *send.Exchange, error) {
	if in.Draft.Method != "" && in.Draft.Method != "GET" {
		return nil, nil, fault.At("draft.method", "only GET requests can be sent page by page")
	}
	x, err := p.Exchange(ctx, c, in)
	if err != nil {
		return nil, nil, err
	}
	life, done, err := p.Life.Begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	life, stop := context.WithCancelCause(life)
	defer stop(nil)
	to := &collected{most: most, left: maxItemBytes}
	r := &run{Exchange: x, pager: p, steering: newSteering(stop), at: time.Now(), progressed: newRun(x, true), to: to}
	r.offset = 0
	_, err = r.walk(life)
	if no := new(refused); errors.As(err, &no) {
		message := fmt.Sprintf("%s: page %d %s", x.Target.Name, r.pages+1, no)
		if no.response.StatusCode == http.StatusUnauthorized {
			message = x.Target.Name + " requires a sign-in; sign in to it, and try again"
		}
		err = &fault.Error{Kind: fault.Offline, Field: "portal", Message: message,
			Detail: serve.Detail{Answered: true, Status: no.response.Status}}
	}
	return to.items, x, err
}

// collected is the sink that keeps items in memory.
type collected struct {
	items []json.RawMessage
	most  int
	left  int // bytes
}

func (s *collected) page(_ *int64, items []json.RawMessage) error {
	for _, item := range items {
		s.left -= len(item)
	}
	if s.items = append(s.items, items...); len(s.items) > s.most || s.left < 0 {
		return fault.New(fault.TooLarge, "the list has more than %d items or %d MiB; add a filter", s.most,
			maxItemBytes>>20)
	}
	return nil
}
