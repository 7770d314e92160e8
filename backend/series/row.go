package series

import (
	"context"
)

// row is a chunk to write.
type row struct {
	id   int64
	data []byte
}

// join merges rows with those of the same numbers in the file. If both have a
// time, that of rows wins if newer is set, otherwise that of the file.
func (db *DB) join(rows []row, newer bool) error {
	at := map[int64]int{}
	var ids []int64
	for i, r := range rows {
		if when := whenOf(r.id); when >= db.low && when <= db.high {
			at[r.id] = i
			ids = append(ids, r.id)
		}
	}
	return db.file.Rows(context.Background(), chunks, ids, func(id int64, data []byte) error {
		old, err := decode(data, nil)
		if err != nil {
			return db.damaged(err)
		}
		r := &rows[at[id]]
		mine, err := decode(r.data, nil)
		if err != nil {
			return err
		}
		if newer {
			r.data, err = encode(merge(old, mine))
		} else {
			r.data, err = encode(merge(mine, old))
		}
		return err
	})
}

// cover records that rows are in the file. The caller holds DB.mu.
func (db *DB) cover(rows []row) {
	kept := span{db.low, db.high}
	for _, r := range rows {
		kept = kept.with(whenOf(r.id))
	}
	db.low, db.high = kept.from, kept.to
}
