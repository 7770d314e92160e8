package exchange

import (
	"fmt"
	"strings"
)

// standIns are variables that replace template tags: values that other programs
// fill in and Spyglass does not.
type standIns struct {
	by    map[string]string // a variable for each tag
	order []string          // the tags
	named map[string]int    // how many have a variable of that name
	asked []string          // variables that replace prompts
	asks  map[string]bool
}

// of returns the variable for a tag, which has the tag's name if that is free.
func (s *standIns) of(tag, name string) string {
	if own, have := s.by[tag]; have {
		return own
	}
	if s.by == nil {
		s.by, s.named = map[string]string{}, map[string]int{}
	}
	own := variableName(name)
	if s.named[own]++; s.named[own] > 1 {
		own = fmt.Sprintf("%s%d", own, s.named[own])
	}
	s.by[tag] = own
	s.order = append(s.order, tag)
	return own
}

// ask records that the other program would prompt for the variable.
func (s *standIns) ask(variable string) {
	if s.asks == nil {
		s.asks = map[string]bool{}
	}
	if !s.asks[variable] {
		s.asks[variable] = true
		s.asked = append(s.asked, variable)
	}
}

// say adds a note that lists the replacement variables.
func (s *standIns) say(f *File, program string) {
	list := []string{}
	for _, call := range s.order {
		tag := []rune(strings.Join(strings.Fields(call), " "))
		if len(tag) > 60 {
			tag = append(tag[:57], []rune("… "+call[len(call)-2:])...)
		}
		list = append(list, fmt.Sprintf("{{%s}} for %s", s.by[call], string(tag)))
	}
	if len(s.asked) > 0 {
		f.notes.say("Where %s prompts for a value, a variable provides it here: %s.", program, someOf(s.asked))
	}
	if len(list) > 0 {
		f.notes.say("Nothing here fills in these template tags; give the variables in their place a value, or an "+
			"extractor: %s.", someOf(list))
	}
}
