package appliesto

// The limits of all expressions that are evaluated for one device together.
// Each write of a device evaluates them, inside its transaction.
const (
	MaxAllTerms = 50_000  // including the functions they call
	MaxAllSteps = 100_000 // total for their regular expressions, for each character of a value

	// maxAllWork limits the steps times the length of a value, like maxWork for
	// one expression. With the maximum number of steps, values of up to 200 bytes
	// are matched.
	maxAllWork = 20_000_000
)

// Load is the cost of expressions for each device.
type Load struct {
	Terms int // including the functions they call
	Steps int // total for their regular expressions, for each character of a value
}

// Load returns the work of the expression; 0 for a nil one.
func (e *Expr) Load() Load {
	if e == nil {
		return Load{}
	}
	return e.load
}

// Plus returns the work of both.
func (l Load) Plus(other Load) Load { return Load{l.Terms + other.Terms, l.Steps + other.Steps} }

// Within reports whether the load is within the limits of all expressions
// together, or at least not above was: expressions over the limits may always
// become cheaper.
func (l Load) Within(was Load) bool {
	return l.Terms <= max(was.Terms, MaxAllTerms) && l.Steps <= max(was.Steps, MaxAllSteps)
}

// Fit limits the cost of expressions that are evaluated together for one device.
// Call it before evaluating any of them. It sets expressions to nil that exceed
// the limits together with those before them, and returns their indexes. The
// regular expressions of the others match values of at most longest bytes.
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
