package exchange

import (
	"regexp"
	"slices"
	"strings"
)

var (
	insomniaCall  = regexp.MustCompile(`\{%-?\s*([\w.-]+)\s*((?s:.*?))\s*-?%\}`)
	insomniaValue = regexp.MustCompile(`\{\{-?\s*((?s:.*?))\s*-?\}\}`)
	insomniaArg   = regexp.MustCompile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)
	bracketed     = regexp.MustCompile(`\[\s*['"]?([^\]'"]*)['"]?\s*\]`)
)

// insomniaText replaces Insomnia's variables by ours in a text.
func (r *treeReader) insomniaText(text string) string {
	if strings.Contains(text, "{%") {
		text = insomniaCall.ReplaceAllStringFunc(text, func(in string) string {
			m := insomniaCall.FindStringSubmatch(in)
			return "{{" + r.call(in, m[1], argsOf(m[2])) + "}}"
		})
	}
	return insomniaValue.ReplaceAllStringFunc(text, func(in string) string {
		inside := insomniaValue.FindStringSubmatch(in)[1]
		if strings.HasPrefix(inside, "$") {
			return in
		}
		name, filters, filtered := strings.Cut(inside, "|")
		if filtered {
			r.notes.say("The filter %q of {{ %s }} was not imported.", strings.TrimSpace(filters), inside)
		}
		name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "_"), ".")
		if name = variableName(strings.TrimPrefix(bracketed.ReplaceAllString(name, ".$1"), ".")); name == "" {
			return in
		}
		return "{{" + name + "}}"
	})
}

func argsOf(text string) (args []string) {
	for _, m := range insomniaArg.FindAllStringSubmatch(text, -1) {
		args = append(args, m[1]+m[2])
	}
	return args
}

// call returns the variable for a tag: a built-in one with the same value, or one
// named after the tag, whose value the user enters.
func (r *treeReader) call(tag, name string, args []string) string {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(args, w) })
	}
	switch {
	case name == "uuid", name == "faker" && has("guid", "randomUUID"):
		return "$uuid"
	case (name == "now" || name == "timestamp") && has("unix"), name == "faker" && has("timestamp"):
		return "$now"
	case name == "prompt" && len(args) > 0:
		if own := variableName(args[0]); own != "" {
			value := ""
			if len(args) > 2 {
				value = args[2]
			}
			r.variable("the question "+args[0], Variable{Name: own, Value: value})
			r.tags.prompt(own)
			return own
		}
	}
	return r.tags.of(tag, name)
}
