package enginetest

import (
	"errors"
	"fmt"
)

func findChunks(db *database) {
	ctx := db.Context()
	for range 2 {
		db.check(db.w.Prepare(ctx, 7, "a", "b"))
	}
	layout, err := db.Layout(ctx)
	db.check(err)
	db.is("the layout", fmt.Sprint(layout.Format, layout.Tables, len(layout.Spaces)), "7 false 2")
	_, _, ok, err := db.ChunkEnds(ctx, "a")
	db.check(err)
	db.is("an empty space has ends", ok, "false")
	db.check(db.w.Begin())
	var ids []int64
	for id := range int64(50) {
		db.check(db.w.PutChunk("a", id*10, fmt.Append(nil, "chunk ", id)))
		ids = append(ids, id*10, id*10+1) // every other id is missing
	}
	db.check(db.w.PutChunk("a", 1<<62, []byte("far")))
	db.check(db.w.PutChunk("a", 20, []byte("again")))
	db.check(db.w.PutChunk("b", 1, []byte("other")))
	db.check(db.w.DeleteChunks("a", 30, 480))
	db.check(db.w.Commit())
	find := func(ids ...int64) string {
		var got []string
		db.check(db.FindChunks(ctx, "a", ids, func(id int64, data []byte) error {
			got = append(got, fmt.Sprint(id, string(data)))
			return nil
		}))
		return sorted(join(got))
	}
	db.is("no ids", find(), "")
	db.is("one", find(10), "10chunk 1")
	db.is("all", find(ids...), "0chunk 0; 10chunk 1; 20again; 490chunk 49")
	var got []string
	each := func(id int64, data []byte) error {
		got = append(got, fmt.Sprint(id, string(data)))
		return nil
	}
	db.check(db.RangeChunks(ctx, "a", 10, 490, each))
	db.is("a range", join(got), "10chunk 1; 20again; 490chunk 49")
	snapshot, err := db.Snapshot(ctx)
	db.check(err)
	got = nil
	db.check(snapshot.NextChunks(ctx, "a", 10, 2, each))
	db.is("the next two", join(got), "20again; 490chunk 49")
	db.check(db.w.PutChunk("a", 15, []byte("late")))
	got = nil
	db.check(snapshot.NextChunks(ctx, "a", 0, 1, each))
	db.check(snapshot.NextChunks(ctx, "a", 10, 1, each))
	db.is("the next ones of the state", join(got), "10chunk 1; 20again")
	db.check(snapshot.Close())
	db.check(db.w.DeleteChunks("a", 15, 15))
	low, high, ok, err := db.ChunkEnds(ctx, "a")
	db.check(err)
	db.is("the ends", fmt.Sprint(low, high, ok), fmt.Sprint(0, int64(1<<62), true))
	enough := errors.New("enough")
	for _, err := range []error{
		db.FindChunks(ctx, "a", []int64{0, 10}, func(int64, []byte) error { return enough }),
		db.RangeChunks(ctx, "a", 0, 99, func(int64, []byte) error { return enough }),
	} {
		if !errors.Is(err, enough) {
			db.Errorf("the error of a caller is lost: %v", err)
		}
	}
	size, err := db.Size(ctx)
	db.check(err)
	db.check(db.w.PutChunk("b", 2, make([]byte, 1<<20)))
	grown, err := db.Size(ctx)
	db.check(err)
	if more := grown - size; more < 1<<20 || more > 3<<19 {
		db.Errorf("a chunk of 1 MB makes the file %d bytes larger", more)
	}
}
