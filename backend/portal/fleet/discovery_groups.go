package fleet

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"spyglass/backend/check"
	"spyglass/backend/pattern"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
)

// eachOnce omits instances without a wild value, duplicates, and those beyond the
// limit.
func eachOnce(found []check.Found) []check.Found {
	seen := make(map[string]bool, min(len(found), check.MostFound))
	var out []check.Found
	for _, f := range found {
		key := strings.ToLower(f.WildValue)
		if key == "" || seen[key] {
			continue
		}
		if len(out) == check.MostFound {
			break
		}
		if seen[key] = true; f.DisplayName == "" {
			f.DisplayName = f.WildValue
		}
		out = append(out, f)
	}
	return out
}

// autoGroups assigns discovered instances to groups by name.
type autoGroups struct {
	by  *regexp.Regexp   // nil: no groups
	ids map[string]int64 // by name in lower case
}

func autoGroupsOf(ctx context.Context, r resource.Reader, row *DeviceDataSource, d *datasource.Discovery) (*autoGroups,
	error) {
	g := &autoGroups{ids: map[string]int64{}}
	if d.GroupMethod != "regex" || d.GroupParam == "" {
		return g, nil
	}
	by, _, err := pattern.Compile(d.GroupParam, datasource.MaxRuleSteps)
	if err != nil { // stored by an earlier version
		return g, nil
	}
	if g.by = by; row.ID == 0 {
		return g, nil
	}
	have, err := resource.Find(ctx, r, InstanceGroupRows,
		resource.Where{Field: "deviceDataSourceId", Op: "=", Value: row.ID})
	for i := range have {
		g.ids[strings.ToLower(have[i].Name)] = have[i].ID
	}
	return g, err
}

// of returns the group for an instance name, and adds it if it does not exist.
// The group's name is the match of the expression's first capture group, or else
// the whole match; 0 for no match.
func (g *autoGroups) of(ctx context.Context, tx resource.Tx, row *DeviceDataSource, name string,
	now resource.Seconds) (int64, error) {
	if g.by == nil {
		return 0, nil
	}
	match := g.by.FindStringSubmatch(name)
	if match == nil {
		return 0, nil
	}
	title := strings.TrimSpace(match[min(1, len(match)-1)])
	if title == "" || utf8.RuneCountInString(title) > 255 {
		return 0, nil
	}
	key := strings.ToLower(title)
	if g.ids[key] == 0 {
		if row.ID == 0 { // a group belongs to a row
			if err := resource.Put(ctx, tx, DeviceDataSourceRows, row); err != nil {
				return 0, err
			}
		}
		made := &InstanceGroup{DeviceID: row.DeviceID, DeviceDataSourceID: row.ID, Name: title, CreatedOn: now}
		if err := resource.Put(ctx, tx, InstanceGroupRows, made); err != nil {
			return 0, err
		}
		g.ids[key] = made.ID
	}
	return g.ids[key], nil
}
