package server

import (
	"context"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/samplestore"
	"spyglass/backend/series"
)

// openStore opens the sample store, if there is one. Demos have a past, which a store
// would refuse.
func (s *Server) openStore(ctx context.Context, dialer *check.Dialer) (err error) {
	if s.o.Samples.URL == "" {
		return nil
	}
	if s.Setting.Demo {
		return fault.New(fault.Invalid, "a demo portal cannot have a sample store; start it without --samples")
	}
	s.store, err = samplestore.New(ctx, s.db, s.series, samplestore.Options{Settings: s.o.Samples,
		Portal: s.Setting.Instance, Dial: dialer.DialContext, Version: s.o.Version, Log: s.o.Log, Clock: s.o.Clock,
		Guard: s.guard, Others: s.remote.Sent})
	return err
}

// receiver forwards samples.
type receiver interface {
	Expect(ctx context.Context, samples []series.Sample) (end func(), err error)
	Offer(samples []series.Sample)
}

// append stores samples, and passes them to their receivers.
func (s *Server) append(ctx context.Context, samples []series.Sample) error {
	if len(samples) == 0 {
		return nil
	}
	to := []receiver{s.remote}
	if s.store != nil {
		to = append(to, s.store)
	}
	for _, one := range to {
		end, err := one.Expect(ctx, samples)
		if err != nil {
			return err
		}
		defer end()
	}
	if err := s.series.Append(ctx, samples); err != nil {
		return err
	}
	for _, one := range to {
		one.Offer(samples)
	}
	return nil
}
