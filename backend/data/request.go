package data

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/resource"
)

const (
	csvType  = "text/csv"
	none     = "none"
	most     = 500             // times per instance in a response
	mostStep = 366 * 24 * 3600 // seconds
	steps    = 20_000          // limit of computed steps for one response
	latest   = 253_402_300_799 // the last second of 9999
	longest  = 24 * 366 * 100  // hours of a period

	percentile  = "percentile"
	usualRank   = 95        // percent of a percentile that specifies none
	mostSamples = 1_000_000 // samples read at once for percentiles
)

var (
	aggregates = []any{none, "average", "max", "min", "sum", "first", "last", "count", percentile}
	formats    = []any{"json", "csv"}

	pointsParam = query("datapoints", resource.Text("Names of data points, comma-separated; default: all"), nil)
	startParam  = query("start", epoch("Start in epoch seconds; default: an hour before the end"), nil)
	endParam    = query("end", epoch("End in epoch seconds; default: now"), nil)
	formatParam = query("format", resource.Schema{Type: "string", Enum: formats, Default: "json",
		Doc: "json, or csv for a file"}, nil)
	spanParams = []resource.Param{
		query("period", resource.Schema{Type: "number", Doc: "Hours up to the end, instead of start"}, 1),
		startParam, endParam, formatParam,
	}
	sumParams = []resource.Param{
		query("aggregate", resource.Schema{
			Type: "string", Enum: aggregates, Default: none,
			Doc: "Function that aggregates the samples of each step",
		}, nil),
		query("step", resource.Integer(
			"Length of a step of aggregate in seconds; default: so long that the response fits on one page"), nil),
		query("percent", resource.Schema{
			Type: "integer", Min: resource.Bound(1), Max: resource.Bound(99), Default: usualRank,
			Doc: "With aggregate=percentile: the percentile to return, by nearest rank. Steps that have only hourly " +
				"values return none",
		}, nil),
	}
	graphParams = []resource.Param{
		query("start", epoch("Start in epoch seconds; default: the graph's timeScale before the end"), nil), endParam,
		formatParam, extremesParam,
	}
	extremesParam = query("extremes", resource.Schema{Type: "boolean",
		Doc: "Add lows and highs to each line: a step shows the mean of its samples, and they its extremes"}, nil)
	fetchParams = append([]resource.Param{spanParams[0], startParam, endParam}, sumParams...)
)

func query(name string, s resource.Schema, example any) resource.Param {
	return resource.Param{Name: name, In: "query", Schema: s, Example: example}
}

func epoch(doc string) resource.Schema {
	return resource.Schema{Type: "integer", Format: "epoch-seconds", Doc: doc}
}

// request holds the parameters of a request.
type request struct {
	from, to  int64  // epoch seconds, both included
	aggregate string // none, or the aggregate of each step
	step      int64  // seconds
	percent   int    // for a percentile
	csv       bool
	extremes  bool // of each step of a graph
}

// read parses the query; span is its length in seconds by default.
func read(c *resource.Call, span int64) (a request, err error) {
	if a.from, a.to, err = readSpan(c, span); err != nil {
		return a, err
	}
	format, err := oneOf(c, "format", formats)
	if err != nil {
		return a, err
	}
	a.csv = format == "csv"
	extremes, err := oneOf(c, "extremes", []any{"false", "true"})
	if err != nil {
		return a, err
	}
	a.extremes = extremes == "true"
	if a.aggregate, err = oneOf(c, "aggregate", aggregates); err != nil {
		return a, err
	}
	if err := a.readPercent(c); err != nil {
		return a, err
	}
	return a, a.readStep(c)
}

func (a *request) readPercent(c *resource.Call) error {
	text := c.Query.Get("percent")
	a.percent = usualRank
	if text == "" {
		return nil
	}
	var err error
	a.percent, err = strconv.Atoi(text)
	switch {
	case a.aggregate != percentile:
		return fault.At("percent", "percent requires aggregate=percentile")
	case err != nil || a.percent < 1 || a.percent > 99:
		return fault.At("percent", "percent must be a whole number from 1 to 99")
	}
	return nil
}

