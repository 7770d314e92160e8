package exchange

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"spyglass/app/expect"
)

// Limits of the tests of one request that are read.
const (
	maxTests  = 64 << 10 // bytes
	maxTest   = 4 << 10  // bytes of a statement
	maxMissed = 20       // statements that are listed, in one file
	shownTest = 100      // characters of each
	testDepth = 3        // tests within tests
	maxIndent = 200      // bytes of space before a call of a chain
)

// missedTests is the note about statements that are not listed.
const missedTests = "%s with tests that were not understood completely: what is missing was not imported."

// tests converts the tests of a request, as Postman and Bruno write them in JavaScript,
// to checks. It reads statements of the usual forms and runs nothing; for each that it
// does not understand it adds a note.
func (f *File) tests(request, script string) (checks []expect.Check) {
	if strings.TrimSpace(script) == "" {
		return nil
	}
	if len(script) > maxTests || f.budget.Steps(len(script)) != nil {
		f.notes.add(missedTests)
		return nil
	}
	t := &testReader{bodies: map[string]bool{}}
	for _, statement := range statementsOf(script) {
		check, ok := t.read(statement)
		switch {
		case !ok:
			f.missed(request, statement)
		case check.Kind != "" && len(checks) < expect.MaxChecks:
			check.On = true
			checks = append(checks, check)
		case check.Kind != "":
			f.notes.add(missedTests)
		}
	}
	return checks
}

// missed notes a test that was not understood.
func (f *File) missed(request, test string) {
	if f.missing++; f.missing > maxMissed {
		f.notes.add(missedTests)
		return
	}
	test = strings.Join(strings.Fields(test), " ")
	if runes := []rune(test); len(runes) > shownTest {
		test = string(runes[:shownTest]) + "…"
	}
	f.notes.say("A test of “%s” was not imported: %s", request, test)
}

var (
	testComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	testBegin   = regexp.MustCompile(`^(?:pm\.)?test\(\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`" +
		`)\s*,\s*` +
		`(?:async\s*)?(?:function\s*\(\s*\)|\(\s*\)\s*=>)\s*\{?\s*`)
	testEnd  = regexp.MustCompile(`^[\s})]*$`)
	testTail = regexp.MustCompile(`\s*\}\s*\)\s*$`)
)

// statementsOf splits a script at semicolons and at the ends of lines, outside of quotes
// and brackets, and removes what begins and ends a test.
func statementsOf(script string) (statements []string) {
	script = testComment.ReplaceAllString(script, "")
	add := func(text string) {
		text = strings.TrimSpace(text)
		for range testDepth {
			if len(text) > maxTest {
				break
			}
			text = strings.TrimSpace(text[len(testBegin.FindString(text)):])
			if strings.Count(text, "}") > strings.Count(text, "{") {
				text = strings.TrimSpace(testTail.ReplaceAllString(text, ""))
			}
			if strings.HasSuffix(text, ")") && strings.Count(text, ")") > strings.Count(text, "(") {
				text = strings.TrimSpace(strings.TrimSuffix(text, ")"))
			}
		}
		if text != "" && !testEnd.MatchString(text) {
			statements = append(statements, text)
		}
	}
	var quote byte
	from, test := 0, false // test: the statement begins a test
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == 't' && strings.HasPrefix(script[i:], "test("):
			test = true
		case c == '/' && strings.HasPrefix(script[i:], "//"):
			add(script[from:i])
			for i < len(script) && script[i] != '\n' {
				i++
			}
			from, test = i, false
		case c == '{' && test:
			add(script[from : i+1])
			from, test = i+1, false
		case c == ';' || c == '\n' && !continues(script[i+1:]):
			add(script[from:i])
			from, test = i+1, false
		}
	}
	add(script[min(from, len(script)):])
	return statements
}

// continues reports whether a line continues a call, as in a chain over several lines.
func continues(rest string) bool {
	rest = rest[:min(len(rest), maxIndent)]
	return strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ".")
}

// testReader reads the statements of one script.
type testReader struct {
	bodies map[string]bool // variables that hold the body
}

var (
	testBody = regexp.MustCompile(`^(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*` +
		`(?:pm\.response\.json\(\)|res\.body|res\.getBody\(\)|JSON\.parse\(responseBody\))$`)
	testStatus = regexp.MustCompile(`^pm\.response\.to\.(not\.)?have\.status\((.+)\)$`)
	testBe     = regexp.MustCompile(`^pm\.response\.to\.be\.(?:a\.)?(\w+)$`)
	testHeader = regexp.MustCompile(`^pm\.response\.to\.(not\.)?have\.header\(([^,]+)(?:,\s*(.+))?\)$`)
	testExpect = regexp.MustCompile(`^(?:pm\.)?expect\((.+?)\)\s*\.(?:to|is|should)\.((?s).+)$`)
	testCall   = regexp.MustCompile(`^((?:[\w]+\.)*\w+)(?:\(((?s).*)\))?$`)
	testPath   = regexp.MustCompile(`^(?:\.[A-Za-z_$][\w$]*|\[\d+\]|\["[^"\\]+"\]|\['[^'\\]+'\])*$`)
	testGet    = regexp.MustCompile(`^(?:pm\.response\.headers\.get|res\.getHeader)\((.+)\)$`)
	testValue  = regexp.MustCompile(`^(?:pm\.(?:environment|variables|collectionVariables|globals)\.get|` +
		`bru\.(?:getVar|getEnvVar))\((.+)\)$`)
)

