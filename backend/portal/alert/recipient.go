package alert

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// RecipientGroupRows names the rows of RecipientGroup.
const RecipientGroupRows resource.Name[*RecipientGroup] = "recipientGroup"

// Recipient names a person or group to notify, and the method. Comparisons of
// Type and Method ignore case; both are stored as sent.
type Recipient struct {
	Type    string `json:"type" doc:"ADMIN, a user; ARBITRARY, any address; GROUP, a recipient group"`
	Method  string `json:"method" body:"optional" doc:"email, smsemail (the user's own) or the name of an integration; nothing for a GROUP"`
	Addr    string `json:"addr" doc:"the user name, the address or the name of the recipient group"`
	Contact string `json:"contact" body:"optional" doc:"kept for clients of the published API"`
}

// Is reports whether the recipient is of that type, whatever its case.
func (r *Recipient) Is(kind string) bool { return strings.EqualFold(r.Type, kind) }

// The methods that are not the name of an integration.
const (
	ByEmail    = "email"
	BySMSEmail = "smsemail"
)

// MaxRecipients limits the recipients of a recipient group, a chain and a report.
const MaxRecipients = 1000

// RecipientGroup is a named list of recipients.
type RecipientGroup struct {
	ID          int64
	Name        string
	Description string
	Recipients  []Recipient
}

// RecipientGroups declares /setting/recipientgroups.
var RecipientGroups = resource.Resource[*RecipientGroup]{
	Name: RecipientGroupRows, Label: "recipient group", Sample: 3, Path: "/setting/recipientgroups",
	Category: ground.CategoryAlerts, Object: resource.Setting, Area: ground.AreaAlerting,
	Doc: "People and addresses that escalation chains notify together.",
	Fields: []resource.Field[*RecipientGroup]{
		{Name: "id", At: func(g *RecipientGroup) any { return &g.ID }, Doc: "Set by the portal", ReadOnly: true,
			Example: 2},
		{Name: "groupName", At: func(g *RecipientGroup) any { return &g.Name }, Doc: "Unique name; chains refer to it",
			Required: true, MaxLen: 255, Index: true, Example: "Night shift"},
		{Name: "description", At: func(g *RecipientGroup) any { return &g.Description }, Doc: "Who belongs to it",
			MaxLen:  4000,
			Example: "Night shift, from 22:00"},
		{Name: "recipients", At: func(g *RecipientGroup) any { return &g.Recipients },
			Doc:     "Users and addresses; no groups",
			Default: []Recipient{},
			Example: []Recipient{{Type: "ADMIN", Method: ByEmail, Addr: "admin"},
				{Type: "ARBITRARY", Method: ByEmail, Addr: "night@example.net"}}},
	},
	Unique: [][]string{{"groupName"}},
	Hooks: []resource.Hook{resource.Follow(people.OnUserRenamed, renameRecipient),
		resource.Follow(people.OnUserRemoved, keepNotified)},
	Check: func(w *resource.Write, _, now *RecipientGroup) error {
		now.Name = strings.TrimSpace(now.Name)
		if len(now.Recipients) > MaxRecipients {
			return fault.At("recipients", "a recipient group has at most %d recipients", MaxRecipients)
		}
		book, err := Addresses(w)
		for i := range now.Recipients {
			field := fmt.Sprintf("recipients[%d]", i)
			if err == nil && now.Recipients[i].Is("GROUP") {
				err = fault.At(field+".type",
					"%s: a recipient group can contain users and addresses, but no other group",
					field)
			}
			if err == nil {
				err = book.Check(field, &now.Recipients[i])
			}
		}
		return err
	},
	After: func(w *resource.Write, was, now *RecipientGroup) error {
		if was == nil || was.Name == now.Name {
			return nil
		}
		return changeRecipients(w, func(r *Recipient) bool {
			if !r.Is("GROUP") || !strings.EqualFold(r.Addr, was.Name) {
				return false
			}
			r.Addr = now.Name
			return true
		})
	},
	Remove: func(w *resource.Write, g *RecipientGroup) error {
		return refuseWhileNotified(w, "the recipient group "+g.Name,
			func(r *Recipient) bool { return r.Is("GROUP") && strings.EqualFold(r.Addr, g.Name) })
	},
}

// AddressBook holds the names that recipients may refer to.
type AddressBook struct {
	users, groups, integrations []string
	mailServers                 []string // names of the integrations that send mail
}

// Addresses returns the names that recipients may currently refer to.
func Addresses(w *resource.Write) (book AddressBook, err error) {
	users, err := resource.Find(w.Context, w.Tx, people.UserRows)
	if err != nil {
		return book, err
	}
	groups, err := resource.Find(w.Context, w.Tx, RecipientGroupRows)
	if err != nil {
		return book, err
	}
	integrations, err := resource.Find(w.Context, w.Tx, integrationRows)
	for i := range users {
		book.users = append(book.users, users[i].Username)
	}
	for i := range groups {
		book.groups = append(book.groups, groups[i].Name)
	}
	for i := range integrations {
		book.integrations = append(book.integrations, integrations[i].Name)
		if integrations[i].Type == IntegrationSMTP {
			book.mailServers = append(book.mailServers, integrations[i].Name)
		}
	}
	return book, err
}

