package workspace_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"spyglass/app/workspace"
)

func TestOnlyOneEnvironmentOfAPortalIsActive(t *testing.T) {
	d := open(t)
	const list = "GET /environments?fields=name,active"
	d.send(1, "POST /environments", `{"name":" Staging ","active":true}`)
	d.send(1, "POST /environments", `{"name":"Live"}`)
	d.send(2, "POST /environments", `{"name":"Staging","active":true}`)
	d.send(1, "PATCH /environments/2", `{"active":true}`)
	d.expect(1, list, "", `{"total":2,"searchId":null,"items":[{"name":"Staging","active":false},`+
		`{"name":"Live","active":true}],"data":null}`)
	d.expect(2, list, "", `{"total":1,"searchId":null,"items":[{"name":"Staging","active":true}],"data":null}`)
	d.send(1, "PATCH /environments/2", `{"active":false}`)
	d.expect(1, list, "", `{"total":2,"searchId":null,"items":[{"name":"Staging","active":false},`+
		`{"name":"Live","active":false}],"data":null}`)
	d.expect(1, "POST /environments", `{"name":" "}`, "invalid name: name must not be empty")
	d.expect(1, "PATCH /environments/3", `{"active":true}`, "unknown : there is no environment 3")
	if got := d.send(1, "POST /environments", `{"name":"Live"}`); !slices.Contains(d.changes, "1 environments") ||
		got[:8] != "conflict" {
		t.Errorf("a second one of a name: %s; changes %q", got, d.changes)
	}
}

func TestVariablesBelongToAnEnvironment(t *testing.T) {
	d := open(t)
	d.send(1, "POST /environments", `{"name":"Staging"}`)
	d.send(2, "POST /environments", `{"name":"Of another"}`)
	d.send(1, "POST /variables", `{"name":"host","value":"a"}`)
	d.send(1, "POST /variables", `{"name":"host","value":"b","scope":"environment","environmentId":1}`)
	const list = "GET /variables?fields=name,value,scope,environmentId"
	d.expect(1, list, "", `{"total":2,"searchId":null,"items":[{"name":"host","value":"a","scope":"portal",`+
		`"environmentId":0},{"name":"host","value":"b","scope":"environment","environmentId":1}],"data":null}`)
	for _, of := range []string{"2", "7", "0"} {
		d.expect(1, "POST /variables", `{"name":"x","scope":"environment","environmentId":`+of+`}`,
			"invalid environmentId: this environment no longer exists")
	}
	d.send(1, "PATCH /variables/2", `{"scope":"global"}`)
	d.expect(1, "GET /variables?fields=id,environmentId&portal=4", "",
		`{"total":1,"searchId":null,"items":[{"id":2,"environmentId":0}],"data":null}`)
}

func TestDeletedEnvironmentIsRestoredWithItsSecrets(t *testing.T) {
	d := open(t)
	d.send(1, "POST /environments", `{"name":"Staging","active":true}`)
	d.send(1, "POST /environments", `{"name":"Live"}`)
	d.send(1, "POST /variables", `{"name":"host","value":"b","scope":"environment","environmentId":1}`)
	d.send(1, "POST /variables", `{"name":"key","value":"pLaNtEd","secret":true,"scope":"environment",`+
		`"environmentId":1}`)
	d.send(1, "POST /variables", `{"name":"host","value":"c","scope":"environment","environmentId":2}`)
	d.expect(2, "DELETE /environments/1", "", "unknown : there is no environment 1")
	d.send(1, "DELETE /environments/1", "")
	d.expect(1, "GET /variables?fields=id", "", `{"total":1,"searchId":null,"items":[{"id":3}],"data":null}`)
	if len(d.secrets.values) > 0 {
		t.Errorf("the keyring still has %v", d.secrets.values)
	}
	d.expect(2, "POST /environments/1/restore", "", "unknown : environment 1 can no longer be restored")
	d.send(1, "PATCH /environments/2", `{"active":true}`)
	d.expect(1, "POST /environments/1/restore", "", "{}")
	d.expect(1, "GET /environments?fields=id,active", "",
		`{"total":2,"searchId":null,"items":[{"id":1,"active":false},{"id":2,"active":true}],"data":null}`)
	d.expect(1, "GET /variables?fields=name,value,environmentId", "", `{"total":3,"searchId":null,"items":[`+
		`{"name":"host","value":"b","environmentId":1},{"name":"key","value":"********","environmentId":1},`+
		`{"name":"host","value":"c","environmentId":2}],"data":null}`)
	if secret, err := d.Secret(&workspace.Variable{ID: 2, UserID: 1, Value: "********"}); secret != "pLaNtEd" {
		t.Errorf("the keyring has %q, %v", secret, err)
	}
}

