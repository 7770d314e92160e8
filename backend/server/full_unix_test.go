//go:build unix

package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"spyglass/backend/server"
)

func TestFullDiskRefusesWritesUntilThereIsSpace(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	portal := startChild(t, folder)
	token, err := server.Send(t.Context(), server.Options{Data: folder},
		server.Command{Do: server.DoCreateToken, Name: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, origin: portal.origin, bearer: token.Bearer, http: &http.Client{}}
	defer c.http.CloseIdleConnections()
	const devices = "/api/device/devices"
	total := func() (n struct{ Total int }) {
		t.Helper()
		status, response, err := c.request("GET", devices+"?fields=id", "")
		if err == nil {
			err = json.Unmarshal(response, &n)
		}
		if status != http.StatusOK || err != nil {
			t.Fatalf("a list returns %d %s %v", status, response, err)
		}
		return n
	}
	create := func(name string) (int, string) {
		t.Helper()
		status, response, err := c.request("POST", devices, fmt.Sprintf(`{"name":%q}`, name))
		if err != nil {
			t.Fatal(err)
		}
		return status, string(response)
	}
	if status, response := create("before"); status != http.StatusCreated {
		t.Fatal(status, response)
	}

	wal, err := os.Stat(filepath.Join(folder, "portal.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	portal.tell(fmt.Sprintf("files %d", wal.Size()))
	for i := range 5 {
		const full = `{"errorMessage":"the disk failed to write; nothing was written","errorCode":1507,` +
			`"errorDetail":null}`
		if status, response := create(fmt.Sprintf("full-%d", i)); status != http.StatusInsufficientStorage ||
			response != full {
			t.Errorf("a write returns %d %s", status, response)
		}
		if n := total(); n.Total != 1 {
			t.Errorf("%d devices, want the one from before", n.Total)
		}
	}

	portal.tell("files 0")
	if status, response := create("after"); status != http.StatusCreated {
		t.Errorf("with room again a write returns %d %s", status, response)
	}
	if n := total(); n.Total != 2 {
		t.Errorf("%d devices in the end, want 2", n.Total)
	}
	portal.kill()
	checkRows(t, folder, token.Bearer)
}
