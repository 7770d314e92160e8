package server_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/server"
	"spyglass/backend/store/postgres/pgtest"
)

const seedToken = "pipeline-token-0123456789"

const seedText = `
groups:
  - name: Servers
  - {name: Web, parent: Servers}
devices:
  - name: 192.0.2.10
    displayName: web-01
    groups: [Servers/Web]
    customProperties: [{name: site, value: Oslo}]
  - name: 192.0.2.11
users:
  - username: ci
    email: ci@example.net
    password: {env: SPYGLASS_TEST_SEED_PASSWORD}
    roles: [{name: manager}]
tokens:
  - user: ci
    note: pipeline
    bearer: {file: TOKEN}
    accessId: ci-access
    accessKey: ci-access-key-0123456789
`

// seedFile writes a seed, and the file with its token.
func seedFile(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	path, secret := filepath.Join(dir, "seed.yaml"), filepath.Join(dir, "token")
	t.Setenv("SPYGLASS_TEST_SEED_PASSWORD", "a-long-password-7")
	for name, content := range map[string]string{path: strings.ReplaceAll(text, "TOKEN", secret),
		secret: seedToken + "\n"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestASeedFillsANewPortalOnce(t *testing.T) {
	for name, database := range map[string]func() string{
		"in files":      func() string { return "" },
		"in a database": func() string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Database, o.Seed = database(), seedFile(t, seedText)
			for range 2 { // the second start leaves it as it is
				s := start(t, o)
				status, body := get(t, s, seedToken, `/api/device/devices?fields=name,displayName,hostGroupIds&sort=id`)
				items, _ := body["items"].([]any)
				if status != http.StatusOK || len(items) != 2 {
					t.Fatalf("%d %v", status, body)
				}
				first := items[0].(map[string]any)
				if first["name"] != "192.0.2.10" || first["displayName"] != "web-01" || first["hostGroupIds"] != "3" {
					t.Errorf("the first device is %v", first)
				}
				status, body = get(t, s, seedToken, `/api/device/groups?filter=fullPath:"Servers/Web"&fields=id`)
				if status != http.StatusOK || body["total"] != 1.0 {
					t.Errorf("the group: %d %v", status, body)
				}
				if good, err := s.Sessions.IsPassword(t.Context(), "ci", "a-long-password-7"); err != nil || !good {
					t.Errorf("the user cannot sign in: %v", err)
				}
				stop(t, s)
			}
		})
	}
}

func TestAnInvalidSeedNamesItsPlaceAndCanBeCorrected(t *testing.T) {
	for _, c := range []struct{ replace, by, want string }{
		{"groups:", "grops:", `seed.yaml:2: there is no part "grops"`},
		{"    displayName: web-01", "    dispName: web-01", `seed.yaml:7: devices[0].dispName:`},
		{"groups: [Servers/Web]", "groups: [Servers/Wep]",
			`seed.yaml:8: devices[0].groups: there is no group with the full path "Servers/Wep"`},
		{"  - name: 192.0.2.11", "  - displayName: x", `seed.yaml:10: devices[1].name: name is required`},
		{"env: SPYGLASS_TEST_SEED_PASSWORD", "env: SPYGLASS_TEST_MISSING",
			"seed.yaml:14: users[0].password: the environment variable SPYGLASS_TEST_MISSING is not set"},
		{"name: manager", "name: boss", "seed.yaml:15: users[0].roles"},
		{"{file: TOKEN}", "short", "seed.yaml:19: tokens[0].bearer: bearer must have at least 20 characters"},
		{"user: ci", "user: nobody", "tokens[0]: there is no user"},
		{"note: pipeline", "scope: pipeline", `seed.yaml:18: tokens[0].scope: there is no field "scope"`},
		{"users:", "users: [", "seed.yaml:"},
	} {
		t.Run(c.want, func(t *testing.T) {
			o := options(t)
			o.Seed = seedFile(t, strings.Replace(seedText, c.replace, c.by, 1))
			_, err := server.New(t.Context(), o)
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			o.Seed = seedFile(t, seedText)
			s := start(t, o)
			if status, body := get(t, s, seedToken, "/api/device/devices?fields=id"); status != http.StatusOK ||
				body["total"] != 2.0 {
				t.Errorf("after the correction: %d %v", status, body)
			}
		})
	}
}

func TestASeedIsForANewPortal(t *testing.T) {
	o := options(t)
	stop(t, start(t, o))
	o.Seed = seedFile(t, seedText)
	if _, err := server.New(t.Context(), o); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want fault.Conflict", err)
	}
}
