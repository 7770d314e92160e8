package demo

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// sampleAlertDevice has the first alert, which examples use. The alert stays
// active, because its instance is not polled.
const sampleAlertDevice = 2

// inMaintenance is the device that is in maintenance.
const inMaintenance = 5

// episode is one alert of the demo's history.
type episode struct {
	device   *fleet.Device
	severity int64
	at       resource.Seconds // when it opened
	worsened resource.Seconds // when it rose to its severity, after a warning; 0: it began so
	ended    resource.Seconds // 0 while active
	ackedBy  string
	ackedOn  resource.Seconds
	dead     bool // the device does not respond
	dice     *rand.Rand
}

// whatPeopleSay lists the comments of people who acknowledge an alert.
var whatPeopleSay = []string{
	"Looking into it", "Known: the replacement part arrives tomorrow", "The carrier works on it, ticket KF-2291",
	"Caused by the change of last night",
	"On site within the hour", "Batch run, ends by itself", "Handed to the night shift",
}

// alerts adds the alerts of the last seven days: those that determine the
// devices' statuses are active, others have cleared.
func (f *filler) alerts() error {
	ctx, tx := f.write.Context, f.write.Tx
	devices, err := f.storied()
	if err != nil {
		return err
	}
	rows, err := resource.Find(ctx, tx, datasource.DataSources.Name)
	if err != nil {
		return err
	}
	sources := make(map[int64]*datasource.DataSource, len(rows))
	for i := range rows {
		sources[rows[i].ID] = &rows[i]
	}
	list := f.incidents(devices)
	slices.SortStableFunc(list, func(a, b episode) int { return int(a.at - b.at) })
	for i := range list {
		instances, err := resource.Find(ctx, tx, fleet.Instances.Name,
			resource.Where{Field: "deviceId", Op: "=", Value: list[i].device.ID})
		if err != nil {
			return err
		}
		if err := f.happen(&list[i], instances, sources); err != nil {
			return err
		}
	}
	return alert.CoverAlerts(ctx, tx, f.write.Call.At)
}

// incidents returns the alerts of the devices, the sample first.
func (f *filler) incidents(devices []fleet.Device) []episode {
	maker := newDeviceMaker(f.now)
	var list []episode
	for i := range devices {
		d := &devices[i]
		dice := rand.New(rand.NewPCG(seed, uint64(d.ID)<<32))
		switch {
		case d.ID == fleet.Devices.Sample:
			continue
		case d.ID == sampleAlertDevice:
			list = append(list, episode{device: d, severity: threshold.SeverityWarn, at: f.ago(7), dice: dice})
			continue
		}
		if d.ID == inMaintenance {
			list = append(list, episode{device: d, severity: threshold.SeverityError, at: f.now - 35*60, dice: dice},
				episode{device: d, severity: threshold.SeverityWarn, at: f.now - 20*60, dice: dice})
			continue
		}
		_, planned := maker.device(int(d.ID)-1, f.count)
		if planned.alert != "none" {
			list = append(list, f.ongoing(d, planned, dice))
		}
		if d.ID%8 == 3 {
			list = append(list, f.past(d, dice))
		}
	}
	return list
}

// ongoing returns the active alert of a device's status.
func (f *filler) ongoing(d *fleet.Device, planned status, dice *rand.Rand) episode {
	words := strings.Split(planned.alert, "-")
	in := episode{device: d, severity: severities[words[1]], dead: planned.host == "dead", dice: dice,
		at: f.now - resource.Seconds(300+dice.IntN(2*day))}
	if dice.IntN(3) == 0 {
		in.at -= resource.Seconds(dice.IntN(4 * day))
	}
	if in.dead {
		in.at = planned.answeredOn + 180
	} else if in.severity > threshold.SeverityWarn && dice.IntN(3) == 0 {
		in.worsened = in.at + (f.now-in.at)/3
	}
	if words[0] == "confirmed" {
		in.ackedBy, in.ackedOn = "operator", max(in.at, in.worsened)+(f.now-max(in.at, in.worsened))/2
	}
	return in
}

var severities = map[string]int64{"warn": threshold.SeverityWarn, "error": threshold.SeverityError,
	"critical": threshold.SeverityCritical}

// past returns an alert that has cleared.
func (f *filler) past(d *fleet.Device, dice *rand.Rand) episode {
	in := episode{device: d, severity: threshold.SeverityWarn + int64(dice.IntN(5))/2, dice: dice,
		at: f.now - resource.Seconds(day+dice.IntN(6*day-3600))}
	in.ended = in.at + resource.Seconds(300+dice.IntN(day/4))
	if dice.IntN(2) == 0 {
		in.ackedBy, in.ackedOn = "admin", in.at+(in.ended-in.at)/3
	}
	return in
}

