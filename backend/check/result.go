package check

import (
	"errors"
	"strings"
)

// Result is the outcome of one check of an instance.
type Result struct {
	InstanceID int64   `json:"instanceId" doc:"the instance"`
	At         int64   `json:"at" doc:"when, in epoch seconds"`
	Took       float64 `json:"took" doc:"milliseconds"`
	Values     Values  `json:"values" doc:"raw fields by name; missing fields have no data"`
	Error      string  `json:"error,omitempty" doc:"why there are no values, or why they are bad, as a sentence"`
	Responded  *bool   `json:"answered,omitempty" doc:"whether the device responded; default: true if there are values"`
	Local      string  `json:"local,omitempty" doc:"what the collector's own machine lacks: network, uplink (it has a route, but no device responds) or descriptors; the result then says nothing about the device. Else empty"`
	Reached    bool    `json:"reached,omitempty" doc:"true for the first response after results with local uplink: its network works again"`
}

// Tidy truncates the texts of a remote collector.
func (r *Result) Tidy() {
	if len(r.Error) > maxReason {
		r.Error = strings.ToValidUTF8(r.Error[:maxReason], "")
	}
	if r.Local != LocalNetwork && r.Local != LocalUplink && r.Local != LocalDescriptors {
		r.Local = ""
	}
}

// Set stores the values and the error that Run returned.
func (r *Result) Set(values Values, err error) {
	r.Values = values
	responded := err == nil
	if err != nil {
		r.Error = plainly(err)
		var f *Failure
		if errors.As(err, &f) {
			responded, r.Local = f.Responded, f.Local
		}
	}
	r.Responded = &responded
}
