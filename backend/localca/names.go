package localca

import (
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix" // BSD-3-Clause: names below which anybody can register one

	"spyglass/backend/fault"
)

const maxNames = 20

// CheckNames returns host names as certificates have them, each once, without localhost,
// which every certificate is for. It refuses names below which others have theirs, such
// as com: the constraint of an authority covers everything below its names.
func CheckNames(names []string) ([]string, error) {
	checked := []string{}
	for _, given := range names {
		name := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(given)), ".")
		if name == "localhost" {
			continue
		}
		if err := checkName(name, given); err != nil {
			return nil, err
		}
		if !slices.Contains(checked, name) {
			checked = append(checked, name)
		}
	}
	if len(checked) > maxNames {
		return nil, fault.At("names", "%d names are too many; use at most %d", len(checked), maxNames)
	}
	return checked, nil
}

func checkName(name, given string) error {
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return fault.At("names", "%q is an address. Use a host name, such as acme.example.test; the certificate is "+
			"for the loopback addresses anyway", given)
	}
	if strings.Contains(name, "://") || strings.ContainsAny(name, ":/") {
		return fault.At("names", "%q is not a host name. Leave out the scheme, the port and the path", given)
	}
	if strings.Contains(name, "*") {
		return fault.At("names", "%q has a wildcard. Give each name by itself", given)
	}
	labels := strings.Split(name, ".")
	if len(name) > 253 || !isASCII(name) || !all(labels, isLabel) {
		return fault.At("names", "%q is not a host name. Use letters, digits and hyphens, with dots between: "+
			"acme.example.test; other letters as xn--…", given)
	}
	if len(labels) < 2 {
		return fault.At("names", "%q has no dot. Use a name such as %s.example.test", given, name)
	}
	if isNumber(labels[len(labels)-1]) {
		return fault.At("names", "%q ends in a number, which clients read as an address", given)
	}
	if suffix, _ := publicsuffix.PublicSuffix(name); suffix == name {
		return fault.At("names", "%q is a domain below which others have their names. Use a name below it, such as "+
			"acme.%s", given, name)
	}
	return nil
}

func all(labels []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(labels, func(l string) bool { return !ok(l) })
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c > '~' || c < '!' }) < 0
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

// isLabel reports whether a label is one of a host name (RFC 1123, 2.1).
func isLabel(s string) bool {
	return s != "" && len(s) <= 63 && s[0] != '-' && s[len(s)-1] != '-' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
