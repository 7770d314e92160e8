package exchange

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What Postman fills in by itself, under its names and ours; those of one value
// that Postman would have no name for are written as values.
var (
	fromPostman   = strings.NewReplacer("{{$guid}}", "{{$uuid}}", "{{$randomUUID}}", "{{$uuid}}", "{{$timestamp}}", "{{$now}}")
	toPostman     = []string{"{{$uuid}}", "{{$guid}}", "{{$now}}", "{{$timestamp}}"}
	postmanFilled = regexp.MustCompile(`\{\{(\$\w+)\}\}`)
)

// ownBuiltIns are the built-in variables of a collection under our names; a note
// says which have no like. Bruno has those of Postman.
func (f *File) ownBuiltIns(text []byte, program string) []byte {
	own := fromPostman.Replace(string(text))
	var strange []string
	seen := map[string]bool{}
	for _, m := range postmanFilled.FindAllStringSubmatch(own, -1) {
		name := m[1]
		if name != "$uuid" && name != "$userId" && !clock.MatchString(name) && !seen[m[0]] {
			seen[m[0]] = true
			strange = append(strange, m[0])
		}
	}
	if len(strange) > 0 {
		f.notes.say("Nothing fills in %s here: add variables in place of %s own.", someOf(strange), program+"'s")
	}
	return []byte(own)
}

// postmanBuiltIns are ours under Postman's names.
func (b *Bundle) postmanBuiltIns(text []byte) []byte {
	pairs := toPostman
	if b.UserID != 0 {
		pairs = append(slices.Clip(pairs), "{{$userId}}", strconv.FormatInt(b.UserID, 10))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(text)))
}
