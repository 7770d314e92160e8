package story

import (
	"fmt"
	"slices"
	"strings"
)

// summarize writes what happened in a few sentences, the most important first.
func (t *teller) summarize() {
	s := t.story
	say := func(format string, args ...any) { s.Summary = append(s.Summary, fmt.Sprintf(format, args...)) }
	say("%s", t.first())
	t.tellDependents(say)
	if n := s.Total.Alerts - 1; n > 0 {
		say("%s opened with it.", count(n, "other alert"))
	}
	t.tellPeople(say)
	if near := t.nearChanges(); near > 0 {
		say("%s made to these objects shortly before or meanwhile.", were(near, "change"))
	}
	if s.End == 0 {
		say("It has lasted for %s and is ongoing.", span(t.until()-s.Start))
	} else {
		say("It lasted %s.", span(s.End-s.Start))
	}
}

// first returns the sentence about the first failure.
func (t *teller) first() string {
	text := strings.TrimSuffix(t.cause.opening(), ".") + "."
	d := t.device(t.cause.DeviceID)
	if d == nil || d.SilentOn == 0 {
		return "First: " + text
	}
	if wait := t.cause.Start - d.SilentOn; wait > 0 {
		return fmt.Sprintf("%s stopped responding first, %s before its alert. %s", d.Name, span(wait), text)
	}
	return fmt.Sprintf("%s stopped responding first. %s", d.Name, text)
}

func (t *teller) tellDependents(say func(string, ...any)) {
	total := t.story.Total
	if total.Silent == 0 {
		if total.Dependents > 0 {
			say("%s on it, and kept responding.", depend(total.Dependents))
		}
		return
	}
	text := fmt.Sprintf("%s of %s stopped responding, too", count(total.Silent, t.others()),
		count(int64(len(t.story.Devices)-t.causes()), "device"))
	if t.cause.DeviceID > 0 {
		text = fmt.Sprintf("%d of %s stopped responding, too", total.Silent, count(total.Dependents, "dependent"))
	}
	switch opened := total.Silent - total.Suppressed; {
	case opened == 0:
		say("%s. Their alerts are suppressed by this one.", text)
	case total.Suppressed == 0:
		say("%s.", text)
	default:
		say("%s. %s opened alerts of their own; those of the others are suppressed.", text, count(opened, t.others()))
	}
}

func (t *teller) causes() int {
	if t.device(t.cause.DeviceID) == nil {
		return 0
	}
	return 1
}

// tellPeople adds the sentences about notified users and acknowledgements.
func (t *teller) tellPeople(say func(string, ...any)) {
	var names []string
	for i := range t.story.Alerts {
		for name := range strings.SplitSeq(t.story.Alerts[i].Notified, ",") {
			if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	switch failed := t.story.Total.Unnotified; {
	case len(names) == 0:
		say("No one was notified.")
	case failed > 0 && t.story.Total.Notified == 0:
		say("%s failed, and none was delivered.", count(failed, "notification"))
	case failed > 0:
		say("Notified: %s. %s failed.", joined(names, 5), count(failed, "notification"))
	default:
		say("Notified: %s.", joined(names, 5))
	}
	switch c := t.cause; {
	case c.Acked:
		text := fmt.Sprintf("%s acknowledged it after %s", c.AckedBy, span(c.AckedOn-c.Start))
		if c.AckComment != "" {
			text += ": “" + c.AckComment + "”"
		}
		say("%s.", text)
	case c.End == 0:
		say("No one has acknowledged it yet.")
	default:
		say("No one acknowledged it.")
	}
}

func (t *teller) nearChanges() (n int64) {
	for _, e := range t.story.Events {
		if e.Near {
			n++
		}
	}
	return n
}

func depend(n int64) string {
	if n == 1 {
		return "1 device depends"
	}
	return count(n, "device") + " depend"
}

func were(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return count(n, noun) + " were"
}
