package resource

import "strings"

// CSVCell escapes a text for a cell of a CSV file: a spreadsheet must not
// evaluate text that others wrote as a formula (trust.md, rule 9).
func CSVCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
