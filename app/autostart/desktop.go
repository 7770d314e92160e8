package autostart

import (
	"encoding/xml"
	"strings"
)

// desktopEntry returns the file that desktops on Linux read.
func desktopEntry(p Program) string {
	return "[Desktop Entry]\nType=Application\nName=" + p.Name + "\n" + execLine(p) +
		"\nIcon=spyglass\nTerminal=false\n"
}

// execLine returns the line with the command. The specification of desktop entries has
// two rounds of escapes: for words in double quotes, and for strings.
func execLine(p Program) string {
	inQuotes := strings.NewReplacer(`"`, `\"`, "`", "\\`", "$", `\$`, `\`, `\\`, "%", "%%")
	inStrings := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	var words []string
	for _, word := range p.Command {
		words = append(words, `"`+inStrings.Replace(inQuotes.Replace(word))+`"`)
	}
	return "Exec=" + strings.Join(words, " ")
}

// isStarted reports whether a desktop that reads text starts the program: GNOME's
// settings turn an entry off with a key, and KDE's with Hidden.
func isStarted(text string, p Program) bool {
	found := false
	for line := range strings.Lines(text) {
		switch key, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "="); {
		case key == "Hidden" && value == "true", key == "X-GNOME-Autostart-enabled" && value == "false":
			return false
		case key+"="+value == execLine(p):
			found = true
		}
	}
	return found
}

// launchAgent returns the file that launchd reads on a Mac.
func launchAgent(p Program, label string) string {
	var b strings.Builder
	b.WriteString(xml.Header + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" ` +
		`"http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n<plist version=\"1.0\">\n<dict>\n")
	text := func(s string) {
		b.WriteString("<string>")
		_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
		b.WriteString("</string>\n")
	}
	b.WriteString("<key>Label</key>\n")
	text(label)
	b.WriteString("<key>ProgramArguments</key>\n<array>\n")
	for _, word := range p.Command {
		text(word)
	}
	b.WriteString("</array>\n<key>RunAtLoad</key>\n<true/>\n<key>ProcessType</key>\n<string>Interactive</string>\n" +
		"</dict>\n</plist>\n")
	return b.String()
}
