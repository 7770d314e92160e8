package portal

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
)

func isWebLink(link string) bool {
	u, err := url.Parse(link)
	return link == "" || err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// isZone reports whether name is an IANA time zone; "" is the portal's own.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "Local"
}

func listed(names []string, name string) bool {
	return slices.ContainsFunc(names, func(have string) bool { return strings.EqualFold(have, name) })
}

// oneLine is a text of others as a sentence may quote it.
func oneLine(text string) string {
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
