package payload

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"
)

// Problem is the error in a response, in the portal's words.
type Problem struct {
	Message    string `json:"message" doc:"the portal's own words"`
	Field      string `json:"field" doc:"the parameter or field that is wrong; empty when unknown"`
	Allowed    []any  `json:"allowed"`
	Right      string `json:"right" doc:"permission that the role does not have"`
	RetryAfter int64  `json:"retryAfter" doc:"seconds to wait; 0 when unknown"`
}

// MaxProblem limits the bytes of an error response that are parsed.
const MaxProblem = 64 << 10

// ProblemOf parses the body of an error response; nil if it is not an error.
func ProblemOf(status int64, headers [][2]string, body []byte) *Problem {
	if status < 400 {
		return nil
	}
	p := problemOf(body)
	if p.Allowed == nil {
		p.Allowed = []any{}
	}
	header := http.Header{}
	for _, h := range headers {
		header.Add(h[0], h[1])
	}
	if IsTemporary(int(status), header) {
		p.RetryAfter = int64(max(RetryAfter(header, time.Now()), time.Second).Seconds())
	}
	return p
}

// MessageOf returns the message of the error that a body is; empty when it is none.
func MessageOf(body []byte) string { return problemOf(body).Message }

// problemOf reads the body of an error. Fields that the body omits stay empty.
func problemOf(body []byte) *Problem {
	var in struct {
		ErrorMessage string
		ErrMsg       string
		Message      string
		ErrorDetail  struct {
			Field   string
			Allowed []any
			Right   string
		}
	}
	_ = json.Unmarshal(body, &in)
	return &Problem{Message: cmp.Or(in.ErrorMessage, in.ErrMsg, in.Message), Field: in.ErrorDetail.Field,
		Allowed: in.ErrorDetail.Allowed, Right: in.ErrorDetail.Right}
}
