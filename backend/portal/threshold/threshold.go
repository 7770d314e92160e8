// Package threshold reads thresholds such as "> 60 80 90", and names the
// severities of alerts.
//
// It does not depend on resources, and its values are immutable. Errors are faults
// of kind Invalid.
package threshold

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
)

// Severities of an alert.
const (
	SeverityWarn     int64 = 2
	SeverityError    int64 = 3
	SeverityCritical int64 = 4
)

// AlertExpr is an alert threshold: an operator and up to three numbers, for
// warn, error and critical in that order. The zero AlertExpr is not a
// threshold.
type AlertExpr struct {
	Op     string    // one of alertOps
	Levels []float64 // for warn, error and critical; possibly fewer
}

// alertOps lists the operators, longer operators first.
var alertOps = []string{">=", "<=", "!=", ">", "<", "="}

// severities lists the severities of the numbers, in order.
var severities = []int64{SeverityWarn, SeverityError, SeverityCritical}

// ParseAlertExpr parses "> 60 80 90". An empty text is the zero AlertExpr. Errors
// are fault.Invalid without a field.
func ParseAlertExpr(text string) (AlertExpr, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return AlertExpr{}, nil
	}
	i := slices.IndexFunc(alertOps, func(op string) bool { return strings.HasPrefix(text, op) })
	if i < 0 {
		return AlertExpr{}, fault.New(fault.Invalid, `a threshold begins with >, >=, <, <=, = or !=, and its numbers `+
			`follow: "> 60 80 90"`)
	}
	a := AlertExpr{Op: alertOps[i]}
	words := strings.Fields(text[len(a.Op):])
	if len(words) == 0 || len(words) > len(severities) {
		return AlertExpr{}, fault.New(fault.Invalid,
			"a threshold has one to three numbers, for warn, error and critical, not %d", len(words))
	}
	for _, word := range words {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || strings.ContainsAny(word, "xX_iInN") || math.IsInf(v, 0) {
			return AlertExpr{}, fault.New(fault.Invalid, "%s is not a number; write a threshold like > 60 80 90",
				strconv.Quote(word))
		}
		a.Levels = append(a.Levels, v)
	}
	return a, a.ordered()
}

// ordered refuses levels if a more severe one is reached before a less severe one.
func (a AlertExpr) ordered() error {
	for i := 1; i < len(a.Levels); i++ {
		switch before, now := a.Levels[i-1], a.Levels[i]; {
		case a.Op[0] == '>' && now < before:
			return fault.New(fault.Invalid, "the numbers of a threshold with %s grow from warn to critical, and %v "+
				"follows %v",
				a.Op, now, before)
		case a.Op[0] == '<' && now > before:
			return fault.New(fault.Invalid, "the numbers of a threshold with %s fall from warn to critical, and %v "+
				"follows %v",
				a.Op, now, before)
		}
	}
	return nil
}

// Severity returns the severity of a value: the highest level it reaches, or 0.
// Missing data (NaN) has no severity here; alertForNoData sets it.
func (a AlertExpr) Severity(value float64) int64 {
	if math.IsNaN(value) {
		return 0
	}
	for i := len(a.Levels) - 1; i >= 0; i-- {
		if a.Reached(value, a.Levels[i]) {
			return severities[i]
		}
	}
	return 0
}

// Reached reports whether a value has reached a level.
func (a AlertExpr) Reached(value, level float64) bool {
	switch a.Op {
	case ">":
		return value > level
	case ">=":
		return value >= level
	case "<":
		return value < level
	case "<=":
		return value <= level
	case "=":
		return value == level
	case "!=":
		return value != level
	}
	return false
}

// String returns the expression in the form that ParseAlertExpr parses.
func (a AlertExpr) String() string {
	words := []string{a.Op}
	for _, level := range a.Levels {
		words = append(words, strconv.FormatFloat(level, 'f', -1, 64))
	}
	return strings.Join(words, " ")
}

// OperatorWords maps an operator to the words for a value beyond its limit.
var OperatorWords = map[string]string{">": "above", ">=": "from", "<": "below", "<=": "down from"}

// Limit returns the limit that a value of that severity has passed; false if
// there is none.
func (a AlertExpr) Limit(severity int64) (float64, bool) {
	if len(a.Levels) == 0 || OperatorWords[a.Op] == "" {
		return 0, false
	}
	i := min(int(severity-SeverityWarn), len(a.Levels)-1)
	return a.Levels[max(i, 0)], true
}

// SeverityTitles are the severities, capitalized.
var SeverityTitles = map[int64]string{SeverityWarn: "Warning", SeverityError: "Error", SeverityCritical: "Critical"}

// LevelWords are the words for severities.
var LevelWords = map[int64]string{SeverityWarn: "warn", SeverityError: "error", SeverityCritical: "critical"}

// SeverityWord returns "warn", "error" or "critical".
func SeverityWord(severity int64) string { return LevelWords[severity] }

// CheckAlertExpr refuses an invalid threshold, with an error for that field.
func CheckAlertExpr(field, text string) error {
	if _, err := ParseAlertExpr(text); err != nil {
		return fault.At(field, "%s: %s", field, fault.Of(err).Message)
	}
	return nil
}
