package store_test

import (
	"fmt"
	"testing"

	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// BenchmarkTable measures the requests to a table of 2,000 devices. It never requests
// the same page twice in a row, because the second response would come from the cache.
func BenchmarkTable(b *testing.B) {
	h := open(b)
	if err := h.db.Write(b.Context(), func(tx resource.Tx) error {
		for i := range 2000 {
			name := fmt.Sprint("d", i)
			if err := resource.Put(b.Context(), tx, fleet.Devices.Name, &fleet.Device{Name: name, DisplayName: name,
				GroupIDs: resource.IDs{ground.RootGroup}}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	made := 0
	for _, road := range []struct {
		name string
		run  func(i int) error
	}{
		{"list", func(i int) error {
			_, err := h.do(admin, fmt.Sprint("GET /device/devices?size=50&offset=", 50+i%300, "&sort=+name"), "", "")
			return err
		}},
		{"first page", func(i int) error {
			_, err := h.do(admin, fmt.Sprint("GET /device/devices?size=", 50+i%50), "", "")
			return err
		}},
		{"filter", func(i int) error {
			const request = `GET /device/devices?size=50&filter=name~"%d",hostGroupIds:"1"`
			_, err := h.do(admin, fmt.Sprintf(request, i%1000), "", "")
			return err
		}},
		{"get", func(i int) error {
			_, err := h.do(admin, fmt.Sprint("GET /device/devices/", 1+i%2000), "", "")
			return err
		}},
		{"find", func(i int) error {
			ids := []int64{int64(1 + i%2000), int64(1 + i*7%2000), int64(1 + i*13%2000)}
			_, err := resource.Find(b.Context(), h.db, fleet.Devices.Name,
				resource.Where{Field: "id", Op: "in", Value: ids})
			return err
		}},
		{"create", func(int) error {
			made++
			_, err := h.do(admin, "POST /device/devices", fmt.Sprintf(`{"name":"new-%d"}`, made), "")
			return err
		}},
		{"put", func(i int) error {
			return h.db.Write(b.Context(), func(tx resource.Tx) error {
				for n := range int64(100) {
					d, err := resource.Get(b.Context(), tx, fleet.Devices.Name, 1+n)
					if err != nil {
						return err
					}
					d.Description = fmt.Sprint(i)
					if err := resource.Put(b.Context(), tx, fleet.Devices.Name, d); err != nil {
						return err
					}
				}
				return nil
			})
		}},
	} {
		b.Run(road.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := road.run(i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
