package appliesto

import (
	"slices"
	"strings"

	"spyglass/backend/fault"
)

// builtin lists the functions that are written in the language itself.
var builtin = []struct{ name, code string }{
	{"isWindows", `hasCategory("windows") || system.sysinfo contains "windows" || auto.os contains "windows" || os ` +
		`contains "windows"`},
	{"isLinux", `hasCategory("linux") || system.sysinfo contains "linux" || auto.os contains "linux" || os =~ ` +
		`"linux|debian|ubuntu|red hat|centos|suse|alma"`},
	{"isMacOS", `hasCategory("macos") || system.sysinfo contains "darwin" || auto.os =~ "macos|darwin" || os ` +
		`contains "macos"`},
	{"isNetwork", `isSwitch() || isRouter() || isFirewall() || isWireless() || hasCategory("network")`},
	{"isSwitch", `hasCategory("switch")`},
	{"isRouter", `hasCategory("router")`},
	{"isFirewall", `hasCategory("firewall")`},
	{"isWireless", `hasCategory("wireless")`},
	{"isCisco", `hasCategory("cisco") || system.sysinfo contains "cisco" || system.sysoid startsWith ` +
		`"1.3.6.1.4.1.9." || auto.model contains "cisco"`},
	{"isServer", `hasCategory("server") || isWindows() || isLinux()`},
	{"isDatabase", `hasCategory("database")`},
	{"isStorage", `hasCategory("storage") || hasCategory("netapp")`},
	{"isHypervisor", `hasCategory("hypervisor") || hasCategory("esx")`},
	{"isUPS", `hasCategory("ups")`},
	{"isSNMP", `hasCategory("snmp") || exists("snmp.version") && isNetwork()`},
	{"isDevice", `system.devicetype == 0`},
}

// words lists the words of the grammar, as spelled.
var words = []string{"and", "or", "not", "true", "false", "exists", "contains", "startsWith", "endsWith"}

// plain lists the functions with their own rules.
var plain = []string{"hasCategory", "inGroup", "hasProperty", "exists", "getPropValue", "join", "contains",
	"startsWith", "endsWith", "true", "false"}

// Builtins returns the names of the functions that every portal has.
func Builtins() []string {
	names := slices.Clone(plain)
	for _, f := range builtin {
		names = append(names, f.name)
	}
	return names
}

// CheckName returns an error for a name that a portal's own function cannot have.
// Errors are fault.Invalid without a field.
func CheckName(name string) error {
	if name == "" || len(name) > 64 || !isLetter(name[0]) ||
		strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 || !isLetter(byte(r)) && !isDigit(byte(r)) }) {
		return fault.New(fault.Invalid, "a function's name is up to 64 letters, digits and underscores, and begins "+
			"with none of the digits")
	}
	for _, taken := range append(Builtins(), words...) {
		if strings.EqualFold(taken, name) {
			return fault.New(fault.Invalid, "%s is built in already; choose another name", taken)
		}
	}
	return nil
}
