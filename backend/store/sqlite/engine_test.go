package sqlite_test

import (
	"path/filepath"
	"testing"

	"spyglass/backend/store/engine/enginetest"
	"spyglass/backend/store/sqlite"
)

func TestEngine(t *testing.T) {
	enginetest.Run(t, sqlite.Engine{}, func(t testing.TB) string { return filepath.Join(t.TempDir(), "test.db") })
	enginetest.RunFiles(t, sqlite.Engine{})
}
