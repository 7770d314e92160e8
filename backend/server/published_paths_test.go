package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestManyAlertsAreAcknowledgedInOneRequest acknowledges several alerts at once and
// checks the result of each.
func TestManyAlertsAreAcknowledgedInOneRequest(t *testing.T) {
	c, _ := newCaller(t)
	_, text := c.send("GET", "/alert/alerts?size=2&fields=id,internalId", nil)
	var list struct {
		Items []struct{ ID, InternalID string }
	}
	if err := json.Unmarshal(text, &list); err != nil || len(list.Items) != 2 {
		t.Fatalf("the demo has alerts: %s", text)
	}
	first, second := list.Items[0], list.Items[1]
	for _, change := range []struct{ path, key, says string }{
		{"/alert/alerts/ack", "ackComment", "we know"}, {"/alert/alerts/note", "note", "the carrier calls back"},
	} {
		body := fmt.Sprintf(`{"alertIds":[%q,%q,"9999999",%q],%q:%q}`, first.InternalID, second.ID, first.InternalID,
			change.key, change.says)
		response, text := c.send("POST", change.path, []byte(body))
		var results struct {
			Succeeded, Failed int
			Results           []struct {
				ID int64
				OK bool
			}
		}
		if err := json.Unmarshal(text, &results); err != nil || response.StatusCode != 200 {
			t.Fatalf("%s returns %d %s", change.path, response.StatusCode, text)
		}
		if results.Succeeded != 2 || results.Failed != 1 || len(results.Results) != 3 || results.Results[2].OK {
			t.Errorf("%s returns %s", change.path, text)
		}
		for _, a := range list.Items {
			if _, text := c.send("GET", "/alert/alerts/"+a.ID, nil); !strings.Contains(string(text), change.says) {
				t.Errorf("the alert %s has no %q: %s", a.ID, change.says, text)
			}
		}
	}
	for _, body := range []string{`{"ackComment":"x"}`, `{"alertIds":[],"ackComment":"x"}`,
		`{"alertIds":"1","ackComment":"x"}`, `[]`} {
		if response, text := c.send("POST", "/alert/alerts/ack", []byte(body)); response.StatusCode != 400 {
			t.Errorf("%s returns %d %s, want 400", body, response.StatusCode, text)
		}
	}
	t.Run("the published recycle bin restores and removes many", c.recycles)
}

func (c *caller) recycles(t *testing.T) {
	type row struct{ ID, ResourceType, ResourceName, DeletedBy string }
	bin := func() map[string]row {
		_, text := c.send("GET", "/recyclebin/recycles?size=1000", nil)
		var list struct{ Items []row }
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		rows := map[string]row{}
		for _, r := range list.Items {
			rows[r.ID] = r
		}
		return rows
	}
	if response, text := c.send("DELETE", "/device/devices/7", nil); response.StatusCode != 200 {
		t.Fatalf("DELETE returns %d %s", response.StatusCode, text)
	}
	if got := bin()["7"]; got.ResourceType != "device" || got.ResourceName == "" || got.DeletedBy != "admin" {
		t.Errorf("device 7 is in the bin as %+v", got)
	}
	if _, text := c.send("POST", "/recyclebin/recycles/batchrestore", []byte(`{"ids":["7",8]}`)); !strings.Contains(
		string(text), `"succeeded":1,"failed":1`) {
		t.Errorf("batchrestore returns %s", text)
	}
	if response, _ := c.send("GET", "/device/devices/7", nil); response.StatusCode != 200 {
		t.Errorf("the restored device returns %d", response.StatusCode)
	}
	if _, text := c.send("POST", "/recyclebin/recycles/batchdelete", []byte(`{"ids":["153"]}`)); !strings.Contains(
		string(text), `"succeeded":1,"failed":0`) {
		t.Errorf("batchdelete returns %s", text)
	}
	if _, there := bin()["153"]; there {
		t.Error("device 153 is still in the recycle bin")
	}
}
