package datasource

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/backend/expr"
	"spyglass/backend/fault"
	"spyglass/backend/portal/threshold"
)

const (
	maxPoints = 200 // per data source
	maxText   = 16_000

	typeCounter, typeGauge, typeDerive = 1, 2, 3
	dataTypeNumber                     = 7

	processNone, processExpression = "none", "expression"
)

var pointName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.\- ]{0,63}$`)

// checkPoints completes the data points, and assigns the ids of existing ones: by
// the id in the request, or by the name.
func (d *DataSource) checkPoints(was *DataSource) error {
	if len(d.DataPoints) > maxPoints {
		return fault.At("dataPoints", "a data source has at most %d data points", maxPoints)
	}
	var before []DataPoint
	if was != nil {
		before = was.DataPoints
	}
	ids := keptIDs(len(d.DataPoints), func(i int) (int64, string) { return d.DataPoints[i].ID, d.DataPoints[i].Name },
		len(before), func(i int) (int64, string) { return before[i].ID, before[i].Name })
	seen := map[string]bool{}
	for i := range d.DataPoints {
		p := &d.DataPoints[i]
		field := fmt.Sprintf("dataPoints[%d]", i)
		p.ID, p.DataSourceID, p.Name = ids[i], 0, strings.TrimSpace(p.Name)
		switch {
		case !pointName.MatchString(p.Name):
			return fault.At(field+".name",
				"%s.name must begin with a letter or _, and have at most 64 letters, digits, spaces, _ . and -", field)
		case seen[strings.ToLower(p.Name)]:
			return fault.At(field+".name", "%s.name: there are two data points %s", field, p.Name)
		}
		seen[strings.ToLower(p.Name)] = true
		if err := p.complete(field); err != nil {
			return err
		}
		if err := d.checkExpression(field, i); err != nil {
			return err
		}
	}
	return nil
}

// keptIDs returns the ids of n parts of a request: that of the existing part with
// the same id, or else with the same name; 0 for a new one.
func keptIDs(n int, now func(int) (int64, string), m int, before func(int) (int64, string)) []int64 {
	ids, taken := make([]int64, n), map[int64]bool{}
	for _, byID := range []bool{true, false} {
		for i := range ids {
			id, name := now(i)
			for k := 0; k < m && ids[i] == 0; k++ {
				had, called := before(k)
				if !taken[had] && (byID && had == id || !byID && strings.EqualFold(called, strings.TrimSpace(name))) {
					ids[i], taken[had] = had, true
				}
			}
		}
	}
	return ids
}

// complete sets defaults, and refuses invalid fields.
func (p *DataPoint) complete(field string) error {
	p.Type, p.DataType, p.MaxDigits = cmp.Or(p.Type, typeGauge), cmp.Or(p.DataType, dataTypeNumber),
		cmp.Or(p.MaxDigits, 4)
	p.AlertForNoData, p.PostProcessor = cmp.Or(p.AlertForNoData, 1), cmp.Or(p.PostProcessor, processNone)
	p.AlertExpr = strings.TrimSpace(p.AlertExpr)
	for _, n := range []struct {
		key              string
		value, low, high int64
	}{
		{"type", p.Type, typeCounter, typeDerive}, {"dataType", p.DataType, 1, 8}, {"maxDigits", p.MaxDigits, 0, 15},
		{"alertForNoData", p.AlertForNoData, 1, 4},
		{"alertTransitionInterval", p.AlertTransition, 0, 60}, {"alertClearTransitionInterval", p.AlertClear, 0, 60},
	} {
		if n.value < n.low || n.value > n.high {
			return fault.At(field+"."+n.key, "%s.%s must be a whole number from %d to %d", field, n.key, n.low, n.high)
		}
	}
	if _, err := threshold.ParseAlertExpr(p.AlertExpr); err != nil {
		return FieldError(field+".alertExpr", err)
	}
	if err := p.checkBounds(field); err != nil {
		return err
	}
	if err := p.checkWords(field); err != nil {
		return err
	}
	for _, text := range []struct{ key, value string }{
		{"description", p.Description}, {"rawDataFieldName", p.RawDataFieldName},
		{"postProcessorParam", p.PostProcessorParam}, {"alertExprNote", p.AlertExprNote}, {"originId", p.OriginID},
		{"alertSubject", p.AlertSubject}, {"alertBody", p.AlertBody}, {"userParam1", p.UserParam1},
		{"userParam2", p.UserParam2}, {"userParam3", p.UserParam3},
	} {
		if utf8.RuneCountInString(text.value) > maxText || strings.ContainsRune(text.value, 0) {
			return fault.At(field+"."+text.key, "%s.%s must have at most %d characters, and no NUL", field,
				text.key, maxText)
		}
	}
	return nil
}

func (p *DataPoint) checkBounds(field string) error {
	low, okLow := bound(p.MinValue, math.Inf(-1))
	high, okHigh := bound(p.MaxValue, math.Inf(1))
	switch {
	case !okLow:
		return fault.At(field+".minValue", "%s.minValue must be a number, or empty for no limit", field)
	case !okHigh:
		return fault.At(field+".maxValue", "%s.maxValue must be a number, or empty for no limit", field)
	case low > high:
		return fault.At(field+".maxValue", "%s.maxValue must not be less than minValue",
			field)
	}
	return nil
}

func bound(text string, none float64) (float64, bool) {
	if text == "" {
		return none, true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// Bounds returns minValue and maxValue; values outside count as no data.
func (p *DataPoint) Bounds() (low, high float64) {
	low, _ = bound(p.MinValue, math.Inf(-1))
	high, _ = bound(p.MaxValue, math.Inf(1))
	return low, high
}

// IsRate reports whether its values are computed from two consecutive
// responses.
func (p *DataPoint) IsRate() bool { return p.Type == typeCounter || p.Type == typeDerive }

// MayFall reports whether a raw value smaller than the previous one is a
// negative rate rather than a counter reset.
func (p *DataPoint) MayFall() bool { return p.Type == typeDerive }

var statusOperators = []any{"EQ", "NE", "GT", "GE", "LT", "LE"}

func (p *DataPoint) checkWords(field string) error {
	for i, s := range p.StatusDisplayNames {
		at := fmt.Sprintf("%s.statusDisplayNames[%d]", field, i)
		if !slices.Contains(statusOperators, any(s.Operator)) {
			return oneOf(at+".operator", statusOperators)
		}
		if _, ok := bound(s.Value, math.NaN()); !ok || s.Value == "" {
			return fault.At(at+".metricValue", "%s.metricValue must be a number", at)
		}
		if s.Word == "" || len(s.Word) > 255 {
			return fault.At(at+".statusDisplayName", "%s.statusDisplayName must have 1 to 255 characters", at)
		}
	}
	return nil
}

// checkExpression parses the expression of a computed data point: it may use measured
// data points, and computed ones before it.
func (d *DataSource) checkExpression(field string, i int) error {
	p := &d.DataPoints[i]
	switch p.PostProcessor {
	case processNone:
		return nil
	case processExpression:
	default:
		return oneOf(field+".postProcessorMethod", []any{processNone, processExpression})
	}
	e, err := expr.Parse(p.PostProcessorParam)
	if err != nil {
		return FieldError(field+".postProcessorParam", err)
	}
	for _, name := range e.Names() {
		k := slices.IndexFunc(d.DataPoints, func(other DataPoint) bool { return strings.TrimSpace(other.Name) == name })
		switch {
		case k < 0:
			return fault.At(field+".postProcessorParam", "%s.postProcessorParam: there is no data point %s", field,
				strconv.Quote(name))
		case k >= i && d.DataPoints[k].PostProcessor == processExpression:
			return fault.At(field+".postProcessorParam",
				"%s.postProcessorParam: %s is computed itself, and does not come before %s", field,
				d.DataPoints[k].Name, p.Name)
		}
	}
	return nil
}

var statusOps = map[string]string{"EQ": "=", "NE": "!=", "GT": ">", "GE": ">=", "LT": "<", "LE": "<="}

// WordFor returns the word for a value of the data point; empty if it has none.
func (p DataPoint) WordFor(v float64) string {
	for _, name := range p.StatusDisplayNames {
		if name.means(v) {
			return name.Word
		}
	}
	return ""
}

// means reports whether this text is displayed for a value.
func (n StatusDisplayName) means(v float64) bool {
	level, err := strconv.ParseFloat(n.Value, 64)
	return err == nil && n.Word != "" && threshold.AlertExpr{Op: statusOps[n.Operator]}.Reached(v, level)
}

// DataPointIDs returns the ids of all data points.
func (d *DataSource) DataPointIDs() []int64 {
	ids := make([]int64, len(d.DataPoints))
	for i := range d.DataPoints {
		ids[i] = d.DataPoints[i].ID
	}
	return ids
}
