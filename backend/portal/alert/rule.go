package alert

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// ruleRows names the rows of Rule.
const ruleRows resource.Name[*Rule] = "alertRule"

// Rule assigns alerts to an escalation chain.
type Rule struct {
	ID            int64
	Name          string
	Priority      int64
	Level         string
	Devices       []string
	DeviceGroups  []string
	DataSource    string
	Instance      string
	DataPoint     string
	ChainID       int64
	Interval      int64 // minutes
	SuppressClear bool
	SuppressAck   bool
	SendAnomaly   bool
	Properties    []PropertyGlob
}

// Rules declares /setting/alert/rules.
var Rules = resource.Resource[*Rule]{
	Name: ruleRows, Label: "alert rule", Sample: 4, Path: "/setting/alert/rules", Category: ground.CategoryAlerts,
	Object: resource.Setting, Area: ground.AreaAlerting,
	Doc: "Assigns alerts to escalation chains. The portal evaluates rules in the order of their priority; the " +
		"first that matches applies.",
	Fields: []resource.Field[*Rule]{
		{Name: "id", At: func(r *Rule) any { return &r.ID }, Doc: "Set by the portal", ReadOnly: true, Example: 1},
		{Name: "name", At: func(r *Rule) any { return &r.Name }, Doc: "Unique name", Required: true, MaxLen: 255,
			Index:   true,
			Example: "Web servers"},
		{Name: "priority", At: func(r *Rule) any { return &r.Priority },
			Doc:      "Unique; lower numbers are evaluated first",
			Required: true, Min: resource.Bound(1), Max: resource.Bound(math.MaxInt32), Index: true, Example: 150},
		{Name: "levelStr", At: func(r *Rule) any { return &r.Level },
			Doc: "Severity of the alerts that match, or All", Default: "All",
			OneOf: []any{"All", "Warn", "Error", "Critical"}, Example: "Error"},
		{Name: "devices", At: func(r *Rule) any { return &r.Devices }, Doc: "Display names, * for any characters",
			Default: []string{"*"}, Example: []string{"web-*"}},
		{Name: "deviceGroups", At: func(r *Rule) any { return &r.DeviceGroups },
			Doc: "Full paths of device groups, * for any characters", Default: []string{"*"},
			Example: []string{"Services/*"}},
		{Name: "datasource", At: func(r *Rule) any { return &r.DataSource },
			Doc: "Name of the datasource, * for any characters", Default: "*", MaxLen: 255, Example: "*"},
		{Name: "instance", At: func(r *Rule) any { return &r.Instance }, Doc: "Name of the instance, * for any " +
			"characters",
			Default: "*", MaxLen: 255, Example: "*"},
		{Name: "datapoint", At: func(r *Rule) any { return &r.DataPoint }, Doc: "Name of the datapoint, * for any " +
			"characters",
			Default: "*", MaxLen: 255, Example: "*"},
		{Name: "escalatingChainId", At: func(r *Rule) any { return &r.ChainID },
			Doc: "The escalation chain of matching alerts", Required: true, Min: resource.Bound(1),
			Refs: string(ChainRows), Index: true, Example: 1},
		{Name: "escalationInterval", At: func(r *Rule) any { return &r.Interval },
			Doc: "Minutes from one stage to the next; 0: only the first stage", Default: 15, Min: resource.Bound(0),
			Max: resource.Bound(10_080), Example: 15},
		{Name: "resourceProperties", At: func(r *Rule) any { return &r.Properties },
			Doc:     "Properties that the device must have, its own or inherited, all with matching values",
			Default: []PropertyGlob{},
			Example: []PropertyGlob{}},
		{Name: "suppressAlertClear", At: func(r *Rule) any { return &r.SuppressClear },
			Doc: "Send no notice when the alert clears"},
		{Name: "suppressAlertAckSdt", At: func(r *Rule) any { return &r.SuppressAck },
			Doc: "Send no notice of acknowledgements and maintenance"},
		{Name: "sendAnomalySuppressedAlert", At: func(r *Rule) any { return &r.SendAnomaly },
			Doc: "Kept for clients of the published API"},
	},
	Derived: []resource.Derived{{
		Name: "escalatingChain", Doc: "The escalation chain, by id and name", From: "escalatingChainId",
		Schema: resource.SchemaOf(chainRef{}), Example: chainRef{ID: 1, Name: "Network operations"}, Of: chainsOf,
	}},
	Unique: [][]string{{"name"}, {"priority"}},
	Check: func(_ *resource.Write, _, now *Rule) (err error) {
		now.Name = strings.TrimSpace(now.Name)
		for _, glob := range []struct {
			field string
			text  *string
		}{{"datasource", &now.DataSource}, {"instance", &now.Instance}, {"datapoint", &now.DataPoint}} {
			if *glob.text = strings.TrimSpace(*glob.text); *glob.text == "" {
				return fault.At(glob.field, "%s must be a name, or * for all", glob.field)
			}
		}
		if now.Properties, err = propertyGlobs(now.Properties); err != nil {
			return err
		}
		if now.Devices, err = globs("devices", now.Devices); err != nil {
			return err
		}
		now.DeviceGroups, err = globs("deviceGroups", now.DeviceGroups)
		return err
	},
}

