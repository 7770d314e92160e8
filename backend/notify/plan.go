package notify

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// batch is the number of alerts planned in one transaction.
const batch = 200

// plan writes the notices of all marked alerts.
func (s *Service) plan(ctx context.Context) error {
	for {
		planned := 0
		err := s.db.Write(ctx, func(tx resource.Tx) error {
			p := &planning{Service: s, tx: tx, now: s.o.Pace.Now(), real: s.o.Clock(), sent: map[int64]int64{}}
			alerts, err := resource.Find(ctx, tx, alert.Alerts.Name,
				resource.Where{Field: "noticeOn", Op: ">", Value: int64(0)},
				resource.Where{Field: "noticeOn", Op: "<=", Value: p.now.Unix()}, resource.Limit(batch))
			if err != nil || len(alerts) == 0 {
				return err
			}
			planned = len(alerts)
			if err := p.open(ctx); err != nil {
				return err
			}
			for i := range alerts {
				if err := p.alert(ctx, &alerts[i]); err != nil {
					return fmt.Errorf("alert %d: %w", alerts[i].ID, err)
				}
			}
			return nil
		})
		if err != nil || planned < batch {
			return err
		}
	}
}

// AddPast returns a function that adds the notices of an alert at a time in the past, as the
// planner would have, and updates the alert.
func AddPast(ctx context.Context, tx resource.Tx) (add func(a *alert.Alert, at time.Time) error, err error) {
	p := &planning{Service: &Service{o: Options{Origin: func() string { return "" }}}, tx: tx}
	return func(a *alert.Alert, at time.Time) error {
		p.now, p.real, p.sent = at, at, map[int64]int64{}
		return p.alert(ctx, a)
	}, p.open(ctx)
}

// planning is the state of one transaction of the planner.
type planning struct {
	*Service
	tx   resource.Tx
	now  time.Time // of the alerts
	real time.Time
	book book
	sent map[int64]int64 // notices of a chain within its throttling period
}

func (p *planning) open(ctx context.Context) (err error) {
	p.book, err = readBook(ctx, p.tx)
	return err
}

// alert writes the notices of an alert that are due now.
func (p *planning) alert(ctx context.Context, a *alert.Alert) error {
	rule, chain, err := a.Route(ctx, p.tx)
	if err != nil {
		return err
	}
	switch a.NoticeOn = 0; {
	case a.Cleared:
		if a.LastNotice.Stage > 0 && !(rule != nil && rule.SuppressClear) {
			err = p.follow(ctx, a, chain, alert.EventCleared)
		}
		a.LastNotice = alert.LastNotice{}
	case a.SDTed || a.Suppressor != "" || chain == nil:
	case a.Acked:
		if a.LastNotice.Stage > 0 && !a.LastNotice.Acked && !(rule != nil && rule.SuppressAck) {
			err = p.follow(ctx, a, chain, alert.EventAcked)
		}
		a.LastNotice.Acked = true
	default:
		err = p.climb(ctx, a, rule, chain)
	}
	if err != nil {
		return err
	}
	return resource.Put(ctx, p.tx, alert.Alerts.Name, a)
}

// climb notifies the stage that is due, and sets when the next one is due.
func (p *planning) climb(ctx context.Context, a *alert.Alert, rule *alert.Rule, chain *alert.Chain) error {
	stages, destination := chain.StagesAt(p.now)
	if len(stages) == 0 { // no recipient is on duty: retry when that may have changed
		a.NoticeOn = resource.SecondsOf(p.now.Add(time.Minute))
		return nil
	}
	if a.SubChainID != destination { // the people on duty have changed: start at their first stage
		a.SubChainID, a.NextRecipient, a.LastNotice.Stage = destination, 1, 0
	}
	interval := resource.Seconds(0)
	if rule != nil {
		interval = resource.Seconds(60 * rule.Interval)
	}
	now, event := resource.SecondsOf(p.now), alert.EventEscalated
	switch last := a.LastNotice; {
	case last.Severity < a.Severity || last.Acked || last.Stage == 0:
		event = alert.EventActive
		a.NextRecipient = max(1, min(a.NextRecipient, int64(len(stages))))
		if last.Stage > 0 && last.Severity < a.Severity {
			a.NextRecipient = 1
		}
	case a.NextRecipient > last.Stage: // a user escalated it
	case interval > 0 && last.Stage < int64(len(stages)) && now >= last.On+interval:
		a.NextRecipient = last.Stage + 1
	default:
		a.NoticeOn = next(last, interval, len(stages))
		return nil
	}
	a.LastNotice = alert.LastNotice{Stage: a.NextRecipient, Severity: a.Severity, On: now}
	a.NoticeOn = next(a.LastNotice, interval, len(stages))
	return p.notify(ctx, a, chain, event, append(slices.Clone(stages[a.NextRecipient-1]), chain.CC...))
}

