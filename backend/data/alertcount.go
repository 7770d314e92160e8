package data

import (
	"context"
	"math"
	"slices"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

const (
	countDays     = 14 // default
	mostCountDays = 31
	mostCounted   = 100 // alerts in the response
	day           = 24 * hour
)

// ThresholdCount is the number of alerts that a threshold would have opened.
type ThresholdCount struct {
	DataPoint string `json:"dataPointName" doc:"name of the data point"`
	Expr      string `json:"alertExpr" doc:"the counted threshold"`
	Effective string `json:"effectiveAlertExpr" doc:"the threshold in effect"`
	From      int64  `json:"startTime" doc:"start of the counted time, in epoch seconds"`
	To        int64  `json:"endTime" doc:"end of the counted time, in epoch seconds"`
	Opens     int64  `json:"alertTransitionInterval" doc:"polls in a row before an alert opens"`
	Clears    int64  `json:"alertClearInterval" doc:"polls in a row before it clears"`
	Interval  int64  `json:"collectionInterval" doc:"seconds between two polls"`

	Total    int64 `json:"opened" doc:"alerts that it would have opened"`
	Critical int64 `json:"critical" doc:"number of these that became critical"`
	Error    int64 `json:"error" doc:"number of these that became error, but not critical"`
	Warn     int64 `json:"warn" doc:"number of these that stayed warnings"`
	Seconds  int64 `json:"seconds" doc:"how long there was an alert in total"`
	Now      int64 `json:"current" doc:"alerts of the threshold in effect, counted in the same way"`

	Samples  int64          `json:"samples" doc:"values that were compared"`
	Sparse   int64          `json:"sparse" doc:"seconds between older samples, if they are sparser than the polls; else 0"`
	SparseTo int64          `json:"sparseUntil" doc:"end of these older samples, in epoch seconds; else 0"`
	Items    []CountedAlert `json:"alerts" doc:"the newest 100, the newest first"`
}

// CountedAlert is an alert that a threshold would have opened.
type CountedAlert struct {
	Start    int64 `json:"startEpoch" doc:"epoch seconds"`
	End      int64 `json:"endEpoch" doc:"epoch seconds; 0: it is still active"`
	Severity int64 `json:"severity" doc:"its worst: 2 warn, 3 error, 4 critical"`
}

func (s *Service) countEndpoint(path []resource.Param) resource.Endpoint {
	return resource.Endpoint{
		Method: "GET", Path: instancePath + "/alertcounts", Summary: "Count the alerts of a threshold",
		Doc: "Returns how many alerts a threshold would have opened in the last days. It compares the stored samples " +
			"by the rules of the data point: the number of polls before an alert opens and clears. Missing data, " +
			"maintenance and dependencies are not considered.",
		Params: params(path, []resource.Param{
			{Name: "datapoint", In: "query", Required: true, Schema: resource.Text("Name of the data point"),
				Example: "inBits"},
			query("alertExpr", resource.Text("Threshold, as > 60 80 90; default: the one in effect"), "> 60 80 90"),
			query("days", resource.Schema{Type: "integer", Min: resource.Bound(1), Max: resource.Bound(mostCountDays),
				Default: countDays, Doc: "How many days up to now"}, nil),
		}),
		Response: schemaOf(ThresholdCount{}), Example: resource.Example{
			Path:  "/device/devices/1/devicedatasources/1/instances/1/alertcounts",
			Query: [][2]string{{"datapoint", "inBits"}, {"alertExpr", "> 60 80 90"}}},
		Handle: s.countAlerts,
	}
}

func (s *Service) countAlerts(ctx context.Context, c *resource.Call) (any, error) {
	p, i, err := s.instanceBelow(ctx, c)
	if err != nil {
		return nil, err
	}
	point, err := pointNamed(c, p.source)
	if err != nil {
		return nil, err
	}
	days, err := daysOf(c)
	if err != nil {
		return nil, err
	}
	thresholds, err := override.ThresholdsOf(ctx, s.db)
	if err != nil {
		return nil, err
	}
	e := thresholds.For(override.Spot{Groups: p.device.GroupIDs, DeviceDataSourceID: p.on.ID,
		InstanceGroupID: i.GroupID, InstanceID: i.ID}, point)
	now := c.At.Unix()
	out := ThresholdCount{DataPoint: point.Name, Expr: c.Query.Get("alertExpr"), Effective: e.Expr,
		From: now - days*day, To: now, Opens: max(1, e.Transition), Clears: max(1, e.ClearTransition),
		Interval: max(1, p.source.CollectInterval), Items: []CountedAlert{}}
	if out.Expr == "" {
		out.Expr = e.Expr
	}
	if err := threshold.CheckAlertExpr("alertExpr", out.Expr); err != nil {
		return nil, err
	}
	found, err := s.series.Range(ctx, series.Query{Instance: i.ID, DataPoints: []int64{point.ID}, From: out.From,
		To: now + 1})
	if err != nil {
		return nil, err
	}
	var values []float64
	if len(found.Values) > 0 {
		values = found.Values[0]
	}
	out.count(found.Times, values)
	return out, nil
}

// pointNamed returns the data point that the query names.
func pointNamed(c *resource.Call, d *datasource.DataSource) (*datasource.DataPoint, error) {
	name := c.Query.Get("datapoint")
	if name == "" {
		return nil, fault.At("datapoint", "datapoint is required")
	}
	var known []string
	for i := range d.DataPoints {
		if d.DataPoints[i].Name == name {
			return &d.DataPoints[i], nil
		}
		known = append(known, d.DataPoints[i].Name)
	}
	return nil, fault.At("datapoint", "datapoint: %s has no data point %q%s", d.Name, name,
		resource.DidYouMean(name, known))
}

func daysOf(c *resource.Call) (int64, error) {
	text := c.Query.Get("days")
	if text == "" {
		return countDays, nil
	}
	days, err := strconv.ParseInt(text, 10, 64)
	if err != nil || days < 1 || days > mostCountDays {
		return 0, fault.At("days", "days must be a whole number from 1 to %d", mostCountDays)
	}
	return days, nil
}

// count compares the samples with both thresholds.
func (a *ThresholdCount) count(times []int64, values []float64) {
	a.findSparse(times)
	expr, _ := threshold.ParseAlertExpr(a.Expr) // both were checked
	for _, one := range a.alerts(expr, times, values) {
		a.Total++
		switch one.Severity {
		case threshold.SeverityCritical:
			a.Critical++
		case threshold.SeverityError:
			a.Error++
		default:
			a.Warn++
		}
		end := one.End
		if end == 0 {
			end = a.To
		}
		a.Seconds += end - one.Start
		a.Items = append(a.Items, one)
	}
	slices.Reverse(a.Items)
	a.Items = a.Items[:min(len(a.Items), mostCounted)]
	for _, v := range values {
		if !math.IsNaN(v) {
			a.Samples++
		}
	}
	if a.Now = a.Total; a.Expr != a.Effective {
		now, _ := threshold.ParseAlertExpr(a.Effective)
		a.Now = int64(len(a.alerts(now, times, values)))
	}
}

// findSparse finds out whether older samples are farther apart than polls: those
// of a portal that was switched off, or that became hours.
func (a *ThresholdCount) findSparse(times []int64) {
	var far []int64
	for i := 1; i < len(times); i++ {
		if gap := times[i] - times[i-1]; 2*gap > 3*a.Interval && gap <= 2*hour {
			far = append(far, gap)
			a.SparseTo = times[i]
		}
	}
	if len(far) <= max(2, len(times)/20) { // a few missed polls
		a.SparseTo = 0
		return
	}
	slices.Sort(far)
	a.Sparse = far[len(far)/2]
}

// alerts returns the alerts that a threshold opens, the oldest first. A sample
// stands for all polls since the one before it, if these are not missing.
func (a *ThresholdCount) alerts(expr threshold.AlertExpr, times []int64, values []float64) []CountedAlert {
	var all []CountedAlert
	var run threshold.Run
	longest := 3 * max(a.Interval, a.Sparse)
	for i, at := range times {
		if math.IsNaN(values[i]) {
			continue
		}
		polls := int64(1)
		if i > 0 && at-times[i-1] <= longest {
			polls = max(1, (at-times[i-1]+a.Interval/2)/a.Interval)
		}
		severity := expr.Severity(values[i])
		for ; polls > 0; polls-- {
			news, to := run.Step(severity, a.Opens, a.Clears)
			if !news {
				continue
			}
			switch {
			case run.Severity == 0:
				all = append(all, CountedAlert{Start: at, Severity: to})
			case to == 0:
				all[len(all)-1].End = at
			default:
				last := &all[len(all)-1]
				last.Severity = max(last.Severity, to)
			}
			run = threshold.Run{Severity: to}
			break
		}
	}
	return all
}
