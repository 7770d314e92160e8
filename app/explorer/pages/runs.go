package pages

import (
	"context"
	"errors"
	"sync"

	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// runs holds the active runs, and those that ended early and can be resumed.
type runs struct {
	mu       sync.Mutex
	under    map[runKey]*steering
	partial  map[string]*progressed // by document
	partials []string               // oldest first
}

type runKey struct {
	user int64
	send string
}

// maxPartial limits the runs that ended early and can still be resumed.
const maxPartial = 32

// steering pauses, resumes and ends an active run for the user.
type steering struct {
	stop context.CancelCauseFunc
	file *disk // sink of the run; nil for the screen. Guarded by the lock of runs

	mu     sync.Mutex
	held   chan struct{} // closed when the run may continue; nil while it is not paused
	paused chan struct{} // receives when a pause is requested, to end a wait
}

func newSteering(stop context.CancelCauseFunc) *steering {
	return &steering{stop: stop, paused: make(chan struct{}, 1)}
}

var errEnough = errors.New("stopped")

func (r *runs) begin(key runKey, s *steering) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.under[key] != nil {
		return fault.New(fault.Conflict, "this request is already running")
	}
	if r.under == nil {
		r.under = map[runKey]*steering{}
	}
	r.under[key] = s
	return nil
}

func (r *runs) end(key runKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.under, key)
}

// leave stores the progress of a run that ended early, by its document.
func (r *runs) leave(document string, p *progressed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.partial == nil {
		r.partial = map[string]*progressed{}
	}
	r.partial[document] = p
	if r.partials = append(r.partials, document); len(r.partials) > maxPartial {
		delete(r.partial, r.partials[0])
		r.partials = r.partials[1:]
	}
}

func (r *runs) left(document string) (*progressed, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.partial[document]
	if p == nil {
		return nil, fault.New(fault.Unknown, "these pages are no longer stored; fetch all pages again")
	}
	return p, nil
}

// gate blocks while the run is paused, and calls onPause when that begins.
func (s *steering) gate(ctx context.Context, onPause func()) error {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held != nil {
		onPause()
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

func (s *steering) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = make(chan struct{})
	}
	select {
	case s.paused <- struct{}{}:
	default:
	}
}

func (s *steering) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}

// steerRequest is the body of /pages/{sendId}/steer.
type steerRequest struct{ Do string }

var steerings = resource.Resource[*steerRequest]{Name: "steering", Label: "steering",
	Fields: []resource.Field[*steerRequest]{
		{Name: "do", At: func(s *steerRequest) any { return &s.Do }, OneOf: []any{"pause", "resume", "stop"},
			Required: true,
			Doc:      "pause after the current page, resume, or stop and keep the received pages"},
	}}

func (p *Pager) steer(_ context.Context, c *resource.Call, in *steerRequest) (nothing serve.Nothing, err error) {
	p.runs.mu.Lock()
	s := p.runs.under[runKey{c.Access.UserID, c.Vars["sendId"]}]
	p.runs.mu.Unlock()
	if s == nil {
		return nothing, fault.New(fault.Unknown, "this request is no longer running")
	}
	switch in.Do {
	case "pause":
		s.pause()
	case "resume":
		s.resume()
	default:
		s.stop(errEnough)
	}
	return nothing, nil
}
