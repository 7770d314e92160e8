package story

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/report/layout"
	"spyglass/backend/resource"
)

// file returns the story as a file.
func (s *Service) file(story *Story, c *resource.Call, format string) resource.Response {
	who := "system"
	if c.Access != nil {
		who = c.Access.User
	}
	table := story.table(s.o.Zone(), who)
	day := time.Unix(story.Start, 0).In(s.o.Zone()).Format("2006-01-02")
	name := fileName("story-" + story.Cause.Device + "-" + day)
	if format == formatMarkdown {
		return resource.Response{Type: typeMarkdown, Filename: name + ".md", Stream: func(w io.Writer) error {
			return table.WriteMarkdown(w)
		}}
	}
	return resource.Response{Type: typePDF, Filename: name + ".pdf", Stream: func(w io.Writer) error {
		_, err := table.Write(w, reporting.FormatPDF)
		return err
	}}
}

// table returns the story as the content of a report.
func (s *Story) table(zone *time.Location, who string) *layout.Table {
	moment := func(at int64) string { return time.Unix(at, 0).In(zone).Format(layout.Moment) }
	t := &layout.Table{
		Title: "Incident: " + s.Title, Type: "Incident story", At: time.Unix(s.Now, 0).In(zone),
		Made:    moment(s.Now) + " for " + who,
		About:   append([]string{"Began " + moment(s.Start) + "."}, s.Summary...),
		Columns: []string{"Time", "Event", "What", "By"}, Total: int64(len(s.Events)),
	}
	if s.End > 0 {
		t.About[0] = "Began " + moment(s.Start) + ", ended " + moment(s.End) + "."
	}
	for _, w := range s.Withheld {
		t.About = append(t.About, "Not included: "+w.Part+". "+w.Text)
	}
	for _, c := range []layout.Count{{Label: "Critical", Tone: layout.Critical}, {Label: "Error", Tone: layout.Error},
		{Label: "Warning", Tone: layout.Warn}} {
		for i := range s.Alerts {
			if tones[s.Alerts[i].Severity] == c.Tone {
				c.N++
			}
		}
		t.Counts = append(t.Counts, c)
	}
	for i := range s.Charts.Lines {
		t.Charts = append(t.Charts, s.Charts.chart(i, zone))
	}
	t.Rows = func(yield func(layout.Row) error) error {
		for _, e := range s.Events {
			row := layout.Row{Cells: []string{moment(e.At), kinds[e.Kind], e.Text, e.By}}
			if e.Kind == "opened" {
				row.Tone = tones[e.Severity]
			}
			if err := yield(row); err != nil {
				return err
			}
		}
		return nil
	}
	return t
}

var tones = map[int64]layout.Tone{threshold.SeverityCritical: layout.Critical, threshold.SeverityError: layout.Error,
	threshold.SeverityWarn: layout.Warn}

// kinds are the names of the kinds of events.
var kinds = map[string]string{"silent": "Not responding", "opened": "Alert", "state": "Alert changed",
	"cleared": "Cleared", "back": "Responding", "acked": "Acknowledged", "note": "Note", "notified": "Notification",
	"failed": "Notification failed", "maintenance": "Maintenance", "change": "Change", "opsNote": "Ops note"}

// chart returns one chart of a file. All have the same time.
func (c *IncidentCharts) chart(i int, zone *time.Location) layout.Chart {
	l := &c.Lines[i]
	name := l.Device + ": " + strings.Join(strings.Fields(l.DataSource+" "+l.Instance+" "+l.DataPoint), " ")
	if l.Unit != "" {
		name += " in " + l.Unit
	}
	line := layout.Line{Name: l.DataPoint, Values: make([]float64, len(l.Values))}
	for k, v := range l.Values {
		if line.Values[k] = math.NaN(); v != nil {
			line.Values[k] = *v
		}
	}
	return layout.Chart{Title: name, Lines: []layout.Line{line}, From: time.Unix(c.Start, 0).In(zone),
		To: time.Unix(c.End, 0).In(zone)}
}

// fileName returns a name without unsafe characters.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("._-", r) {
			return r
		}
		return '-'
	}, fmt.Sprintf("%.100s", name))
}
