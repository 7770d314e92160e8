package ground

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

// IsWebLink reports whether a text is empty or the address of a web page.
func IsWebLink(link string) bool {
	u, err := url.Parse(link)
	return link == "" || err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// IsZone reports whether name is an IANA time zone; "" is the portal's own.
func IsZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

// Listed reports whether names contain a name, ignoring case.
func Listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(have string) bool { return strings.EqualFold(have, name) })
}

// OneLine shortens a user's text to one line, so that a sentence can quote it.
func OneLine(text string) string {
	runes := []rune(text)
	if len(runes) > 200 {
		runes = append(runes[:200], '…')
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, string(runes))
}
