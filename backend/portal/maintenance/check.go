package maintenance

import (
	"slices"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/setting"
	"spyglass/backend/resource"
)

var (
	weekDays     = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	weeksOfMonth = []string{"First", "Second", "Third", "Fourth", "Last"}
)

func checkSDT(w *resource.Write, was, now *SDT) error {
	if was == nil {
		now.Admin = "system"
		if w.Call.Access != nil {
			now.Admin = w.Call.Access.User
		}
	}
	if was != nil && was.Type != now.Type {
		now.forget(w)
	}
	if err := now.aim(w); err != nil {
		return err
	}
	if now.Timezone == "" {
		s, err := resource.Get(w.Context, w.Tx, setting.SettingRows, setting.SettingID)
		if err == nil {
			now.Timezone = s.Timezone
		}
	}
	if !ground.IsZone(now.Timezone) {
		return fault.At("timezone", "timezone must be an IANA time zone name such as Europe/Berlin")
	}
	if now.Start == 0 {
		now.Start = resource.MillisOf(w.Call.At)
	}
	if err := now.dropOthers(w); err != nil {
		return err
	}
	check := now.checkAgain
	if now.Recurrence == OneTime {
		check = now.checkOnce
	}
	if err := check(w, was); err != nil {
		return err
	}
	zone := now.Schedule(setting.ZoneOf(w.Context, w.Tx)).Zone
	now.StartLocal, now.EndLocal = onLocal(now.Start, zone), onLocal(now.End, zone)
	return nil
}

// settleSDT sets the time from which the history still has to be written.
func settleSDT(w *resource.Write, was, now *SDT) error {
	now.ClosedTo = resource.MillisOf(w.Call.At)
	if was != nil {
		now.ClosedTo = max(now.ClosedTo, was.ClosedTo)
	}
	now.DueOn = now.dueAfter(setting.ZoneOf(w.Context, w.Tx))
	return nil
}

func onLocal(at resource.Millis, zone *time.Location) string {
	if at == 0 {
		return ""
	}
	return momentOf(at).In(zone).Format("2006-01-02 15:04:05 MST")
}

// goesWith lists the time fields that only some recurrences use.
var goesWith = []struct {
	field string
	at    func(*SDT) any
	with  []string
}{
	{"hour", func(s *SDT) any { return &s.Hour }, []string{Daily, Weekly, Monthly, MonthlyByWeek}},
	{"minute", func(s *SDT) any { return &s.Minute }, []string{Daily, Weekly, Monthly, MonthlyByWeek}},
	{"endHour", func(s *SDT) any { return &s.EndHour }, []string{Daily, Weekly, Monthly, MonthlyByWeek}},
	{"endMinute", func(s *SDT) any { return &s.EndMinute }, []string{Daily, Weekly, Monthly, MonthlyByWeek}},
	{"weekDay", func(s *SDT) any { return &s.WeekDay }, []string{Weekly, MonthlyByWeek}},
	{"weekOfMonth", func(s *SDT) any { return &s.WeekOfMonth }, []string{MonthlyByWeek}},
	{"monthDay", func(s *SDT) any { return &s.MonthDay }, []string{Monthly}},
}

// dropOthers clears the fields that this recurrence does not use, and refuses
// them if the request gives them. Published clients send all fields.
func (s *SDT) dropOthers(w *resource.Write) error {
	for _, f := range goesWith {
		if slices.Contains(f.with, s.Recurrence) {
			continue
		}
		given := false
		switch p := f.at(s).(type) {
		case *int64:
			given, *p = *p != 0, 0
		case *string:
			given, *p = *p != "", ""
		}
		if given && w.Given(f.field) && !w.Call.Lenient {
			return fault.At(f.field, "%s is only for the sdtType %s, not for %s", f.field,
				strings.Join(f.with, ", "),
				s.Recurrence)
		}
	}
	return nil
}

