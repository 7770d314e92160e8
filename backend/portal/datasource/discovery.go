package datasource

import (
	"regexp"
	"strconv"
	"strings"

	"spyglass/backend/check"
	"spyglass/backend/pattern"
)

// Admitted returns the found instances that pass all filters.
func (d *Discovery) Admitted(found []check.Found) []check.Found {
	var out []check.Found
	rules := make([]*regexp.Regexp, len(d.Filters))
	for i := range d.Filters {
		rules[i] = d.Filters[i].rule()
	}
	for _, f := range found {
		if d.admits(&f, rules) {
			out = append(out, f)
		}
	}
	return out
}

func (d *Discovery) admits(f *check.Found, rules []*regexp.Regexp) bool {
	for i := range d.Filters {
		if !d.Filters[i].meets(f, rules[i]) {
			return false
		}
	}
	return true
}

// rule returns the regular expression of the condition; nil if it has none, or if
// the expression is too large.
func (c *DiscoveryFilter) rule() *regexp.Regexp {
	if !strings.HasPrefix(c.Operation, "Regex") {
		return nil
	}
	rule, _, err := pattern.Compile(c.Value, MaxRuleSteps)
	if err != nil {
		return nil
	}
	return rule
}

// meets reports whether a discovered instance meets the condition. Only regular
// expressions are case-sensitive; a missing attribute is empty.
func (c *DiscoveryFilter) meets(f *check.Found, rule *regexp.Regexp) bool {
	have := attribute(f, c.Attribute)
	low, value := strings.ToLower(have), strings.ToLower(c.Value)
	switch c.Operation {
	case "Equal":
		return low == value
	case "NotEqual":
		return low != value
	case "Contain":
		return strings.Contains(low, value)
	case "NotContain":
		return !strings.Contains(low, value)
	case "RegexMatch", "RegexNotMatch":
		return rule != nil && rule.MatchString(have) == (c.Operation == "RegexMatch")
	case "GreaterThan", "LessThan":
		a, failed := strconv.ParseFloat(have, 64)
		b, wrong := strconv.ParseFloat(c.Value, 64)
		return failed == nil && wrong == nil &&
			(c.Operation == "GreaterThan" && a > b || c.Operation == "LessThan" && a < b)
	case "Exist":
		return have != ""
	case "NotExist":
		return have == ""
	}
	return false
}

// attribute returns an attribute of a found instance by any of its names.
func attribute(f *check.Found, name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, prefix := range []string{"auto.", "instance."} {
		name = strings.TrimPrefix(name, prefix)
	}
	switch name {
	case "name", "displayname", "alias":
		return f.DisplayName
	case "value", "wildvalue":
		return f.WildValue
	case "description":
		return f.Description
	}
	return ""
}
