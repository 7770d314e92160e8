package expr_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"spyglass/backend/expr"
	"spyglass/backend/fault"
)

var values = map[string]float64{"used": 30, "total": 120, "in.octets": 8, "CPU-Busy": 5, "zero": 0,
	"none": math.NaN(), "max": 7}

func value(name string) float64 {
	if v, ok := values[name]; ok {
		return v
	}
	return math.NaN()
}

func TestFormulaIsEvaluated(t *testing.T) {
	nan := math.NaN()
	for text, want := range map[string]float64{
		"1": 1, ".5": 0.5, "1e3": 1000, "1.5E-1": 0.15, "2e": nan,
		"used/total*100": 25, "1+2*3": 7, "(1+2)*3": 9, "7-2-1": 4, "8/4/2": 1, "7%4": 3, "-7%4": -3,
		"2^3^2": 512, "-2^2": -4, "2^-1": 0.5, "--3": 3, "- -3": 3, "+3": 3,
		"used > 20": 1, "used<30": 0, "used<=30": 1, "used>=31": 0, "used==30": 1, "used = 30": 1, "used != 30": 0,
		"1<2 && 2<1": 0, "1<2||2<1": 1, "!zero": 1, "!used": 0, "!zero && used": 1,
		"if(used > 20, 1, 2)": 1, "if(zero, 1, 2)": 2, "if(1, 5, none)": 5, "if(none, 5, 6)": nan, "IF(1,2,3)": 2,
		"min(3,1,2)": 1, "max(3, 1, 2)": 3, "max(3, none)": nan, "abs(-4)": 4, "round(2.5)": 3, "round(-2.5)": -3,
		"round(3.14159, 2)": 3.14,
		"round(1e300, 15)":  1e300,
		"ln(1)":             0, "log(1000)": 3, "floor(2.9)": 2, "ceil(2.1)": 3, "sqrt(9)": 3, "exp(0)": 1,
		"un(none)": 1, "un(used)": 0,
		"in.octets*8": 64, `"CPU-Busy"+1`: 6, "max": 7, "max+max(1,2)": 9,
		"none+1": nan, "missing": nan, "1/zero": nan, "5%zero": nan, "sqrt(-1)": nan, "ln(0)": nan, "1e308*10": nan,
		"none > 1": nan, "0*none": nan,
		"used,total,/,100,*": 25, "used, 8, *": 240, "3,4,+,2,*": 14, "used,20,GT,1,2,IF": 1, "-3,ABS": 3, "none,UN": 1,
		"2,3,^": 8, "1,2,max": 2, "1, 2 ,-": -1,
	} {
		e, err := expr.Parse(text)
		if text == "2e" {
			if err == nil {
				t.Errorf("%s is read", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := e.Eval(value)
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

func TestNamesListsTheVariablesOfAFormula(t *testing.T) {
	for text, want := range map[string][]string{
		"1+1": nil, "b+a*b": {"b", "a"}, `max(x, "two words") - x`: {"x", "two words"}, "a,b,+": {"a", "b"},
		"-a,b,+": {"a", "b"}, "if + un": {"if", "un"},
	} {
		e, err := expr.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.Names(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s names %q, want %q", text, got, want)
		}
	}
}

func TestInvalidFormulaReportsThePosition(t *testing.T) {
	for text, want := range map[string]string{
		"":             "the expression is empty",
		"  ":           "the expression is empty",
		"\xff":         "the expression is not valid UTF-8",
		"1 +":          "expected a value before the end at 3",
		"1 2":          `expected an operator before "2" at 2`,
		"1 < 2 < 3":    `expected an operator before "< 3" at 6`,
		"ä":            `expected a value before "ä" at 0`,
		"a$b":          `expected an operator before "$b" at 1`,
		"(1+2":         "the parenthesis is never closed that opens at 0",
		"1+(":          "expected a value before the end at 3",
		"(1))":         `expected an operator before ")" at 3`,
		"(1,2)":        "parentheses without a function hold one value, not 2 at 0",
		"abs(1,2)":     "abs() takes one value, not 2 at 0",
		"if(1,2)":      "if() takes 3 values, not 2 at 0",
		"2*round()":    `expected a value before ")" at 8`,
		"round(1,2,3)": "round() takes 1 to 2 values, not 3 at 0",
		"1+sin(2)":     "there is no function sin() at 2",
		"1.2.3":        "1.2.3 is no number at 0",
		"1e999":        "1e999 is no number at 0",
		".":            ". is no number at 0",
		`""`:           "expected a name in double quotes at 0",
		`1+"a`:         "expected a name in double quotes at 2",
		"a,b":          "reverse Polish notation leaves one value, and this leaves 2: an operator is missing at 0",
		"a,+":          "+ takes 2 values, and there are 1 before it at 2",
		"a,,+":         `expected a value or an operator before each comma, not "" at 2`,
		"a,b c,+":      `expected a value or an operator before each comma, not "b c" at 2`,
		strings.Repeat("(", 40) + "1" + strings.Repeat(")", 40): "nested more than 32 levels deep at 33",
		strings.Repeat("-", 40) + "1":                           "nested more than 32 levels deep at 33",
		"1" + strings.Repeat("+1", 300):                         "more than 500 terms at 500",
		strings.Repeat("1", 5000):                               "the expression is longer than 4096 bytes",
	} {
		_, err := expr.Parse(text)
		if f := fault.Of(err); err == nil || f.Kind != fault.Invalid || f.Message != want {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"used/total*100", "if(a>1,b,c)", "a,b,+", "-2^-x", `"q q"%3`, "round(1.5,1)", "((((",
		"un(none)||!b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := expr.Parse(text)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		read := map[string]bool{}
		v := e.Eval(func(name string) float64 { read[name] = true; return float64(len(name)) })
		if math.IsInf(v, 0) {
			t.Errorf("%q is infinite", text)
		}
		for _, name := range e.Names() {
			delete(read, name)
		}
		if len(read) > 0 {
			t.Errorf("%q requests %v, which it does not name", text, read)
		}
		e.Eval(func(string) float64 { return math.NaN() })
	})
}