// next returns when the stage after the last notified one is due; 0 for never.
func next(last alert.LastNotice, interval resource.Seconds, stages int) resource.Seconds {
	if interval == 0 || last.Stage >= int64(stages) {
		return 0
	}
	return last.On + interval
}

// notify adds one notice for each of the recipients.
func (p *planning) notify(ctx context.Context, a *alert.Alert, chain *alert.Chain, event string,
	to []alert.Recipient) error {
	state := alert.DeliveryWaiting
	over, err := p.throttled(ctx, chain)
	if err != nil {
		return err
	}
	if over {
		state = alert.DeliveryThrottled
	}
	received := names(a.Received)
	for _, r := range p.book.expand(to) {
		d := &alert.Delivery{Chain: chain.Name, ChainID: chain.ID, Stage: a.NextRecipient, State: state,
			Recipient: r.name, Method: r.method, Address: r.address}
		if r.problem != "" {
			d.State, d.Error = alert.DeliveryFailed, r.problem
		}
		if over {
			d.Error = fmt.Sprintf("the chain sends at most %d notices in %d minutes", chain.ThrottlingAlerts,
				chain.ThrottlingPeriod)
		}
		if err := p.write(ctx, a, d, event); err != nil {
			return err
		}
		if d.State == alert.DeliveryWaiting && !slices.Contains(received, r.name) {
			received = append(received, r.name)
		}
	}
	a.Received = strings.Join(received, ",")
	return nil
}

func names(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, ",")
}

// follow notifies the people who were notified of an alert that it was
// acknowledged or has cleared.
func (p *planning) follow(ctx context.Context, a *alert.Alert, chain *alert.Chain, event string) error {
	before, err := resource.Find(ctx, p.tx, alert.Deliveries.Name,
		resource.Where{Field: "alertId", Op: "=", Value: int64(a.ID)})
	if err != nil {
		return err
	}
	done := map[[2]string]bool{}
	for i := range before {
		was := &before[i]
		to := [2]string{was.Method, was.Address}
		if done[to] || was.State == alert.DeliveryThrottled || was.State == alert.DeliveryFailed {
			continue
		}
		done[to] = true
		d := &alert.Delivery{Chain: was.Chain, ChainID: was.ChainID, Stage: was.Stage, State: alert.DeliveryWaiting,
			Recipient: was.Recipient, Method: was.Method, Address: was.Address}
		if err := p.write(ctx, a, d, event); err != nil {
			return err
		}
	}
	return nil
}

// throttled reports whether the chain has reached its limit.
func (p *planning) throttled(ctx context.Context, chain *alert.Chain) (bool, error) {
	if chain == nil || !chain.EnableThrottling {
		return false, nil
	}
	if _, known := p.sent[chain.ID]; !known {
		since := p.now.Add(-time.Duration(chain.ThrottlingPeriod) * time.Minute).Unix()
		rows, err := resource.Find(ctx, p.tx, alert.Deliveries.Name,
			resource.Where{Field: "chainId", Op: "=", Value: chain.ID},
			resource.Where{Field: "createdOn", Op: ">", Value: since})
		if err != nil {
			return false, err
		}
		notices := map[[3]int64]bool{} // a notice to several people counts once
		for i := range rows {
			if rows[i].State != alert.DeliveryThrottled &&
				(rows[i].Tells == alert.EventActive || rows[i].Tells == alert.EventEscalated) {
				notices[[3]int64{rows[i].AlertID, rows[i].Stage, int64(rows[i].CreatedOn)}] = true
			}
		}
		p.sent[chain.ID] = int64(len(notices))
	}
	if p.sent[chain.ID] >= chain.ThrottlingAlerts {
		return true, nil
	}
	p.sent[chain.ID]++
	return false, nil
}

