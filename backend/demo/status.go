package demo

import (
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// status holds the fields that only the portal sets: results of its checks. The
// alert status depends on the alerts (alerts.go).
type status struct {
	host, alert                      string
	createdOn, updatedOn, answeredOn resource.Seconds
	upTime                           int64
	auto                             []resource.Property
	checkedOn                        resource.Seconds
}

// set writes the status into a device after the rules have completed it.
func (s *status) set(d *fleet.Device) {
	d.HostStatus = s.host
	d.CreatedOn, d.UpdatedOn = s.createdOn, s.updatedOn
	d.LastDataTime, d.LastRawdataTime = s.answeredOn, s.checkedOn
	d.UpTime, d.AutoProperties = s.upTime, s.auto
}

// status returns the status of device number i of count. The standard devices
// were added over two years, some days apart, and those of later rounds evenly
// over the same time.
func (f *deviceMaker) status(i, count int, s *slot) status {
	const years = 728 * day
	age := int64(years - years/StandardDevices*i - f.dice.IntN(2*day))
	if i >= StandardDevices {
		age = years - int64(years-3*day)*int64(i-StandardDevices)/int64(count-StandardDevices)
	}
	age = max(age, 2*day)
	st := status{
		host: "normal", alert: f.alert(), upTime: 1 + f.dice.Int64N(min(age, 400*day)),
		createdOn: f.now - resource.Seconds(age), updatedOn: f.now - resource.Seconds(f.dice.Int64N(min(age, 30*day))),
		checkedOn: f.now - resource.Seconds(f.dice.IntN(60)),
		auto:      props("auto.model", f.oneOf(s.kind.models)),
	}
	st.answeredOn = st.checkedOn
	if f.dice.IntN(100) < 3 {
		st.host, st.alert, st.upTime = "dead", "unconfirmed-critical-none", 0
		st.answeredOn -= resource.Seconds(600 + f.dice.IntN(5*60*60))
	}
	for _, fact := range s.kind.facts {
		st.auto = append(st.auto, resource.Property{Name: fact.name, Value: f.oneOf(fact.values)})
	}
	return st
}

// alert returns the alert status of the device; most devices have none.
func (f *deviceMaker) alert() string {
	severity := ""
	switch n := f.dice.IntN(100); {
	case n < 2:
		severity = "critical"
	case n < 6:
		severity = "error"
	case n < 13:
		severity = "warn"
	default:
		return "none"
	}
	known, covered := "unconfirmed-", "-none"
	if f.dice.IntN(5) < 2 {
		known = "confirmed-"
	}
	if f.dice.IntN(8) == 0 {
		covered = "-sdt"
	}
	return known + severity + covered
}
