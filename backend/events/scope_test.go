package events

import (
	"testing"
	"time"
)

func TestChangesAreBatchedForManyStreams(t *testing.T) {
	if got := rest(time.Millisecond, 1); got > 10*time.Millisecond {
		t.Errorf("with one stream a scope rests %v", got)
	}
	if few, many := rest(time.Millisecond, 10), rest(time.Millisecond, 80); many < 4*few || many > longest {
		t.Errorf("a scope rests %v with 10 streams and %v with 80", few, many)
	}
	for _, got := range []time.Duration{rest(time.Minute, 1), rest(0, 500)} {
		if got != longest {
			t.Errorf("a scope rests %v, want at most %v", got, longest)
		}
	}
}
