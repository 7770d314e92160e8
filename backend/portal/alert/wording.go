package alert

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/setting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// Reading returns the value of an alert of a data source for users: "83 %", "down (2)".
func Reading(a *Alert, source *datasource.DataSource) string {
	return (&alertSubject{alert: a, source: source}).reading()
}

// reading returns the value of an alert for users: "83 %", "down (2)".
func (s *alertSubject) reading() string {
	v, err := strconv.ParseFloat(s.alert.Value, 64)
	if err != nil {
		return s.alert.Value
	}
	return s.measure(v)
}

// measure returns a value of the data point with its unit, or the word for it.
func (s *alertSubject) measure(v float64) string {
	text := figure(v)
	p := s.point()
	if p == nil || s.alert.Type == GroupAlert { // it counts devices, whatever the unit of the data point
		return text
	}
	if word := p.WordFor(v); word != "" {
		return word + " (" + text + ")"
	}
	return strings.TrimSpace(text + " " + s.source.UnitOf(p.Name))
}

// figure formats a value with at most four significant digits, and all digits
// before the point.
func figure(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// should maps the operator of a threshold to the words for the expected value.
var should = map[string]string{">": "at most", ">=": "below", "<": "at least", "<=": "above", "=": "other than",
	"!=": ""}

// expected describes the expected value: "at most 60 %" or, if the severity has
// its own limit, "at most 60 % (critical above 90 %)".
func (s *alertSubject) expected() string {
	expr, err := threshold.ParseAlertExpr(s.alert.Threshold)
	if err != nil || len(expr.Levels) == 0 {
		return s.alert.Threshold
	}
	text := strings.TrimSpace(should[expr.Op] + " " + s.measure(expr.Levels[0]))
	if level, ok := expr.Limit(s.alert.Severity); ok && level != expr.Levels[0] {
		text += " (" + threshold.LevelWords[s.alert.Severity] + " " + threshold.OperatorWords[expr.Op] + " " +
			s.measure(level) + ")"
	}
	return text
}

// AlertInShort returns "97, above 95" for an alert's value and threshold.
func AlertInShort(value, limits string, severity int64) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	expr, err := threshold.ParseAlertExpr(limits)
	level, ok := expr.Limit(severity)
	if err != nil || !ok {
		return figure(v)
	}
	return figure(v) + ", " + threshold.OperatorWords[expr.Op] + " " + figure(level)
}

// In returns the wording with times in another time zone.
func (w Wording) In(zone *time.Location) Wording {
	if zone == nil {
		return w
	}
	in := *w.subject
	in.zone = zone
	return Wording{&in}
}

// zoneFor returns the time zone of the reader: the user's, or the portal's.
func zoneFor(ctx context.Context, r resource.Reader, who *resource.Access) *time.Location {
	zone := time.UTC
	if setting, err := resource.Get(ctx, r, setting.SettingRows, setting.SettingID); err == nil {
		zone = setting.Zone()
	}
	if who == nil || who.UserID == 0 {
		return zone
	}
	user, err := resource.Get(ctx, r, people.UserRows, who.UserID)
	if err != nil {
		return zone
	}
	return cmp.Or(user.Zone(), zone)
}
