package workspace

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestRecycleBin(t *testing.T) {
	take := func(t *testing.T, b *bin[string], user, id int64, want string) {
		t.Helper()
		if got, ok, err := b.take(t.Context(), user, id); err != nil || got != want || ok != (want != "") {
			t.Errorf("took %q, %v of user %d, id %d, want %q", got, ok, user, id, want)
		}
	}
	t.Run("each comes back once, to the one who deleted it", func(t *testing.T) {
		b := bin[string]{}
		b.put(t.Context(), 1, 7, "mine")
		take(t, &b, 2, 7, "")
		take(t, &b, 1, 7, "mine")
		take(t, &b, 1, 7, "")
	})
	t.Run("only the last come back", func(t *testing.T) {
		b := bin[string]{most: 2}
		for id, what := range []string{"a", "b", "c"} {
			b.put(t.Context(), 1, int64(id), what)
		}
		take(t, &b, 1, 0, "")
		take(t, &b, 1, 1, "b")
		take(t, &b, 1, 2, "c")
	})
	t.Run("what was deleted again has its own time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := bin[string]{keep: time.Minute}
			b.put(t.Context(), 1, 7, "first")
			time.Sleep(40 * time.Second)
			take(t, &b, 1, 7, "first")
			b.put(t.Context(), 1, 7, "second")
			time.Sleep(40 * time.Second)
			take(t, &b, 1, 7, "second")
			b.put(t.Context(), 1, 7, "third")
			time.Sleep(time.Minute + time.Second)
			synctest.Wait()
			take(t, &b, 1, 7, "")
		})
	})
}
