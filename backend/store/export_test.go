package store

import (
	"context"
	"fmt"
)

// MaxPages makes the database refuse to grow beyond n pages, as a full disk
// does; 0 for no limit.
func (db *DB) MaxPages(ctx context.Context, n int) error {
	if n == 0 {
		n = 1 << 30
	}
	return db.writer.raw(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n))
}
