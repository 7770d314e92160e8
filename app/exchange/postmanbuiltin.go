package exchange

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Postman's built-in variables, with their names there and here; those of one
// value that Postman has no name for are written as values.
var (
	fromPostman = strings.NewReplacer("{{$guid}}", "{{$uuid}}", "{{$randomUUID}}", "{{$uuid}}", "{{$timestamp}}",
		"{{$now}}")
	toPostman     = []string{"{{$uuid}}", "{{$guid}}", "{{$now}}", "{{$timestamp}}"}
	postmanFilled = regexp.MustCompile(`\{\{(\$\w+)\}\}`)
)

// ownBuiltIns renames the built-in variables of a collection to our names; a
// note lists those without an equivalent. Bruno uses Postman's.
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

// postmanBuiltIns returns ours under Postman's names.
func (b *Bundle) postmanBuiltIns(text []byte) []byte {
	pairs := toPostman
	if b.UserID != 0 {
		pairs = append(slices.Clip(pairs), "{{$userId}}", strconv.FormatInt(b.UserID, 10))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(text)))
}
