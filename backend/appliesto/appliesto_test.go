package appliesto_test

import (
	"fmt"
	"strings"
	"testing"

	"spyglass/backend/appliesto"
	"spyglass/backend/fault"
)

// device is a subject with properties and groups.
type device struct {
	props  [][2]string
	groups []string
}

func (d *device) Property(name string) (string, bool) {
	for i := range d.props {
		if strings.EqualFold(d.props[i][0], name) {
			return d.props[i][1], true
		}
	}
	return "", false
}

func (d *device) Groups() []string { return d.groups }

var web = &device{
	props: [][2]string{
		{"displayName", "web-prod-07.fra"}, {"name", "10.10.8.17"}, {"system.displayname", "web-prod-07.fra"},
		{"system.categories", "snmp, Linux,server"}, {"auto.cpu.cores", "16"}, {"auto.version", "10.5"},
		{"os", "Debian 12"},
		{"system.devicetype", "0"}, {"empty", ""}, {"off", "False"}, {"rack no/7", "a,b"}, {"größe", "Straße ÄÖ"},
	},
	groups: []string{"Servers/Linux", "Servers", "Sites/Frankfurt", "Sites"},
}

var functions = map[string]string{
	"isShop": `displayName =~ "web-*" && isLinux()`, "isLarge": `auto.cpu.cores >= 16`,
	"isLargeShop": "isshop() && isLarge()", "nothing": " ",
	"loopA": "loopB()", "loopB": "true || loopA()", "broken": `displayName ==`, "outer": "broken()",
	"x0": "true", "x1": "x0() || x0()", "x2": "x1() || x1() || x1() || x1()", "x3": "x2() || x2() || x2() || x2()",
	"x4": "x3() || x3() || x3() || x3()", "x5": "x4()||x4()||x4()||x4()||x4()||x4()||x4()",
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{``, false},
		{" \n\t", false},
		{`true`, true}, {`true()`, true}, {`FALSE`, false}, {`false()`, false}, {`!false()`, true},
		{`not not true`, true},

		{`displayName == "WEB-PROD-07.fra"`, true}, {`displayName = 'web-prod-07.FRA'`, true},
		{`displayName != "web-prod-07.fra"`, false},
		{`system.displayname == displayName`, true}, {`"10.10.8.17" == name`, true},
		{`missing == ""`, true}, {`missing != "x"`, true}, {`missing =~ "x"`, false}, {`missing !~ "x"`, true},
		{`getPropValue("rack no/7") == "A,B"`, true}, {`getPropValue(os) contains "debian"`, true},
		{`getPropValue("größe") == "STRASSE"`, false}, {`getPropValue("größe") contains "äö"`, true},
		{`join(system.categories, "|") contains "linux|server"`, true},
		{`join(join(system.categories, "|"), ",") =~ "snmp\| linux"`, true},

		{`displayName =~ "web*"`, true}, {`displayName =~ "eb*"`, false}, {`displayName =~ "WEB-????-0?.fra"`, true},
		{`displayName =~ "*.fra"`, true}, {`displayName !~ "*.osl"`, true},
		{`displayName =~ "web-*.fra"`, true}, {`displayName =~ "*prod*07*"`, true},
		{`displayName =~ "web-prod-??"`, false},
		{`displayName =~ "prod"`, true}, {`displayName =~ "^prod"`, false}, {`displayName =~ "^WEB-.*\.fra$"`, true},
		{`displayName =~ "(db|web)-"`, true}, {`name =~ "10.10.*"`, true},
		{`getPropValue("größe") =~ "*?ö"`, true},

		{`auto.cpu.cores > 8`, true}, {`auto.cpu.cores < 8`, false},
		{`auto.cpu.cores >= 16 && auto.cpu.cores <= 16`, true}, {`9 < auto.cpu.cores`, true},
		{`auto.cpu.cores == 16.0`, true}, {`auto.cpu.cores == "16.0"`, false}, {`auto.cpu.cores > "9"`, true},
		{`auto.version > 9`, true}, {`auto.version > -1`, true},
		{`os > 1`, false}, {`os < 1`, false}, {`missing < 1`, false}, {`missing == 0`, false},

		{`exists os`, true}, {`exists(os)`, true}, {`exists "rack no/7"`, true}, {`hasProperty("empty")`, false},
		{`hasProperty("missing")`, false}, {`hasProperty(os)`, true},
		{`os`, true}, {`empty`, false}, {`off`, false}, {`missing`, false}, {`!off`, true},
		{`os contains "BIAN"`, true}, {`os startsWith "deb"`, true}, {`os ENDSWITH "12"`, true},
		{`contains(os, "x")`, false}, {`startsWith(os, "Deb")`, true}, {`endsWith(displayName, ".fra")`, true},

		{`hasCategory("linux")`, true}, {`hasCategory("lin")`, false}, {`hascategory('SNMP')`, true},
		{`inGroup("Servers")`, true}, {`inGroup("servers/*")`, true}, {`inGroup("Sites/Fr*")`, true},
		{`inGroup("Frankfurt")`, false}, {`inGroup("*")`, true}, {`inGroup("")`, false},
		{`isLinux()`, true}, {`isWindows()`, false}, {`isNetwork()`, false}, {`islinux ( )`, true},
		{`isDevice()`, true},

		{`isLinux() && hasCategory("snmp") || false`, true}, {`false && true || true`, true},
		{`false && (true || true)`, false}, {`true or false and false`, true}, {`NOT (false Or false)`, true},
		{"isLinux()\n  and not inGroup(\"Databases\")", true},
		{`isShop()`, true}, {`ISSHOP() && isLargeShop()`, true}, {`nothing()`, false}, {`x4()`, true},
	} {
		t.Run(tt.text, func(t *testing.T) {
			e, err := appliesto.Parse(tt.text, functions)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Match(web); got != tt.want {
				t.Errorf("it applies: %v, want %v; it was read as %s", got, tt.want, e)
			}
			again, err := appliesto.Parse(e.String(), functions)
			if err != nil || again.String() != e.String() || again.Match(web) != tt.want {
				t.Errorf("written as %s, it was read as %s (%v)", e, again, err)
			}
		})
	}
}

