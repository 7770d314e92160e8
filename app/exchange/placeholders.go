package exchange

import (
	"fmt"
	"strings"
)

// placeholders are variables for template tags whose values other programs fill
// in, but Spyglass does not.
type placeholders struct {
	by       map[string]string // a variable for each tag
	order    []string          // the tags
	named    map[string]int    // number of variables with that name
	prompts  []string          // variables that replace prompts
	prompted map[string]bool
}

// of returns the variable for a tag. It has the tag's name if that is available.
func (s *placeholders) of(tag, name string) string {
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

// prompt records that the other program would prompt for the variable.
func (s *placeholders) prompt(variable string) {
	if s.prompted == nil {
		s.prompted = map[string]bool{}
	}
	if !s.prompted[variable] {
		s.prompted[variable] = true
		s.prompts = append(s.prompts, variable)
	}
}

// say adds a note that lists the replacement variables.
func (s *placeholders) say(f *File, program string) {
	list := []string{}
	for _, call := range s.order {
		tag := []rune(strings.Join(strings.Fields(call), " "))
		if len(tag) > 60 {
			tag = append(tag[:57], []rune("… "+call[len(call)-2:])...)
		}
		list = append(list, fmt.Sprintf("{{%s}} for %s", s.by[call], string(tag)))
	}
	if len(s.prompts) > 0 {
		f.notes.say("Where %s prompts for a value, a variable provides it here: %s.", program, someOf(s.prompts))
	}
	if len(list) > 0 {
		f.notes.say("Nothing here fills in these template tags; give the variables in their place a value, or an "+
			"extractor: %s.", someOf(list))
	}
}
