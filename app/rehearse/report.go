package rehearse

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Why says why something differs in a rehearsal.
type Why string

// The reasons.
const (
	Secret       Why = "secret"       // a secret, which is never copied
	UnknownField Why = "unknownField" // the rehearsal does not have the field
	Reference    Why = "reference"    // it refers to an object that was not copied
	Refused      Why = "refused"      // the rehearsal refused the value or the object
	Unavailable  Why = "unavailable"  // the portal does not show the list
	Changed      Why = "changed"      // it is another value on purpose
	Unapplied    Why = "unapplied"    // a data source does not apply to the copy of a device
)

// Note is one thing that differs in a rehearsal.
type Note struct {
	Kind  string `json:"kind" doc:"the list, /device/devices"`
	Noun  string `json:"noun" doc:"device"`
	ID    string `json:"id" doc:"in the portal; empty: the whole list"`
	Name  string `json:"name"`
	Field string `json:"field" doc:"empty: the whole object"`
	Why   Why    `json:"why" enum:"secret|unknownField|reference|refused|unavailable|changed|unapplied"`
	Text  string `json:"text"`
}

// Count is the number of copied objects of a kind.
type Count struct {
	Kind   string `json:"kind"`
	Noun   string `json:"noun"`
	Read   int    `json:"read"`
	Copied int    `json:"copied"`
}

// Report says what a rehearsal has of a portal, and what differs.
type Report struct {
	Portal   string    `json:"portal"`
	URL      string    `json:"url"`
	Began    time.Time `json:"began"`
	Finished time.Time `json:"finished,omitzero"` // missing: the copy is not complete
	Counts   []Count   `json:"counts"`
	Notes    []Note    `json:"notes"`
}

// mostNames limits the objects that a line of the text names.
const mostNames = 3

// Text writes the report for people: notes that say the same about several objects are
// one line.
func (r *Report) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Rehearsal of %s (%s)\n", r.Portal, r.URL)
	if r.Finished.IsZero() {
		b.WriteString("The copy is not complete: run spyglass rehearse copy again to resume it.\n")
	} else {
		fmt.Fprintf(&b, "Copied %s\n", r.Finished.Local().Format("2006-01-02 15:04:05 MST"))
	}
	b.WriteString("\n")
	for _, c := range r.Counts {
		fmt.Fprintf(&b, "  %5d of %5d  %s\n", c.Copied, c.Read, c.Noun)
	}
	if len(r.Notes) == 0 {
		b.WriteString("\nNothing differs.\n")
	} else {
		b.WriteString("\nWhat differs or was left out:\n")
	}
	type line struct {
		note  Note
		names []string
		count int
	}
	var lines []*line
	for _, n := range r.Notes {
		i := slices.IndexFunc(lines, func(l *line) bool {
			return l.note.Kind == n.Kind && l.note.Field == n.Field && l.note.Text == n.Text
		})
		if i < 0 {
			i = len(lines)
			lines = append(lines, &line{note: n})
		}
		if lines[i].count++; n.Name != "" && len(lines[i].names) < mostNames {
			lines[i].names = append(lines[i].names, quoted(n.Name))
		}
	}
	slices.SortStableFunc(lines, func(a, b *line) int { return cmp.Compare(a.note.Why, b.note.Why) })
	for _, l := range lines {
		of := strings.TrimSpace(l.note.Noun + " " + strings.Join(l.names, ", "))
		if more := l.count - len(l.names); more > 0 && len(l.names) > 0 {
			of += fmt.Sprintf(" and %d more", more)
		}
		if l.note.Field != "" {
			of += ", " + l.note.Field
		}
		fmt.Fprintf(&b, "  %s: %s\n", of, l.note.Text)
	}
	_, err := io.WriteString(w, printable(b.String()))
	return err
}

// printable replaces control characters: a name must not move the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0) {
			return '?'
		}
		return r
	}, text)
}
