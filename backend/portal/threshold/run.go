package threshold

// Run is the severity of an alert, and the polls in a row that were worse or
// better than it. The zero Run is a data point without an alert.
type Run struct {
	Severity int64 // of the alert; 0: none

	polls   int64
	towards int64 // the severity that all of them reached
	worse   bool
}

// Step counts a poll. news is true when enough polls in a row were worse (opens),
// or better (clears), than the alert; to is then the severity that all of them
// reached. The caller sets Severity to it, which begins a new count.
func (r *Run) Step(severity, opens, clears int64) (news bool, to int64) {
	if severity == r.Severity {
		r.polls = 0
		return false, 0
	}
	worse := severity > r.Severity
	if r.polls == 0 || r.worse != worse {
		r.polls, r.towards, r.worse = 0, severity, worse
	}
	r.polls++
	if worse {
		r.towards = min(r.towards, severity)
		return r.polls >= opens, r.towards
	}
	r.towards = max(r.towards, severity)
	return r.polls >= clears, r.towards
}