// PropertyGlob is a property that a device must have for a rule to match.
type PropertyGlob struct {
	Name  string `json:"name" doc:"name of the property, in any letter case"`
	Value string `json:"value" doc:"its value, * for any characters"`
}

// propertyGlobs returns the list in its stored form. It refuses secrets: a user
// who may write rules could guess them by trying.
func propertyGlobs(list []PropertyGlob) ([]PropertyGlob, error) {
	out := []PropertyGlob{}
	for _, p := range list {
		p.Name = strings.TrimSpace(p.Name)
		switch {
		case p.Name == "" || len(p.Name) > 255 || len(p.Value) > 2048:
			return nil, fault.At("resourceProperties",
				"resourceProperties: each has a name of at most 255 bytes and a value of at most 2,048")
		case resource.SecretName(p.Name):
			return nil, fault.At("resourceProperties",
				"resourceProperties: %.80s is a secret, and rules do not compare secrets", p.Name)
		case !slices.Contains(out, p):
			out = append(out, p)
		}
	}
	if len(out) > maxGlobs {
		return nil, fault.At("resourceProperties", "resourceProperties takes at most %d properties", maxGlobs)
	}
	return out, nil
}

const maxGlobs = 1000

// globs returns the list in its stored form: trimmed, without duplicates.
func globs(field string, list []string) ([]string, error) {
	out := []string{}
	for _, glob := range list {
		glob = strings.TrimSpace(glob)
		switch {
		case glob == "":
			return nil, fault.At(field, "%s contains an empty text; use * for all", field)
		case len(glob) > 2048 || strings.ContainsFunc(glob, func(r rune) bool { return r < ' ' }):
			return nil, fault.At(field, "%s: a pattern must be one line of at most 2,048 characters", field)
		case !slices.Contains(out, glob):
			out = append(out, glob)
		}
	}
	if len(out) == 0 || len(out) > maxGlobs {
		return nil, fault.At(field, "%s takes 1 to %d patterns; use * for all", field, maxGlobs)
	}
	return out, nil
}

// chainRef is an escalation chain in the JSON of a rule.
type chainRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func chainsOf(ctx context.Context, r resource.Reader, rows []resource.Row) ([][]byte, error) {
	value, err := r.Memo("chain names", []string{string(ChainRows)}, func() (any, error) {
		chains, err := resource.Find(ctx, r, ChainRows)
		names := make(map[int64]string, len(chains))
		for i := range chains {
			names[chains[i].ID] = chains[i].Name
		}
		return names, err
	})
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(rows))
	for i, row := range rows {
		id, err := strconv.ParseInt(row.From, 10, 64)
		if err != nil {
			return nil, err
		}
		if out[i], err = resource.Encode(chainRef{ID: id, Name: value.(map[int64]string)[id]}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
