package run_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"spyglass/app/expect"
	"spyglass/app/explorer/run"
	"spyglass/app/explorer/stream"
)

// sample is a run that uses every part of a report.
var sample = run.Run{
	Title: `Fleet <"nightly">`, Portal: "Demo", Began: time.Date(2026, 11, 26, 2, 0, 0, 0, time.UTC),
	Took: 1500 * time.Millisecond, Planned: 5, Stopped: "It was cancelled; 1 of 5 requests were not sent.",
	Results: []stream.Ran{
		{Name: "Devices", Method: "GET", Path: "/device/devices", Status: 200, MS: 12, Passed: 1, Failed: 2,
			Problem: "2 of 3 checks failed: Status is 201, not 200",
			Checks: []expect.Result{
				{Label: "Status is 201", Expected: "201", Actual: "200"},
				{Label: "Time is below 500 ms", Expected: "is below 500", Actual: "12", Passed: true},
				{Label: "JSON value $[ exists", Expected: "exists", Actual: "nothing", Problem: "expected ]"},
			}},
		{Method: "GET", Path: "/a", Row: 2, Status: 200, MS: 3},
		{Name: "<script>alert(1)</script>", Status: 404, MS: 4, Problem: "there is \x1b[31mno device 7"},
		{Problem: "the portal did not respond"},
	},
}

func written(t *testing.T, id string) string {
	t.Helper()
	format, err := run.FormatOf(id)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := format.Write(&out, &sample); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestJUnitHasASuitePerRequestAndACasePerCheck(t *testing.T) {
	got := written(t, "junit")
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Fleet &lt;&#34;nightly&#34;&gt;" tests="7" failures="3" errors="1" skipped="1" time="1.500" timestamp="2026-11-26T02:00:00">
  <testsuite name="Devices" tests="3" failures="2" errors="0" skipped="0" time="0.012">
    <testcase name="Status is 201" classname="Devices" time="0.000">
      <failure message="Status is 201, got 200">expected: 201&#xA;actual: 200</failure>
    </testcase>
    <testcase name="Time is below 500 ms" classname="Devices" time="0.000"></testcase>
    <testcase name="JSON value $[ exists" classname="Devices" time="0.000">
      <failure message="expected ]">expected ]</failure>
    </testcase>
  </testsuite>
  <testsuite name="GET /a, row 2" tests="1" failures="0" errors="0" skipped="0" time="0.003">
    <testcase name="Response" classname="GET /a, row 2" time="0.003"></testcase>
  </testsuite>
  <testsuite name="&lt;script&gt;alert(1)&lt;/script&gt;" tests="1" failures="1" errors="0" skipped="0" time="0.004">
    <testcase name="Response" classname="&lt;script&gt;alert(1)&lt;/script&gt;" time="0.004">
      <failure message="there is ` + "\uFFFD" + `[31mno device 7">there is ` + "\uFFFD" + `[31mno device 7</failure>
    </testcase>
  </testsuite>
  <testsuite name="deleted request" tests="1" failures="0" errors="1" skipped="0" time="0.000">
    <testcase name="Response" classname="deleted request" time="0.000">
      <error message="the portal did not respond">the portal did not respond</error>
    </testcase>
  </testsuite>
  <testsuite name="Not sent" tests="1" failures="0" errors="0" skipped="1" time="0.000">
    <testcase name="Not sent" classname="Fleet &lt;&#34;nightly&#34;&gt;" time="0.000">
      <skipped message="It was cancelled; 1 of 5 requests were not sent."></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := xml.Unmarshal([]byte(got), &struct{}{}); err != nil {
		t.Errorf("it is not XML: %v", err)
	}
}

func TestJSONReportHasEveryResult(t *testing.T) {
	var got struct {
		Title                 string
		Passed                bool
		Planned, Sent, Failed int
		BeganOn, MS           int64
		Stopped               string
		Results               []stream.Ran
	}
	if err := json.Unmarshal([]byte(written(t, "json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != sample.Title || got.Passed || got.Planned != 5 || got.Sent != 4 || got.Failed != 3 ||
		got.BeganOn != 1795658400000 || got.MS != 1500 || got.Stopped != sample.Stopped || len(got.Results) != 4 ||
		len(got.Results[0].Checks) != 3 || got.Results[0].Checks[0].Actual != "200" {
		t.Errorf("got %+v", got)
	}
}

func TestHTMLReportEscapesText(t *testing.T) {
	got := written(t, "html")
	for _, want := range []string{"<title>Fleet &lt;&#34;nightly&#34;&gt;: failed</title>",
		"4 of 5 requests sent, 3 failed",
		"&lt;script&gt;alert(1)&lt;/script&gt;", "row 2", "<td>Status is 201<td>201<td>200", "expected ]",
		"It was cancelled"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	if strings.Contains(got, "<script") {
		t.Error("a name is a script")
	}
}

func TestUnknownReportFormatIsRefused(t *testing.T) {
	want := `there is no report "pdf"; choose one of html, junit, json`
	if _, err := run.FormatOf("pdf"); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
