package store_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// word is a row with several kinds of text.
type word struct {
	ID     int64
	Name   string
	Note   string
	Size   int64
	Props  []resource.Property
	GoneOn resource.Millis
}

var words = resource.Resource[*word]{
	Name: "word", Label: "word", Path: "/words", SoftBy: "goneOn",
	Fields: []resource.Field[*word]{
		{Name: "id", At: func(w *word) any { return &w.ID }, ReadOnly: true},
		{Name: "name", At: func(w *word) any { return &w.Name }, Index: true},
		{Name: "note", At: func(w *word) any { return &w.Note }},
		{Name: "size", At: func(w *word) any { return &w.Size }},
		{Name: "props", At: func(w *word) any { return &w.Props }},
		{Name: "goneOn", At: func(w *word) any { return &w.GoneOn }, ReadOnly: true},
	},
}

// wordList is a table of words with a list endpoint.
type wordList struct {
	t     *testing.T
	db    *store.DB
	table *store.Table
	dice  *rand.Rand
}

func newWordList(t *testing.T, seed uint64) *wordList {
	o := options(filepath.Join(t.TempDir(), "words.db"))
	o.Clock, o.Zone = func() time.Time { return noon }, time.UTC
	db, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	table, err := store.Add(db, &words)
	if err != nil {
		t.Fatal(err)
	}
	return &wordList{t: t, db: db, table: table, dice: rand.New(rand.NewPCG(seed, 1))}
}

// letters have a case that only some comparisons fold, are wildcards of LIKE, or
// change case in only one direction.
var letters = []rune("aAbBcC%_\\éÉßıİKſ€ ")

func (l *wordList) text(most int) string {
	out := make([]rune, l.dice.IntN(most+1))
	for i := range out {
		out[i] = letters[l.dice.IntN(len(letters))]
		if l.dice.IntN(3) > 0 {
			out[i] = letters[l.dice.IntN(6)]
		}
	}
	return string(out)
}

func (l *wordList) word(id int64) *word {
	w := &word{ID: id, Name: l.text(6), Note: l.text(4), Size: l.dice.Int64N(5), Props: []resource.Property{}}
	for i := range l.dice.IntN(3) {
		w.Props = append(w.Props, resource.Property{Name: fmt.Sprint("p", i), Value: l.text(4)})
	}
	if l.dice.IntN(10) == 0 {
		w.GoneOn = resource.MillisOf(noon)
	}
	return w
}