// classes are the words of Postman for statuses.
var classes = map[string]string{"ok": "2xx", "success": "2xx", "redirection": "3xx", "clientError": "4xx",
	"serverError": "5xx", "accepted": "202", "badRequest": "400", "unauthorized": "401", "forbidden": "403",
	"notFound": "404", "rateLimited": "429"}

// read converts a statement. A statement that only names the body is no check, and has an
// empty kind.
func (t *testReader) read(s string) (c expect.Check, ok bool) {
	if m := testBody.FindStringSubmatch(s); m != nil {
		t.bodies[m[1]] = true
		return c, true
	}
	if m := testStatus.FindStringSubmatch(s); m != nil {
		value, ok := literal(m[2])
		_, err := strconv.Atoi(value)
		return expect.Check{Kind: expect.Status.ID, Op: negated(m[1] != "", &expect.Is, &expect.IsNot), Value: value},
			ok && err == nil
	}
	if m := testBe.FindStringSubmatch(s); m != nil {
		if m[1] == "json" {
			return expect.Check{Kind: expect.Header.ID, Target: "Content-Type", Op: expect.Holds.ID,
				Value: "json"}, true
		}
		return expect.Check{Kind: expect.Status.ID, Op: expect.Is.ID, Value: classes[m[1]]}, classes[m[1]] != ""
	}
	if m := testHeader.FindStringSubmatch(s); m != nil {
		name, ok := literal(m[2])
		if m[3] == "" {
			return expect.Check{Kind: expect.Header.ID, Target: name,
				Op: negated(m[1] != "", &expect.Exists, &expect.Absent)}, ok
		}
		value, ok2 := literal(m[3])
		return expect.Check{Kind: expect.Header.ID, Target: name, Op: negated(m[1] != "", &expect.Is, &expect.IsNot),
			Value: value}, ok && ok2
	}
	if m := testExpect.FindStringSubmatch(s); m != nil {
		if c, ok = t.subject(strings.TrimSpace(m[1])); ok {
			ok = claim(&c, strings.TrimSpace(m[2]))
		}
		return c, ok
	}
	return c, false
}

func negated(not bool, yes, no *expect.Op) string {
	if not {
		return no.ID
	}
	return yes.ID
}

// subject returns what an expression reads from the response.
func (t *testReader) subject(text string) (c expect.Check, ok bool) {
	switch text {
	case "pm.response.code", "res.status", "res.getStatus()":
		return expect.Check{Kind: expect.Status.ID}, true
	case "pm.response.responseTime", "res.responseTime", "res.getResponseTime()":
		return expect.Check{Kind: expect.Time.ID}, true
	case "pm.response.responseSize":
		return expect.Check{Kind: expect.Size.ID}, true
	}
	if m := testGet.FindStringSubmatch(text); m != nil {
		name, ok := literal(m[1])
		return expect.Check{Kind: expect.Header.ID, Target: name}, ok
	}
	for _, body := range []string{"pm.response.json()", "res.getBody()", "res.body"} {
		if path, ok := strings.CutPrefix(text, body); ok && testPath.MatchString(path) {
			return expect.Check{Kind: expect.JSON.ID, Target: "$" + path}, true
		}
	}
	for name := range t.bodies {
		if path, ok := strings.CutPrefix(text, name); ok && testPath.MatchString(path) {
			return expect.Check{Kind: expect.JSON.ID, Target: "$" + path}, true
		}
	}
	return c, false
}

// claims maps the last word of an expectation to operators: with a value, and negated.
var claims = map[string][2]*expect.Op{
	"eql": {&expect.Is, &expect.IsNot}, "equal": {&expect.Is, &expect.IsNot}, "equals": {&expect.Is, &expect.IsNot},
	"eq": {&expect.Is, &expect.IsNot}, "include": {&expect.Holds, &expect.Lacks},
	"includes": {&expect.Holds, &expect.Lacks}, "contain": {&expect.Holds, &expect.Lacks},
	"contains": {&expect.Holds, &expect.Lacks}, "oneOf": {&expect.OneOf, nil}, "match": {&expect.Matches, nil},
	"a": {&expect.IsType, nil}, "an": {&expect.IsType, nil},
	"above": {&expect.Above, &expect.AtMost}, "greaterThan": {&expect.Above, &expect.AtMost},
	"gt":    {&expect.Above, &expect.AtMost},
	"below": {&expect.Below, &expect.AtLeast}, "lessThan": {&expect.Below, &expect.AtLeast},
	"lt":    {&expect.Below, &expect.AtLeast},
	"least": {&expect.AtLeast, &expect.Below}, "gte": {&expect.AtLeast, &expect.Below},
	"most": {&expect.AtMost, &expect.Above}, "lte": {&expect.AtMost, &expect.Above},
}

