package portal

import (
	"context"
	"hash/fnv"
	"strings"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
)

// Addressee is a recipient with an id, in the list of all recipients.
type Addressee struct {
	ID int64
	alert.Recipient
}

// Recipients declares /setting/recipients: everyone who can be notified. Users are
// listed with email and, with such an address, smsemail; recipient groups by name;
// other methods and addresses as chains, recipient groups and reports name them.
var Recipients = resource.View[*Addressee]{
	Resource: resource.Resource[*Addressee]{
		Name: "addressee", Label: "recipient", Path: "/setting/recipients", Category: ground.CategoryAlerts,
		Object: resource.Setting, Area: ground.AreaAlerting,
		Sample: recipientID("ADMIN", alert.ByEmail, "admin"),
		Doc: "The possible recipients of notifications: each user by email and, with such an address, by " +
			"smsemail; each recipient group; and each other recipient that a chain, a recipient group or a report " +
			"names, once. Other users are listed only for roles that can view users. To change one, change the " +
			"object that names it.",
		Fields: []resource.Field[*Addressee]{
			{Name: "id", At: func(a *Addressee) any { return &a.ID },
				Doc: "Computed from type, method and addr, so that it stays the same", ReadOnly: true, Example: 1},
			{Name: "type", At: func(a *Addressee) any { return &a.Type },
				Doc: "ADMIN, a user; ARBITRARY, any address; GROUP, a recipient group", ReadOnly: true,
				Example: "ADMIN"},
			{Name: "method", At: func(a *Addressee) any { return &a.Method },
				Doc: "email, smsemail or the name of an integration; empty for a GROUP", ReadOnly: true,
				Example: alert.ByEmail},
			{Name: "addr", At: func(a *Addressee) any { return &a.Addr },
				Doc: "The user name, the address or the name of the recipient group", ReadOnly: true, Example: "admin"},
			{Name: "contact", At: func(a *Addressee) any { return &a.Contact }, Doc: "Kept for clients of the " +
				"published API",
				ReadOnly: true},
		},
	},
	Rows: resource.Each(addressees),
}

// recipientID returns an id that depends only on the recipient.
func recipientID(kind, method, addr string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(kind + "\x00" + method + "\x00" + addr))) // it never fails
	return int64(h.Sum32()>>1) + 1
}

func addressees(ctx context.Context, r resource.Reader, c *resource.Call) ([]Addressee, error) {
	var all []Addressee
	have := map[int64]bool{}
	add := func(one *alert.Recipient) bool {
		id := recipientID(one.Type, one.Method, one.Addr)
		if !have[id] {
			have[id] = true
			all = append(all,
				Addressee{id, alert.Recipient{Type: strings.ToUpper(one.Type), Method: one.Method, Addr: one.Addr,
					Contact: one.Contact}})
		}
		return false
	}
	if c.Access.May(resource.Right{Object: resource.Setting, Area: ground.AreaUserAccess, Op: resource.Read}) {
		users, err := resource.Find(ctx, r, people.UserRows)
		if err != nil {
			return nil, err
		}
		for i := range users {
			add(&alert.Recipient{Type: "ADMIN", Method: alert.ByEmail, Addr: users[i].Username})
			if users[i].SMSEmail != "" {
				add(&alert.Recipient{Type: "ADMIN", Method: alert.BySMSEmail, Addr: users[i].Username})
			}
		}
	}
	groups, err := resource.Find(ctx, r, alert.RecipientGroupRows)
	if err != nil {
		return nil, err
	}
	for i := range groups {
		add(&alert.Recipient{Type: "GROUP", Addr: groups[i].Name})
	}
	for i := range groups {
		alert.AnyRecipient(groups[i].Recipients, add)
	}
	chains, err := resource.Find(ctx, r, alert.ChainRows)
	if err != nil {
		return nil, err
	}
	for i := range chains {
		chains[i].AnyRecipient(add)
	}
	if every, _ := c.Access.In(resource.Reports, resource.Read); !every {
		return all, nil
	}
	reports, err := resource.Find(ctx, r, reporting.ReportRows)
	for i := range reports {
		alert.AnyRecipient(reports[i].Recipients, add)
	}
	return all, err
}
