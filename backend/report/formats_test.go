package report_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/ledongthuc/pdf" // reads the PDFs that fpdf writes
	"github.com/xuri/excelize/v2"

	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
)

// made returns the file of a report.
func (h *fixture) made(r reporting.Report) []byte {
	h.Helper()
	run := content.Run{Report: &r, Access: admin, From: h.db, Series: h.series, Zone: time.UTC, At: noon}
	var out bytes.Buffer
	if _, _, err := run.Write(h.Context(), &out); err != nil {
		h.Fatal(r.Type, r.Format, err)
	}
	return out.Bytes()
}

// pages returns the texts of a PDF, page by page.
func (h *fixture) pages(file []byte) (pages []string) {
	h.Helper()
	doc, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		h.Fatal(err)
	}
	for i := 1; i <= doc.NumPage(); i++ {
		text, err := doc.Page(i).GetPlainText(nil)
		if err != nil {
			h.Fatal(err)
		}
		pages = append(pages, strings.ReplaceAll(text, "\n", " "))
	}
	return pages
}

// drawn returns the encoded text of the first page, because the library decodes
// letters beyond Latin wrongly.
func (h *fixture) drawn(file []byte) string {
	h.Helper()
	doc, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		h.Fatal(err)
	}
	content := doc.Page(1).V.Key("Contents").Reader()
	defer content.Close()
	text, err := io.ReadAll(content)
	if err != nil {
		h.Fatal(err)
	}
	return string(text)
}

// sixteen returns a text as UTF-16.
func sixteen(text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.BigEndian.AppendUint16(out, unit)
	}
	return string(out)
}

func (h *fixture) everyType(format string) map[string]reporting.Report {
	all := map[string]reporting.Report{}
	for _, kind := range content.Types() {
		all[kind.Name] = reporting.Report{Name: "Bericht über " + kind.Name, Type: kind.Name, Format: format,
			DateRange: "Last 2 days", AlertLevel: "warn", Unmonitored: 1,
			Metrics: []reporting.ReportMetric{{DataSourceID: 1, ItemType: "group", ItemVal: "*"}}}
	}
	return all
}

func TestEveryTypeIsASelfContainedPage(t *testing.T) {
	h := measured(t)
	const evil = `<svg onload=x>"'`
	put(h, fleet.Devices.Name, fleet.Device{ID: 2, Name: "y", DisplayName: evil, HostStatus: "dead",
		GroupIDs: []int64{3}})
	put(h, datasource.DataSources.Name, datasource.DataSource{ID: 1, Name: "Ping", DisplayName: evil,
		CollectInterval: 60, DataPoints: []datasource.DataPoint{
			{ID: 11, DataSourceID: 1, Name: evil, AlertExpr: "> 1"}}})
	charts := map[string]int{reporting.ReportAlertTrends: 3, reporting.ReportAvailability: 2,
		reporting.ReportMetrics: 1, reporting.ReportThreshold: 1}
	for name, r := range h.everyType(reporting.FormatHTML) {
		text := string(h.made(r))
		for _, never := range []string{"<script", "http:", "https:", "url(", "@import", "src=", "href=", " style=",
			"<svg onload", "NaN"} {
			if strings.Contains(text, never) {
				t.Errorf("the page of %s holds %s", name, never)
			}
		}
		if got := strings.Count(text, `<svg class="chart"`); got != charts[name] {
			t.Errorf("the page of %s has %d charts, want %d", name, got, charts[name])
		}
	}
}

