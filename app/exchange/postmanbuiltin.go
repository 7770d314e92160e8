package exchange

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Built-in variables of Postman with the names of ours. Variables with a constant
// value and no counterpart in Postman are written as values.
var (
	fromPostman = strings.NewReplacer("{{$guid}}", "{{$uuid}}", "{{$randomUUID}}", "{{$uuid}}", "{{$timestamp}}",
		"{{$now}}")
	toPostman     = []string{"{{$uuid}}", "{{$guid}}", "{{$now}}", "{{$timestamp}}"}
	postmanFilled = regexp.MustCompile(`\{\{(\$\w+)\}\}`)
)

// ownBuiltIns renames built-in variables of Postman and Bruno to our names; a
// note lists those without an equivalent.
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

// postmanBuiltIns renames our built-in variables to Postman's names.
func (b *Bundle) postmanBuiltIns(text []byte) []byte {
	pairs := toPostman
	if b.UserID != 0 {
		pairs = append(slices.Clip(pairs), "{{$userId}}", strconv.FormatInt(b.UserID, 10))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(text)))
}
