package workspace_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"spyglass/app/workspace"
)

func TestOldWorkspaceBelongsToTheBuiltInPortal(t *testing.T) {
	inFiles(t)
	d := open(t)
	d.send(1, "POST /tabs", `{"name":"old"}`)
	d.send(1, "POST /variables", `{"name":"here","value":"1"}`)
	d.send(1, "POST /variables", `{"name":"all","value":"2","scope":"global"}`)
	if err := d.AddToHistory(t.Context(), &workspace.History{UserID: 1, Method: "GET", Path: "/x"},
		&workspace.Reply{Zipped: []byte("x")}, 0); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	withoutPortals(t, filepath.Join(d.dir, "workspace.db"))
	d.open(0)
	d.expect(1, "GET /tabs?fields=name", "", `{"total":1,"searchId":null,"items":[{"name":"old"}],"data":null}`)
	d.expect(1, "GET /history?fields=path", "", `{"total":1,"searchId":null,"items":[{"path":"/x"}],"data":null}`)
	d.expect(1, "GET /variables?fields=name,scope", "", `{"total":2,"searchId":null,"items":[{"name":"here",`+
		`"scope":"portal"},{"name":"all","scope":"global"}],"data":null}`)
	d.expect(1, "GET /variables?fields=name&portal=5", "", `{"total":1,"searchId":null,"items":[{"name":"all"}],`+
		`"data":null}`)
	d.expect(1, "GET /tabs?portal=5", "", `{"total":0,"searchId":null,"items":[],"data":null}`)
}

// withoutPortals removes the portal from rows, as in files of older versions.
func withoutPortals(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT 'DROP INDEX "' || name || '"' FROM sqlite_master WHERE type = 'index' AND sql LIKE ` +
		`'%portalId%'`)
	if err != nil {
		t.Fatal(err)
	}
	statements := []string{}
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			t.Fatal(err)
		}
		statements = append(statements, statement)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	statements = append(statements, `UPDATE "_shape" SET "shape" = 'earlier' WHERE "name" IN ('tab', 'variable', `+
		`'history')`)
	for _, table := range []string{"tab", "variable", "history"} {
		statements = append(statements, `ALTER TABLE "`+table+`" DROP COLUMN "portalId"`)
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