func TestWorstDevicesAreABarChart(t *testing.T) {
	h := measured(t)
	r := h.everyType(reporting.FormatHTML)[reporting.ReportAvailability]
	r.DateRange = ""
	got := regexp.MustCompile(`<text[^>]*>[^<]*</text>`).FindAllString(string(h.made(r)), -1)
	want := []string{
		`<text class="text" x="0" y="15" text-anchor="start">bridge</text>`,
		`<text class="text" x="960" y="15" text-anchor="end">1d 00:00:00</text>`,
		`<text class="text" x="0" y="37" text-anchor="start">ranch</text>`,
		`<text class="text" x="960" y="37" text-anchor="end">01:30:00</text>`,
		`<text class="text" x="0" y="59" text-anchor="start">fjord</text>`,
		`<text class="text" x="960" y="59" text-anchor="end">01:00:00</text>`,
	}
	if len(got) < len(want) || !reflect.DeepEqual(got[len(got)-len(want):], want) {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
}

func TestPDFHoldsTheWholeReport(t *testing.T) {
	h := measured(t)
	put(h, fleet.Devices.Name, fleet.Device{ID: 4, Name: "z", DisplayName: "Загрузка Ωμέγα łódź 🙂日",
		HostStatus: "normal", GroupIDs: []int64{2}})
	for name, r := range h.everyType(reporting.FormatPDF) {
		text := strings.Join(h.pages(h.made(r)), "")
		if !strings.Contains(text, "Bericht über "+name) ||
			!strings.Contains(text, "Generated 2026-05-04 12:00:00 UTC for admin") {
			t.Errorf("the PDF of %s reads %s", name, text)
		}
	}
	r := reporting.Report{Name: "Devices", Type: reporting.ReportInventory, Format: reporting.FormatPDF,
		Columns: columns("Device", "Groups")}
	if drawn := h.drawn(h.made(r)); !strings.Contains(drawn, sixteen("Загрузка Ωμέγα łódź □□")) {
		t.Errorf("letters are missing in %q", drawn)
	}
	none := reporting.Report{Name: "Changes", Type: reporting.ReportAuditLog, Format: reporting.FormatPDF}
	if text := strings.Join(h.pages(h.made(none)), ""); !strings.Contains(text, "No rows match this report.") {
		t.Errorf("the PDF of a report without rows reads %s", text)
	}
	none.Format = reporting.FormatHTML
	if page := string(h.made(none)); !strings.Contains(page, `<p class="none">No rows match this report.</p>`) {
		t.Errorf("the page of a report without rows reads %s", page)
	}
	var many []fleet.Device
	for i := range 400 {
		many = append(many,
			fleet.Device{ID: int64(i + 5), Name: "10.1.0.1", DisplayName: fmt.Sprintf("device-%03d-{pages}", i),
				HostStatus: "normal", GroupIDs: []int64{2}, Description: strings.Repeat("unbreakable", 60)})
	}
	put(h, fleet.Devices.Name, many...)
	pages := h.pages(
		h.made(reporting.Report{Name: "Devices", Type: reporting.ReportInventory, Format: reporting.FormatPDF}))
	all := strings.Join(pages, "")
	for i := range 400 {
		if name := fmt.Sprintf("device-%03d-", i); strings.Count(all, name) != 1 {
			t.Errorf("%s is there %d times", name, strings.Count(all, name))
		}
	}
	if last := pages[len(pages)-1]; len(pages) < 20 ||
		!strings.Contains(last, fmt.Sprintf("Page %d of %d", len(pages), len(pages))) ||
		!strings.Contains(last, "Host name") {
		t.Errorf("the last of %d pages reads %s", len(pages), last)
	}
}

func TestAlertPDFHasFewColumnsWithWholeTimes(t *testing.T) {
	h := measured(t)
	r := h.everyType(reporting.FormatPDF)[reporting.ReportAlert]
	var many []alert.Alert
	for i := range 60 {
		many = append(many, alert.Alert{ID: resource.TextID(i + 10), Severity: 3, StartOn: seconds(noon) - 3600,
			EndOn: seconds(noon) - 60, Cleared: true, DeviceID: 2, DeviceName: "core-switch-with-a-long-name-17",
			DataSourceName: "SNMP_Interfaces", InstanceName: "SNMP_Interfaces-GigabitEthernet5",
			DataSourceID: 2, DataPointID: 21, DataPointName: "InUtilizationPercent", Value: "98.2000001",
			Threshold: "> 60 80 90", AckedBy: "a.very.long.name"})
	}
	put(h, datasource.DataSources.Name, datasource.DataSource{ID: 2, Name: "SNMP_Interfaces",
		DataPoints: []datasource.DataPoint{{ID: 21, DataSourceID: 2, Name: "InUtilizationPercent"}},
		Graphs: []datasource.Graph{{VerticalLabel: "%", Lines: []datasource.GraphLine{
			{DataPointName: "InUtilizationPercent"}}}}})
	put(h, alert.Alerts.Name, many...)
	drawn := h.drawn(h.made(r))
	for _, want := range []string{"Began", "Acked by", "2026-05-04\u00a011:00", "2026-05-04\u00a011:59",
		"InUtilizationPercent", "SNMP_Interfaces-", "GigabitEthernet5", "98.2\u00a0%"} {
		if !strings.Contains(drawn, sixteen(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"Chain", "DataSource", "Alert ID"} {
		if strings.Contains(drawn, sixteen(never)) {
			t.Errorf("the page has the column %s", never)
		}
	}
	pages := h.pages(h.made(r))
	second := pages[1]
	for _, want := range []string{r.Name, "2026-05-02 12:00:00 UTC to 2026-05-04 12:00:00 UTC", "Severity",
		"Generated 2026-05-04 12:00:00 UTC for admin", fmt.Sprintf("Page 2 of %d", len(pages))} {
		if !strings.Contains(second, want) {
			t.Errorf("the second page lacks %q: %s", want, second)
		}
	}
	r.Columns = columns("Device", "Chain")
	if drawn := h.drawn(h.made(r)); !strings.Contains(drawn, sixteen("Chain")) ||
		strings.Contains(drawn, sixteen("Began")) {
		t.Error("the PDF does not have the columns that were chosen")
	}
}

func TestWorkbookHasNumbersAndTextsAndNoFormulas(t *testing.T) {
	h := measured(t)
	for i, name := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\x01 low", strings.Repeat("long", 10_000)} {
		put(h, fleet.Devices.Name, fleet.Device{ID: int64(i + 10), Name: "x", DisplayName: name, HostStatus: "normal",
			GroupIDs: []int64{2}})
	}
	read := func(r reporting.Report) (*excelize.File, [][]string) {
		file, err := excelize.OpenReader(bytes.NewReader(h.made(r)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		rows, err := file.GetRows("Report")
		if err != nil {
			t.Fatal(err)
		}
		return file, rows
	}
	file, rows := read(reporting.Report{Name: "=cmd", Description: "+note", Type: reporting.ReportInventory,
		Format: reporting.FormatXLSX, Columns: columns("Device")})
	if want := [][]string{{"Device"}, {"fjord"}, {"ranch"}, {"bridge"}, {"=1+1"}, {"+1"}, {"-1"},
		{"@SUM(A1)"}}; !reflect.DeepEqual(rows[:8], want) || len(rows) != 10 || len([]rune(rows[9][0])) > 32_767 {
		t.Errorf("got %.200q", rows)
	}
	for i := range rows {
		cell := fmt.Sprintf("A%d", i+1)
		formula, err := file.GetCellFormula("Report", cell)
		if kind, _ := file.GetCellType("Report", cell); err != nil || formula != "" ||
			kind == excelize.CellTypeNumber || kind == excelize.CellTypeFormula {
			t.Errorf("%s is %v %q %v", cell, kind, formula, err)
		}
	}
	about, err := file.GetRows("About")
	if want := [][]string{{"Report", "=cmd"}, {"Type", "Inventory"}, {"Generated", "2026-05-04 12:00:00 UTC for admin"},
		{"", "+note"}, {"Not responding", "1"}, {"Normal", "8"}}; err != nil || !reflect.DeepEqual(about, want) {
		t.Errorf("got %q %v", about, err)
	}
	file, rows = read(reporting.Report{Name: "m", Type: reporting.ReportMetrics, Format: reporting.FormatXLSX,
		Columns: columns("Device", "Average"), Metrics: []reporting.ReportMetric{{DataSourceID: 1}}})
	if want := [][]string{{"Device", "Average"}, {"bridge", "329.5"}, {"fjord", "129.5"},
		{"ranch", "229.5"}}; !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q", rows)
	}
	if kind, err := file.GetCellType("Report", "B2"); err != nil || kind != excelize.CellTypeNumber &&
		kind != excelize.CellTypeUnset {
		t.Errorf("a number is of the type %v (%v)", kind, err)
	}
}
