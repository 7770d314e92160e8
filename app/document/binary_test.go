package document_test

import (
	"strings"
	"testing"
)

func TestBodyIsBinaryIfItsBeginningIsNotText(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       bool
	}{
		{"nothing", "", false},
		{"JSON", `{"a":"\u0000"}`, false},
		{"broken JSON", `{"a":`, false},
		{"a page", "<!doctype html>\n<p>Grüße 日本", false},
		{"colours of a terminal", "\x1b[31mred\x1b[0m and more text\n", false},
		{"Latin-1", "name;stra\xdfe\nM\xfcller;Hauptstra\xdfe 7\n", false},
		{"a character across the end of the head", strings.Repeat("a", 4094) + "日本", false},
		{"a picture", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", true},
		{"a zero behind much text", strings.Repeat("a", 4000) + "\x00", true},
		{"noise without a zero", "\x1f\x8b\x08\x04\x81\x92\xf3\xfe\xff\x90", true},
	} {
		if got, err := open(t, tt.body).Binary(); got != tt.want || err != nil {
			t.Errorf("%s: got %v %v, want %v", tt.name, got, err, tt.want)
		}
	}
}