// checkOnce completes end or duration of one-time maintenance.
func (s *SDT) checkOnce(w *resource.Write, was *SDT) error {
	before := SDT{}
	if was != nil && was.Recurrence == OneTime {
		before = *was
	}
	byEnd, byLength := w.Given("endDateTime") && s.End > 0, w.Given("duration") && s.Duration > 0
	switch byEnd, byLength = decide(byEnd, s.End != before.End, byLength, s.Duration != before.Duration); {
	case byEnd && byLength && int64(s.End-s.Start)/60_000 != s.Duration:
		return fault.At("duration",
			"duration is %d minutes, but startDateTime to endDateTime is %d minutes; omit one of the two",
			s.Duration,
			int64(s.End-s.Start)/60_000)
	case byEnd:
	case byLength:
		s.End = s.Start + resource.Millis(s.Duration*60_000)
	case s.End == 0:
		return fault.At("endDateTime", "endDateTime or duration is required while sdtType is oneTime")
	}
	if s.End <= s.Start {
		return fault.At("endDateTime", "endDateTime must be later than startDateTime")
	}
	if s.End > resource.Millis(maxMillis) {
		return fault.At("endDateTime", "endDateTime must be before the year 10000")
	}
	s.Duration = int64(s.End-s.Start) / 60_000
	return nil
}

// decide returns which of end and duration applies: the given one; if both are
// given, the changed one; if both have changed, they must agree.
func decide(end, endChanged, length, lengthChanged bool) (byEnd, byLength bool) {
	if end && length && endChanged != lengthChanged {
		return endChanged, lengthChanged
	}
	return end, length
}

// checkAgain checks recurring maintenance.
func (s *SDT) checkAgain(w *resource.Write, was *SDT) error {
	if s.End > 0 && s.End <= s.Start {
		return fault.At("endDateTime", "endDateTime must be later than startDateTime, or 0 for no end")
	}
	if err := s.checkDays(); err != nil {
		return err
	}
	if err := s.completeClock(w, was); err != nil {
		return err
	}
	if most := s.Schedule(time.UTC).Longest(); s.Duration > int64(most) {
		return fault.At("duration",
			"duration must be at most %d minutes here, so that no window begins before the last one has ended", most)
	}
	return nil
}

func (s *SDT) checkDays() error {
	if s.Recurrence == Monthly && s.MonthDay == 0 {
		return fault.At("monthDay", "monthDay is required while sdtType is monthly")
	}
	if s.Recurrence == MonthlyByWeek {
		if !slices.ContainsFunc(weeksOfMonth, s.isWeek) {
			return oneOfThese("weekOfMonth", "one of", weeksOfMonth)
		}
	}
	if s.Recurrence != Weekly && s.Recurrence != MonthlyByWeek {
		return nil
	}
	given := splitDays(s.WeekDay)
	for _, name := range given {
		if !ground.Listed(weekDays, name) {
			return oneOfThese("weekDay", "one or some, joined by commas, of", weekDays)
		}
	}
	return nil
}

// splitDays splits a comma-separated list of days.
func splitDays(text string) []string {
	days := strings.Split(text, ",")
	for i := range days {
		days[i] = strings.TrimSpace(days[i])
	}
	return days
}

// isWeek reports whether the name is that of the SDT's week of the month.
func (s *SDT) isWeek(name string) bool {
	return strings.EqualFold(name, strings.TrimSpace(s.WeekOfMonth))
}

// uses returns a function that reports whether the recurrence uses a field of
// time.
func uses(field string) func(*SDT) bool {
	return func(s *SDT) bool {
		for _, f := range goesWith {
			if f.field == field {
				return slices.Contains(f.with, s.Recurrence)
			}
		}
		return true
	}
}

func oneOfThese(field, what string, names []string) error {
	f := fault.At(field, "%s must be %s %s", field, what, strings.Join(names, ", "))
	for _, name := range names {
		f.Allowed = append(f.Allowed, name)
	}
	return f
}

