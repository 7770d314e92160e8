package main

import (
	"context"
	"slices"

	"spyglass/backend/store/postgres/pgtest"
	"spyglass/build/project"
)

// onServer lists the packages whose tests also pass with the store on PostgreSQL.
var onServer = []string{"./backend/store", "./backend/portal/...", "./backend/session", "./backend/monitor",
	"./app/workspace"}

// onPostgres runs these tests on a PostgreSQL server, which all of them share. Each
// test has a schema of its own there, with the tables of a portal, and these cost
// more than the test itself: so this step runs only when it is named. The step go runs the
// tests of the engine, and those of several stores on one database.
func onPostgres(ctx context.Context, p project.Project) error {
	return pgtest.Serve(func(s pgtest.Server) error {
		return goTest(ctx, p, []string{pgtest.Variable + "=" + s.Address()}, slices.Concat([]string{"-count=1"}, quick),
			onServer...)
	})
}
