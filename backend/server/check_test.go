package server_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
	"spyglass/backend/server"
)

func TestCheckNamesTheDamagedDatabase(t *testing.T) {
	o := options(t)
	s := start(t, o)
	var sound []string
	tell := func(file string) { sound = append(sound, file) }
	if err := server.Check(t.Context(), o.Data, tell); err != nil { // while the portal runs
		t.Fatal(err)
	}
	if want := []string{"portal.db", "series.db"}; !slices.Equal(sound, want) {
		t.Errorf("%q are sound, want %q", sound, want)
	}
	stop(t, s)
	path := filepath.Join(o.Data, "series.db")
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteAt([]byte(strings.Repeat("damage ", 2000)), 16384) // second page of the file
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	sound = nil
	if err := server.Check(t.Context(), o.Data, tell); !fault.Is(err, fault.Conflict) ||
		!strings.HasPrefix(fault.Sentence(err), path+" is damaged") {
		t.Errorf("got %v, want that %s is damaged", err, path)
	}
	if want := []string{"portal.db"}; !slices.Equal(sound, want) {
		t.Errorf("%q are sound, want %q", sound, want)
	}
}

func TestDamagedDatabaseIsAPortalAlertUntilACheckPasses(t *testing.T) {
	o := options(t)
	stop(t, start(t, o)) // moves all writes from the log into the file
	s := start(t, o)
	path := filepath.Join(o.Data, "series.db")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			_, err = file.WriteAt(data, 16384) // second page of the file
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	for _, step := range []struct {
		data    []byte
		cleared bool
	}{{[]byte(strings.Repeat("damage ", 2000)), false}, {sound[16384:], true}} {
		write(step.data)
		s.Verify(t.Context())
		found, err := resource.Find(t.Context(), s.DB(), alert.Alerts.Name)
		if err != nil || len(found) != 1 {
			t.Fatalf("%d alerts (%v), want 1", len(found), err)
		}
		a := &found[0]
		if a.Condition != alert.ConditionDatabase || a.Cleared != step.cleared ||
			!strings.HasPrefix(a.Reason, path+" is damaged") || !strings.Contains(a.Reason, "backup") {
			t.Errorf("the alert is %s, cleared %t: %s", a.Condition, a.Cleared, a.Reason)
		}
	}
}

func TestPortalWithADamagedDatabaseIsReadOnly(t *testing.T) {
	o := options(t)
	s := start(t, o)
	w := &fixture{t: t, s: s, bearers: map[string]string{"admin": token(t, o, "admin")}}
	if _,
		err := server.Send(t.Context(), o, server.Command{Do: server.DoSetPassword, Name: "admin",
		Password: "a quiet harbour"}); err != nil {
		t.Fatal(err)
	}
	marker := strings.Repeat("stands on one page ", 100)
	for range 20 {
		if status, response := w.request("admin", "POST /setting/opsnotes",
			fmt.Sprintf(`{"note":%q}`, marker)); status != http.StatusOK && status != http.StatusCreated {
			t.Fatalf("%d %s", status, response)
		}
	}
	stop(t, s)
	path := filepath.Join(o.Data, "portal.db")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := int(binary.BigEndian.Uint16(sound[16:]))
	page := bytes.Index(sound, []byte(marker)) / size * size
	damaged := bytes.Clone(sound)
	for i := range size {
		damaged[page+i] ^= 0xff
	}
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}

	s = start(t, o)
	w.s = s
	s.Verify(t.Context())
	if _, err := s.Sessions.SignIn(t.Context(), "admin", "a quiet harbour", "127.0.0.1"); err != nil {
		t.Errorf("signing in: %v", err)
	}
	if status, response := w.request("admin", "GET /device/devices?size=1", ""); status != http.StatusOK {
		t.Errorf("reading is returned %d %s", status, response)
	}
	for _, request := range []string{"POST /device/groups", "DELETE /device/groups/2"} {
		status, response := w.request("admin", request, `{"name":"new"}`)
		if status != http.StatusServiceUnavailable ||
			!strings.Contains(response, "portal.db is damaged, and read-only until") ||
			!strings.Contains(response, "spyglass restore") {
			t.Errorf("%s is returned %d %s", request, status, response)
		}
	}
	if status, response := w.request("admin", `GET /alert/alerts?filter=condition:"database"&fields=reason`,
		""); status != http.StatusOK || !strings.Contains(response, "portal.db is damaged") {
		t.Errorf("the alert is %d %s", status, response)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Storage(ctx, func(problem string) {
		if !strings.HasPrefix(problem, path+" is damaged, and read-only until") {
			t.Errorf("the page hears %q", problem)
		}
		cancel()
	})
	stop(t, s)
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after[page:page+size], damaged[page:page+size]) {
		t.Errorf("the damaged page was changed (%v)", err)
	}
}

func TestPageIsNotifiedWhenTheDataFolderDisappearsAndReturns(t *testing.T) {
	o := options(t)
	s := start(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(o.Data, "portal.db")
	heard := 0
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Error(err)
		}
		s.LookAtFiles()
	}
	s.Storage(ctx, func(problem string) {
		switch heard++; {
		case heard == 1 && problem == "":
			move(path, path+"-away")
		case heard == 2 && strings.Contains(problem, "was deleted or replaced"):
			move(path+"-away", path)
		case heard == 3 && problem == "":
			cancel()
		default:
			t.Errorf("%d: %q", heard, problem)
			cancel()
		}
	})
}
