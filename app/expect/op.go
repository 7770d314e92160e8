package expect

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/pattern"
	"spyglass/backend/resource"
)

// Op compares an actual value with the expected one.
type Op struct {
	ID, Label string
	Value     bool // it has a value to compare with

	missing bool // what it returns where there is no actual value
	anySize bool // it does not read the value
	passes  func(v Value, want string) (bool, error)
}

// The operators, of which each kind lists its own.
var (
	Is      = Op{ID: "is", Label: "is", Value: true, passes: is}
	IsNot   = Op{ID: "isNot", Label: "is not", Value: true, passes: not(is)}
	OneOf   = Op{ID: "oneOf", Label: "is one of", Value: true, passes: oneOf}
	Holds   = Op{ID: "contains", Label: "contains", Value: true, passes: contains}
	Lacks   = Op{ID: "lacks", Label: "does not contain", Value: true, passes: not(contains)}
	Matches = Op{ID: "matches", Label: "matches", Value: true, passes: matches}
	Above   = Op{ID: "above", Label: "is above", Value: true, passes: number(func(c int) bool { return c > 0 })}
	AtLeast = Op{ID: "atLeast", Label: "is at least", Value: true, passes: number(func(c int) bool { return c >= 0 })}
	Below   = Op{ID: "below", Label: "is below", Value: true, passes: number(func(c int) bool { return c < 0 })}
	AtMost  = Op{ID: "atMost", Label: "is at most", Value: true, passes: number(func(c int) bool { return c <= 0 })}
	IsType  = Op{ID: "type", Label: "has the type", Value: true, anySize: true, passes: isType}
	Exists  = Op{ID: "exists", Label: "exists", anySize: true, passes: always}
	Absent  = Op{ID: "absent", Label: "does not exist", missing: true, anySize: true, passes: never}
)

func is(v Value, want string) (bool, error) { return equal(v, want), nil }

func always(Value, string) (bool, error) { return true, nil }
func never(Value, string) (bool, error)  { return false, nil }

// holds reports whether the operator accepts a value, found or missing.
func (o *Op) holds(v Value, found bool, want string) (bool, error) {
	if !found {
		return o.missing, nil
	}
	if v.Large && !o.anySize {
		return false, fault.New(fault.Invalid, "the value has more than %d KiB, too much to compare", MaxValue>>10)
	}
	return o.passes(v, want)
}

func not(passes func(Value, string) (bool, error)) func(Value, string) (bool, error) {
	return func(v Value, want string) (bool, error) {
		yes, err := passes(v, want)
		return !yes && err == nil, err
	}
}

// equal compares by the type of the actual value: 1.0 is 1, and the order of keys does
// not count. A string may be typed with its quotes.
func equal(v Value, want string) bool {
	if v.Also != "" && strings.EqualFold(v.Also, strings.TrimSpace(want)) {
		return true
	}
	switch v.Kind {
	case "string":
		var plain string
		return v.Text == want || json.Unmarshal([]byte(want), &plain) == nil && v.Text == plain
	case "number":
		c, ok := compare(v.Text, strings.TrimSpace(want))
		return ok && c == 0
	case "object", "array":
		have, err := resource.ParseJSON([]byte(v.Text))
		if err != nil {
			return v.Text == want
		}
		expected, err := resource.ParseJSON([]byte(want))
		return err == nil && same(have, expected)
	}
	return v.Text == strings.TrimSpace(want)
}

// same compares JSON values, regardless of the order of keys.
func same(a, b resource.Node) bool {
	if a.Kind != b.Kind || len(a.Items) != len(b.Items) {
		return false
	}
	switch a.Kind {
	case '{':
		for i, key := range a.Keys {
			if in := b.Get(key); in == nil || !same(a.Items[i], *in) {
				return false
			}
		}
		return true
	case '[':
		return slices.EqualFunc(a.Items, b.Items, same)
	case '0':
		c, ok := compare(a.Text, b.Text)
		return ok && c == 0
	}
	return a.Text == b.Text
}

// compare compares two numbers, integers exactly; ok is false if one of them is none.
func compare(a, b string) (c int, ok bool) {
	i, err := strconv.ParseInt(a, 10, 64)
	j, err2 := strconv.ParseInt(b, 10, 64)
	if err == nil && err2 == nil {
		return cmp.Compare(i, j), true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y), err == nil && err2 == nil
}

// number returns an operator for numbers, and for strings that hold one.
func number(accepts func(c int) bool) func(Value, string) (bool, error) {
	return func(v Value, want string) (bool, error) {
		want = strings.TrimSpace(want)
		if _, err := strconv.ParseFloat(want, 64); err != nil {
			return false, fault.New(fault.Invalid, "%s is not a number", quoted(want))
		}
		c, ok := compare(strings.TrimSpace(v.Text), want)
		return ok && accepts(c), nil
	}
}

// oneOf accepts the values of a list with commas.
func oneOf(v Value, want string) (bool, error) {
	for one := range strings.SplitSeq(want, ",") {
		if equal(v, strings.TrimSpace(one)) {
			return true, nil
		}
	}
	return false, nil
}

// contains looks for a part of a text, an item of an array or a key of an object.
func contains(v Value, want string) (bool, error) {
	if v.Kind != "array" && v.Kind != "object" {
		return strings.Contains(v.Text, want), nil
	}
	node, err := resource.ParseJSON([]byte(v.Text))
	if err != nil {
		return false, err
	}
	if node.Kind == '{' {
		return node.Get(want) != nil, nil
	}
	return slices.ContainsFunc(node.Items, func(item resource.Node) bool { return equal(valueOf(item), want) }), nil
}

// valueOf returns a value of JSON.
func valueOf(n resource.Node) Value {
	if n.Kind == '"' {
		return Value{Kind: "string", Text: n.Text}
	}
	return Value{Kind: kindOfNode(n), Text: string(n.Raw)}
}

func kindOfNode(n resource.Node) string {
	switch n.Kind {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 'n':
		return "null"
	}
	return "boolean"
}

func matches(v Value, want string) (bool, error) {
	compiled, _, err := pattern.Compile(want, maxSteps)
	if err != nil {
		return false, fault.New(fault.Invalid, "%s is not a valid pattern: %s", quoted(want), err)
	}
	return compiled.MatchString(v.Text), nil
}

// types lists the types that a value can have.
var types = []string{"string", "number", "integer", "boolean", "null", "object", "array"}

func isType(v Value, want string) (bool, error) {
	want = strings.ToLower(strings.TrimSpace(want))
	if !slices.Contains(types, want) {
		return false, fault.New(fault.Invalid, "%s is not a type; use one of %s", quoted(want),
			strings.Join(types, ", "))
	}
	return v.Kind == want || want == "integer" && v.Kind == "number" && whole(v.Text), nil
}

// whole reports whether a number of JSON is an integer.
func whole(text string) bool {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return true
	}
	f, err := strconv.ParseFloat(text, 64)
	return err == nil && f == float64(int64(f))
}
