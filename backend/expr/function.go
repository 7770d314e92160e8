package expr

import (
	"math"
	"slices"
	"strings"
)

// function is an operator or a function: the number of its values, and its
// computation. No value is NaN, except for un.
type function struct {
	name        string
	least, most int
	rpn         int // number of values in reverse Polish notation
	of          func(v []float64) float64
}

const many = 50 // maximum number of values of min and max

// functions lists the functions that are called by name; the node evaluates if.
var functions = []function{
	{"if", 3, 3, 3, nil},
	{"min", 1, many, 2, func(v []float64) float64 { return slices.Min(v) }},
	{"max", 1, many, 2, func(v []float64) float64 { return slices.Max(v) }},
	{"abs", 1, 1, 1, one(math.Abs)},
	{"floor", 1, 1, 1, one(math.Floor)},
	{"ceil", 1, 1, 1, one(math.Ceil)},
	{"sqrt", 1, 1, 1, one(math.Sqrt)},
	{"exp", 1, 1, 1, one(math.Exp)},
	{"ln", 1, 1, 1, one(math.Log)},
	{"log", 1, 1, 1, one(math.Log10)},
	{"round", 1, 2, 1, round},
	{"un", 1, 1, 1, func(v []float64) float64 { return truth(math.IsNaN(v[0])) }},
}

// operators lists the binary operators, lowest precedence first.
var operators = [][]function{
	{two("||", func(a, b float64) float64 { return truth(a != 0 || b != 0) })},
	{two("&&", func(a, b float64) float64 { return truth(a != 0 && b != 0) })},
	{
		two("<=", func(a, b float64) float64 { return truth(a <= b) }),
		two(">=", func(a, b float64) float64 { return truth(a >= b) }),
		two("==", func(a, b float64) float64 { return truth(a == b) }),
		two("!=", func(a, b float64) float64 { return truth(a != b) }),
		two("<", func(a, b float64) float64 { return truth(a < b) }),
		two(">", func(a, b float64) float64 { return truth(a > b) }),
		two("=", func(a, b float64) float64 { return truth(a == b) }),
	},
	{two("+", func(a, b float64) float64 { return a + b }), two("-", func(a, b float64) float64 { return a - b })},
	{two("*", func(a, b float64) float64 { return a * b }), two("/", divide), two("%", math.Mod)},
}

// comparing is the level of operators that cannot be chained.
const comparing = 2

var (
	power  = two("^", math.Pow)
	negate = function{"-", 1, 1, 1, func(v []float64) float64 { return -v[0] }}
	not    = function{"!", 1, 1, 1, func(v []float64) float64 { return truth(v[0] == 0) }}
)

func one(of func(float64) float64) func([]float64) float64 {
	return func(v []float64) float64 { return of(v[0]) }
}

func two(name string, of func(a, b float64) float64) function {
	return function{name, 2, 2, 2, func(v []float64) float64 { return of(v[0], v[1]) }}
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func divide(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}

// round rounds to the nearest number, halves away from zero; the second value is
// the number of decimal places, at most 15.
func round(v []float64) float64 {
	if len(v) == 1 || v[1] == 0 {
		return math.Round(v[0])
	}
	scale := math.Pow(10, math.Trunc(max(-15, min(15, v[1]))))
	if r := math.Round(v[0]*scale) / scale; !math.IsInf(r, 0) {
		return r
	}
	return v[0] // too large for decimal places
}

// called returns the function with a name, ignoring case; nil for none.
func called(name string) *function {
	for i := range functions {
		if strings.EqualFold(functions[i].name, name) {
			return &functions[i]
		}
	}
	return nil
}