// words maps the last word of an expectation without a value to the value.
var words = map[string]string{"true": "true", "false": "false", "null": "null"}

// claim completes a check by an expectation such as be.at.least(5); false if it is not
// understood.
func claim(c *expect.Check, text string) bool {
	m := testCall.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	chain := strings.Split(m[1], ".")
	last, not := chain[len(chain)-1], false
	for _, word := range chain[:len(chain)-1] {
		switch word {
		case "not":
			not = true
		case "be", "have", "deep", "at", "been", "is", "that", "and", "to":
		default:
			return false
		}
	}
	if !strings.HasSuffix(text, ")") {
		return plainClaim(c, last, not)
	}
	switch last {
	case "property":
		return propertyClaim(c, m[2], not)
	case "length", "lengthOf":
		value, ok := literal(m[2])
		c.Target = "." + strings.TrimPrefix(strings.TrimPrefix(c.Target, "$"), ".") + " | length"
		c.Op, c.Value = negated(not, &expect.Is, &expect.IsNot), value
		return ok && c.Kind == expect.JSON.ID
	}
	ops, have := claims[last]
	op := ops[0]
	if not {
		op = ops[1]
	}
	if !have || op == nil || !allows(c.Kind, op) {
		return false
	}
	var ok bool
	c.Op = op.ID
	switch last {
	case "match":
		c.Value, ok = pattern(m[2])
	case "oneOf":
		c.Value, ok = list(m[2])
	default:
		c.Value, ok = literal(m[2])
	}
	return ok
}

// plainClaim completes a check by an expectation without a value: be.true, exist.
func plainClaim(c *expect.Check, last string, not bool) bool {
	if value, ok := words[last]; ok {
		c.Op, c.Value = negated(not, &expect.Is, &expect.IsNot), value
		return c.Kind == expect.JSON.ID
	}
	switch last {
	case "exist", "exists":
		c.Op = negated(not, &expect.Exists, &expect.Absent)
	case "undefined":
		c.Op = negated(not, &expect.Absent, &expect.Exists)
	default:
		return false
	}
	return c.Kind == expect.JSON.ID || c.Kind == expect.Header.ID
}

// propertyClaim completes a check by have.property("name", value).
func propertyClaim(c *expect.Check, args string, not bool) bool {
	name, value, both := strings.Cut(args, ",")
	key, ok := literal(name)
	if !ok || c.Kind != expect.JSON.ID || strings.ContainsAny(key, `"\`) {
		return false
	}
	if c.Target += "." + key; !testPath.MatchString("." + key) {
		c.Target = strings.TrimSuffix(c.Target, "."+key) + `["` + key + `"]`
	}
	if !both {
		c.Op = negated(not, &expect.Exists, &expect.Absent)
		return true
	}
	c.Op = negated(not, &expect.Is, &expect.IsNot)
	c.Value, ok = literal(value)
	return ok
}

// allows reports whether a kind has the operator.
func allows(kind string, op *expect.Op) bool {
	for _, k := range expect.Kinds {
		if k.ID == kind {
			for _, o := range k.Ops {
				if o == op {
					return true
				}
			}
		}
	}
	return false
}

// literal returns the value of a text, a number, a word, an array or an object of
// JavaScript, or the reference to a variable.
func literal(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if m := testValue.FindStringSubmatch(text); m != nil {
		name, ok := literal(m[1])
		return "{{" + name + "}}", ok && name != "" && !strings.ContainsAny(name, "{}")
	}
	if n := len(text); n >= 2 && strings.Contains("\"'`", text[:1]) && text[n-1] == text[0] {
		inside := text[1 : n-1]
		if text[0] == '`' {
			return inside, !strings.ContainsAny(inside, "`\\$")
		}
		if text[0] == '\'' {
			inside = strings.ReplaceAll(strings.ReplaceAll(inside, `\'`, `'`), `"`, `\"`)
		}
		var value string
		err := json.Unmarshal([]byte(`"`+inside+`"`), &value)
		return value, err == nil
	}
	var value any
	return text, json.Unmarshal([]byte(text), &value) == nil
}

// list returns the values of an array as a list with commas.
func list(text string) (string, bool) {
	var values []any
	if json.Unmarshal([]byte(strings.ReplaceAll(text, "'", `"`)), &values) != nil {
		return "", false
	}
	out := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case string:
			out[i] = v
		default:
			text, err := json.Marshal(v)
			if err != nil {
				return "", false
			}
			out[i] = string(text)
		}
		if strings.Contains(out[i], ",") {
			return "", false
		}
	}
	return strings.Join(out, ", "), true
}

// pattern returns the expression of /x/, without flags other than i.
func pattern(text string) (string, bool) {
	text = strings.TrimSpace(text)
	at := strings.LastIndexByte(text, '/')
	if len(text) < 3 || text[0] != '/' || at < 2 {
		return "", false
	}
	inside := strings.ReplaceAll(text[1:at], `\/`, "/")
	switch text[at+1:] {
	case "":
		return inside, true
	case "i":
		return "(?i)" + inside, true
	}
	return "", false
}
