package fleet

import (
	"context"
	"slices"

	"spyglass/backend/resource"
)

// Unsettled is a device that has changed since its data sources were last
// determined. A new device needs no row: its id is greater than Settling.LastID.
type Unsettled struct {
	ID int64 // of the device
}

// Settling is the progress of the association of devices with data sources.
type Settling struct {
	ID     int64
	LastID int64  // every device up to this id has been processed
	Print  string // of the Applying with which all of them were last processed
}

// SettlingID is the id of the only row of SettlingRow.
const SettlingID int64 = 1

const (
	unsettledRows resource.Name[*Unsettled] = "unsettledDevice"
	settlingRows  resource.Name[*Settling]  = "settling"
)

// UnsettledRows declares the queue of devices that have changed. It has no endpoints.
var UnsettledRows = resource.Resource[*Unsettled]{
	Name: unsettledRows, Label: "changed device",
	Doc: "A device that has changed since its data sources were last determined.",
	Fields: []resource.Field[*Unsettled]{
		{Name: "id", At: func(u *Unsettled) any { return &u.ID }, Doc: "The device", ReadOnly: true},
	},
}

// SettlingRow declares the progress of the association. It has no endpoints.
var SettlingRow = resource.Resource[*Settling]{
	Name: settlingRows, Label: "association",
	Doc: "Progress of the assignment of data sources to devices.",
	Fields: []resource.Field[*Settling]{
		{Name: "id", At: func(s *Settling) any { return &s.ID }, Doc: "Always 1", ReadOnly: true},
		{Name: "lastId", At: func(s *Settling) any { return &s.LastID },
			Doc: "Every device up to this id has been processed", ReadOnly: true},
		{Name: "print", At: func(s *Settling) any { return &s.Print },
			Doc: "Fingerprint of what applied when all devices were last processed", ReadOnly: true},
	},
}

// unsettle marks a changed, moved or restored device if other data sources may
// now apply to it. New devices need no mark.
func unsettle(w *resource.Write, was, now *Device) error {
	if was == nil || was.DeletedOn == 0 && sameToExpressions(was, now) {
		return nil
	}
	return Unsettle(w.Context, w.Tx, now.ID)
}

// Unsettle marks a device, so that its data sources are determined again.
func Unsettle(ctx context.Context, tx resource.Tx, device int64) error {
	return resource.Put(ctx, tx, unsettledRows, &Unsettled{ID: device})
}

// sameToExpressions reports whether every expression gives the same result for
// both.
func sameToExpressions(a, b *Device) bool {
	return a.Name == b.Name && a.DisplayName == b.DisplayName && a.Description == b.Description && a.Link == b.Link &&
		slices.Equal(a.GroupIDs, b.GroupIDs) && slices.Equal(a.CustomProperties, b.CustomProperties) &&
		slices.Equal(a.AutoProperties, b.AutoProperties) && slices.Equal(a.SystemProperties, b.SystemProperties)
}
