package client

// Failure says how far a request to another portal got before it failed. An error
// has it as Detail["failure"], for the page's explanation.
type Failure string

// The failures. Except after the first, the portal may have processed the
// request.
const (
	Unreached  Failure = "unreached"   // no connection: nothing was sent
	NoResponse Failure = "no_response" // the connection was closed without a response
	TimedOut   Failure = "timed_out"   // no response within the timeout
	Stalled    Failure = "stalled"     // the response was not complete within the timeout
	Incomplete Failure = "incomplete"  // the response ended early
	Unreadable Failure = "unreadable"  // the response is not HTTP, or is too large
	Redirects  Failure = "redirects"   // there were only redirects
	Unstored   Failure = "unstored"    // the response did not fit on this disk
)
