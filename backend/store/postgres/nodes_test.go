package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
	"spyglass/backend/store/postgres"
	"spyglass/backend/store/postgres/pgtest"
)

var lamps = &engine.Table{Name: "lamp",
	Columns: []engine.Column{{Name: "id"}, {Name: "name", Kind: resource.KindText}},
	Indexes: []engine.Index{{Name: "lamp has one name", Columns: []string{"name"}, Unique: true}}}

func node(t *testing.T, address string, alone bool) engine.Database {
	t.Helper()
	db, err := postgres.Engine{}.Open(t.Context(), address, engine.Options{Readers: 2, Alone: alone})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func lamp(id int64, name string) []any { return []any{id, name, []byte("{}")} }

func TestDeferredInsertThatIsRefusedEndsItsTransactionAsAgain(t *testing.T) {
	for _, alone := range []bool{false, true} {
		db := node(t, pgtest.Database(t), alone)
		w := db.Writer()
		if err := errors.Join(w.Prepare(t.Context(), 1), w.Define(t.Context(), lamps), w.Begin()); err != nil {
			t.Fatal(err)
		}
		w.(engine.Deferring).Defer()
		if err := errors.Join(w.Savepoint("job"), w.Insert(t.Context(), lamps, lamp(1, "red")), w.Release("job"),
			w.Savepoint("job"), w.Insert(t.Context(), lamps, lamp(2, "red"))); err != nil {
			t.Errorf("the inserts were not deferred: %v", err)
		}
		if err := w.Commit(); (postgres.Engine{}).Class(err) != engine.Again {
			t.Errorf("the commit returned %v", err)
		}
		if err := errors.Join(w.Rollback(), w.Begin(), w.Insert(t.Context(), lamps, lamp(1, "red"))); err != nil {
			t.Fatal(err)
		}
		if err := w.Insert(t.Context(), lamps, lamp(2, "red")); (postgres.Engine{}).Class(err) != engine.Taken {
			t.Errorf("the repeated insert returned %v", err)
		}
		if err := w.Commit(); err != nil {
			t.Error(err)
		}
		if err := w.Begin(); err != nil {
			t.Fatal(err)
		}
		w.(engine.Deferring).Defer()
		err := errors.Join(w.Insert(t.Context(), lamps, lamp(3, "green")), w.Savepoint("job"),
			w.Insert(t.Context(), lamps, lamp(4, "blue")), w.RollbackTo("job"), w.Release("job"), w.Commit())
		last, failed := w.LastID(t.Context(), lamps)
		if err = errors.Join(err, failed); err != nil || last != 3 {
			t.Errorf("the last row is %d, want 3: %v", last, err)
		}
	}
}

func TestNewNodesCanStartConcurrently(t *testing.T) {
	address := pgtest.Database(t)
	nodes := []engine.Database{node(t, address, false), node(t, address, false), node(t, address, false)}
	ranges := make([]int64, len(nodes))
	var wait sync.WaitGroup
	for i, db := range nodes {
		wait.Go(func() {
			w := db.Writer()
			err := errors.Join(w.Prepare(t.Context(), 1), w.Define(t.Context(), lamps))
			first, _, failed := w.Reserve(t.Context(), lamps, 1)
			if err = errors.Join(err, failed); err == nil {
				err = w.Insert(t.Context(), lamps, lamp(first, fmt.Sprint(i)))
			}
			if ranges[i] = first; err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if ranges[0] == ranges[1] || ranges[0] == ranges[2] || ranges[1] == ranges[2] {
		t.Errorf("two nodes got the same ids: they begin with %v", ranges)
	}
}

func TestSecondConflictingTransactionIsRetried(t *testing.T) {
	address := pgtest.Database(t)
	one, two := node(t, address, false).Writer(), node(t, address, false).Writer()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(one.Prepare(t.Context(), 1))
	check(one.Define(t.Context(), lamps))
	check(one.Begin())
	check(one.Insert(t.Context(), lamps, lamp(1, "old")))
	one.(engine.Sharing).Raise([]engine.Change{{Table: "lamp", IDs: []int64{1}, Whole: true}})
	last := make(chan int64)
	go func() {
		err := two.Begin()
		states, late := two.(engine.Sharing).Begun(t.Context())
		n, failed := two.LastID(t.Context(), lamps)
		if err := errors.Join(err, failed, late, two.Commit()); err != nil {
			t.Error(err)
		}
		last <- 10*n + states["lamp"].Version
	}()
	check(one.Commit())
	if got := <-last; got != 11 {
		t.Errorf("the last id and the version are %d, want 1 and 1", got)
	}
	check(one.Begin())
	check(one.Insert(t.Context(), lamps, lamp(2, "never")))
	check(one.Rollback()) // unblocks the other
	check(two.Begin())
	check(two.Insert(t.Context(), lamps, lamp(2, "new")))
	check(two.Commit())
}

func TestExclusiveDatabaseRefusesOtherNodes(t *testing.T) {
	address := pgtest.Database(t)
	node(t, address, true)
	_, err := postgres.Engine{}.Open(t.Context(), address, engine.Options{Readers: 1, Alone: true})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want fault.Conflict", err)
	}
	_, err = postgres.Engine{}.Open(t.Context(), address, engine.Options{Readers: 1})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want fault.Conflict for a process that would share it", err)
	}
}

func TestCommitsSurviveAServerCrashAndTheWriterReconnects(t *testing.T) {
	address := pgtest.Database(t) + "&synchronous_commit=on"
	db := node(t, address, true)
	w := db.Writer()
	if err := errors.Join(w.Prepare(t.Context(), 1), w.Define(t.Context(), lamps),
		w.Insert(t.Context(), lamps, lamp(1, "kept"))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Begin(), w.Insert(t.Context(), lamps, lamp(2, "under way"))); err != nil {
		t.Fatal(err)
	}
	pgtest.Restart(t)
	if err := w.Commit(); !fault.Is(err, fault.Busy) {
		t.Errorf("the commit of a lost transaction: %v, want fault.Busy", err)
	}
	if err := errors.Join(w.Rollback(), w.Insert(t.Context(), lamps, lamp(3, "after"))); err != nil {
		t.Fatal(err)
	}
	last, err := w.LastID(context.Background(), lamps)
	if err != nil || last != 3 {
		t.Errorf("the last id is %d (%v), want 3", last, err)
	}
	n, err := w.Delete(t.Context(), lamps, nil)
	if err != nil || n != 2 {
		t.Errorf("there were %d rows (%v), want 2", n, err)
	}
}

func TestNoErrorShowsThePassword(t *testing.T) {
	for _, address := range []string{"postgres://ann:s3cret@127.0.0.1:1/x", "postgres://ann:s3cret%zz@host/x",
		"postgres://ann:s3cret@host:port/x", "postgres://ann:s3cret@host/x?connect_timeout=soon"} {
		_, err := postgres.Engine{}.Open(t.Context(), address, engine.Options{Readers: 1})
		if err == nil || strings.Contains(fmt.Sprintf("%v %+v", err, err), "s3cret") {
			t.Errorf("%s: %v", address, err)
		}
		if name := postgres.Name(address); strings.Contains(name, "s3cret") {
			t.Error(name)
		}
	}
}
