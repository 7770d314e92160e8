package resource

import "strings"

// CSVCell is a text as it may stand in a cell of a CSV file: a spreadsheet must
// not take what others wrote for a formula (trust.md, rule 9).
func CSVCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
