package notify

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// book resolves recipients to users and addresses.
type book struct {
	users        []people.User
	groups       []alert.RecipientGroup
	integrations []alert.Integration
}

func readBook(ctx context.Context, r resource.Reader) (b book, err error) {
	if b.users, err = resource.Find(ctx, r, people.Users.Name); err != nil {
		return b, err
	}
	if b.groups, err = resource.Find(ctx, r, alert.RecipientGroups.Name); err != nil {
		return b, err
	}
	b.integrations, err = resource.Find(ctx, r, alert.Integrations.Name)
	return b, err
}

// zoneOf returns the time zone of the user who receives a notice; nil if the
// address belongs to no user.
func (b *book) zoneOf(d *alert.Delivery) *time.Location {
	i := slices.IndexFunc(b.users, func(u people.User) bool {
		return strings.EqualFold(u.Username, d.Address) || d.Method == mail &&
			(strings.EqualFold(u.Email, d.Address) || strings.EqualFold(u.SMSEmail, d.Address))
	})
	if i < 0 {
		return nil
	}
	return b.users[i].Zone()
}

// integration returns the integration of a method. For email it is the first mail
// server.
func (b *book) integration(method string) *alert.Integration {
	i := slices.IndexFunc(b.integrations, func(i alert.Integration) bool {
		if method == mail {
			return i.Type == alert.IntegrationSMTP
		}
		return strings.EqualFold(i.Name, method)
	})
	if i < 0 {
		return nil
	}
	return &b.integrations[i]
}

// mail is the method for recipients who are notified by mail.
const mail = "email"

// addressee is a recipient with an address.
type addressee struct{ name, method, address, problem string }

// expand returns all recipients, each address once.
func (b *book) expand(recipients []alert.Recipient) []addressee {
	var all []addressee
	for i := range recipients {
		for _, one := range b.meant(&recipients[i]) {
			if !slices.ContainsFunc(all, func(have addressee) bool {
				return have.method == one.method &&
					have.address == one.address
			}) {
				all = append(all, one)
			}
		}
	}
	return all
}

func (b *book) meant(r *alert.Recipient) []addressee {
	if strings.EqualFold(r.Type, "GROUP") {
		i := slices.IndexFunc(b.groups, func(g alert.RecipientGroup) bool { return strings.EqualFold(g.Name, r.Addr) })
		if i < 0 {
			return nil
		}
		var all []addressee
		for k := range b.groups[i].Recipients {
			all = append(all, b.one(&b.groups[i].Recipients[k]))
		}
		return all
	}
	return []addressee{b.one(r)}
}

func (b *book) one(r *alert.Recipient) addressee {
	out := addressee{name: r.Addr + " by " + strings.ToLower(r.Method), method: r.Method, address: r.Addr}
	byMail := strings.EqualFold(r.Method, mail) || strings.EqualFold(r.Method, "smsemail")
	if byMail {
		out.method = mail
	}
	way := b.integration(out.method)
	mailed := byMail || way != nil && way.Type == alert.IntegrationSMTP // by the first mail server, or by the named one
	if strings.EqualFold(r.Type, "ADMIN") {
		i := slices.IndexFunc(b.users, func(u people.User) bool { return strings.EqualFold(u.Username, r.Addr) })
		switch {
		case i < 0:
			out.problem = "the user " + r.Addr + " no longer exists"
		case b.users[i].Status != "active":
			out.problem = "the user " + r.Addr + " is suspended"
		case strings.EqualFold(r.Method, "smsemail"):
			out.address = b.users[i].SMSEmail
		case mailed:
			out.address = b.users[i].Email
		}
	}
	switch {
	case out.problem != "":
	case way == nil && byMail:
		out.problem = "no mail server is set up: add an integration of type smtp under /setting/integrations"
	case way == nil:
		out.problem = "the integration " + r.Method + " no longer exists"
	case out.address == "":
		out.problem = cmp.Or(r.Addr, "the user") + " has no such address"
	}
	return out
}
