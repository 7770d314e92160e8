package exchange

import (
	"slices"
	"strings"

	"spyglass/app/expect"
)

// brunoOps maps the operators of Bruno's assertions to those of checks.
var brunoOps = map[string]*expect.Op{
	"eq": &expect.Is, "neq": &expect.IsNot, "in": &expect.OneOf, "contains": &expect.Holds,
	"notContains": &expect.Lacks, "matches": &expect.Matches, "gt": &expect.Above, "gte": &expect.AtLeast,
	"lt": &expect.Below, "lte": &expect.AtMost, "isDefined": &expect.Exists, "isUndefined": &expect.Absent,
}

// brunoWords maps operators without a value to an operator and its value.
var brunoWords = map[string]struct {
	op    *expect.Op
	value string
}{
	"isNull": {&expect.Is, "null"}, "isTrue": {&expect.Is, "true"}, "isFalse": {&expect.Is, "false"},
	"isNumber": {&expect.IsType, "number"}, "isString": {&expect.IsType, "string"},
	"isBoolean": {&expect.IsType, "boolean"}, "isArray": {&expect.IsType, "array"},
}

// brunoChecks converts the assertions and the tests of a request.
func (f *File) brunoChecks(request string, r *brunoRequest) []expect.Check {
	var checks []expect.Check
	for _, a := range r.Assertions {
		check, ok := brunoCheck(a.Name.text, a.Value.text)
		if check.On = a.on(); ok {
			checks = append(checks, check)
		} else {
			f.missed(request, a.Name.text+": "+a.Value.text)
		}
	}
	checks = append(checks, f.tests(request, r.Tests)...)
	if len(checks) > expect.MaxChecks {
		f.notes.add(missedTests)
	}
	return checks[:min(len(checks), expect.MaxChecks)]
}

// brunoCheck converts an assertion such as "res.status: eq 200".
func brunoCheck(subject, claim string) (c expect.Check, ok bool) {
	subject = strings.TrimSpace(subject)
	if name, header := strings.CutPrefix(subject, "res.headers"); header {
		name = strings.Trim(strings.TrimPrefix(name, "."), `[]"'`)
		c, ok = expect.Check{Kind: expect.Header.ID, Target: name}, name != ""
	} else {
		c, ok = new(testReader).subject(subject)
	}
	word, value, _ := strings.Cut(strings.TrimSpace(claim), " ")
	value = strings.TrimSpace(value)
	op := brunoOps[word]
	plain, isPlain := brunoWords[word]
	switch {
	case !ok:
	case word == "length" && c.Kind == expect.JSON.ID:
		c.Target = "." + strings.TrimPrefix(strings.TrimPrefix(c.Target, "$"), ".") + " | length"
		op = &expect.Is
	case word == "isJson" && c.Target == "$":
		return expect.Check{Kind: expect.JSON.ID, Target: "$", Op: expect.Exists.ID}, true
	case isPlain:
		op, value = plain.op, plain.value
	case op == nil && !slices.Contains(brunoUnknown, word): // "200" alone is equality
		op, value = &expect.Is, strings.TrimSpace(claim)
	}
	if !ok || op == nil || !allows(c.Kind, op) {
		return c, false
	}
	if c.Op = op.ID; op == &expect.OneOf {
		value = strings.Trim(value, "[]")
	}
	if op.Value && op != &expect.Matches {
		if plain, ok := literal(value); ok && strings.HasPrefix(value, `"`) {
			value = plain
		}
	}
	if op.Value {
		c.Value = value
	}
	return c, true
}

// brunoUnknown lists operators of Bruno that checks do not have.
var brunoUnknown = []string{"notIn", "notMatches", "startsWith", "endsWith", "between", "isEmpty", "isNotEmpty",
	"isTruthy", "isFalsy", "isJson", "length"}
