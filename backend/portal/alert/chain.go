package alert

import (
	"fmt"
	"slices"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// ChainRows names the rows of Chain.
const ChainRows resource.Name[*Chain] = "escalatingChain"

// Chain is an escalation chain: the recipients of an alert, stage by stage.
type Chain struct {
	ID               int64
	Name             string
	Description      string
	Destinations     []Destination
	CC               []Recipient
	EnableThrottling bool
	ThrottlingPeriod int64 // minutes
	ThrottlingAlerts int64
	InAlerting       bool
}

// Destination is a list of stages; the first destination whose period includes
// the present time applies.
type Destination struct {
	Type   string        `json:"type" doc:"single, at any time, or timebased, in its period"`
	Period *Period       `json:"period,omitempty" doc:"period in which a timebased destination applies"`
	Stages [][]Recipient `json:"stages" doc:"the recipients of each stage; an empty stage only waits"`
}

// Period is a time of day on some days of the week.
type Period struct {
	WeekDays     []int64 `json:"weekDays" doc:"1 Sunday to 7 Saturday"`
	Timezone     string  `json:"timezone" doc:"IANA name, Europe/Oslo"`
	StartMinutes int64   `json:"startMinutes" doc:"minutes after midnight, 0 to 1439"`
	EndMinutes   int64   `json:"endMinutes" doc:"minutes after midnight, 1 to 1440; before the start: it ends on the next day"`
}

// Chains declares /setting/alert/chains.
var Chains = resource.Resource[*Chain]{
	Name: ChainRows, Label: "escalation chain", Sample: 4, Path: "/setting/alert/chains",
	Category: ground.CategoryAlerts,
	Object:   resource.Setting, Area: ground.AreaAlerting,
	Doc: "Who is notified of an alert, stage by stage, until a user acknowledges it.",
	Fields: []resource.Field[*Chain]{
		{Name: "id", At: func(c *Chain) any { return &c.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 1},
		{Name: "name", At: func(c *Chain) any { return &c.Name }, Doc: "Unique name", Required: true, MaxLen: 255,
			Index: true, Example: "Web team"},
		{Name: "description", At: func(c *Chain) any { return &c.Description }, Doc: "Its purpose", MaxLen: 4000,
			Example: "Shop and booking front ends"},
		{Name: "destinations", At: func(c *Chain) any { return &c.Destinations },
			Doc: "Stages of recipients, at any time or by time of day", Required: true,
			Example: []Destination{{Type: "single",
				Stages: [][]Recipient{{{Type: "ADMIN", Method: ByEmail, Addr: "admin"}},
					{{Type: "ARBITRARY", Method: ByEmail, Addr: "duty@example.net"}}}}}},
		{Name: "ccDestinations", At: func(c *Chain) any { return &c.CC },
			Doc:     "Recipients of the notifications of every stage",
			Default: []Recipient{},
			Example: []Recipient{{Type: "ARBITRARY", Method: ByEmail, Addr: "archive@example.net"}}},
		{Name: "enableThrottling", At: func(c *Chain) any { return &c.EnableThrottling },
			Doc: "Send at most throttlingAlerts in throttlingPeriod", Example: true},
		{Name: "throttlingPeriod", At: func(c *Chain) any { return &c.ThrottlingPeriod }, Doc: "Minutes",
			Min: resource.Bound(0), Max: resource.Bound(10_080), Example: 30},
		{Name: "throttlingAlerts", At: func(c *Chain) any { return &c.ThrottlingAlerts },
			Doc: "Alerts sent at most in that time", Min: resource.Bound(0), Max: resource.Bound(100_000), Example: 40},
		{Name: "inAlerting", At: func(c *Chain) any { return &c.InAlerting }, Doc: "An active alert is being " +
			"escalated along it",
			ReadOnly: true},
	},
	Unique: [][]string{{"name"}},
	Check: func(w *resource.Write, _, now *Chain) error {
		now.Name = strings.TrimSpace(now.Name)
		if now.EnableThrottling && now.ThrottlingPeriod < 1 {
			return fault.At("throttlingPeriod",
				"throttlingPeriod must be at least 1 minute while enableThrottling is true")
		}
		if now.EnableThrottling && now.ThrottlingAlerts < 1 {
			return fault.At("throttlingAlerts", "throttlingAlerts must be at least 1 while enableThrottling is true")
		}
		return now.check(w)
	},
	Remove: func(w *resource.Write, c *Chain) error {
		rules, err := resource.Find(w.Context, w.Tx, ruleRows,
			resource.Where{Field: "escalatingChainId", Op: "=", Value: c.ID})
		if err == nil && len(rules) > 0 {
			err = fault.New(fault.Conflict, "the alert rule %s still uses the escalation chain %s; give it another "+
				"one first",
				rules[0].Name, c.Name)
		}
		return err
	},
}

const maxDestinations, maxStages = 50, 100

// check validates everything inside destinations and ccDestinations.
func (c *Chain) check(w *resource.Write) error {
	if len(c.Destinations) == 0 || len(c.Destinations) > maxDestinations {
		return fault.At("destinations", "an escalation chain needs 1 to %d destinations", maxDestinations)
	}
	recipients := 0
	c.AnyRecipient(func(*Recipient) bool { recipients++; return false })
	if recipients > MaxRecipients {
		return fault.At("destinations", "an escalation chain has at most %d recipients", MaxRecipients)
	}
	book, err := Addresses(w)
	if err != nil {
		return err
	}
	for i := range c.Destinations {
		if err := c.Destinations[i].check(fmt.Sprintf("destinations[%d]", i), &book); err != nil {
			return err
		}
	}
	for i := range c.CC {
		if err := book.Check(fmt.Sprintf("ccDestinations[%d]", i), &c.CC[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Destination) check(field string, book *AddressBook) error {
	timed := strings.EqualFold(d.Type, "timebased")
	switch {
	case !timed && !strings.EqualFold(d.Type, "single"):
		return &fault.Error{Kind: fault.Invalid, Field: field + ".type", Message: field +
			".type is single or timebased",
			Allowed: []any{"single", "timebased"}}
	case timed && d.Period == nil:
		return fault.At(field+".period", "%s.period is required while its type is timebased", field)
	case len(d.Stages) == 0 || len(d.Stages) > maxStages:
		return fault.At(field+".stages", "%s needs 1 to %d stages", field, maxStages)
	}
	if d.Period != nil {
		if err := d.Period.check(field + ".period"); err != nil {
			return err
		}
	}
	for i, stage := range d.Stages {
		if stage == nil {
			d.Stages[i] = []Recipient{}
		}
		for k := range stage {
			if err := book.Check(fmt.Sprintf("%s.stages[%d][%d]", field, i, k), &stage[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Period) check(field string) error {
	slices.Sort(p.WeekDays)
	p.WeekDays = slices.Compact(p.WeekDays)
	switch {
	case len(p.WeekDays) == 0 || p.WeekDays[0] < 1 || p.WeekDays[len(p.WeekDays)-1] > 7:
		return fault.At(field+".weekDays", "%s.weekDays must be a list of days, 1 (Sunday) to 7 (Saturday)", field)
	case p.Timezone == "" || !ground.IsZone(p.Timezone):
		return fault.At(field+".timezone", "%s.timezone must be an IANA time zone name such as Europe/Berlin", field)
	case p.StartMinutes < 0 || p.StartMinutes > 1439:
		return fault.At(field+".startMinutes", "%s.startMinutes must be a whole number from 0 to 1439", field)
	case p.EndMinutes < 1 || p.EndMinutes > 1440 || p.EndMinutes == p.StartMinutes:
		return fault.At(field+".endMinutes",
			"%s.endMinutes must be a whole number from 1 to 1440, other than the start", field)
	}
	return nil
}

// AnyRecipient calls do for every recipient, and reports whether any call
// returned true.
func (c *Chain) AnyRecipient(do func(*Recipient) bool) bool {
	found := AnyRecipient(c.CC, do)
	for _, d := range c.Destinations {
		for _, stage := range d.Stages {
			found = AnyRecipient(stage, do) || found
		}
	}
	return found
}
