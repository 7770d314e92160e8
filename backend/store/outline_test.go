package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// listed requests the devices of withDevices.
const listed = "GET /device/devices?sort=id"

// withDevices returns a store with devices, some of whose fields are unusual, and their list.
func withDevices(t *testing.T) (h *fixture, list string) {
	t.Helper()
	h = open(t)
	for i, more := range []string{
		``,
		`,"description":"a \"quoted\" {text}, with ], : and ü","link":"https://example.test/?a=1&b=<2>"`,
		`,"customProperties":[{"name":"site","value":"Oslo"},{"name":"snmp.community","value":"s3cret"}]`,
		`,"relatedDeviceId":-7,"disableAlerting":true,"hostGroupIds":"1"`,
		`,"netflowCollectorId":3,"syntheticsCollectorIds":[1,2]`, // kept for clients of the published API
	} {
		body := fmt.Sprintf(`{"name":"10.0.0.%d","displayName":"d%d","preferredCollectorId":1%s}`, i, i, more)
		if got := h.send(admin, "POST /device/devices", body); !strings.HasPrefix(got, `{"id":`) {
			t.Fatal(got)
		}
	}
	return h, h.send(admin, listed, "")
}

func TestBodiesAreStoredWithoutTheirOutline(t *testing.T) {
	aboutFiles(t)
	h, list := withDevices(t)
	file, err := sql.Open("sqlite", "file:"+h.path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var size int
	var found int
	err = file.QueryRow(`SELECT sum(length("body")), sum(instr("body", 'preferredCollectorId') + `+
		`instr("body", 'Oslo')) FROM "device"`).Scan(&size, &found)
	if err != nil || size == 0 || size > len(list)/4 || found > 0 {
		t.Errorf("%d bytes are stored of a list of %d (%v); %d", size, len(list), err, found)
	}
}

func TestRowsPackedByAnotherVersionAreReadFromTheirColumns(t *testing.T) {
	aboutFiles(t)
	for name, body := range map[string]string{
		"another outline": `x'01000000' || substr("body", 5)`,
		"another format":  `x'02' || substr("body", 2)`,
		"cut off":         `substr("body", 1, length("body") - 1)`,
		"too long":        `"body" || x'00'`,
		"only a mark":     `substr("body", 1, 3)`,
	} {
		t.Run(name, func(t *testing.T) {
			h, list := withDevices(t)
			if err := h.db.Raw(t.Context(), `UPDATE "device" SET "body" = `+body); err != nil {
				t.Fatal(err)
			}
			if err := h.db.Close(); err != nil {
				t.Fatal(err)
			}
			h.start()
			if got := h.send(admin, listed, ""); got != list {
				t.Errorf("got  %s\nwant %s", got, list)
			}
			if got := h.send(admin, "GET /device/devices/2", ""); !strings.Contains(list, got) {
				t.Errorf("got %s, which is not in %s", got, list)
			}
		})
	}
}

func FuzzUnpack(f *testing.F) {
	table, err := store.Add(storetest.Open(f, store.Options{}), &fleet.Devices)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(""))
	f.Add([]byte{0, 4, 1, 2, 3, 2})
	f.Fuzz(func(t *testing.T, rest []byte) {
		if body, ok := table.Unpack(rest); ok && (body[0] != '{' || body[len(body)-1] != '}') {
			t.Errorf("%q becomes %q", rest, body)
		}
	})
}
