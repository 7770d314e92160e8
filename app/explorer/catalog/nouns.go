package catalog

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"spyglass/backend/resource"
)

// What the summaries of a catalog call things: "List maintenance windows of a
// device", "Remove a maintenance window".
var (
	listSummary   = regexp.MustCompile(`^(?:List|Get) (?:all |the )?([\pL\d -]+s)(?: (?:of|in|on|below|for) .*)?$`)
	removeSummary = regexp.MustCompile(`^(?:Remove|Delete) (?:an?|the|one) ([\pL\d -]+?)(?: (?:of|from|in) .*| for ` +
		`good)?$`)
)

// NounOf returns the noun for the object an endpoint removes, "maintenance
// window"; empty when its catalog does not say.
func NounOf(e *resource.Endpoint) string {
	if m := removeSummary.FindStringSubmatch(e.Summary); m != nil {
		return m[1]
	}
	return ""
}

// ItemsOf returns the plural for the items of a list, "maintenance windows".
func ItemsOf(e *resource.Endpoint) string {
	if m := listSummary.FindStringSubmatch(e.Summary); m != nil {
		return Uncapital(m[1])
	}
	return Words(e.Path[strings.LastIndexByte(e.Path, '/')+1:])
}

// Countable returns a plural as it stands after n: "devices in it", "device in it".
func Countable(many string, n int64) string {
	if n != 1 {
		return many
	}
	all := strings.Split(many, " ")
	for i, word := range all {
		if one := singular(word); one != word {
			all[i] = one
			break
		}
	}
	return strings.Join(all, " ")
}

// singular takes the plural off an English word; another word stays.
func singular(word string) string {
	if strings.HasSuffix(word, "ss") || strings.HasSuffix(word, "us") || strings.HasSuffix(word, "is") {
		return word
	}
	if stem, ok := strings.CutSuffix(word, "ies"); ok && len(stem) > 1 {
		return stem + "y"
	}
	for _, end := range []string{"sses", "shes", "ches", "xes"} {
		if strings.HasSuffix(word, end) {
			return word[:len(word)-2]
		}
	}
	return strings.TrimSuffix(word, "s")
}

// Words returns "direct sub groups" of "DirectSubGroups".
func Words(name string) string {
	var out strings.Builder
	for i, r := range name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
	}
	return strings.ToLower(out.String())
}

// Uncapital begins with a small letter, unless the word is an abbreviation.
func Uncapital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}
