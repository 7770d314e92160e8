// Package expect checks responses against what a request expects of them.
//
// A Check names a kind, such as a header, the part of the response that it is about,
// an operator and a value:
//
//	{"on": true, "kind": "json", "target": "$.total", "op": "atLeast", "value": "1"}
//
// Kinds is the table of what can be checked; each kind has a file of its own and a line
// in the table, which the page requests.
//
// # Units
//
// Times are milliseconds, sizes bytes.
//
// # Limits
//
// A value, expected or actual, has at most MaxValue bytes, a pattern the size that
// package pattern allows, and a body that is compared with a schema at most MaxBody. The
// caller limits the time by ctx.
//
// # Concurrency and errors
//
// All functions are pure, and safe for concurrent use. A check that fails and one that
// cannot be evaluated are both results: a Problem says why.
package expect

import (
	"context"
	"strings"
	"unicode/utf8"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Check is one expectation of a response.
type Check struct {
	On     bool   `json:"on" doc:"whether it runs"`
	Kind   string `json:"kind" doc:"the id of a kind"`
	Target string `json:"target,omitempty" doc:"the name of a header, or a JSONPath or jq query"`
	Op     string `json:"op" doc:"the id of an operator"`
	Value  string `json:"value,omitempty" doc:"the expected value, as typed: variables are unresolved"`
}

// Limits of the checks of one request.
const (
	MaxChecks = 100
	MaxTarget = 4096      // bytes
	MaxValue  = 64 << 10  // bytes
	MaxBody   = 4 << 20   // bytes of a body that is compared with a schema
	maxShown  = 2_000     // characters of a value in a result
	maxSteps  = 2_000     // of a pattern, for each character
	nothing   = "nothing" // the actual value where there is none
)

// Verify refuses checks that exceed the limits. It accepts unfinished ones, as users
// type them.
func Verify(field string, checks []Check) error {
	if len(checks) > MaxChecks {
		return fault.At(field, "a request can have at most %d checks, not %d", MaxChecks, len(checks))
	}
	for _, c := range checks {
		switch {
		case len(c.Kind) > 100 || len(c.Op) > 100:
			return fault.At(field, "the kind and the operator of a check have at most 100 bytes")
		case len(c.Target) > MaxTarget:
			return fault.At(field, "the target of a check has at most %d bytes", MaxTarget)
		case len(c.Value) > MaxValue:
			return fault.At(field, "the value of a check has at most %d KiB", MaxValue>>10)
		}
	}
	return nil
}

// Value is the actual value that a check compares.
type Value struct {
	Kind  string // of JSON: string, number, boolean, null, object or array
	Text  string // a string decoded, anything else as JSON
	Also  string // another text that is equal to it: the class 2xx of a status
	Large bool   // Text is only the first MaxValue bytes
}

// Response is the response to check.
type Response struct {
	Status  int64
	Headers [][2]string
	MS      int64
	Bytes   int64
	Schema  *resource.Schema // what the catalog declares for success; nil: nothing
	Partial bool             // the request selects fields, so that others may be missing
	// Query returns the first value that a query finds, and the number of all.
	Query func(ctx context.Context, query string) (first Value, count int, err error)
	// Body returns the whole body, or an error if it is larger than MaxBody.
	Body func() ([]byte, error)
}

// Kind is one kind of check.
type Kind struct {
	ID, Label string
	Doc       string // one sentence
	Target    string // the label of the target; empty: it has none
	Hint      string // an example of a target
	Unit      string // of the value: ms or bytes; empty: none
	Example   string // of a value
	Ops       []*Op

	// read returns the actual value, and whether there is one.
	read func(ctx context.Context, r *Response, target string) (v Value, found bool, err error)
}

// Kinds lists all kinds, in the order to show them. To add one, add a file and its name
// here.
var Kinds = []*Kind{&Status, &JSON, &Header, &Schema, &Time, &Size}

// kindOf returns the kind with that id; nil if there is none.
func kindOf(id string) *Kind {
	for _, k := range Kinds {
		if k.ID == id {
			return k
		}
	}
	return nil
}

// op returns the operator with that id; nil if the kind has no such operator.
func (k *Kind) op(id string) *Op {
	for _, o := range k.Ops {
		if o.ID == id {
			return o
		}
	}
	return nil
}

// Result is the result of one check.
type Result struct {
	Check    Check  `json:"-"`
	Label    string `json:"label" doc:"the check in words: Status is 200"`
	Passed   bool   `json:"passed"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Problem  string `json:"problem" doc:"why it could not be evaluated; empty if it was"`
	Found    bool   `json:"-"` // there is an actual value
}

// Failed returns the number of results that did not pass.
func Failed(results []Result) (n int) {
	for i := range results {
		if !results[i].Passed {
			n++
		}
	}
	return n
}

// Run evaluates one check. value is its value with variables filled in.
func Run(ctx context.Context, r *Response, c Check, value string) Result {
	out := Result{Check: c, Label: Label(c)}
	kind := kindOf(c.Kind)
	if kind == nil {
		out.Problem = "this version of Spyglass has no checks of the kind " + quoted(c.Kind)
		return out
	}
	op := kind.op(c.Op)
	if op == nil {
		out.Problem = "choose an operator: a check of the kind " + kind.Label + " has none of the name " + quoted(c.Op)
		return out
	}
	out.Expected = kind.expected(op, value)
	if kind.Target != "" && strings.TrimSpace(c.Target) == "" {
		out.Problem = "enter the " + strings.ToLower(kind.Target)
		return out
	}
	v, found, err := kind.read(ctx, r, strings.TrimSpace(c.Target))
	if err == nil {
		out.Passed, err = op.holds(v, found, value)
	}
	out.Found = found
	if out.Actual = nothing; found {
		out.Actual = Cut(v.Text)
	}
	if err != nil {
		out.Passed, out.Problem = false, fault.Of(err).Message
	}
	return out
}

// Label returns a check in words; unfinished ones by their kind.
func Label(c Check) string {
	kind := kindOf(c.Kind)
	if kind == nil {
		return Cut(c.Kind)
	}
	op := kind.op(c.Op)
	if op == nil {
		return Cut(strings.TrimSpace(kind.Label + " " + c.Target))
	}
	return kind.label(op, c.Target, c.Value)
}

// label returns a check in words.
func (k *Kind) label(op *Op, target, value string) string {
	words := []string{k.Label}
	if k.Target != "" {
		words = append(words, strings.TrimSpace(target))
	}
	words = append(words, op.Label)
	if op.Value {
		words = append(words, value)
		if k.Unit != "" {
			words = append(words, k.Unit)
		}
	}
	return Cut(strings.Join(words, " "))
}

// expected returns what an operator expects, without the name of equality.
func (k *Kind) expected(op *Op, value string) string {
	switch {
	case op == &Is:
		return Cut(value)
	case op.Value:
		return Cut(op.Label + " " + value)
	}
	return op.Label
}

// ShownKind is a kind as the page receives it.
type ShownKind struct {
	ID      string    `json:"id"`
	Label   string    `json:"label"`
	Doc     string    `json:"doc"`
	Target  string    `json:"target" doc:"the label of the target; empty if it has none"`
	Hint    string    `json:"hint" doc:"an example of a target"`
	Unit    string    `json:"unit" doc:"unit of the value; empty for none"`
	Example string    `json:"example" doc:"example of a value"`
	Ops     []ShownOp `json:"ops"`
}

// ShownOp is an operator as the page receives it.
type ShownOp struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Value bool   `json:"value" doc:"it compares with a value"`
}

// Shown returns the table of kinds for the page.
func Shown(table []*Kind) []ShownKind {
	out := make([]ShownKind, len(table))
	for i, k := range table {
		out[i] = ShownKind{ID: k.ID, Label: k.Label, Doc: k.Doc, Target: k.Target, Hint: k.Hint, Unit: k.Unit,
			Example: k.Example, Ops: make([]ShownOp, len(k.Ops))}
		for j, o := range k.Ops {
			out[i].Ops[j] = ShownOp{o.ID, o.Label, o.Value}
		}
	}
	return out
}

// Cut returns the beginning of a value, short enough to be shown.
func Cut(text string) string {
	if utf8.RuneCountInString(text) <= maxShown {
		return text
	}
	return string([]rune(text)[:maxShown]) + "…"
}

func quoted(text string) string { return "“" + Cut(text) + "”" }
