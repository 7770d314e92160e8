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

// measured passes new samples to their receivers.
func (s *Server) measured(samples []series.Sample) {
	s.remote.Offer(samples)
	if s.store != nil {
		s.store.Offer(samples)
	}
}
