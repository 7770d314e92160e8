package notify

import (
	"context"
	"crypto/rand"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
)

// Post writes the mails that deliver a report, one for each address. They are
// sent after the transaction is committed.
func (s *Service) Post(ctx context.Context, tx resource.Tx, m *reporting.ReportMail) error {
	b, err := readBook(ctx, tx)
	if err != nil {
		return err
	}
	now, real := resource.SecondsOf(s.o.Pace.Now()), resource.SecondsOf(s.o.Clock())
	for _, to := range b.expand(m.Recipients) {
		d := &alert.Delivery{
			Tells: alert.EventReport, TaskID: m.TaskID, Attached: m.Attach, Recipient: to.name, Method: to.method,
			Address: to.address,
			Subject: strings.Join(strings.Fields(m.Subject), " "), Body: m.Body, State: alert.DeliveryWaiting,
			CreatedOn: now, NextOn: real, Key: rand.Text(),
		}
		if to.problem != "" {
			d.State, d.NextOn, d.Error = alert.DeliveryFailed, 0, to.problem
		}
		if err := resource.Put(ctx, tx, alert.Deliveries.Name, d); err != nil {
			return err
		}
	}
	return nil
}

// attachment returns the file to attach to a mail; nil for none. It fails
// permanently for a deleted report, because the mail is useless without it.
func (s *Service) attachment(ctx context.Context, d *alert.Delivery) (*reporting.ReportFile, error) {
	if !d.Attached || s.o.File == nil {
		return nil, nil
	}
	file, err := s.o.File(ctx, d.TaskID)
	if fault.Is(err, fault.Unknown) {
		return nil, refused{err}
	}
	return file, err
}
