package mcp

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"spyglass/backend/portal/threshold"
	"spyglass/backend/story"
)

// storyPath is the path of the story of an alert.
const storyPath = "/alert/alerts/{id}/story"

// relations are the words for the relations of a story.
var relations = map[string]string{
	"cause": "the cause", "same": "on the device of the cause", "dependent": "on a device that depends on the cause's",
	"related": "of the same collector or group",
}

// story takes what broke first from the portal's own story of the incident, so that the
// explanation and the page say the same. It returns false for a portal without stories.
func (x *explaining) story(ctx context.Context) (found bool, err error) {
	path := "/alert/alerts/" + url.PathEscape(x.it.ID) + "/story"
	if e := x.target.Catalog.Match("GET", path); e == nil || e.Path != storyPath {
		return false, nil
	}
	var s story.Story
	if err := x.get(ctx, path, nil, &s); err != nil {
		return false, err
	}
	x.out.Story = s.Summary
	own := ""
	for _, one := range s.Alerts {
		if strconv.FormatInt(one.ID, 10) == x.it.ID {
			own = one.Relation
			continue
		}
		if len(x.out.Related) < mostRelated {
			x.out.Related = append(x.out.Related, shownOf(&one))
		}
	}
	if strconv.FormatInt(s.Cause.ID, 10) == x.it.ID {
		x.out.Why = cameFirst
		return true, nil
	}
	first := shownOf(&s.Cause)
	first.Relation = "on a device that it depends on"
	if own == "same" {
		first.Relation = "on the same device"
	}
	x.first(&first)
	return true, nil
}

// cameFirst says that an alert is the cause itself.
const cameFirst = "No related alert opened before it, so it came first."

// first says which alert came first.
func (x *explaining) first(of *shownAlert) {
	x.out.First = of
	x.out.Why = fmt.Sprintf("Alert %s (%s, %s) opened before it, at %s, %s. Look there first.", of.ID, of.Object,
		strings.TrimSpace(of.DataSource+" "+of.DataPoint), of.Opened, of.Relation)
}

// shownOf returns an alert of a story as it is in a result.
func shownOf(one *story.IncidentAlert) shownAlert {
	out := shownAlert{ID: strconv.FormatInt(one.ID, 10), Severity: threshold.SeverityWord(one.Severity),
		Object: one.Device, DeviceID: one.DeviceID, DataSource: one.DataSource, DataPoint: one.DataPoint,
		Value: strings.TrimSpace(one.Value + " " + one.Unit), Threshold: one.Threshold, Reason: one.Reason,
		Opened: moment(one.Start), Cleared: moment(one.End), InMaintenance: one.Maintenance,
		Relation: relations[one.Relation]}
	if one.Instance != one.DataSource {
		out.Instance = one.Instance
	}
	if one.Value == "" {
		out.Value = ""
	}
	if one.Acked {
		out.AcknowledgedBy = one.AckedBy
	}
	return out
}
