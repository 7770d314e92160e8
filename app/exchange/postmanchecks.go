package exchange

import (
	"encoding/json"
	"strconv"
	"strings"

	"spyglass/app/expect"
)

// testsOf writes checks as a test script of Postman: those that its usual assertions can
// express. The schema in the catalog and jq queries have no equivalent there.
func testsOf(checks []expect.Check) []postmanScript {
	var lines []string
	for _, c := range checks {
		if statement := testOf(c); c.On && statement != "" {
			lines = append(lines, "pm.test("+quote(expect.Label(c))+", function () {", "    "+statement+";", "});")
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return []postmanScript{{Listen: "test", Script: postmanCode{Type: "text/javascript", Exec: lines}}}
}

// chains maps operators to what follows expect(…).
var chains = map[string]string{
	expect.Is.ID: "to.eql", expect.IsNot.ID: "to.not.eql", expect.Holds.ID: "to.include",
	expect.Lacks.ID: "to.not.include", expect.Above.ID: "to.be.above", expect.AtLeast.ID: "to.be.at.least",
	expect.Below.ID: "to.be.below", expect.AtMost.ID: "to.be.at.most", expect.IsType.ID: "to.be.a",
}

// testOf returns the statement of a check; "" if there is none.
func testOf(c expect.Check) string {
	class := strings.HasSuffix(strings.ToLower(c.Value), "xx")
	subject := ""
	switch c.Kind {
	case expect.Status.ID:
		subject = "pm.response.code"
		if op := c.Op; class && (op == expect.Is.ID || op == expect.IsNot.ID) {
			return classTest(c)
		}
	case expect.Time.ID:
		subject = "pm.response.responseTime"
	case expect.Size.ID:
		subject = "pm.response.responseSize"
	case expect.Header.ID:
		switch c.Op {
		case expect.Exists.ID:
			return "pm.response.to.have.header(" + quote(c.Target) + ")"
		case expect.Absent.ID:
			return "pm.response.to.not.have.header(" + quote(c.Target) + ")"
		}
		subject = "pm.response.headers.get(" + quote(c.Target) + ")"
	case expect.JSON.ID:
		path, ok := strings.CutPrefix(c.Target, "$")
		if !ok || !testPath.MatchString(path) {
			return ""
		}
		subject = "pm.response.json()" + path
	default:
		return ""
	}
	return claimOf(c, "pm.expect("+subject+").", class)
}

// classTest returns the statement of a check for a class of statuses.
func classTest(c expect.Check) string {
	for _, word := range []string{"success", "redirection", "clientError", "serverError"} {
		if c.Op == expect.Is.ID && classes[word] == strings.ToLower(c.Value) {
			return "pm.response.to.be." + word
		}
	}
	return ""
}

// claimOf returns a statement from its beginning.
func claimOf(c expect.Check, begin string, class bool) string {
	switch c.Op {
	case expect.Exists.ID:
		return begin + "to.exist"
	case expect.Absent.ID:
		return begin + "to.be.undefined"
	case expect.Matches.ID:
		return begin + "to.match(/" + strings.ReplaceAll(c.Value, "/", `\/`) + "/)"
	case expect.OneOf.ID:
		var values []string
		for one := range strings.SplitSeq(c.Value, ",") {
			values = append(values, valueInTest(c, strings.TrimSpace(one)))
		}
		if class || strings.Contains(c.Value, "xx") {
			return ""
		}
		return begin + "to.be.oneOf([" + strings.Join(values, ", ") + "])"
	}
	chain := chains[c.Op]
	if chain == "" {
		return ""
	}
	return begin + chain + "(" + valueInTest(c, c.Value) + ")"
}

// valueInTest returns the expected value as JavaScript.
func valueInTest(c expect.Check, value string) string {
	if name, ok := strings.CutPrefix(value, "{{"); ok && strings.HasSuffix(name, "}}") && !strings.Contains(name, "{") {
		return "pm.variables.get(" + quote(strings.TrimSuffix(name, "}}")) + ")"
	}
	text := c.Kind == expect.Header.ID || c.Op == expect.IsType.ID
	if !text && json.Valid([]byte(value)) {
		return value
	}
	return quote(value)
}

// quote returns a text as a string of JavaScript.
func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return strconv.Quote(text)
	}
	return string(quoted)
}
