package store

import (
	"context"
	"path"
	"path/filepath"
	"sync"

	"spyglass/backend/service"
)

// tasks runs work in the background. Close ends them and waits.
type tasks struct {
	mu   sync.Mutex
	ctx  context.Context
	end  context.CancelFunc
	wait service.Group
}

func newTasks(guard *service.Guard) *tasks {
	t := &tasks{wait: service.Group{Guard: guard}}
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// background runs do unless the database is closing.
func (db *DB) background(do func(ctx context.Context)) bool {
	t := db.tasks
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ctx.Err() != nil {
		return false
	}
	t.wait.Go("work on "+path.Base(filepath.ToSlash(db.name)), func() { do(t.ctx) })
	return true
}

func (t *tasks) close() {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	t.wait.Wait()
}
