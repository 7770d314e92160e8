package appliesto_test

import (
	"strings"
	"testing"

	"spyglass/backend/appliesto"
)

// value is a subject that has the same value for every name.
type value string

func (v value) Property(string) (string, bool) { return string(v), true }
func (v value) Groups() []string               { return nil }

func TestRegularExpressionsAreLimited(t *testing.T) {
	heavy := `displayName =~ "(.?){1000}"`
	for text, want := range map[string]string{
		heavy: `"(.?){1000}", together with the other regular expressions, takes more than 2000 steps; repeat less ` +
			`often at 15`,
		strings.Repeat(`displayName =~ "(.?){100}" || `, 100) +
			"true()": `"(.?){100}", together with the other regular expressions, takes more than 2000 steps; repeat ` +
			`less often at 135`,
		"f() || f() || f() || f() || f() || f()": `the regular expressions of f, together ` +
			`with the others, take more than 2000 steps; repeat less often at 14`,
	} {
		_, err := appliesto.Parse(text, map[string]string{"f": `name =~ "(a?){150}"`})
		if err == nil || err.Error() != want {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

func TestExpensiveExpressionDoesNotMatchALongValue(t *testing.T) {
	expr, err := appliesto.Parse(`name =~ "^(a?){300}"`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !expr.Match(value("aaa")) || expr.Match(value(strings.Repeat("a", 24_000))) {
		t.Error("a short value matches, and a long one takes no steps")
	}
}

func TestExpressionsEvaluatedTogetherAreLimited(t *testing.T) {
	hostile, ordinary := `name =~ "^(a?){300}$"`, `isLinux() && name =~ "^a+$"`
	parse := func(text string, n int) (all []*appliesto.Expr) {
		for range n {
			expr, err := appliesto.Parse(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, expr)
		}
		return all
	}
	all := append(parse(hostile, 120), parse(`name =~ "^a+$"`, 1)...)
	over, longest := appliesto.Fit(all)
	var sum appliesto.Load
	matching := 0
	for _, e := range all {
		sum = sum.Plus(e.Load())
		if e.Match(value(strings.Repeat("a", longest+1))) {
			t.Error("a value is looked at that is longer than all have steps for")
		}
		if e.Match(value(strings.Repeat("a", min(longest, 200)))) {
			matching++
		}
	}
	if sum.Steps > appliesto.MaxAllSteps || sum.Steps*longest > 20_000_000 || matching == 0 {
		t.Errorf("%d steps for up to %d bytes; %d match", sum.Steps, longest, matching)
	}
	if len(over) == 0 || all[over[0]] != nil || all[120] == nil || !all[120].Match(value("aaa")) {
		t.Errorf("%v are over, and the last one fits", over)
	}
	many := parse(ordinary, 500)
	sum = appliesto.Load{}
	for _, e := range many {
		sum = sum.Plus(e.Load())
	}
	if over, longest := appliesto.Fit(many); len(over) > 0 || longest < 500 || sum.Terms > appliesto.MaxAllTerms/2 ||
		sum.Steps > appliesto.MaxAllSteps/2 {
		t.Errorf("500 ordinary expressions: %+v, %d over, values of %d bytes", sum, len(over), longest)
	}
}