func TestExpressionString(t *testing.T) {
	for text, want := range map[string]string{
		`a or b and not (c or "x" == 'y"\\') `: `getPropValue("a") || getPropValue("b") && ` +
			`!(getPropValue("c") || "x" == "y\"\\")`,
		`a !~ "x*"&&!isLinux()&&exists b`: `!(getPropValue("a") =~ "x*") && !isLinux() && exists("b")`,
		`(a < 7 || hasCategory('x')) && inGroup("S/*")`: `(getPropValue("a") < 7 || hasCategory("x")) && ` +
			`inGroup("S/*")`,
		`join(a,"|") contains getPropValue("b c") or true`: `join(getPropValue("a"), "|") contains getPropValue("b ` +
			`c") || true`,
	} {
		e, err := appliesto.Parse(text, nil)
		if err != nil || e.String() != want {
			t.Errorf("%s is written as %s (%v), want %s", text, e, err, want)
		}
	}
}

func TestFunctionsListsNestedCalls(t *testing.T) {
	e, err := appliesto.Parse(`isLargeShop() || isWindows()`, functions)
	if got := fmt.Sprint(e.Functions()); err != nil || got != "[islarge islargeshop isshop]" {
		t.Errorf("got %s (%v)", got, err)
	}
}

func TestParseErrorsHaveAMessageAndAPosition(t *testing.T) {
	for _, tt := range []struct{ text, err string }{
		{`displayName ==`, `expected a value at 14`},
		{`displayName == web`, ``},
		{`"größe" == `, `expected a value at 11`},
		{`displayName like "web"`, `expected an operator, not "like", at 12`},
		{`displayName contain "web"`, `expected an operator, not "contain", at 12; did you mean contains?`},
		{`displayName "web"`, `expected the end, not "\"", at 12`},
		{`(true`, `expected a closing ) at 5`},
		{`true)`, `expected the end, not ")", at 4`},
		{`true &&`, `expected a value at 7`},
		{`|| true`, `expected a value, not "|", at 0`},
		{`a && and`, `expected a value, not "and", at 5`},
		{`"web"`, `"web" alone is no condition at 0`},
		{`7`, `"7" alone is no condition at 0`},
		{`a == "x`, `no quote closes the text that begins at 5`},
		{`name == 10.10.8.17`, `"10.10.8.17" is no number, and a text needs quotes, at 8`},
		{`a > 7x`, `"7x" is no number, and a text needs quotes, at 4`},
		{`isWindow()`, `there is no function "isWindow" at 0; did you mean isWindows?`},
		{`true || isShopp()`, `there is no function "isShopp" at 8; did you mean isShop?`},
		{`isWindows`, `isWindows is a function: write isWindows() at 0`},
		{`a == isshop`, `isshop is a function: write isshop() at 5`},
		{`a == isShop()`, `"isShop()" gives no text to compare with at 5`},
		{`isLinux("x")`, `expected a closing ), not "\"", at 8`},
		{`hasCategory(x)`, `expected a text in quotes at 12`},
		{`hasCategory()`, `expected a value, not ")", at 12`},
		{`hasProperty()`, `expected the name of a property, not ")", at 12`},
		{`join(a)`, `expected a comma, not ")", at 6`},
		{`a =~ b`, `expected a text in quotes behind =~ at 5`},
		{`a =~ "("`, `"(" is no regular expression (missing closing )) at 5`},
		{`a =~ "*("`, `"*(" is no regular expression (missing argument to repetition operator) at 5`},
		{`a =~ "((x{1000}){1000}){1000}"`, `"((x{1000}){1000}){1000}" is no regular expression (invalid repeat ` +
			`count) at 5`},
		{`loopA()`, `in the function loopB: loopA() calls itself at 8`},
		{`true && outer()`, `in the function broken: expected a value at 14`},
		{`x5()`, `in the function x5: more than 200 terms, or 2000 with the functions it calls, at 30`},
		{strings.Repeat("(", 40) + "true", `more than 32 levels deep at 33`},
		{strings.Repeat("!", 40) + "true", `more than 32 levels deep at 33`},
		{strings.Repeat("a||", 200) + "a", `more than 200 terms, or 2000 with the functions it calls, at 600`},
		{strings.Repeat("a", 4097), `the expression is longer than 4096 bytes`},
		{"\xff", `the expression is not valid UTF-8 text`},
	} {
		e, err := appliesto.Parse(tt.text, functions)
		got := ""
		if err != nil {
			f := fault.Of(err)
			if got = f.Message; f.Kind != fault.Invalid || e != nil {
				t.Errorf("%s: %v and %#v", tt.text, e, f)
			}
		}
		if got != tt.err {
			t.Errorf("%s\nsays %s\nwant %s", tt.text, got, tt.err)
		}
	}
}

func TestFunctionNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"isShop": true, "_x9": true, "": false, "9x": false, "a b": false, "a.b": false, "größe": false,
		strings.Repeat("a", 65): false,
		"iswindows":             false, "hasCategory": false, "AND": false, "startswith": false,
	} {
		if err := appliesto.CheckName(name); (err == nil) != ok || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestEveryBuiltInFunctionCanBeCalled(t *testing.T) {
	for _, name := range appliesto.Builtins() {
		found := false
		for _, call := range []string{name + "()", name + `("x")`, name + `("x", "y")`, name + `(a) == "x"`, name +
			`(a, "y") == "x"`} {
			_, err := appliesto.Parse(call, nil)
			found = found || err == nil
		}
		if !found {
			t.Errorf("%s cannot be called", name)
		}
	}
}

// many lists expressions as users write them.
var many = []string{
	`hasCategory("linux") && displayName =~ "web*"`, `isWindows() || isNetwork()`,
	`inGroup("Servers/*") && !hasProperty("retired")`,
	`auto.cpu.cores >= 8 && os contains "debian"`, `displayName =~ "^(web|db)-(prod|stg)-[0-9]+\.fra$"`,
}

func TestTypicalExpressionsTakeFewSteps(t *testing.T) {
	for _, text := range many {
		e, err := appliesto.Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if load := e.Load(); load.Steps > 100 || load.Terms > 20 {
			t.Errorf("%s takes %+v for each device", text, load)
		}
		if n := testing.AllocsPerRun(100, func() { e.Match(web) }); n > 1 {
			t.Errorf("%s allocates %v times for each device, want at most once", text, n)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, text := range many {
		e, err := appliesto.Parse(text, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Match(web)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range many {
		f.Add(seed)
	}
	for _, seed := range []string{
		``, `true() or not exists "a b" and (x < 7.5)`, `join(system.groups, ",") =~ '\'\\.*'`,
		`isLargeShop() || loopA()`, `getPropValue("x") !~ "?*ß"`, `contains(a, b) && "a" endsWith 'b'`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := appliesto.Parse(text, functions)
		if err != nil {
			if f := fault.Of(err); e != nil || f.Kind != fault.Invalid {
				t.Fatalf("%v and %#v for %q", e, err, text)
			}
			return
		}
		applies, written := e.Match(web), e.String()
		if len(written) > appliesto.MaxBytes {
			return // quotes and escapes can make it exceed the limit
		}
		again, err := appliesto.Parse(written, functions)
		if err != nil || again.String() != written || again.Match(web) != applies {
			t.Fatalf("%q was written as %s and then read as %s (%v)", text, written, again, err)
		}
	})
}
