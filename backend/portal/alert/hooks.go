package alert

import (
	"context"
	"strings"

	"spyglass/backend/portal/people"
	"spyglass/backend/resource"
)

// Points at which reports follow recipients.
const (
	// OnRecipientsChanged fires when a user, a recipient group or an integration
	// is renamed.
	OnRecipientsChanged resource.Trigger[RecipientChange] = "recipient.changed"
	// OnRecipientRemoved fires before one of them is deleted; an error prevents
	// that.
	OnRecipientRemoved resource.Trigger[RecipientRemoval] = "recipient.removed"
)

// RecipientChange changes matching recipients, and reports for each whether it
// did.
type RecipientChange struct {
	Write  *resource.Write
	Change func(*Recipient) bool
}

// RecipientRemoval names the user, group or integration to be deleted.
type RecipientRemoval struct {
	Write *resource.Write
	What  string // in a sentence: "the recipient group Night shift"
	Is    func(*Recipient) bool
}

// renameRecipient updates a user's name in recipients.
func renameRecipient(_ context.Context, _ resource.Tx, c people.UserChange) error {
	return changeRecipients(c.Write, func(r *Recipient) bool {
		if !r.isUser(c.Was.Username) {
			return false
		}
		r.Addr = c.Now.Username
		return true
	})
}

// keepNotified refuses to delete a user who is still notified.
func keepNotified(_ context.Context, _ resource.Tx, c people.UserChange) error {
	return refuseWhileNotified(c.Write, c.Was.Username, func(r *Recipient) bool { return r.isUser(c.Was.Username) })
}

func (r *Recipient) isUser(name string) bool {
	return r.Is("ADMIN") && strings.EqualFold(r.Addr, name)
}
