package sheet_test

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"spyglass/backend/sheet"
)

var head = []sheet.Column{{Name: "id", Number: true}, {Name: "=name"}, {Name: "up"}, {Name: "load", Number: true}}

var rows = [][]sheet.Cell{
	{{sheet.Number, "7"}, {sheet.Text, `web, "1"`}, {sheet.Word, "true"}, {sheet.Number, "9.810000000000002"}},
	{{sheet.Number, "12345678901234567890"}, {sheet.Text, "=HYPERLINK(\"http://x\")"}, {sheet.Word, "false"},
		{sheet.Number, "-5"}},
	{{sheet.Number, "9007199254740993"}, {sheet.Text, "a|b\n<i>_c_"}, {}, {sheet.Number, "1e400"}},
	{{sheet.Number, "100000000000000"}, {sheet.Text, "+1\t@"}, {sheet.Text, "ü😀"}, {sheet.Number, "1.50"}},
}

func write(t *testing.T, f sheet.Format) string {
	t.Helper()
	var b bytes.Buffer
	w, err := f.Open(&b, head)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSVAndTSVRoundTripWithoutFormulas(t *testing.T) {
	want := [][]string{
		{"id", "'=name", "up", "load"},
		{"7", `web, "1"`, "true", "9.810000000000002"},
		{"12345678901234567890", `'=HYPERLINK("http://x")`, "false", "-5"},
		{"9007199254740993", "a|b\n<i>_c_", "", "1e400"},
		{"100000000000000", "'+1\t@", "ü😀", "1.50"},
	}
	for _, tt := range []struct {
		format sheet.Format
		comma  rune
	}{{sheet.CSV, ','}, {sheet.TSV, '\t'}} {
		in := csv.NewReader(strings.NewReader(write(t, tt.format)))
		in.Comma = tt.comma
		got, err := in.ReadAll()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, %v, want %q", tt.format.ID, got, err, want)
		}
	}
}

func TestMarkdownTableEscapesText(t *testing.T) {
	want := `| id | =name | up | load |
| ---: | --- | --- | ---: |
| 7 | web, "1" | true | 9.810000000000002 |
| 12345678901234567890 | =HYPERLINK("http://x") | false | -5 |
| 9007199254740993 | a\|b<br>\<i\>\_c\_ |  | 1e400 |
| 100000000000000 | +1 @ | ü😀 | 1.50 |
`
	if got := write(t, sheet.Markdown); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestWorkbookKeepsExactNumbersAndNoFormulas(t *testing.T) {
	file, err := excelize.OpenReader(strings.NewReader(write(t, sheet.XLSX)))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	number, text, word := excelize.CellTypeUnset, excelize.CellTypeInlineString, excelize.CellTypeBool
	for _, tt := range []struct {
		cell, value string
		kind        excelize.CellType
	}{
		{"A1", "id", text}, {"B1", "=name", text},
		{"A2", "7", number}, {"B2", `web, "1"`, text}, {"C2", "TRUE", word}, {"D2", "9.810000000000002", number},
		{"A3", "12345678901234567890", text}, {"B3", `=HYPERLINK("http://x")`, text}, {"C3", "FALSE", word},
		{"D3", "-5", number},
		{"A4", "9007199254740993", text}, {"B4", "a|b\n<i>_c_", text}, {"C4", "", number}, {"D4", "1e400", text},
		{"A5", "100000000000000", number}, {"B5", "+1\t@", text}, {"C5", "ü😀", text}, {"D5", "1.5", number},
	} {
		value, err := file.GetCellValue("Sheet1", tt.cell, excelize.Options{RawCellValue: true})
		kind, err2 := file.GetCellType("Sheet1", tt.cell)
		formula, err3 := file.GetCellFormula("Sheet1", tt.cell)
		if want := strings.ReplaceAll(strings.ReplaceAll(tt.value, "TRUE", "1"), "FALSE", "0"); tt.kind == word {
			tt.value = want
		}
		if err != nil || err2 != nil || err3 != nil || value != tt.value || kind != tt.kind || formula != "" {
			t.Errorf("%s is %q, type %v, formula %q (%v %v %v), want %q, type %v", tt.cell, value, kind, formula, err,
				err2, err3, tt.value, tt.kind)
		}
	}
}

func TestLongTextIsTruncatedInAWorkbookWithANote(t *testing.T) {
	var b bytes.Buffer
	w, err := sheet.XLSX.Open(&b, head[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{32767, 32768} {
		if err := w.Row([]sheet.Cell{{sheet.Text, strings.Repeat("x", n)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	whole, _ := file.GetCellValue("Sheet1", "A2")
	cut, _ := file.GetCellValue("Sheet1", "A3")
	if whole != strings.Repeat("x", 32767) || len([]rune(cut)) != 32767 ||
		!strings.HasSuffix(cut, "x… (cut: a cell of a workbook holds 32,767 characters)") {
		t.Errorf("%d characters, and %d that end with %q", len(whole), len([]rune(cut)), cut[len(cut)-60:])
	}
}

func TestRowsOverTheSheetLimitContinueInTheNextSheet(t *testing.T) {
	var b bytes.Buffer
	w, err := sheet.XLSX.Open(&b, head[:1])
	if err != nil {
		t.Fatal(err)
	}
	const n = 1<<20 + 10
	for i := range n {
		if err := w.Row([]sheet.Cell{{sheet.Number, strconv.Itoa(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	first, _ := file.GetCellValue("Sheet2", "A1")
	second, _ := file.GetCellValue("Sheet2", "A2")
	last, _ := file.GetCellValue("Sheet2", "A12")
	if first != "id" || second != strconv.Itoa(1<<20-1) || last != strconv.Itoa(n-1) {
		t.Errorf("the second sheet begins %q %q and ends %q", first, second, last)
	}
}

func TestWorkbookHasSheetNamesAndProperties(t *testing.T) {
	var b bytes.Buffer
	w, err := sheet.NewWorkbook(&b, func(n int) string { return "Report " + strconv.Itoa(n) }, sheet.Columns("Device"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	if err := w.Row([]sheet.Cell{{sheet.Text, "a\xff"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.About("About", [][]sheet.Cell{{{sheet.Text, "=Title"}, {sheet.Text, "all"}},
		{{sheet.Text, "Dead"}, {sheet.Number, "3"}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got, want := file.GetSheetList(), []string{"Report 1", "About"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the sheets are %q, want %q", got, want)
	}
	for name, want := range map[string][][]string{"Report 1": {{"Device"}, {"a�"}},
		"About": {{"=Title", "all"}, {"Dead", "3"}}} {
		if got, err := file.GetRows(name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
		}
	}
	if formula, err := file.GetCellFormula("About", "A1"); err != nil || formula != "" {
		t.Errorf("a label is the formula %q (%v)", formula, err)
	}
}
