package demo

import (
	"time"

	"spyglass/backend/notify"
	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// notices adds the notifications about the active alerts, as the portal would
// have sent them. The first one failed.
func (f *filler) notices() error {
	ctx, tx := f.write.Context, f.write.Tx
	alerts, err := resource.Find(ctx, tx, alert.Alerts.Name)
	if err != nil {
		return err
	}
	add, err := notify.AddPast(ctx, tx)
	if err != nil {
		return err
	}
	for i := range alerts {
		a := alerts[i]
		a.Acked, a.LastNotice = false, alert.LastNotice{}
		if !a.Cleared {
			if err := add(&a, time.Unix(int64(a.StartOn), 0)); err != nil {
				return err
			}
		}
		a.Acked, a.LastNotice.Acked, a.NoticeOn = alerts[i].Acked, alerts[i].Acked, 0
		if err := resource.Put(ctx, tx, alert.Alerts.Name, &a); err != nil {
			return err
		}
	}
	waiting := resource.Where{Field: "state", Op: "=", Value: alert.DeliveryWaiting}
	rows, err := resource.Find(ctx, tx, alert.Deliveries.Name, waiting)
	for i := range rows {
		d := &rows[i]
		d.State, d.Attempts, d.NextOn, d.SentOn = alert.DeliverySent, 1, 0, d.CreatedOn+2
		if d.ID == alert.Deliveries.Sample {
			d.State, d.Attempts, d.SentOn, d.Error = alert.DeliveryFailed, 14, 0,
				"the mail server did not respond within 10 seconds"
		}
		if err == nil {
			err = resource.Put(ctx, tx, alert.Deliveries.Name, d)
		}
	}
	return err
}
