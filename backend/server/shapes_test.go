package server

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// testdata/fields.txt lists every field that a released portal.db may contain. When you remove
// a field, add it to Former of its resource; otherwise the portal refuses files with
// that field as files of a newer version. To record new fields, run this test with
// RECORD_FIELDS=1.
func TestEveryReleasedFieldIsKnown(t *testing.T) {
	const path = "testdata/fields.txt"
	all, err := shapes()
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, s := range all {
		for _, field := range slices.Concat(s.Fields, s.Former) {
			known = append(known, s.Table+" "+field)
		}
	}
	slices.Sort(known)
	if os.Getenv("RECORD_FIELDS") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(known, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(recorded)), "\n") {
		if !slices.Contains(known, line) {
			t.Errorf("%q is declared no more: name it in Former of its resource", line)
		}
	}
}
