package workspace

import (
	"encoding/json"
	"slices"
	"strings"

	"spyglass/app/expect"
	"spyglass/backend/fault"
)

// Draft is a request while it is edited, exactly as typed: {{variables}} and
// {parameters} are unresolved.
type Draft struct {
	Method     string `json:"method" enum:"GET|POST|PUT|PATCH|DELETE"`
	Path       string `json:"path" doc:"as typed; can contain a query"`
	Template   string `json:"template" doc:"its path template in the catalog; empty: none"`
	PathParams Rows   `json:"pathParams" doc:"the value of each {parameter}"`
	Query      Rows   `json:"query" doc:"added to the path's own query, in this order"`
	Headers    Rows   `json:"headers" doc:"sent in addition to the automatic headers"`
	Body       string `json:"body" doc:"the text, exactly"`
	Mode       string `json:"mode" enum:"form|raw" doc:"how the body is edited"`
	Timeout    int64  `json:"timeout,omitempty" doc:"seconds to wait for the response; 0: the portal's default"`

	Checks []expect.Check `json:"checks,omitempty" doc:"checks of the response, in display order"`
}

// Row is one row of a table in a draft.
type Row struct {
	On    bool   `json:"on" doc:"whether it is sent"`
	Key   string `json:"key"`
	Value string `json:"value"`
	Doc   string `json:"doc,omitempty" doc:"a note"`
}

// Rows is a table in a draft. Its JSON is a list, even if empty.
type Rows []Row

// MarshalJSON writes [] for an empty table.
func (r Rows) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Row(r))
}

// Methods lists the HTTP methods that a draft may have.
var Methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// HasBody reports whether a request with that method has a body. Drafts with
// other methods may keep one, but it is not sent.
func HasBody(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }

// MaxTimeout is the longest timeout of a draft, in seconds.
const MaxTimeout = 3600

// emptyDraft is the draft of a new tab.
var emptyDraft = Draft{Method: "GET", Mode: "form"}

// Check completes a draft and refuses invalid values; field is the draft's name
// in the error.
func (d *Draft) Check(field string) error {
	if d.Method == "" {
		d.Method = emptyDraft.Method
	}
	if d.Mode == "" {
		d.Mode = emptyDraft.Mode
	}
	switch {
	case !slices.Contains(Methods, d.Method):
		return &fault.Error{Kind: fault.Invalid, Field: field + ".method", Message: "the method must be one of " +
			strings.Join(Methods, ", "), Allowed: allowed(Methods)}
	case d.Mode != "form" && d.Mode != "raw":
		return &fault.Error{Kind: fault.Invalid, Field: field + ".mode", Message: "the mode must be form or raw",
			Allowed: []any{"form", "raw"}}
	case d.Timeout < 0 || d.Timeout > MaxTimeout:
		return fault.At(field+".timeout",
			"the timeout is a whole number of seconds from 0, for the portal's own, to %d", MaxTimeout)
	}
	return expect.Verify(field+".checks", d.Checks)
}

func allowed(words []string) []any {
	out := make([]any, len(words))
	for i, w := range words {
		out[i] = w
	}
	return out
}