// write completes a notice and stores it.
func (p *planning) write(ctx context.Context, a *alert.Alert, d *alert.Delivery, event string) error {
	wording, err := alert.WordingOf(ctx, p.tx, a)
	if err != nil {
		return err
	}
	wording = wording.In(p.book.zoneOf(d))
	m := wording.Message()
	d.AlertID, d.Tells, d.CreatedOn, d.NextOn, d.Key = int64(a.ID), event, resource.SecondsOf(p.now),
		resource.SecondsOf(p.real), rand.Text()
	d.Subject, d.Body = m.Subject, m.Body
	switch event {
	case alert.EventAcked:
		d.Subject = "Acknowledged: " + m.Subject
		d.Body = fmt.Sprintf("%s acknowledged it: %s\n\n%s", a.AckedBy, a.AckComment, m.Body)
	case alert.EventCleared:
		d.Subject = "Cleared: " + m.Subject
		d.Body = fmt.Sprintf("It cleared after %s.\n\n%s", span(time.Duration(a.EndOn-a.StartOn)*time.Second), m.Body)
	}
	d.Subject = strings.Join(strings.Fields(d.Subject), " ") // one line
	if i := p.book.integration(d.Method); i != nil && i.Type == alert.IntegrationHTTP {
		d.Payload = payload(i, a, d, wording, p.o.page(d.AlertID))
	}
	return resource.Put(ctx, p.tx, alert.Deliveries.Name, d)
}

// span returns a duration in its two largest units: "45 s", "5 min", "2 h 5
// min", "3 d 4 h".
func span(d time.Duration) string {
	units := []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units[:3] {
		if d < u.of {
			continue
		}
		text := fmt.Sprintf("%d %s", d/u.of, u.name)
		if rest := d % u.of / units[i+1].of; rest > 0 {
			text += fmt.Sprintf(" %d %s", rest, units[i+1].name)
		}
		return text
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

// hookBody is the body for a web hook without a template.
type hookBody struct {
	Event      string `json:"event"` // event of the Delivery
	AlertID    string `json:"alertId"`
	Severity   string `json:"severity"`
	Subject    string `json:"subject"`
	Body       string `json:"body"`
	Device     string `json:"device"`
	DeviceID   int64  `json:"deviceId"`
	DataSource string `json:"dataSource"`
	Instance   string `json:"instance"`
	DataPoint  string `json:"dataPoint"`
	Value      string `json:"value"`
	Threshold  string `json:"threshold"`
	Reason     string `json:"reason"` // of a failed check; empty if the value says enough
	StartEpoch int64  `json:"startEpoch"`
	EndEpoch   int64  `json:"endEpoch"` // 0 while the alert is active
	AckedBy    string `json:"ackedBy"`
	AckComment string `json:"ackComment"`
	Chain      string `json:"chain"`
	Stage      int64  `json:"stage"`
	Recipient  string `json:"recipient"`
	Link       string `json:"link"`
}

// payload returns the body for a web hook.
func payload(i *alert.Integration, a *alert.Alert, d *alert.Delivery, w alert.Wording, page string) string {
	if i.Payload != "" {
		text := w.JSON(i.Payload, map[string]string{"EVENT": d.Tells, "SUBJECT": d.Subject, "BODY": d.Body,
			"RECIPIENT": d.Address, "STAGE": strconv.FormatInt(d.Stage, 10)})
		if json.Valid([]byte(text)) { // truncated JSON would be invalid
			return text
		}
	}
	body, err := resource.Encode(hookBody{
		Event: d.Tells, AlertID: strconv.FormatInt(int64(a.ID), 10), Severity: threshold.SeverityWord(a.Severity),
		Subject: d.Subject, Body: d.Body,
		Device: a.DeviceName, DeviceID: a.DeviceID, DataSource: a.DataSourceName, Instance: a.InstanceName,
		DataPoint: a.DataPointName,
		Value:     a.Value, Threshold: a.Threshold, Reason: a.Reason, StartEpoch: int64(a.StartOn),
		EndEpoch: int64(a.EndOn),
		AckedBy:  a.AckedBy, AckComment: a.AckComment, Chain: d.Chain, Stage: d.Stage, Recipient: d.Address, Link: page,
	})
	if err != nil {
		return "{}" // texts and numbers can always be encoded
	}
	return string(body)
}
