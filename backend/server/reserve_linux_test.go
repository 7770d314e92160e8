package server_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"spyglass/backend/server"
)

func TestStartOnAFullDiskIsReadOnlyUntilThereIsSpace(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=24m,mode=0700"); err != nil {
		t.Skipf("a small disk needs root: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	o := options(t)
	o.Data = filepath.Join(disk, "data")
	first := start(t, o)
	admin, err := first.Sessions.UserID(t.Context(), "admin")
	if err != nil {
		t.Fatal(err)
	}
	window, err := first.Sessions.Credential(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.PasswordsShown(t.Context()); err != nil { // without this, each start changes the passwords
		t.Fatal(err)
	}
	stop(t, first)
	token, err := server.Send(t.Context(), o, server.Command{Do: server.DoCreateToken, Name: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(disk, "filler")
	fill(t, filler)

	s := start(t, o)
	defer stop(t, s)
	c := &client{t: t, origin: s.Origin(), bearer: token.Bearer, http: &http.Client{}}
	defer c.http.CloseIdleConnections()
	const devices = "/api/device/devices"
	if status, response, err := c.request("GET", devices, ""); status != 200 || err != nil {
		t.Errorf("on a full disk a list returns %d %s %v", status, response, err)
	}
	full := `{"errorMessage":"the disk of the data folder ` + o.Data + ` is full, so the portal is read-only; ` +
		`nothing was written. Make room, and writes work again within seconds","errorCode":1507,"errorDetail":null}`
	status, response, err := c.request("POST", devices, `{"name":"a"}`)
	if status != 507 || string(response) != full || err != nil {
		t.Errorf("on a full disk a write returns %d %s %v", status, response, err)
	}
	if user, err := s.Sessions.Resume(t.Context(), window); user != admin || err != nil {
		t.Errorf("on a full disk the window signs in as user %d (%v), want %d", user, err, admin)
	}
	var looking sync.WaitGroup
	for range 100 { // as the check of the databases does beside the one every few seconds
		looking.Go(s.LookAtFiles)
	}
	looking.Wait()
	if problem := s.Problem(); !strings.HasPrefix(problem, "the disk of the data folder") {
		t.Errorf("the page says %q", problem)
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.LookAtFiles()
	if status, response, err := c.request("POST", devices, `{"name":"a"}`); status != 201 || err != nil {
		t.Errorf("with room again a write returns %d %s %v", status, response, err)
	}
	if problem := s.Problem(); problem != "" {
		t.Errorf("with room again the page says %q", problem)
	}
	if info, err := os.Stat(filepath.Join(o.Data, "reserve")); err != nil || info.Size() != 1<<20 {
		t.Errorf("there is no new reserve: %v", err)
	}
}

// fill writes to a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; {
		if _, err := file.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
