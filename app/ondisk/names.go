package ondisk

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxBase limits the bytes of a file's name without its extension, so that paths stay
// short enough for Windows.
const maxBase = 100

// device matches names that Windows reserves, with any extension.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?$`)

// FileName returns the name of a file or folder for a name, without its extension: every
// system accepts it. Characters that Windows forbids become dashes.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), strings.ContainsRune(`<>:"/\|?*`, r), r == utf8.RuneError:
			return '-'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r): // would not be seen
			return -1
		}
		return r
	}, norm.NFC.String(name))
	name = strings.TrimLeft(name, " .-") // a dot hides a file, and a dash is an option of commands
	if len(name) > maxBase {
		cut := maxBase
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut]
	}
	switch name = strings.TrimRight(name, " ."); {
	case name == "":
		return "Untitled"
	case device.MatchString(name), reserved(name):
		return "_" + name
	}
	return name
}

// reserved reports whether a name has a meaning of its own in a collection.
func reserved(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, examplesExt) || strings.HasSuffix(lower, Ext) ||
		lower+Ext == CollectionFile || lower+Ext == FolderFile || lower == "node_modules"
}

// Names are the names in use in one folder. Those that differ in case only are the same,
// as they are on Windows and macOS.
type Names map[string]bool

func folded(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// Use marks a name as used.
func (n Names) Use(name string) { n[folded(name)] = true }

// New returns an unused name for base with an extension, and marks it as used.
func (n Names) New(base, ext string) string {
	name := base + ext
	for i := 2; n[folded(name)]; i++ {
		name = fmt.Sprintf("%s %d%s", base, i, ext)
	}
	n.Use(name)
	return name
}

// Fits reports whether a path may stay for a name: it is the name that New would give,
// with or without a number.
func Fits(file, name, ext string) bool {
	base := strings.TrimSuffix(path.Base(file), ext)
	rest, ok := strings.CutPrefix(base, FileName(name))
	return ok && numbered.MatchString(rest)
}

var numbered = regexp.MustCompile(`^( [0-9]+)?$`)