// Check refuses a recipient that no notice could reach.
func (b *AddressBook) Check(field string, r *Recipient) error {
	kinds := []any{"ADMIN", "ARBITRARY", "GROUP"}
	switch {
	case !slices.ContainsFunc(kinds, func(k any) bool { return r.Is(k.(string)) }):
		return &fault.Error{Kind: fault.Invalid, Field: field + ".type",
			Message: field + ".type is ADMIN, ARBITRARY or GROUP", Allowed: kinds}
	case strings.TrimSpace(r.Addr) == "":
		return fault.At(field+".addr", "%s.addr is required", field)
	case len(r.Addr) > 255 || len(r.Contact) > 255:
		return fault.At(field+".addr", "%s: addr and contact have at most 255 characters", field)
	case r.Is("GROUP") && !ground.Listed(b.groups, r.Addr):
		return fault.At(field+".addr", "%s.addr: there is no recipient group %q", field, r.Addr)
	case r.Is("GROUP"):
		return nil
	case r.Is("ADMIN") && !ground.Listed(b.users, r.Addr):
		return fault.At(field+".addr", "%s.addr: there is no user %q", field, r.Addr)
	}
	return b.checkMethod(field, r)
}

func (b *AddressBook) checkMethod(field string, r *Recipient) error {
	switch method := strings.ToLower(r.Method); {
	case method == "":
		return fault.At(field+".method", "%s.method is required: email, smsemail or the name of an integration", field)
	case (method == ByEmail || ground.Listed(b.mailServers, r.Method)) && r.Is("ARBITRARY"):
		if _, err := mail.ParseAddress(r.Addr); err != nil {
			return fault.At(field+".addr", "%s.addr is not a valid email address", field)
		}
	case method == ByEmail, method == BySMSEmail && r.Is("ADMIN"), ground.Listed(b.integrations, r.Method):
	case method == BySMSEmail:
		return fault.At(field+".method", "%s.method: smsemail is only for users with an SMS email address", field)
	case method == "sms" || method == "voice":
		return fault.At(field+".method",
			"%s.method: this portal cannot call or send text messages by itself; use email, smsemail or the name of "+
				"an integration", field)
	default:
		return fault.At(field+".method", "%s.method: there is no integration %q; email and smsemail need none", field,
			r.Method)
	}
	return nil
}

// changeRecipients applies change to all recipients in chains, groups and
// reports, and writes the changed rows.
func changeRecipients(w *resource.Write, change func(*Recipient) bool) error {
	groups, err := resource.Find(w.Context, w.Tx, RecipientGroupRows)
	if err != nil {
		return err
	}
	for i := range groups {
		if AnyRecipient(groups[i].Recipients, change) {
			if err := resource.Put(w.Context, w.Tx, RecipientGroupRows, &groups[i]); err != nil {
				return err
			}
		}
	}
	chains, err := resource.Find(w.Context, w.Tx, ChainRows)
	if err != nil {
		return err
	}
	for i := range chains {
		if chains[i].AnyRecipient(change) {
			if err := resource.Put(w.Context, w.Tx, ChainRows, &chains[i]); err != nil {
				return err
			}
		}
	}
	return OnRecipientsChanged.Fire(w.Context, w.Tx, RecipientChange{Write: w, Change: change})
}

// AnyRecipient calls do for every recipient, and reports whether any call
// returned true.
func AnyRecipient(list []Recipient, do func(*Recipient) bool) bool {
	found := false
	for i := range list {
		found = do(&list[i]) || found
	}
	return found
}

// refuseWhileNotified refuses to delete a user, a group or an integration (what)
// while a chain or a recipient group refers to it. The error names the chain or
// group only to a role that may view it.
func refuseWhileNotified(w *resource.Write, what string, is func(*Recipient) bool) error {
	var by string
	groups, err := resource.Find(w.Context, w.Tx, RecipientGroupRows)
	if err != nil {
		return err
	}
	for i := range groups {
		if by == "" && AnyRecipient(groups[i].Recipients, is) {
			by = "the recipient group " + groups[i].Name
		}
	}
	chains, err := resource.Find(w.Context, w.Tx, ChainRows)
	if err != nil {
		return err
	}
	for i := range chains {
		if by == "" && chains[i].AnyRecipient(is) {
			by = "the escalation chain " + chains[i].Name
		}
	}
	if by == "" {
		return OnRecipientRemoved.Fire(w.Context, w.Tx, RecipientRemoval{Write: w, What: what, Is: is})
	}
	if who := w.Call.Access; who != nil && !who.May(resource.Right{Object: resource.Setting, Area: ground.AreaAlerting,
		Op: resource.Read}) {
		by = "an escalation chain"
	}
	return fault.New(fault.Conflict, "%s still notifies %s; remove it there first", by, what)
}
