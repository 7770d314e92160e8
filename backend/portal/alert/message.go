package alert

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// AlertMessage is the text of a notification about an alert.
type AlertMessage struct {
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

// The default texts, for data points without their own.
const (
	plainSubject = "##LEVEL##: ##HOST## ##INSTANCE## ##DATAPOINT##"
	plainBody    = "##DATAPOINT## of ##INSTANCE## on ##HOST## is ##READING##; it should be ##EXPECTED##. " +
		"##SEVERITY## since ##START##."
	overBody = "##DATAPOINT## of ##INSTANCE## on ##HOST## was ##READING##; it should be ##EXPECTED##. ##SEVERITY## " +
		"from ##START## to ##END##."
	silentBody   = "##DATAPOINT## of ##INSTANCE## on ##HOST## gave no data from ##START## on (##LEVEL##)."
	groupSubject = "##LEVEL##: ##DSIDESCRIPTION## of ##HOST## have an alert of ##DATAPOINT##"
	groupBody    = "##DSIDESCRIPTION## of the group ##HOST## have an alert of ##DATAPOINT## (##DATASOURCE##): " +
		"##READING##; it should be ##EXPECTED##. ##SEVERITY## since ##START##."
	downSubject = "##LEVEL##: the collector ##HOST## is down"
	downBody    = "The collector ##HOST## has not responded since ##START##."
)

// maxMessage limits the length of a text, in bytes, because a message may contain
// a property any number of times.
const maxMessage = 64 << 10

var tokens = regexp.MustCompile(`##[A-Za-z0-9_.\-]{1,255}##`)

// Wording fills in texts about one alert; the zero Wording has no alert. A token
// is the name of a property of the instance or device, or one of alertWords;
// other tokens stay unchanged. Secret-looking properties are masked.
type Wording struct{ subject *alertSubject }

// WordingOf looks up the values for texts about an alert.
func WordingOf(ctx context.Context, r resource.Reader, a *Alert) (Wording, error) {
	all, err := subjects(ctx, r, []Alert{*a})
	if err != nil {
		return Wording{}, err
	}
	return Wording{all[int64(a.ID)]}, nil
}

// Message returns the subject and body of the alert's data point.
func (w Wording) Message() AlertMessage { return w.subject.message() }

// JSON fills in a JSON text, with values escaped for JSON strings. more has
// additional tokens.
func (w Wording) JSON(text string, more map[string]string) string {
	return fill(text, func(name string) (string, bool) {
		value, ok := more[name]
		if !ok && w.subject != nil {
			value, ok = w.subject.token(name)
		}
		in := resource.AppendString(nil, value)
		return string(in[1 : len(in)-1]), ok
	})
}

// TokensOf returns the names of the tokens in a text, including duplicates.
func TokensOf(text string) []string {
	all := tokens.FindAllString(text, -1)
	for i := range all {
		all[i] = strings.Trim(all[i], "#")
	}
	return all
}

// alertSubject is an alert with the objects that its message may quote.
type alertSubject struct {
	alert    *Alert
	device   *fleet.Device // empty if it was deleted, like the others
	instance *fleet.Instance
	source   *datasource.DataSource
	tree     *fleet.Tree
	zone     *time.Location
	who      *resource.Access // the recipient; may be nil
}

func subjectsOf(ctx context.Context, r resource.Reader, ids []int64) (map[int64]*alertSubject, error) {
	alerts, err := resource.Find(ctx, r, alertRows, resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	all, err := subjects(ctx, r, alerts)
	for _, id := range ids { // skips alerts that were deleted meanwhile
		if err == nil && all[id] == nil {
			all[id] = &alertSubject{alert: &Alert{}, device: &fleet.Device{}, instance: &fleet.Instance{},
				source: &datasource.DataSource{}, tree: &fleet.Tree{}, zone: time.UTC}
		}
	}
	return all, err
}

// subjects looks up the objects of alerts in a fixed number of queries, however
// many alerts there are.
func subjects(ctx context.Context, r resource.Reader, alerts []Alert) (map[int64]*alertSubject, error) {
	tree, err := fleet.TreeOf(ctx, r)
	if err != nil {
		return nil, err
	}
	sources, err := datasource.ByID(ctx, r)
	if err != nil {
		return nil, err
	}
	devices, err := byID(ctx, r, fleet.DeviceRows, alerts, func(a *Alert) int64 { return a.DeviceID },
		func(d *fleet.Device) int64 { return d.ID })
	if err != nil {
		return nil, err
	}
	instances, err := byID(ctx, r, fleet.InstanceRows, alerts, func(a *Alert) int64 { return a.InstanceID },
		func(i *fleet.Instance) int64 { return i.ID })
	if err != nil {
		return nil, err
	}
	var who *resource.Access
	if c := resource.CallOf(ctx); c != nil {
		who = c.Access
	}
	zone := zoneFor(ctx, r, who)
	all := make(map[int64]*alertSubject, len(alerts))
	for i := range alerts {
		a := &alerts[i]
		all[int64(a.ID)] = &alertSubject{
			alert: a, tree: tree, zone: zone, who: who, device: cmp.Or(devices[a.DeviceID], &fleet.Device{}),
			instance: cmp.Or(instances[a.InstanceID], &fleet.Instance{}),
			source:   cmp.Or(sources[a.DataSourceID], &datasource.DataSource{}),
		}
	}
	return all, nil
}

// byID reads the rows with the ids in alerts.
func byID[T any](ctx context.Context, r resource.Reader, name resource.Name[*T], alerts []Alert,
	names func(*Alert) int64, idOf func(*T) int64) (map[int64]*T, error) {
	ids := []int64{}
	for i := range alerts {
		if id := names(&alerts[i]); id > 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	all := make(map[int64]*T, len(ids))
	if len(ids) == 0 {
		return all, nil
	}
	found, err := resource.Find(ctx, r, name, resource.Where{Field: "id", Op: "in", Value: ids})
	for i := range found {
		all[idOf(&found[i])] = &found[i]
	}
	return all, err
}

func (s *alertSubject) message() AlertMessage {
	subject, body := plainSubject, plainBody
	switch {
	case s.alert.Value == NoData:
		body = silentBody
	case s.alert.Cleared:
		body = overBody
	}
	switch p := s.point(); {
	case s.alert.Type == AgentDownAlert:
		subject, body = downSubject, downBody
	case s.alert.CollectorID > 0 && s.alert.Cleared:
		subject, body = conditionSubject, conditionOver
	case s.alert.CollectorID > 0:
		subject, body = conditionSubject, conditionBody
	case s.alert.Type == GroupAlert: // the texts of the data point are about one instance
		subject, body = groupSubject, groupBody
	case p != nil:
		subject, body = cmp.Or(p.AlertSubject, subject), cmp.Or(p.AlertBody, body)
	}
	if s.alert.CollectorID == 0 && s.alert.Reason != "" && !strings.Contains(body, "##REASON##") {
		body += "\n##REASON##"
	}
	return AlertMessage{s.render(subject), s.render(body)}
}

func (s *alertSubject) point() *datasource.DataPoint {
	i := slices.IndexFunc(s.source.DataPoints, func(p datasource.DataPoint) bool { return p.ID == s.alert.DataPointID })
	if i < 0 {
		return nil
	}
	return &s.source.DataPoints[i]
}

func (s *alertSubject) render(text string) string { return fill(text, s.token) }

// fill replaces the tokens for which value returns a value.
func fill(text string, value func(name string) (string, bool)) string {
	var b strings.Builder
	for b.Len() < maxMessage {
		at := tokens.FindStringIndex(text)
		if at == nil {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:at[0]])
		if v, ok := value(text[at[0]+2 : at[1]-2]); ok {
			b.WriteString(v)
		} else {
			b.WriteString(text[at[0]:at[1]])
		}
		text = text[at[1]:]
	}
	if b.Len() <= maxMessage {
		return b.String()
	}
	return strings.ToValidUTF8(b.String()[:maxMessage], "")
}

// token returns the value of the token ##name##.
func (s *alertSubject) token(name string) (string, bool) {
	if word := alertWords[name]; word != nil {
		return word(s), true
	}
	return s.property(name)
}

// property returns the effective value: the first of the instance, the device,
// its groups and the portal. Secrets are masked.
func (s *alertSubject) property(name string) (string, bool) {
	i, d := s.instance, s.device
	for _, props := range [][]resource.Property{
		i.CustomProperties, i.AutoProperties, i.SystemProperties, d.CustomProperties, s.tree.Inherited(d.GroupIDs),
		d.AutoProperties, d.SystemProperties,
	} {
		for _, p := range props {
			if strings.EqualFold(p.Name, name) {
				return p.Shown(), true
			}
		}
	}
	return "", false
}

// alertWords are the tokens that are not properties.
var alertWords = map[string]func(*alertSubject) string{
	"ALERTID":         func(s *alertSubject) string { return strconv.FormatInt(int64(s.alert.ID), 10) },
	"INTERNALID":      func(s *alertSubject) string { return "DS" + strconv.FormatInt(int64(s.alert.ID), 10) },
	"ALERTTYPE":       func(s *alertSubject) string { return s.alert.Type },
	"ALERTSTATUS":     func(s *alertSubject) string { return s.alert.status() },
	"LEVEL":           func(s *alertSubject) string { return threshold.LevelWords[s.alert.Severity] },
	"HOST":            func(s *alertSubject) string { return s.alert.DeviceName },
	"HOSTNAME":        func(s *alertSubject) string { return cmp.Or(s.device.Name, s.alert.DeviceName) },
	"HOSTDESCRIPTION": func(s *alertSubject) string { return s.device.Description },
	"GROUP":           func(s *alertSubject) string { return s.groups() },
	"DATASOURCE":      func(s *alertSubject) string { return s.alert.DataSourceName },
	"DSDESCRIPTION":   func(s *alertSubject) string { return s.source.Description },
	"INSTANCE":        func(s *alertSubject) string { return cmp.Or(s.instance.DisplayName, s.alert.InstanceName) },
	"DSIDESCRIPTION":  func(s *alertSubject) string { return s.alert.InstanceNote },
	"DATAPOINT":       func(s *alertSubject) string { return s.alert.DataPointName },
	"DPDESCRIPTION": func(s *alertSubject) string {
		if p := s.point(); p != nil {
			return p.Description
		}
		return ""
	},
	"COLLECTOR":  func(s *alertSubject) string { return s.collector() },
	"CONDITION":  func(s *alertSubject) string { return cmp.Or(conditions[s.alert.Condition], s.alert.Condition) },
	"REASON":     func(s *alertSubject) string { return s.alert.Reason },
	"VALUE":      func(s *alertSubject) string { return s.alert.Value },
	"READING":    func(s *alertSubject) string { return s.reading() },
	"EXPECTED":   func(s *alertSubject) string { return s.expected() },
	"SEVERITY":   func(s *alertSubject) string { return threshold.SeverityTitles[s.alert.Severity] },
	"THRESHOLD":  func(s *alertSubject) string { return s.alert.Threshold },
	"CLEARVALUE": func(s *alertSubject) string { return s.alert.ClearValue },
	"START":      func(s *alertSubject) string { return s.moment(s.alert.StartOn) },
	"STARTEPOCH": func(s *alertSubject) string { return strconv.FormatInt(int64(s.alert.StartOn), 10) },
	"END":        func(s *alertSubject) string { return s.moment(s.alert.EndOn) },
	"ENDEPOCH":   func(s *alertSubject) string { return strconv.FormatInt(int64(s.alert.EndOn), 10) },
	"DURATION": func(s *alertSubject) string {
		return (time.Duration(cmp.Or(s.alert.EndOn, s.alert.UpdatedOn)-s.alert.StartOn) * time.Second).String()
	},
	"ADMIN":   func(s *alertSubject) string { return s.alert.AckedBy },
	"MESSAGE": func(s *alertSubject) string { return s.alert.AckComment },
	"RULE":    func(s *alertSubject) string { return s.alert.Rule },
	"CHAIN":   func(s *alertSubject) string { return s.alert.Chain },
}

func (s *alertSubject) moment(at resource.Seconds) string {
	if at == 0 {
		return ""
	}
	return time.Unix(int64(at), 0).In(s.zone).Format("2006-01-02 15:04:05 MST")
}

func (s *alertSubject) groups() string {
	var paths []string
	for _, id := range append(slices.Clone(s.device.GroupIDs), s.alert.GroupID) {
		if g := s.tree.Groups[id]; g != nil && g.FullPath != "" && fleet.MaySee(s.who, resource.IDs{id}) {
			paths = append(paths, g.FullPath)
		}
	}
	return strings.Join(paths, ", ")
}

// status returns the state of the alert in one word.
func (a *Alert) status() string {
	switch {
	case a.Cleared:
		return "clear"
	case a.Acked:
		return "ack"
	}
	return "active"
}