// completeClock makes end and duration consistent. If only the start changes, the
// duration stays the same.
func (s *SDT) completeClock(w *resource.Write, was *SDT) error {
	before := SDT{}
	if was != nil && was.Recurrence != OneTime {
		before = *was
	}
	begin, end := s.Hour*60+s.Minute, s.EndHour*60+s.EndMinute
	long := (end-begin+dayLong-1)%dayLong + 1 // one minute to one day
	changed := before.Duration == 0 || end != before.EndHour*60+before.EndMinute
	byEnd, byLength := w.Given("endHour") || w.Given("endMinute"), w.Given("duration") && s.Duration > 0
	switch byEnd, byLength = decide(byEnd, changed, byLength, s.Duration != before.Duration); {
	case byEnd && byLength && !changed: // sent back unchanged
	case byEnd && byLength && (s.Duration-long)%dayLong != 0:
		return fault.At("duration",
			"duration is %d minutes, but %02d:%02d to %02d:%02d is %d minutes; omit one of the two",
			s.Duration, s.Hour,
			s.Minute, s.EndHour, s.EndMinute, long)
	case byLength:
	case byEnd:
		s.Duration = long
	case before.Duration > 0:
		s.Duration = before.Duration
	default:
		return fault.At("endHour", "endHour and endMinute, or duration, are required while sdtType is %s", s.Recurrence)
	}
	end = (begin + s.Duration) % dayLong
	s.EndHour, s.EndMinute = end/60, end%60
	return nil
}

// aim checks the target: only ids that match the type, of existing objects. A
// name is used if the id is not set.
func (s *SDT) aim(w *resource.Write) error {
	names, err := namesIn(w)
	if err != nil {
		return err
	}
	if s.Type == CollectorSDT && !mayMaintain(w.Call.Access) {
		return fault.New(fault.Denied,
			"maintenance of a collector takes a role that may change collectors, or all device groups")
	}
	a := aiming{w: w, names: names, s: s}
	switch s.Type {
	case DeviceSDT:
		err = a.device()
	case GroupSDT:
		err = a.group()
	case DeviceDataSourceSDT:
		err = a.deviceDataSource()
	case InstanceSDT:
		err = a.instance()
	case InstanceGroupSDT:
		err = a.instanceGroup()
	case CollectorSDT:
		a.keep("collectorId")
		err = a.required("collectorId", s.CollectorID)
	default:
		err = fault.At("type", "maintenance cannot be scheduled for a %s", s.Type)
	}
	if err != nil {
		return err
	}
	return a.dropOthers()
}

// mayMaintain reports whether the caller may put collectors into maintenance.
func mayMaintain(who *resource.Access) bool {
	if who == nil || who.May(resource.Right{Object: resource.Setting, Area: "collectors", Op: resource.Modify}) {
		return true
	}
	all, _ := who.Groups(resource.Modify)
	return all
}

// namesIn returns the names in the body that may replace ids.
func namesIn(w *resource.Write) (map[string]string, error) {
	names := map[string]string{}
	var body resource.Node
	for _, key := range []string{"deviceDisplayName", "deviceGroupFullPath", "dataSourceName", "dataSourceInstanceName",
		"deviceDataSourceInstanceGroupName"} {
		if !w.Given(key) || len(w.Call.Body) == 0 {
			continue
		}
		if body.Kind == 0 {
			var err error
			if body, err = resource.ParseJSON(w.Call.Body); err != nil {
				return nil, err
			}
		}
		value := body.Get(key)
		if value == nil || value.Kind == 'n' {
			continue
		}
		if value.Kind != '"' {
			return nil, fault.At(key, "%s must be a text in double quotes", key)
		}
		names[key] = strings.TrimSpace(value.Text)
	}
	return names, nil
}

func missing(field, what string, value any) error {
	return fault.At(field, "%s: there is no %s %v", field, what, value)
}
