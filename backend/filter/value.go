package filter

import (
	"math"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/resource"
)

// value parses the next value for the column of c.
func (p *parser) value(c Cond) (Value, error) {
	p.space()
	start := p.at
	parts, err := p.word(c.Op)
	if err != nil {
		return Value{}, err
	}
	if err := p.count(start); err != nil {
		return Value{}, err
	}
	v := Value{Text: strings.TrimPrefix(strings.Join(parts, "*"), c.Column.Prefix)}
	if wild := len(parts) > 1 && (c.Op == Equal || c.Op == NotEqual); wild {
		text := c.Column.Kind == resource.KindText || c.Column.Kind == resource.KindIDs ||
			c.Column.Kind == resource.KindPairs
		if text || c.Column.Kind == resource.KindBoolean && v.Text == "*" {
			v.Pattern, v.Glob = true, parts
			return v, nil
		}
	}
	if want := v.read(c.Column.Kind, p.zone); want != "" {
		return Value{}, p.wrong(start, "%s needs %s, not %s,", c.Column.Name, want, quote(v.Text))
	}
	return v, nil
}

// word parses one value and returns its unescaped parts between wildcards.
func (p *parser) word(op Op) ([]string, error) {
	start := p.at
	quoted := p.take(`"`)
	parts := []string{""}
	last := &parts[0]
	for ; p.at < len(p.in); p.at++ {
		switch c := p.in[p.at]; {
		case c == '\\' && p.at+1 == len(p.in):
			return nil, p.wrong(p.at, `nothing follows the \`)
		case c == '\\':
			p.at++
			*last += p.in[p.at : p.at+1]
		case quoted && c == '"':
			p.at++
			return parts, nil
		case !quoted && (isSpace(c) || c == ',' || c == '|' || c == '"'):
			return p.bare(parts, start, op)
		case c == '*':
			parts = append(parts, "")
			last = &parts[len(parts)-1]
		default:
			*last += p.in[p.at : p.at+1]
		}
	}
	if quoted {
		return nil, p.wrong(start, "the value has no closing quote")
	}
	return p.bare(parts, start, op)
}

func (p *parser) bare(parts []string, start int, op Op) ([]string, error) {
	if p.at == start {
		return nil, p.wrong(start, "expected a value after %s", op)
	}
	return parts, nil
}

// read parses the text for a column of a kind. It returns "" if the text is
// valid, or a description of a valid value.
func (v *Value) read(kind resource.Kind, zone *time.Location) (want string) {
	var err error
	switch kind {
	case resource.KindInteger:
		if v.Int, err = strconv.ParseInt(v.Text, 10, 64); err != nil {
			return kindName(kind)
		}
	case resource.KindNumber:
		v.Float, err = strconv.ParseFloat(v.Text, 64)
		if err != nil || strings.Trim(v.Text, "+-.0123456789eE") != "" {
			return kindName(kind)
		}
	case resource.KindBoolean:
		v.Bool = strings.EqualFold(v.Text, "true")
		if !v.Bool && !strings.EqualFold(v.Text, "false") {
			return kindName(kind)
		}
	case resource.KindSeconds:
		return v.readTime(time.Time.Unix, zone)
	case resource.KindMillis:
		return v.readTime(time.Time.UnixMilli, zone)
	}
	return ""
}

// readTime sets the time range that the text means, in a unit.
func (v *Value) readTime(unit func(time.Time) int64, zone *time.Location) (want string) {
	if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n < math.MaxInt64 {
		v.From, v.To = n, n+1
		return ""
	}
	if day, err := time.Parse(time.DateOnly, v.Text); err == nil {
		v.From, v.To = unit(midnight(day, zone)), unit(midnight(day.AddDate(0, 0, 1), zone))
		return ""
	}
	at, err := time.Parse(time.RFC3339, strings.Replace(v.Text, " ", "+", 1))
	if err != nil {
		return `a date "2026-01-31", a date and time "2026-01-31T10:00:00Z" or an epoch number`
	}
	v.From = unit(at)
	v.To = v.From + 1
	return ""
}

// midnight returns the first time of a day in zone. If clocks change at midnight,
// there may be no 00:00, or two of them.
func midnight(day time.Time, zone *time.Location) time.Time {
	t := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	from, to := t.ZoneBounds()
	if t.Day() != day.Day() && to.After(t) {
		return to
	}
	if !from.IsZero() {
		_, was := from.Add(-1).Zone()
		_, is := t.Zone()
		first := t.Add(time.Duration(is-was) * time.Second)
		if first.Before(t) && first.Day() == t.Day() && first.Hour() == 0 {
			return first
		}
	}
	return t
}
