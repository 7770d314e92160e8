package sqlite_test

import (
	"testing"

	"spyglass/backend/store/engine/enginetest"
	"spyglass/backend/store/sqlite"
)

func TestEngine(t *testing.T) { enginetest.Run(t, sqlite.Engine{}) }
