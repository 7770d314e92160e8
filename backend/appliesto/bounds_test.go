package appliesto_test

import (
	"strings"
	"testing"

	"spyglass/backend/appliesto"
)

// value is a subject that has one text under every name.
type value string

func (v value) Property(string) (string, bool) { return string(v), true }
func (v value) Groups() []string               { return nil }

func TestRegularExpressionsAreBounded(t *testing.T) {
	heavy := `displayName =~ "(.?){1000}"`
	for text, want := range map[string]string{
		heavy: `"(.?){1000}", together with the other regular expressions, takes more than 2000 steps; repeat less often at 15`,
		strings.Repeat(`displayName =~ "(.?){100}" || `, 100) + "true()": `"(.?){100}", together with the other regular expressions, takes more than 2000 steps; repeat less often at 135`,
		"f() || f() || f() || f() || f() || f()":                         `the regular expressions of f, together with the others, take more than 2000 steps; repeat less often at 14`,
	} {
		_, err := appliesto.Parse(text, map[string]string{"f": `name =~ "(a?){150}"`})
		if err == nil || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

func TestALongValueMatchesNoExpensiveExpression(t *testing.T) {
	expr, err := appliesto.Parse(`name =~ "^(a?){300}"`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !expr.Match(value("aaa")) || expr.Match(value(strings.Repeat("a", 24_000))) {
		t.Error("a short value matches, and a long one takes no steps")
	}
}
