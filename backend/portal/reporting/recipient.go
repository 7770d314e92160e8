package reporting

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// reportHooks update the recipients of reports like those of notifications.
var reportHooks = []resource.Hook{
	resource.Follow(alert.OnRecipientsChanged, changeReports),
	resource.Follow(alert.OnRecipientRemoved, refuseWhileMailed),
}

// changeReports applies a change of recipients to all reports, and writes the
// changed ones.
func changeReports(ctx context.Context, tx resource.Tx, c alert.RecipientChange) error {
	reports, err := resource.Find(ctx, tx, ReportRows)
	for i := range reports {
		if err == nil && alert.AnyRecipient(reports[i].Recipients, c.Change) {
			err = resource.Put(ctx, tx, ReportRows, &reports[i])
		}
	}
	return err
}

// mailedReport returns the name of a report that is sent to a recipient; "" for none.
func mailedReport(ctx context.Context, r resource.Reader, is func(*alert.Recipient) bool) (string, error) {
	reports, err := resource.Find(ctx, r, ReportRows)
	for i := range reports {
		if alert.AnyRecipient(reports[i].Recipients, is) {
			return reports[i].Name, err
		}
	}
	return "", err
}

// refuseWhileMailed refuses to delete a recipient while a report is sent to it.
func refuseWhileMailed(ctx context.Context, tx resource.Tx, gone alert.RecipientRemoval) error {
	name, err := mailedReport(ctx, tx, gone.Is)
	if err != nil || name == "" {
		return err
	}
	by := "the report " + name
	if who := gone.Write.Call.Access; who != nil {
		if all, _ := who.In(resource.Reports, resource.Read); !all {
			by = "a report"
		}
	}
	return fault.New(fault.Conflict, "%s still goes to %s; remove it there first", by, gone.What)
}