func TestExtractedValueIsStoredInTheScopeOfTheVariable(t *testing.T) {
	d := open(t)
	d.send(1, "POST /environments", `{"name":"Staging"}`)
	d.send(1, "POST /variables", `{"name":"id","value":"0","scope":"environment","environmentId":1}`)
	d.send(1, "POST /extractors", `{"path":"$.id","variable":"id"}`)
	for environment, value := range []string{"outside", "inside"} {
		if err := d.KeepExtracted(t.Context(), 1, 0, int64(environment), 0,
			[]workspace.Extracted{{Extractor: 1, Variable: "id", Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	d.expect(1, "GET /variables?fields=value,environmentId", "", `{"total":2,"searchId":null,"items":[`+
		`{"value":"inside","environmentId":1},{"value":"outside","environmentId":0}],"data":null}`)
}

func TestImportedEnvironmentsMergeByName(t *testing.T) {
	d := open(t)
	d.send(1, "POST /environments", `{"name":"Live"}`)
	d.send(1, "POST /variables", `{"name":"host","value":"mine","scope":"environment","environmentId":1}`)
	set := func(name string) workspace.Set {
		return workspace.Set{Name: name, Variables: []workspace.Variable{{Name: "host", Value: name},
			{Name: "key", Value: "pLaNtEd", Secret: true}}}
	}
	made, err := d.Plant(t.Context(), 1, 0, nil, nil, set("Staging"), set("Live"))
	if err != nil || !slices.Equal(made.Environments, []int64{2}) || !slices.Equal(made.Variables, []int64{4}) {
		t.Fatalf("planted %+v, %v", made, err)
	}
	d.expect(1, "GET /environments?fields=name,active", "", `{"total":2,"searchId":null,"items":[`+
		`{"name":"Live","active":false},{"name":"Staging","active":true}],"data":null}`)
	d.expect(1, "GET /variables?fields=name,value,environmentId", "", `{"total":4,"searchId":null,"items":[`+
		`{"name":"host","value":"mine","environmentId":1},{"name":"host","value":"Staging","environmentId":2},`+
		`{"name":"key","value":"********","environmentId":2},{"name":"key","value":"********","environmentId":1}],`+
		`"data":null}`)
}

func TestVariablesOfOlderVersionsAreKept(t *testing.T) {
	inFiles(t)
	d := open(t)
	d.send(1, "POST /variables", `{"name":"here","value":"1"}`)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(d.dir, "workspace.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`DROP TABLE "environment"`, `DELETE FROM "_shape" WHERE "name" = 'environment'`,
		`DROP INDEX "variable by environmentId"`,
		`DROP INDEX "variable has one userId portalId scope environmentId name"`,
		`CREATE UNIQUE INDEX "variable has one userId portalId scope name" ON "variable" ` +
			`("userId", "portalId", "scope", "name")`,
		`ALTER TABLE "variable" DROP COLUMN "environmentId"`,
		`UPDATE "_shape" SET "shape" = 'earlier' WHERE "name" = 'variable'`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	d.open(0)
	d.send(1, "POST /environments", `{"name":"Staging"}`)
	d.send(1, "POST /environments", `{"name":"Live"}`)
	for _, of := range []string{"1", "2"} {
		d.send(1, "POST /variables", `{"name":"here","value":"2","scope":"environment","environmentId":`+of+`}`)
	}
	d.expect(1, "GET /variables?fields=value,environmentId", "", `{"total":3,"searchId":null,"items":[`+
		`{"value":"1","environmentId":0},{"value":"2","environmentId":1},{"value":"2","environmentId":2}],"data":null}`)
}
