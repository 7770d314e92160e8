package notify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/portal/alert"
	"spyglass/backend/resource"
)

// eventDigest is the event of a message with several notices.
const eventDigest = "digest"

// listed limits the notices in the text of a digest; a web hook gets all of them.
const listed = 100

// hookDigest is the body of several notices for a web hook without a template.
type hookDigest struct {
	Event     string            `json:"event"` // "digest"
	Subject   string            `json:"subject"`
	Body      string            `json:"body"`
	Recipient string            `json:"recipient"`
	Count     int               `json:"count"`
	Notices   []json.RawMessage `json:"notices"` // the bodies of the single notices, in order
	Link      string            `json:"link"`
}

// digestTokens lists the tokens allowed in the template of an integration that
// groups notices: those that do not refer to a single alert.
var digestTokens = []string{"EVENT", "SUBJECT", "BODY", "RECIPIENT"}

// grouped reports whether an integration accepts several notices in one
// message.
func grouped(i *alert.Integration) bool {
	if i == nil || i.GroupAbove == 0 {
		return false
	}
	return i.Type != alert.IntegrationHTTP ||
		!slices.ContainsFunc(alert.TokensOf(i.Payload),
			func(name string) bool { return !slices.Contains(digestTokens, name) })
}

// message returns the notice to send: the only one of the unit, or one that
// combines them.
func (s *Service) message(i *alert.Integration, u *unit) *alert.Delivery {
	first := u.rows[0]
	if u.digest() == "" || i == nil {
		return first
	}
	d := &alert.Delivery{
		Key: u.digest(), Tells: eventDigest, Method: first.Method, Address: first.Address, Recipient: first.Recipient,
		CreatedOn: first.CreatedOn,
		Subject:   digestSubject(u.rows), Body: s.digestBody(u.rows),
	}
	if i.Type == alert.IntegrationHTTP {
		d.Payload = s.digestPayload(i, d, u.rows)
	}
	return d
}

// digestSubject returns "12 notices: 9 active, 3 cleared".
func digestSubject(rows []*alert.Delivery) string {
	counts := map[string]int{}
	for _, d := range rows {
		counts[d.Tells]++
	}
	var parts []string
	for _, event := range []string{alert.EventActive, alert.EventEscalated, alert.EventAcked, alert.EventCleared} {
		if n := counts[event]; n > 0 {
			parts = append(parts,
				fmt.Sprintf("%d %s", n, cmp.Or(map[string]string{alert.EventAcked: "acknowledged"}[event], event)))
		}
	}
	return fmt.Sprintf("%d notices: %s", len(rows), strings.Join(parts, ", "))
}

// digestBody returns a paragraph for each notice.
func (s *Service) digestBody(rows []*alert.Delivery) string {
	var b strings.Builder
	for n, d := range rows {
		if n == listed {
			fmt.Fprintf(&b, "… and %d more.\n", len(rows)-listed)
			break
		}
		fmt.Fprintf(&b, "%s\n%s\n", d.Subject, d.Body)
		if page := s.o.page(d.AlertID); page != "" {
			b.WriteString(page + "\n")
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (s *Service) digestPayload(i *alert.Integration, d *alert.Delivery, rows []*alert.Delivery) string {
	if i.Payload != "" {
		text := (alert.Wording{}).JSON(i.Payload, map[string]string{"EVENT": d.Tells, "SUBJECT": d.Subject,
			"BODY": d.Body, "RECIPIENT": d.Address})
		if json.Valid([]byte(text)) { // truncated JSON would be invalid
			return text
		}
	}
	all := hookDigest{Event: d.Tells, Subject: d.Subject, Body: d.Body, Recipient: d.Address, Count: len(rows),
		Notices: []json.RawMessage{}, Link: s.o.alertsPage()}
	for _, row := range rows {
		if json.Valid([]byte(row.Payload)) {
			all.Notices = append(all.Notices, json.RawMessage(row.Payload))
		}
	}
	body, err := resource.Encode(all)
	if err != nil {
		return "{}" // texts and numbers can always be encoded
	}
	return string(body)
}