// change writes some rows in one transaction, and rolls back another.
func (l *wordList) change(newest int64) int64 {
	l.t.Helper()
	err := l.db.Write(l.t.Context(), func(tx resource.Tx) error {
		for range 1 + l.dice.IntN(40) {
			id := int64(0)
			if newest > 0 && l.dice.IntN(2) > 0 {
				id = 1 + l.dice.Int64N(newest)
			}
			w := l.word(id)
			if err := resource.Put(l.t.Context(), tx, words.Name, w); err != nil {
				return err
			}
			newest = max(newest, w.ID)
		}
		if l.dice.IntN(8) == 0 {
			return resource.DeleteAll(l.t.Context(), tx, words.Name,
				resource.Where{Field: "size", Op: "=", Value: l.dice.Int64N(5)},
				resource.Where{Field: "id", Op: "<", Value: newest / 2})
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	_ = l.db.Write(l.t.Context(), func(tx resource.Tx) error {
		if err := resource.Put(l.t.Context(), tx, words.Name, l.word(1)); err != nil {
			return err
		}
		return context.Canceled
	})
	return newest
}

func (l *wordList) condition() string {
	quoted := func() string {
		return `"` + strings.NewReplacer(`\`, `\\`, `*`, `\*`).Replace(l.text(3)) + `"`
	}
	op := []string{"~", "!~", ":", "!:"}[l.dice.IntN(4)]
	value := quoted()
	switch l.dice.IntN(10) {
	case 0:
		return fmt.Sprint("size", []string{":", ">", "<:"}[l.dice.IntN(3)], l.dice.IntN(5))
	case 1:
		return `props.value` + op + value
	case 2:
		return []string{"name", "note"}[l.dice.IntN(2)] + []string{":::empty", "!::empty"}[l.dice.IntN(2)]
	case 3:
		value += "|" + quoted()
	case 9:
		return fmt.Sprint("id:", l.dice.IntN(300), []string{"", "|7"}[l.dice.IntN(2)])
	case 4:
		value = `"` + strings.Trim(value, `"`) + "*" + strings.Trim(quoted(), `"`) +
			[]string{"", "*", "*a"}[l.dice.IntN(3)] + `"`
	}
	return []string{"name", "note", "_all"}[l.dice.IntN(3)] + op + value
}

func (l *wordList) question() url.Values {
	q := url.Values{"size": {fmt.Sprint(1 + l.dice.IntN(20))}}
	parts := []string{}
	for range l.dice.IntN(4) {
		parts = append(parts, l.condition())
	}
	if len(parts) > 0 {
		q.Set("filter", strings.Join(parts, []string{",", " || "}[l.dice.IntN(2)]))
	}
	if sort := []string{"", "id", "-id", "name", "-name", "note", "size,name"}[l.dice.IntN(7)]; sort != "" {
		q.Set("sort", sort)
	}
	q.Set("offset", fmt.Sprint([]int{0, 1, 10, 200, 1001}[l.dice.IntN(5)]))
	q.Set("includeDeletedResources", fmt.Sprint(l.dice.IntN(8) == 0))
	return q
}

func (l *wordList) send(q url.Values) string {
	response, err := l.table.Endpoints()[0].Handle(l.t.Context(), &resource.Call{Access: admin, At: noon, Query: q})
	if err != nil {
		return err.Error()
	}
	return string(response.(resource.JSON))
}

// TestFilterGivesTheSameInMemoryAndInSQLite runs each random query twice, while
// a test adds, changes and deletes rows.
func TestFilterGivesTheSameInMemoryAndInSQLite(t *testing.T) {
	for seed := range uint64(2) {
		l := newWordList(t, seed)
		newest, used := int64(0), 0
		for range 60 {
			newest = l.change(newest)
		}
		for range 30 {
			newest = l.change(newest)
			for range 12 {
				q := l.question()
				l.db.MirrorFrom(math.MaxInt64)
				want := l.send(q)
				l.db.MirrorFrom(0)
				if got := l.send(q); got != want {
					t.Fatalf("seed %d, %s:\n got %s\nwant %s", seed, q, got, want)
				}
			}
			if _, fresh := l.table.Mirrored(); fresh > 0 {
				used++
			}
		}
		if used == 0 {
			t.Errorf("seed %d: no query used the cached texts after rows had changed", seed)
		}
	}
}

func TestQueryTimeIsPausedWhileTheCacheLoads(t *testing.T) {
	l := newWordList(t, 0)
	l.change(0)
	l.db.MirrorFrom(0)
	var paused, resumed int
	ctx := resource.WithPause(t.Context(), func() func() {
		paused++
		return func() { resumed++ }
	})
	for range 2 { // the second time they are in memory
		if _,
			err := l.table.Endpoints()[0].Handle(
			ctx, &resource.Call{Access: admin, At: noon, Query: url.Values{"filter": {`_all~"a"`}}}); err != nil {
			t.Fatal(err)
		}
	}
	if paused != 1 || resumed != 1 {
		t.Errorf("its time stood %d times and went on %d times, want once", paused, resumed)
	}
}

func TestCachedListDistinguishesLargeNumbers(t *testing.T) {
	l := newWordList(t, 0)
	err := l.db.Write(t.Context(), func(tx resource.Tx) error {
		for _, size := range []int64{1777896000, 1777896000, 1777896000, 1777896001, 1777896001} {
			if err := resource.Put(t.Context(), tx, words.Name,
				&word{Size: size, Props: []resource.Property{}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]string{
		1777896000: `{"total":3,"searchId":null,"items":[{"id":1}],"data":null}`,
		1777896001: `{"total":2,"searchId":null,"items":[{"id":4}],"data":null}`,
	} {
		for range 2 {
			if got := l.send(url.Values{"filter": {fmt.Sprint("size:", size)}, "size": {"1"},
				"fields": {"id"}}); got != want {
				t.Errorf("size %d:\n got %s\nwant %s", size, got, want)
			}
		}
	}
}

// TestCachedResponseIsAConsistentSnapshot runs queries while rows swap values. In
// every state, 50 of 100 rows have the note.
func TestCachedResponseIsAConsistentSnapshot(t *testing.T) {
	l := newWordList(t, 0)
	l.db.MirrorFrom(0)
	put := func(rows ...word) {
		t.Helper()
		err := l.db.Write(t.Context(), func(tx resource.Tx) error {
			for _, row := range rows {
				row.Props = []resource.Property{}
				if err := resource.Put(t.Context(), tx, words.Name, &row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	notes := []string{"", "Yes"}
	var rows []word
	for i := range 100 {
		rows = append(rows, word{Name: fmt.Sprint("w", i), Note: notes[i%2]})
	}
	put(rows...)
	for i := range rows {
		rows[i].ID = int64(i) + 1
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 { // swaps the values of two rows
			a, b := 2*l.dice.IntN(50), 2*l.dice.IntN(50)+1
			rows[a].Note, rows[b].Note = rows[b].Note, rows[a].Note
			rows[a], rows[b] = rows[b], rows[a]
			put(rows[a], rows[b])
		}
	}()
	q := url.Values{"filter": {`note~"es"`}, "sort": {"-name"}, "size": {"100"}}
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		response := l.send(q)
		if total := strings.Count(response, `"note":"Yes"`); total != 50 || !strings.HasPrefix(response,
			`{"total":50,`) {
			t.Fatalf("%d of the rows in %s", total, response)
		}
	}
	if rows, _ := l.table.Mirrored(); rows != 100 {
		t.Errorf("%d rows are in memory", rows)
	}
}
