package run

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"

	"spyglass/app/expect"
	"spyglass/app/explorer/stream"
)

// JUnit is the XML of JUnit, which build servers read: a suite for each request, and in
// it a case for each check.
var JUnit = Format{ID: "junit", Label: "JUnit XML", Ext: "xml", Type: "application/xml", Write: writeJUnit}

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr"`
	At       string   `xml:"timestamp,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Time     string     `xml:"time,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Time    string   `xml:"time,attr"`
	Failure *mistake `xml:"failure"`
	Error   *mistake `xml:"error"`
	Skipped *mistake `xml:"skipped"`
}

type mistake struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func writeJUnit(w io.Writer, r *Run) error {
	out := suites{Name: r.Title, Time: seconds(r.Took), At: r.Began.UTC().Format("2006-01-02T15:04:05")}
	for i := range r.Results {
		out.add(suiteOf(&r.Results[i]))
	}
	if r.Stopped != "" {
		out.add(suite{Name: "Not sent", Time: "0.000", Tests: 1, Skipped: 1, Cases: []testCase{{Name: "Not sent",
			Class: r.Title, Time: "0.000", Skipped: &mistake{Message: r.Stopped}}}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *suites) add(one suite) {
	s.Suites = append(s.Suites, one)
	s.Tests += one.Tests
	s.Failures += one.Failures
	s.Errors += one.Errors
	s.Skipped += one.Skipped
}

// suiteOf returns the suite of one request. One without checks has a single case.
func suiteOf(r *stream.Ran) suite {
	s := suite{Name: nameOf(r), Time: seconds(time.Duration(r.MS) * time.Millisecond)}
	if r.Row > 0 {
		s.Name = fmt.Sprintf("%s, row %d", s.Name, r.Row)
	}
	for _, c := range r.Checks {
		one := testCase{Name: c.Label, Class: s.Name, Time: "0.000"}
		switch {
		case c.Problem != "":
			one.Failure = &mistake{c.Problem, c.Problem}
		case !c.Passed:
			one.Failure = &mistake{difference(c), "expected: " + c.Expected + "\nactual: " + c.Actual}
		}
		s.Cases = append(s.Cases, one)
	}
	switch {
	case len(r.Checks) > 0:
	case r.Problem != "" && r.Status == 0:
		s.Cases = []testCase{{Name: "Response", Class: s.Name, Time: s.Time, Error: &mistake{r.Problem, r.Problem}}}
	case r.Problem != "":
		s.Cases = []testCase{{Name: "Response", Class: s.Name, Time: s.Time, Failure: &mistake{r.Problem, r.Problem}}}
	default:
		s.Cases = []testCase{{Name: "Response", Class: s.Name, Time: s.Time}}
	}
	for _, one := range s.Cases {
		s.Tests++
		switch {
		case one.Failure != nil:
			s.Failures++
		case one.Error != nil:
			s.Errors++
		}
	}
	return s
}

func difference(c expect.Result) string { return c.Label + ", got " + c.Actual }

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
