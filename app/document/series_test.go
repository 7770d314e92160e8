package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"spyglass/app/document"
)

func lines(t *testing.T, body string, q document.SeriesQuery) string {
	t.Helper()
	s, err := open(t, body).Series(t.Context(), q)
	if err != nil {
		return err.Error()
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestChartLinesAreReadFromEveryShapeOfData(t *testing.T) {
	for _, tt := range []struct {
		body string
		q    document.SeriesQuery
		want string
	}{
		{`{"dataSourceName":"Net","dataPoints":["in","out"],"values":[[3,"NaN"],[1,null],[2,5]],` +
			`"time":[1790000120000,1790000060000,1790000000000]}`, document.SeriesQuery{},
			`{"title":"Net","unit":"","sets":[{"name":"","time":[1790000000000,1790000060000,1790000120000],` +
				`"lines":[{"name":"in","values":[2,1,3],"min":1,"max":3,"last":3,"count":3,"gaps":0},{"name":"out",` +
				`"values":[5,null,null],"min":5,"max":5,"last":5,"count":1,"gaps":0}]}],"thin":false,"more":0}`},
		{`{"title":"Load","verticalLabel":"%","timestamps":[1790000000000,1790000060000,1790000120000],` +
			`"lines":[{"label":"a","data":[1,null,2]}]}`, document.SeriesQuery{},
			`{"title":"Load","unit":"%","sets":[{"name":"","time":[1790000000000,1790000060000,1790000120000],` +
				`"lines":[{"name":"a","values":[1,null,2],"min":1,"max":2,"last":2,"count":2,"gaps":1}]}],` +
				`"thin":false,"more":0}`},
		{`{"dataPoints":["in"],"instances":{"e0":{"values":[[1]],"time":[1790000000000]},"e1":{"values":[[2]],` +
			`"time":[1790000009000]}}}`, document.SeriesQuery{},
			`{"title":"","unit":"","sets":[{"name":"e0","time":[1790000000000],"lines":[{"name":"in","values":[1],` +
				`"min":1,"max":1,"last":1,"count":1,"gaps":0}]},{"name":"e1","time":[1790000009000],` +
				`"lines":[{"name":"in","values":[2],"min":2,"max":2,"last":2,"count":1,"gaps":0}]}],"thin":false,` +
				`"more":0}`},
		{`{"dataPoints":["in"],"values":[],"time":[]}`, document.SeriesQuery{},
			`{"title":"","unit":"","sets":[{"name":"","time":[],"lines":[{"name":"in","values":[],"min":null,` +
				`"max":null,"last":null,"count":0,"gaps":0}]}],"thin":false,"more":0}`},
		{`{"total":3,"items":[{"at":1790000060,"n":1},{"at":"x","n":9},{"at":1790000000,"n":7}]}`,
			document.SeriesQuery{Time: "at", Lines: []string{"n"}},
			`{"title":"","unit":"","sets":[{"name":"","time":[1790000000000,1790000060000],"lines":[{"name":"n",` +
				`"values":[7,1],"min":1,"max":7,"last":1,"count":2,"gaps":0}]}],"thin":false,"more":0}`},
		{`[{"at":1790000060,"n":1}]`, document.SeriesQuery{}, `{"title":"","unit":"","sets":[],"thin":false,"more":0}`},
		{`{"a":1}`, document.SeriesQuery{}, `{"title":"","unit":"","sets":[],"thin":false,"more":0}`},
	} {
		same(t, lines(t, tt.body, tt.q), tt.want)
	}
}

func TestMissingTimesAreAGap(t *testing.T) {
	same(t, lines(t, `{"dataPoints":["a"],"values":[[1],[2],[3],[4]],`+
		`"time":[1790000000000,1790000060000,1790000120000,1790000600000]}`, document.SeriesQuery{}),
		`{"title":"","unit":"","sets":[{"name":"",`+
			`"time":[1790000000000,1790000060000,1790000120000,1790000180000,1790000600000],"lines":[{"name":"a",`+
			`"values":[1,2,3,null,4],"min":1,"max":4,"last":4,"count":4,"gaps":1}]}],"thin":false,"more":0}`)
}

func TestDownsamplingKeepsExtremes(t *testing.T) {
	const n = 100_000
	var times, values strings.Builder
	for i := range n {
		comma := ","
		if i == 0 {
			comma = ""
		}
		v := i % 10
		switch i {
		case 54_321:
			v = 999
		case 54_322:
			v = -999
		}
		fmt.Fprintf(&times, "%s%d", comma, 1_790_000_000_000+int64(i)*60_000)
		fmt.Fprintf(&values, "%s[%d]", comma, v)
	}
	d := open(t, `{"dataPoints":["a"],"values":[`+values.String()+`],"time":[`+times.String()+`]}`)
	s, err := d.Series(t.Context(), document.SeriesQuery{Points: 800})
	if err != nil || !s.Thin || len(s.Sets) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	line := s.Sets[0].Lines[0]
	if *line.Min != -999 || *line.Max != 999 || *line.Last != 9 || line.Count != n || line.Gaps != 0 {
		t.Errorf("%v %v %v %d %d", *line.Min, *line.Max, *line.Last, line.Count, line.Gaps)
	}
	if len(line.Values) != 800 || len(s.Sets[0].Time) != 800 {
		t.Errorf("%d values at %d moments", len(line.Values), len(s.Sets[0].Time))
	}
	at := -1
	for i, v := range line.Values {
		if v == 999 {
			at = i
		}
	}
	if at < 0 || line.Values[at+1] != -999 {
		t.Errorf("the extremes are not drawn one after the other")
	}
	near, err := d.Series(t.Context(), document.SeriesQuery{Points: 800, From: 1_790_000_000_000 + 54_300*60_000,
		To: 1_790_000_000_000 + 54_340*60_000})
	if err != nil || near.Thin || near.Sets[0].Lines[0].Count != 43 {
		t.Errorf("a part of it: %+v, %v", near, err)
	}
}
