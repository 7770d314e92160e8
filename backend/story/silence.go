package story

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// mostSilence limits how many counts are read to find out when devices were silent.
const mostSilence = 90_000

// missed is the number of polls without a sample after which a device is silent.
const missed = 3

// findSilence finds the devices that stopped responding, by their samples of the
// data source that checks whether a device is available: hostStatus says it only
// for now.
func (t *teller) findSilence(ctx context.Context) error {
	ping := t.availability()
	if ping == nil || len(t.order) == 0 {
		return nil
	}
	instances, err := resource.Find(ctx, t.o.DB, fleet.Instances.Name, in("deviceId", t.order),
		equal("dataSourceId", ping.ID))
	if err != nil || len(instances) == 0 {
		return err
	}
	keys := make([]series.Key, len(instances))
	for i := range instances {
		keys[i] = series.Key{Instance: instances[i].ID, DataPoint: ping.DataPoints[0].ID}
	}
	every := max(ping.CollectInterval, 1)
	from, to := t.cause.Start-2*before, min(t.until(), t.now)
	step := max(every, (to-from)*int64(len(keys))/mostSilence+1)
	steps, err := t.o.Series.AggregateMany(ctx, keys, from, to, step)
	if err != nil {
		return err
	}
	for i := range instances {
		d := t.device(instances[i].DeviceID)
		if on, back := silence(steps[i], step, every, t.cause.Start-before); d != nil && on > 0 {
			d.SilentOn, d.BackOn = on, back
		}
	}
	for i := range t.story.Devices {
		d := &t.story.Devices[i]
		switch {
		case d.SilentOn == 0:
		case d.Role == "cause":
			t.story.Start = min(t.story.Start, d.SilentOn)
		default:
			t.story.Total.Silent++
			if d.Alerts == 0 {
				t.story.Total.Suppressed++
			}
		}
	}
	t.tellSilence()
	return nil
}

// availability returns the data source that every device has to check whether it
// responds; nil if there is none.
func (t *teller) availability() *datasource.DataSource {
	for _, d := range t.sources {
		if strings.EqualFold(d.Name, datasource.Availability) && len(d.DataPoints) > 0 {
			return d
		}
	}
	return nil
}

// silence returns the first time since a moment from which samples were missing
// for three polls, and when they came back; 0 for never. Where samples are farther
// apart, as in a history of hours, it takes three times their distance.
func silence(steps []series.Step, step, every, since int64) (on, back int64) {
	distance := max(every, spacing(steps, step))
	last := -1
	for k := range steps {
		if steps[k].Count == 0 {
			continue
		}
		if last >= 0 && int64(k-last-1)*step >= missed*distance && steps[last].At+step > since {
			return steps[last].At + step, steps[k].At
		}
		last = k
	}
	if end := len(steps) - 1; last >= 0 && int64(end-last)*step >= missed*distance && steps[last].At+step > since {
		return steps[last].At + step, 0
	}
	return 0, 0
}

// spacing returns the usual distance between two steps with samples, in seconds.
func spacing(steps []series.Step, step int64) int64 {
	var all []int64
	last := -1
	for k := range steps {
		if steps[k].Count == 0 {
			continue
		}
		if last >= 0 {
			all = append(all, int64(k-last)*step)
		}
		last = k
	}
	if len(all) == 0 {
		return math.MaxInt32
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// tellSilence adds the events of devices that stopped responding or came back.
// Dependents of the same minute share one.
func (t *teller) tellSilence() {
	type moment struct {
		minute int64
		kind   string
	}
	many, first := map[moment][]string{}, map[moment]int64{}
	for _, d := range t.story.Devices {
		for kind, at := range map[string]int64{"silent": d.SilentOn, "back": d.BackOn} {
			if at == 0 {
				continue
			}
			if d.Role == "cause" {
				t.add(IncidentEvent{At: at, Kind: kind, Text: d.Name + verbs[kind].one, DeviceID: d.ID})
				continue
			}
			m := moment{at / 60, kind}
			if len(many[m]) == 0 || at < first[m] {
				first[m] = at
			}
			many[m] = append(many[m], d.Name)
		}
	}
	for m, names := range many {
		slices.Sort(names)
		text := names[0]
		if n := len(names); n > 1 {
			text = count(int64(n), t.others()) + verbs[m.kind].many + ": " + joined(names, 8)
		} else {
			text += verbs[m.kind].one
		}
		t.add(IncidentEvent{At: first[m], Kind: m.kind, Text: text})
	}
}

var verbs = map[string]struct{ one, many string }{
	"silent": {" stopped responding", " stopped responding"}, "back": {" responds again", " respond again"}}

// others is the noun for the devices of the story other than that of the cause.
func (t *teller) others() string {
	if t.cause.DeviceID > 0 {
		return "dependent"
	}
	return "device"
}

// joined lists the first names, and how many more there are.
func joined(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + count(int64(len(names)-most), "other")
}

func (t *teller) add(e IncidentEvent) { t.story.Events = append(t.story.Events, e) }

// finish sorts and limits the timeline, and writes the summary.
func (t *teller) finish() {
	events := t.story.Events
	slices.SortStableFunc(events, func(a, b IncidentEvent) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(rank[a.Kind], rank[b.Kind]))
	})
	t.story.Events = events[:min(len(events), mostEvents)]
	t.story.Cause = *t.cause
	t.story.Title = t.cause.Device + ": " + t.cause.what()
	t.summarize()
}

// rank orders events of the same second.
var rank = map[string]int{"change": 0, "opsNote": 1, "silent": 2, "opened": 3, "maintenance": 4, "notified": 5,
	"failed": 6, "acked": 7, "note": 8, "state": 9, "back": 10, "cleared": 11}
