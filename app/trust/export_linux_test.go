package trust

import (
	"context"
	"testing"
)

// Shell exports shell for tests of quoting.
var Shell = shell

// Browsers returns the states of the browsers only.
func Browsers(ctx context.Context, a Authority) (states []State) {
	for _, db := range databases() {
		states = append(states, db.state(ctx, a))
	}
	return states
}

// AddToBrowsers adds an authority to the browsers only.
func AddToBrowsers(ctx context.Context, t *testing.T, a Authority) {
	t.Helper()
	for _, db := range databases() {
		if err := db.add(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
}

// RemoveFromBrowsers removes an authority from the browsers only.
func RemoveFromBrowsers(ctx context.Context, t *testing.T, a Authority) {
	t.Helper()
	for _, db := range databases() {
		if err := db.remove(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
}
