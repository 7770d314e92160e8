package appliesto

// The limits of all expressions that are evaluated for one device together.
// Each write of a device evaluates them, inside its transaction.
const (
	MaxAllTerms = 50_000  // with the functions they call written out
	MaxAllSteps = 100_000 // of their regular expressions, for each character of a value

	// maxAllWork bounds the steps times the length of a value, as maxWork does
	// for one expression. With the maximum number of steps, values of up to 200
	// bytes are matched.
	maxAllWork = 20_000_000
)

// Load is the cost of expressions for each device.
type Load struct {
	Terms int // with the functions they call written out
	Steps int // of their regular expressions, for each character of a value
}

// Load returns the work of the expression; none for a nil one.
func (e *Expr) Load() Load {
	if e == nil {
		return Load{}
	}
	return e.load
}

// Plus returns the work of both.
func (l Load) Plus(other Load) Load { return Load{l.Terms + other.Terms, l.Steps + other.Steps} }

// Within reports whether it is no more than all expressions together may be, or
// else no more than was: what is over the limits already may always get cheaper.
func (l Load) Within(was Load) bool {
	return l.Terms <= max(was.Terms, MaxAllTerms) && l.Steps <= max(was.Steps, MaxAllSteps)
}

// Fit bounds the cost of expressions that are evaluated together for one
// device; it is called before any of them is evaluated. It takes them in order
// and sets to nil those that do not fit beside the ones before, and returns
// their indices. The regular expressions of the others search values of at most
// longest bytes, or fewer.
func Fit(all []*Expr) (over []int, longest int) {
	var sum Load
	for i, e := range all {
		with := sum.Plus(e.Load())
		if !with.Within(Load{}) {
			all[i], over = nil, append(over, i)
			continue
		}
		sum = with
	}
	longest = maxAllWork / max(1, sum.Steps)
	for _, e := range all {
		if e != nil {
			*e.longest = min(*e.longest, longest)
		}
	}
	return over, longest
}
