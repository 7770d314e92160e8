package alert

import (
	"context"
	"slices"
	"strings"
	"time"

	"spyglass/backend/appliesto"
	"spyglass/backend/fault"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// routes holds all rules by priority, with their chains. It is shared: do not
// change it.
type routes struct {
	rules  []Rule
	chains map[int64]*Chain
}

func routesOf(ctx context.Context, r resource.Reader) (*routes, error) {
	value, err := r.Memo("alert routes", []string{string(ruleRows), string(ChainRows)}, func() (any, error) {
		rules, err := resource.Find(ctx, r, ruleRows)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(rules, func(a, b Rule) int { return int(a.Priority - b.Priority) })
		chains, err := resource.Find(ctx, r, ChainRows)
		out := &routes{rules, make(map[int64]*Chain, len(chains))}
		for i := range chains {
			out.chains[chains[i].ID] = &chains[i]
		}
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return value.(*routes), nil
}

// RuleFor returns the first alert rule that matches an alert, and its chain; nil
// for none. The device is nil for an alert of a collector, which only rules for
// all devices match, and for an alert of a group, which is matched like a device
// in the group.
func RuleFor(ctx context.Context, r resource.Reader, a *Alert, d *fleet.Device) (*Rule, *Chain, error) {
	routes, err := routesOf(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	paths := []string{""} // a device without an existing group belongs to the root group
	if d != nil {
		for _, id := range d.GroupIDs {
			if g := tree.Groups[id]; g != nil {
				paths = append(paths, g.FullPath)
			}
		}
	}
	if g := tree.Groups[a.GroupID]; g != nil {
		paths = append(paths, g.FullPath)
	}
	var properties map[string]string
	for i := range routes.rules {
		rule := &routes.rules[i]
		if len(rule.Properties) > 0 && properties == nil && d != nil {
			properties = tree.ShownProperties(d)
		}
		if rule.fits(a, paths) && rule.fitsProperties(properties) {
			return rule, routes.chains[rule.ChainID], nil
		}
	}
	return nil, nil, nil
}

// Route returns the rule and the chain assigned to the alert; nil if one was
// deleted, or there was none.
func (a *Alert) Route(ctx context.Context, r resource.Reader) (*Rule, *Chain, error) {
	routes, err := routesOf(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(routes.rules, func(rule Rule) bool { return rule.ID == a.RuleID })
	if i < 0 {
		return nil, routes.chains[a.ChainID], nil
	}
	return &routes.rules[i], routes.chains[a.ChainID], nil
}

// fits reports whether the rule matches the alert, ignoring letter case.
func (r *Rule) fits(a *Alert, groups []string) bool {
	one := func(globs []string, texts ...string) bool {
		return slices.ContainsFunc(globs, func(glob string) bool {
			return slices.ContainsFunc(texts,
				func(text string) bool { return appliesto.Globs(strings.ToLower(glob), strings.ToLower(text)) })
		})
	}
	return (strings.EqualFold(r.Level, "All") || strings.EqualFold(r.Level, threshold.LevelWords[a.Severity])) &&
		one(r.Devices, a.DeviceName) && one(r.DeviceGroups, groups...) &&
		one([]string{r.DataSource}, a.DataSourceName) && one([]string{r.Instance},
		a.InstanceName) && one([]string{r.DataPoint}, a.DataPointName)
}

// fitsProperties reports whether a device has all properties that the rule
// requires; properties maps their names in lower case to values.
func (r *Rule) fitsProperties(properties map[string]string) bool {
	return !slices.ContainsFunc(r.Properties, func(p PropertyGlob) bool {
		value, ok := properties[strings.ToLower(p.Name)]
		return !ok || !appliesto.Globs(strings.ToLower(p.Value), strings.ToLower(value))
	})
}

// StagesAt returns the stages of the chain that apply at that time, and the number
// of their destination, from 1; 0 if none applies.
func (c *Chain) StagesAt(at time.Time) (stages [][]Recipient, destination int64) {
	for i, d := range c.Destinations {
		if !strings.EqualFold(d.Type, "timebased") || d.Period != nil && d.Period.holds(at) {
			return d.Stages, int64(i + 1)
		}
	}
	return nil, 0
}

// holds reports whether a time is in the period. If a period continues after
// midnight, that part belongs to the day on which it began.
func (p *Period) holds(at time.Time) bool {
	zone, err := time.LoadLocation(p.Timezone)
	if err != nil {
		return false
	}
	at = at.In(zone)
	minute, today := int64(at.Hour()*60+at.Minute()), int64(at.Weekday())+1
	on := func(day int64) bool { return slices.Contains(p.WeekDays, day) }
	if p.StartMinutes < p.EndMinutes {
		return on(today) && minute >= p.StartMinutes && minute < p.EndMinutes
	}
	return on(today) && minute >= p.StartMinutes || on((today+5)%7+1) && minute < p.EndMinutes
}

// route assigns an alert to the rule and the chain that match now. If the chain
// changes, the alert starts again at its first stage.
func (a *Alert) route(ctx context.Context, r resource.Reader, d *fleet.Device, at resource.Seconds) error {
	rule, chain, err := RuleFor(ctx, r, a, d)
	if err != nil {
		return err
	}
	before := a.ChainID
	a.RuleID, a.Rule, a.ChainID, a.Chain = 0, "", 0, ""
	if rule != nil {
		a.RuleID, a.Rule = rule.ID, rule.Name
	}
	if chain != nil {
		a.ChainID, a.Chain = chain.ID, chain.Name
	}
	switch {
	case a.ChainID == 0:
		a.SubChainID, a.NextRecipient = 0, 0
	case a.ChainID != before:
		_, a.SubChainID = chain.StagesAt(time.Unix(int64(at), 0))
		a.NextRecipient = 1
	}
	return nil
}

// escalateAlert passes an alert on to the next stage of its chain.
func escalateAlert(w *resource.Write, a *Alert) error {
	if a.Cleared {
		return fault.New(fault.Conflict, "the alert %d has cleared and cannot be escalated", a.ID)
	}
	routes, err := routesOf(w.Context, w.Tx)
	if err != nil {
		return err
	}
	chain := routes.chains[a.ChainID]
	if chain == nil {
		return fault.New(fault.Conflict, "the alert %d has no escalation chain", a.ID)
	}
	stages, destination := chain.StagesAt(w.Call.At)
	if a.NextRecipient >= int64(len(stages)) {
		return fault.New(fault.Conflict, "the alert %d is at the last stage of its escalation chain %s", a.ID,
			chain.Name)
	}
	a.SubChainID = destination
	a.NextRecipient++
	at := resource.SecondsOf(w.Call.At)
	a.note(callerOf(w.Call), at, "escalated to stage "+integer(a.NextRecipient)+" of "+chain.Name)
	return nil
}
