package run_test

import (
	"reflect"
	"strings"
	"testing"

	"spyglass/app/explorer/run"
	"spyglass/backend/fault"
)

func TestDataFileIsCSVOrAJSONArray(t *testing.T) {
	type rows = []map[string]string
	for _, tt := range []struct {
		name, text string
		want       rows
		err        string
	}{
		{"CSV", "id,name\n7,\"a,\n\"\"b\"\"\"\n8, c\n",
			rows{{"id": "7", "name": "a,\n\"b\""}, {"id": "8", "name": "c"}}, ""},
		{"CSV of a spreadsheet", "\xef\xbb\xbfid;share\r\n7;0,5\r\n", rows{{"id": "7", "share": "0,5"}}, ""},
		{"JSON", ` [{"id":7,"name":"a\"b","up":true,"none":null,"tags":[1, 2]}]`,
			rows{{"id": "7", "name": `a"b`, "up": "true", "none": "", "tags": "[1, 2]"}}, ""},
		{"nothing", "", nil, "the data file has no rows"},
		{"names alone", "id,name\n", nil, "the data file has no rows"},
		{"a short line", "id,name\n7\n", nil, "the data file is not valid CSV: line 2: wrong number of fields"},
		{"no name", "id,,x\n1,2,3\n", nil, "column 2 of the data file has no name"},
		{"an object", `{"id":7}`, nil, "the data file must be a JSON array of objects"},
		{"numbers", `[7]`, nil, "item 1 of the data file is not an object"},
		{"half of it", `[{"id":7}`, nil, "the data file cannot be read: it is not valid JSON at byte 9: "},
		{"Latin-1", "name\nM\xfcller\n", nil, "the data file is not a text in UTF-8"},
		{"too much", strings.Repeat("x", run.MaxData+1), nil, "the data file has more than 4 MiB"},
		{"too many rows", "id\n" + strings.Repeat("7\n", 10_001), nil, "the data file has more than 10000 rows"},
		{"too many columns", strings.Repeat("a,", 200) + "b\n", nil, "the data file has 201 columns; at most 200 are " +
			"possible"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := run.ReadData([]byte(tt.text))
			if tt.err != "" {
				if f := fault.Of(err); err == nil || f.Field != "data" || !strings.HasPrefix(f.Message, tt.err) {
					t.Errorf("the error is %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
