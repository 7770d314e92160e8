package resource_test

import (
	"testing"

	"spyglass/backend/resource"
)

func TestNameRefusesInvisibleCharacters(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"plain", "web-42", true},
		{"an accent", "Zürich", true},
		{"Hebrew", "שרת", true},
		{"Persian with a non-joiner", "می\u200cخواهم", true},
		{"an emoji with a joiner", "👩\u200d💻", true},
		{"direction marks", "\u200eabc\u200f", true},
		{"no-break space", "a\u00a0b", true},
		{"line feed", "a\nb", false},
		{"delete", "a\x7fb", false},
		{"next line", "a\u0085b", false},
		{"control sequence introducer", "a\u009bb", false},
		{"line separator", "a\u2028b", false},
		{"paragraph separator", "a\u2029b", false},
		{"left-to-right embedding", "a\u202ab", false},
		{"right-to-left override", "a\u202eb", false},
		{"isolate", "a\u2066b", false},
		{"end of isolate", "a\u2069b", false},
		{"byte order mark", "a\ufeffb", false},
		{"zero width space", "a\u200bb", false},
		{"first tag", "a\U000e0000b", false},
		{"last tag", "a\U000e007fb", false},
	} {
		if got := resource.IsLine(tt.text); got != tt.want {
			t.Errorf("%s: IsLine(%q) = %t, want %t", tt.name, tt.text, got, tt.want)
		}
	}
}