// happen raises an incident as the monitor would have, unless nothing on the
// device can reach its severity.
func (f *filler) happen(in *episode, instances []fleet.Instance, sources map[int64]*datasource.DataSource) error {
	ctx, tx := f.write.Context, f.write.Tx
	at := in.places(instances, sources)
	if at == nil {
		return nil
	}
	share := in.share()
	find := func(severity int64, when resource.Seconds) *alert.Finding {
		return &alert.Finding{InstanceID: at.instance.ID, DataPointID: at.point.ID, Severity: severity,
			Value: at.value(severity, share), Threshold: at.point.AlertExpr, At: when}
	}
	first := in.severity
	if in.worsened > 0 && at.reaches(threshold.SeverityWarn) {
		first = threshold.SeverityWarn
	}
	a, _, err := alert.Raise(ctx, tx, find(first, in.at))
	if err != nil || a == nil {
		return err
	}
	if first != in.severity {
		if a, _, err = alert.Raise(ctx, tx, find(in.severity, in.worsened)); err != nil {
			return err
		}
	}
	if in.ackedBy != "" {
		a.Acknowledge(in.ackedBy, in.ackedOn, whatPeopleSay[in.dice.IntN(len(whatPeopleSay))])
		if err := alert.SaveAlert(ctx, tx, a); err != nil {
			return err
		}
	}
	if in.ended > 0 {
		_, err = alert.Clear(ctx, tx, &alert.Finding{InstanceID: at.instance.ID, DataPointID: at.point.ID,
			Value: at.value(0, share), Threshold: at.point.AlertExpr, At: in.ended})
	}
	if err == nil && int64(a.ID) == alert.Alerts.Sample {
		err = f.stop(at.instance)
	}
	return err
}

// stop ends the polling of an instance.
func (f *filler) stop(i *fleet.Instance) error {
	was := *i
	i.StopMonitoring = true
	if err := resource.Put(f.write.Context, f.write.Tx, fleet.Instances.Name, i); err != nil {
		return err
	}
	return fleet.Instances.After(f.write, &was, i)
}

// place is a data point of an instance, with its threshold.
type place struct {
	instance *fleet.Instance
	point    *datasource.DataPoint
	expr     threshold.AlertExpr
}

// share returns how far beyond its limit the value of the incident is, as a share
// of the distance to the next limit. A dead device loses everything.
func (in *episode) share() float64 {
	if in.dead && in.severity == threshold.SeverityCritical {
		return 1
	}
	return 0.2 + 0.7*rand.New(rand.NewPCG(seed, uint64(in.device.ID)<<16)).Float64()
}

// places returns the instances that the incident can affect; nil for none. A dead
// device loses its pings.
func (in *episode) places(instances []fleet.Instance, sources map[int64]*datasource.DataSource) *place {
	var all, lost []place
	for i := range instances {
		source := sources[instances[i].DataSourceID]
		if source == nil || instances[i].StopMonitoring {
			continue
		}
		for k := range source.DataPoints {
			p := place{instance: &instances[i], point: &source.DataPoints[k]}
			var err error
			if p.expr, err = threshold.ParseAlertExpr(p.point.AlertExpr); err != nil || !p.reaches(in.severity) {
				continue
			}
			all = append(all, p)
			if strings.Contains(strings.ToLower(p.point.Name), "loss") {
				lost = append(lost, p)
			}
		}
	}
	switch {
	case in.dead && len(lost) > 0:
		return &lost[0]
	case len(all) == 0:
		return nil
	case in.device.ID == sampleAlertDevice: // the last instance, which no other alert uses
		return &all[len(all)-1]
	}
	return &all[in.dice.IntN(len(all))]
}

// ValueOf returns a value of a data point that raises an alert of a severity; ok is
// false if its threshold has none.
func ValueOf(point *datasource.DataPoint, severity int64) (value float64, ok bool) {
	expr, err := threshold.ParseAlertExpr(point.AlertExpr)
	p := place{point: point, expr: expr}
	if err != nil || !p.reaches(severity) {
		return 0, false
	}
	return p.number(severity, half), true
}

func (p *place) reaches(severity int64) bool {
	n := severity - threshold.SeverityWarn
	return n >= 0 && n < int64(len(p.expr.Levels)) && p.expr.Severity(p.number(severity, half)) == severity
}

const half = 0.5

// number returns a value of that severity, 0 for none, at a share of the distance
// from its limit to the next.
func (p *place) number(severity int64, share float64) float64 {
	levels, n := p.expr.Levels, severity-threshold.SeverityWarn
	up := p.expr.Op[0] == '>'
	switch {
	case p.expr.Op == "=" && n >= 0:
		return levels[n]
	case p.expr.Op == "=" || p.expr.Op == "!=":
		return levels[max(n, 0)] + map[bool]float64{true: 1, false: 0}[n >= 0 == (p.expr.Op == "!=")]
	case n < 0 && up:
		return levels[0] / 2
	case n < 0:
		return levels[0]*1.5 + 1
	}
	from := levels[n]
	to := from + max(math.Abs(from)*0.2, 1)
	if !up {
		to = from - max(math.Abs(from)*0.2, 0.5)
	}
	if n+1 < int64(len(levels)) {
		to = levels[n+1]
	} else if up && strings.HasSuffix(p.point.Name, "Percent") {
		to = min(to, 100)
	} else if most, err := strconv.ParseFloat(p.point.MaxValue, 64); err == nil && up {
		to = min(to, most)
	} else if least, err := strconv.ParseFloat(p.point.MinValue, 64); err == nil && !up {
		to = max(to, least)
	}
	at := from + (to-from)*share
	if whole := math.Round(at); whole != from && p.expr.Severity(whole) == severity {
		return whole
	}
	if short := math.Round(at*1000) / 1000; p.expr.Severity(short) == severity {
		return short
	}
	return at
}

func (p *place) value(severity int64, share float64) string {
	return strconv.FormatFloat(p.number(severity, share), 'f', -1, 64)
}
