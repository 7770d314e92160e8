package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/postgres/pgtest"
)

// pair opens two stores on the same database, as two processes do.
func pair(t *testing.T) (one, two *store.DB) {
	t.Helper()
	address, path := pgtest.Database(t), filepath.Join(t.TempDir(), "portal.db") // both use the same key
	open := func() *store.DB {
		db, err := store.Open(t.Context(), store.Options{Path: path, Database: address, Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		r := lamps()
		r.Unique = [][]string{{"name"}}
		if _, err := store.Add(db, r); err != nil {
			t.Fatal(err)
		}
		db.Heard(t.Context())
		return db
	}
	return open(), open()
}

// names returns the names of all lamps, from the cache if possible.
func names(ctx context.Context, r resource.Reader) (string, error) {
	value, err := r.Memo("names", []string{string(lamps().Name)}, func() (any, error) {
		rows, err := resource.Find(ctx, r, lamps().Name)
		list := ""
		for _, row := range rows {
			list += row.Name + " "
		}
		return list, err
	})
	if err != nil {
		return "", err
	}
	return value.(string), nil
}

func expectNames(t *testing.T, db *store.DB, want string) {
	t.Helper()
	if got, err := names(t.Context(), db); err != nil || got != want {
		t.Errorf("the lamps are %q (%v), want %q", got, err, want)
	}
}

func putLamp(t *testing.T, db *store.DB, row lamp) {
	t.Helper()
	if err := db.Write(t.Context(), func(tx resource.Tx) error {
		changed := row
		return resource.Put(t.Context(), tx, lamps().Name, &changed)
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreReadsItsOwnWritesAtOnceAndThoseOfAnotherSoon(t *testing.T) {
	one, two := pair(t)
	for i, names := range []string{"a ", "b ", "c "} {
		for _, db := range []*store.DB{one, two} { // both have cached the list
			if i > 0 {
				expectNames(t, db, string('a'+rune(i)-1)+" ")
			}
		}
		writer, other := one, two
		if i%2 == 1 {
			writer, other = two, one
		}
		changed, stop := other.Watch(string(lamps().Name))
		feed := other.Follow(string(lamps().Name))
		putLamp(t, writer, lamp{ID: 1, Name: string('a' + rune(i))})
		expectNames(t, writer, names)
		<-changed
		expectNames(t, other, names)
		rows, lost, err := feed.Next(t.Context())
		if want := (resource.Changed{Name: string(lamps().Name), ID: 1}); err != nil || lost || len(rows) != 1 ||
			rows[0] != want {
			t.Errorf("the feed has %v, lost %v (%v), want %v", rows, lost, err, want)
		}
		stop()
		feed.Close()
	}
}

// Each write names its lamp after the number of cached lamps. Two equal names would
// violate the unique index.
func TestWritesOfTwoStoresDecideByTheLatestRows(t *testing.T) {
	one, two := pair(t)
	var wait sync.WaitGroup
	for _, db := range []*store.DB{one, two} {
		wait.Go(func() {
			for range 25 {
				if err := db.Write(t.Context(), func(tx resource.Tx) error {
					list, err := names(t.Context(), tx)
					if err != nil {
						return err
					}
					return resource.Put(t.Context(), tx, lamps().Name, &lamp{Name: fmt.Sprint(len(list))})
				}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	for _, db := range []*store.DB{one, two} {
		rows, err := resource.Find(t.Context(), db, lamps().Name)
		ids := map[int64]bool{}
		for _, row := range rows {
			ids[row.ID] = true
		}
		if err != nil || len(ids) != 50 {
			t.Errorf("there are %d lamps (%v), want 50", len(ids), err)
		}
	}
}

func TestIDsOfTwoStoresHaveNoGapsAndNeverReturn(t *testing.T) {
	one, two := pair(t)
	refused := errors.New("refused")
	var got []int64
	add := func(db *store.DB, fails error) {
		t.Helper()
		row := &lamp{Name: fmt.Sprint(len(got))}
		err := db.Write(t.Context(), func(tx resource.Tx) error {
			return errors.Join(resource.Put(t.Context(), tx, lamps().Name, row), fails)
		})
		if !errors.Is(err, fails) {
			t.Fatal(err)
		}
		if fails == nil {
			got = append(got, row.ID)
		}
	}
	for _, db := range []*store.DB{one, two, two, one} {
		add(db, refused)
		add(db, nil)
	}
	for _, db := range []*store.DB{two, one} {
		last := got[len(got)-1]
		if err := db.Write(t.Context(), func(tx resource.Tx) error {
			return tx.DeleteRow(t.Context(), string(lamps().Name), last)
		}); err != nil {
			t.Fatal(err)
		}
		add(one, nil)
	}
	putLamp(t, two, lamp{ID: 40, Name: "given"})
	add(one, nil)
	if want := []int64{1, 2, 3, 4, 5, 6, 41}; !slices.Equal(got, want) {
		t.Errorf("the lamps got the ids %v, want %v", got, want)
	}
}

func TestAStoreThatHearsNothingServesNothingFromMemory(t *testing.T) {
	one, two := pair(t)
	putLamp(t, one, lamp{ID: 1, Name: "a"})
	again := two.Cut()
	for i := range 3 {
		name := string('b' + rune(i))
		putLamp(t, one, lamp{ID: 1, Name: name})
		expectNames(t, two, name+" ")
	}
	putLamp(t, two, lamp{ID: 1, Name: "e"}) // does not change the row
	putLamp(t, one, lamp{ID: 1, Name: "f"})
	expectNames(t, two, "f ")
	again()
	expectNames(t, two, "f ")
	changed, stop := two.Watch(string(lamps().Name))
	defer stop()
	putLamp(t, one, lamp{ID: 1, Name: "g"})
	<-changed
	expectNames(t, two, "g ")
}

func TestADatabaseIsSharedOnlyByStoresThatKnowOfIt(t *testing.T) {
	address, path := pgtest.Database(t), filepath.Join(t.TempDir(), "portal.db")
	db, err := store.Open(t.Context(), store.Options{Path: path, Database: address})
	if err != nil {
		t.Fatal(err)
	}
	for _, shared := range []bool{false, true} {
		_, err := store.Open(t.Context(), store.Options{Path: path, Database: address, Shared: shared})
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("a second store, shared %v: %v, want fault.Conflict", shared, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestChunksOnAServerAreThereAfterAStartAndBesideTheTables(t *testing.T) {
	address, path := pgtest.Database(t), filepath.Join(t.TempDir(), "portal.db")
	db, err := store.Open(t.Context(), store.Options{Path: path, Database: address})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := store.Add(db, lamps()); err != nil {
		t.Fatal(err)
	}
	open := func() *store.Chunks {
		c, err := store.OpenChunks(t.Context(), store.ChunkOptions{Database: address, Spaces: []string{"lamp"},
			Twice: true})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := open()
	if err := c.Write(func(tx store.ChunksTx) error {
		return errors.Join(tx.Put("lamp", 1, []byte("one")), tx.Put("lamp", 2, []byte("two")), tx.Delete("lamp", 1, 1))
	}); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = open()
	defer func() { _ = c.Close() }()
	if got := read(t, c, "lamp"); len(got) != 1 || got[2] != "two" {
		t.Errorf("the chunks are %v, want 2: two", got)
	}
	if rows, err := resource.Find(t.Context(), db, lamps().Name); err != nil || len(rows) != 0 {
		t.Errorf("the table of the same name has %v (%v)", rows, err)
	}
}

// node opens the database of a portal as one of its nodes.
func node(t *testing.T, address, path string, r *resource.Resource[*lamp]) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Path: path, Database: address, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.Accept(t.Context(), store.ShapeOf(r)); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Add(db, r); err != nil {
		t.Fatal(err)
	}
	db.Heard(t.Context())
	return db
}

// lampOf returns a lamp, with the JSON that lists show.
func lampOf(t *testing.T, db *store.DB, id int64) (*lamp, string) {
	t.Helper()
	row, err := resource.Get(t.Context(), db, lamps().Name, id)
	if err != nil {
		t.Fatal(err)
	}
	body, err := db.Body(t.Context(), string(lamps().Name), id)
	if err != nil {
		t.Fatal(err)
	}
	return row, body
}

func TestANodeOfAnOlderVersionOnlyReadsAfterTheUpgrade(t *testing.T) {
	address, path := pgtest.Database(t), filepath.Join(t.TempDir(), "portal.db")
	older := node(t, address, path, lamps("bulbs"))
	putLamp(t, older, lamp{ID: 1, Name: "a", Bulbs: []bulb{{Watt: 5}}})
	putLamp(t, older, lamp{ID: 2, Name: "b"})
	newer := node(t, address, path, lamps("bulbs with sockets"))
	if err := newer.Outdated(); err != nil {
		t.Error(err)
	}
	if row, _ := lampOf(t, newer, 1); len(row.Shades) != 1 || row.Shades[0] != (shade{Watt: 5}) {
		t.Errorf("the newer version reads %v", row.Shades)
	}
	changed, stop := older.Watch(string(lamps().Name))
	defer stop()
	putLamp(t, newer, lamp{ID: 1, Name: "c", Shades: []shade{{Watt: 6, Socket: "E27"}}})
	<-changed
	expectNames(t, older, "c b ")
	if row, _ := lampOf(t, older, 1); len(row.Bulbs) != 1 || row.Bulbs[0] != (bulb{Watt: 6}) {
		t.Errorf("the older version reads %v", row.Bulbs)
	}
	err := older.Write(t.Context(), func(tx resource.Tx) error {
		row, err := resource.Get(t.Context(), tx, lamps().Name, 1)
		if err != nil {
			return err
		}
		row.Name = "d"
		return resource.Put(t.Context(), tx, lamps().Name, row)
	})
	const want = "a newer version of Spyglass has changed the database; this node only reads until it is upgraded. " +
		"Nothing was written"
	if f := fault.Of(err); f.Kind != fault.Busy || f.Message != want || f.RetryAfter == 0 {
		t.Errorf("the older version writes with %v, want %s", err, want)
	}
	if f := fault.Of(older.Outdated()); f.Message != want {
		t.Errorf("the older version is outdated for %v", f)
	}
	if row, _ := lampOf(t, newer, 1); row.Name != "c" || row.Shades[0] != (shade{Watt: 6, Socket: "E27"}) {
		t.Errorf("the lamp is now %v", row)
	}
	putLamp(t, newer, lamp{ID: 2, Name: "e"})
}

func TestAnOlderNodeHearsOfTheUpgradeWithoutAWrite(t *testing.T) {
	address, path := pgtest.Database(t), filepath.Join(t.TempDir(), "portal.db")
	older := node(t, address, path, lamps())
	node(t, address, path, lamps("colour"))
	older.Await(t.Context(), func() bool { return older.Outdated() != nil })
}

// Both versions know all fields, but one shows and finds rows in another way.
func TestNodesWithTheSameFieldsBothWrite(t *testing.T) {
	address, path := pgtest.Database(t), filepath.Join(t.TempDir(), "portal.db")
	shown := lamps("colour")
	shown.Fields[2].If = func(l *lamp) bool { return l.Name != "hidden" }
	older, newer := node(t, address, path, lamps("colour")), node(t, address, path, shown)
	for id, db := range map[int64]*store.DB{1: older, 2: newer} {
		putLamp(t, db, lamp{ID: id, Name: "hidden", Colour: "red"})
	}
	putLamp(t, older, lamp{ID: 3, Name: "shown", Colour: "red"})
	if err := errors.Join(older.Outdated(), newer.Outdated()); err != nil {
		t.Error(err)
	}
	if _, body := lampOf(t, newer, 1); body != `{"id":1,"name":"hidden","colour":"red"}` {
		t.Errorf("the older version has written %s", body)
	}
	if err := older.Close(); err != nil {
		t.Fatal(err)
	}
	last := node(t, address, path, shown) // in place of the older one
	if _, body := lampOf(t, last, 1); body != `{"id":1,"name":"hidden"}` {
		t.Errorf("after the upgrade of the last node, the row is %s", body)
	}
}
