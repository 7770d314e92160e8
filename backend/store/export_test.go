package store

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"spyglass/backend/store/engine"
)

// Cut makes a database behave as if it had lost its connection for notifications. again restores
// the connection.
func (db *DB) Cut() (again func()) {
	db.shared.lost(errors.New("cut by a test"))
	return func() { db.shared.connected(nil) }
}

// Heard waits until a database receives notifications of other processes' commits.
func (db *DB) Heard(ctx context.Context) {
	db.Await(ctx, func() bool {
		db.shared.mu.Lock()
		defer db.shared.mu.Unlock()
		return !db.shared.cut
	})
}

// Await waits until what a database knows of other processes meets a condition.
func (db *DB) Await(ctx context.Context, met func() bool) {
	for {
		db.shared.mu.Lock()
		changed := db.shared.changed
		db.shared.mu.Unlock()
		if met() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Body returns the stored JSON of a row.
func (db *DB) Body(ctx context.Context, table string, id int64) (string, error) {
	var p page
	t := db.allTables()[table]
	if err := t.readRows(ctx, listReader{db.base, true}, &p, engine.Select{Where: engine.HasID(id)}); err != nil {
		return "", err
	}
	return string(p.body[0]), nil
}

// NameOf returns the name of a server database for messages.
func NameOf(address string) string { return nameOf(address) }

// MaxPages limits the size of the database to n pages, to simulate a full
// disk; 0 removes the limit.
func (db *DB) MaxPages(ctx context.Context, n int) error {
	if n == 0 {
		n = 1 << 30
	}
	return db.Raw(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", n))
}

// Title returns the name of a row in the audit log.
func Title(body []byte) string { return title(nil, body) }

// MirrorFrom sets the number of rows above which a table keeps its texts in memory.
func (db *DB) MirrorFrom(rows int64) { db.mirrored = rows }

// Mirrored returns the number of a table's rows in memory, and how many of
// them have changed since.
func (t *Table) Mirrored() (rows, fresh int) {
	t.mirror.mu.RLock()
	defer t.mirror.mu.RUnlock()
	if t.mirror.base == nil {
		return 0, 0
	}
	return len(t.mirror.base.ids) - t.mirror.stale.count() + len(t.mirror.fresh.ids), len(t.mirror.fresh.ids)
}

// Prepared returns how many prepared statements are cached.
func (db *DB) Prepared() int {
	return db.base.(interface{ Prepared() int }).Prepared()
}

// Raw runs an SQL statement, as an earlier version of the program may have.
func (db *DB) Raw(ctx context.Context, statement string) error {
	return db.write(ctx, func(t *tx) error {
		return t.w.base.(interface {
			Exec(ctx context.Context, statements string) error
		}).Exec(ctx, statement)
	})
}

// SealUnbound seals a secret as versions before "v2:" did.
func (db *DB) SealUnbound(secret []byte) string {
	nonce := make([]byte, db.seal.aead.NonceSize())
	rand.Read(nonce)
	return base64.RawStdEncoding.EncodeToString(db.seal.aead.Seal(nonce, nonce, secret, nil))
}

// Unpack returns the JSON of a row that a table stores as its mark and rest, without the
// texts of its columns.
func (t *Table) Unpack(rest []byte) (body []byte, ok bool) {
	return t.outline.unpack(nil, slices.Concat(t.outline.mark, rest), make([]string, len(t.outline.wide)))
}
