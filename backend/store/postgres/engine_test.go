package postgres_test

import (
	"os"
	"testing"

	"spyglass/backend/store/engine/enginetest"
	"spyglass/backend/store/postgres"
	"spyglass/backend/store/postgres/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m.Run)) }

func TestEngine(t *testing.T) { enginetest.Run(t, postgres.Engine{}, pgtest.Database) }
