package serve

import "spyglass/backend/resource"

// Detail holds the facts about an error of /explorer for the page, beside the field
// that every error names.
type Detail struct {
	Address     string       `json:"address,omitempty" doc:"host and port of the portal"`
	Answered    bool         `json:"answered,omitempty" doc:"something arrived from the portal"`
	At          *int         `json:"at,omitempty" null:"no" doc:"where in the text of the field the mistake is"`
	Certificate *Certificate `json:"certificate,omitempty" null:"no" doc:"the one that is not trusted"`
	Failure     Failure      `json:"failure,omitempty" doc:"how far the request got"`
	Missing     []string     `json:"missing,omitempty" null:"no" doc:"path parameters without a value"`
	Portal      int64        `json:"portal,omitempty" doc:"the remote portal"`
	ReadOnly    bool         `json:"readOnly,omitempty" doc:"the portal is locked for writes"`
	Received    int64        `json:"received,omitempty" doc:"bytes of the body that arrived"`
	Status      string       `json:"status,omitempty" doc:"status of the response, such as 200 OK"`
	Timeout     bool         `json:"timeout,omitempty" doc:"the timeout ended it"`
	Unknown     []string     `json:"unknown,omitempty" null:"no" doc:"variables without a value"`
}

// Certificate describes a certificate to a user who must decide whether to trust it. Times are
// milliseconds since 1970.
type Certificate struct {
	Fingerprint string   `json:"fingerprint"`
	Subject     string   `json:"subject"`
	Issuer      string   `json:"issuer"`
	NotBefore   int64    `json:"notBefore"`
	NotAfter    int64    `json:"notAfter"`
	Names       []string `json:"names" doc:"hosts and addresses that it is for"`
}

// Failure says how far a request to another portal got before it failed.
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

// Schema implements resource.Described.
func (Failure) Schema() resource.Schema {
	return resource.Schema{Type: "string", Enum: []any{Unreached, NoResponse, TimedOut, Stalled, Incomplete,
		Unreadable, Redirects, Unstored}}
}
