//go:build unix

package explorer_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestSendReportsThatTheHistoryIsFull(t *testing.T) {
	h := build(t)
	file := filepath.Join(h.dir, "workspace.db")
	if err := os.Rename(file, file+"-away"); err != nil {
		t.Fatal(err)
	}
	want := "This request is not in the history: " + file +
		" was deleted or replaced while Spyglass is running; nothing was written. Stop Spyglass, put the data " +
		"folder back, and start it again."
	for endpoint, body := range map[string]string{
		"send":  `{"sendId":"s","draft":{"path":"/alert/alerts"}}`,
		"pages": `{"sendId":"p","draft":{"path":"/alert/alerts"}}`,
	} {
		var r struct {
			Status, HistoryID int64
			NotKept           string
		}
		a := h.call(1, "POST /explorer/"+endpoint, body)
		if err := json.Unmarshal([]byte(a.body), &r); err != nil || r.Status != 200 || r.HistoryID != 0 ||
			r.NotKept != want {
			t.Errorf("%s: got %+v (%s), want %q", endpoint, r, a.body, want)
		}
	}
}