func readSpan(c *resource.Call, span int64) (from, to int64, err error) {
	if to, err = moment(c, "end", c.At.Unix()); err != nil {
		return 0, 0, err
	}
	if text := c.Query.Get("period"); text != "" && !(c.Lenient && c.Query.Get("start") != "") {
		hours, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil || !(hours > 0 && hours <= longest):
			return 0, 0, fault.At("period", "period must be a number of hours, more than 0 and at most %d", longest)
		case c.Query.Get("start") != "":
			return 0, 0, fault.At("period",
				"period and start cannot be combined; use period with end, or start with end")
		}
		span = int64(math.Ceil(hours * 3600))
	}
	if from, err = moment(c, "start", max(0, to-span)); err == nil && from > to {
		err = fault.At("start", "start is after end: %s is later than %s", clock(from), clock(to))
	}
	return from, to, err
}

func clock(at int64) string { return time.Unix(at, 0).UTC().Format(time.RFC3339) }

func moment(c *resource.Call, name string, usual int64) (int64, error) {
	text := c.Query.Get(name)
	if text == "" {
		return usual, nil
	}
	at, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || at < 0:
		return 0, fault.At(name, "%s must be a time in epoch seconds, a whole number from 0", name)
	case at > latest:
		return 0, fault.At(name,
			"%s must be in epoch seconds; %d is after the year 9999 and may be in milliseconds", name, at)
	}
	return at, nil
}

func oneOf(c *resource.Call, name string, allowed []any) (string, error) {
	text := c.Query.Get(name)
	if text == "" {
		return allowed[0].(string), nil
	}
	if slices.Contains(allowed, any(text)) {
		return text, nil
	}
	words := make([]string, len(allowed))
	for i, w := range allowed {
		words[i] = w.(string)
	}
	return "", &fault.Error{
		Kind: fault.Invalid, Field: name, Allowed: allowed,
		Message: name + " is " + strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1] +
			resource.DidYouMean(text, words),
	}
}

func (a *request) readStep(c *resource.Call) error {
	text := c.Query.Get("step")
	if a.aggregate == none {
		if text != "" {
			return fault.At("step", "step requires aggregate")
		}
		return nil
	}
	if text == "" {
		a.step = evenStep(a.to-a.from, most, 60)
		return nil
	}
	var err error
	a.step, err = strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil || a.step < 1 || a.step > mostStep:
		return fault.At("step", "step must be a whole number of seconds from 1 to %d", mostStep)
	case (a.to-a.from)/a.step >= steps:
		return fault.At("step", "step is too short for this time range: more than %d steps", steps)
	}
	return nil
}

// evenStep divides a span, both ends included, into at most steps steps, each a
// multiple of unit.
func evenStep(span, steps, unit int64) int64 {
	step := span/steps + 1
	return (step + unit - 1) / unit * unit
}

// points returns the requested data points, without duplicates.
func points(c *resource.Call, d *datasource.DataSource) ([]datasource.DataPoint, error) {
	text := c.Query.Get("datapoints")
	if strings.TrimSpace(text) == "" {
		return d.DataPoints, nil
	}
	var known []string
	for _, p := range d.DataPoints {
		known = append(known, p.Name)
	}
	var chosen []datasource.DataPoint
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		if i < 0 && c.Lenient {
			continue
		}
		if i < 0 {
			return nil, fault.At("datapoints", "datapoints: %s has no data point %q%s", d.Name, name,
				resource.DidYouMean(name, known))
		}
		if !slices.ContainsFunc(chosen, func(p datasource.DataPoint) bool { return p.ID == d.DataPoints[i].ID }) {
			chosen = append(chosen, d.DataPoints[i])
		}
	}
	return chosen, nil
}
