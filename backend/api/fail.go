package api

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// status maps the kinds of faults to HTTP statuses.
var status = map[fault.Kind]int{
	fault.Invalid:   http.StatusBadRequest,
	fault.NoLogin:   http.StatusUnauthorized,
	fault.Denied:    http.StatusForbidden,
	fault.Unknown:   http.StatusNotFound,
	fault.NoMethod:  http.StatusMethodNotAllowed,
	fault.Conflict:  http.StatusConflict,
	fault.Changed:   http.StatusPreconditionFailed,
	fault.TooLarge:  http.StatusRequestEntityTooLarge,
	fault.MediaType: http.StatusUnsupportedMediaType,
	fault.TooMany:   http.StatusTooManyRequests,
	fault.Busy:      http.StatusServiceUnavailable,
	fault.Offline:   http.StatusBadGateway,
	fault.Full:      http.StatusInsufficientStorage,
	fault.Running:   http.StatusAccepted,
	fault.Internal:  http.StatusInternalServerError,
}

// Status returns the HTTP status of an error of that kind; its errorCode is 1,000
// more.
func Status(kind fault.Kind) int { return status[kind] }

// Success returns the HTTP status of e's successful response on the native
// mount.
func Success(e *resource.Endpoint) int {
	if e.Creates {
		return http.StatusCreated
	}
	return http.StatusOK
}

// fail sends err. If the request was cancelled, err comes from the canceled query: fail sends
// the cause instead, and drops it if the caller has disconnected.
func (x *exchange) fail(err error) {
	f := fault.Of(err)
	if f.Kind == fault.Internal {
		if ctx := x.r.Context(); ctx.Err() != nil {
			if f = fault.Of(context.Cause(ctx)); f.Kind == fault.Internal {
				panic(http.ErrAbortHandler)
			}
			x.refuse(f)
			return
		}
		damaged := x.Damaged != nil && x.Damaged(f.Err)
		if f = x.report(f); damaged {
			f.Kind, f.Message = fault.Busy,
				"the portal's database is damaged; run spyglass check to find the damaged file"
		}
	}
	x.refuse(f)
}

// refuse sends the error. If the response has begun, it is aborted, so that no
// client takes a part of it for the whole.
func (x *exchange) refuse(f *fault.Error) {
	if x.begun {
		panic(http.ErrAbortHandler)
	}
	h := x.w.Header()
	h["Content-Type"], h["Cache-Control"] = typeJSON, noStore
	if f.RetryAfter > 0 {
		h["Retry-After"] = []string{strconv.Itoa(seconds(f.RetryAfter))}
	}
	if f.Kind == fault.NoLogin {
		h["WWW-Authenticate"] = []string{`Bearer realm="Spyglass"`}
	}
	x.send(status[f.Kind], failure(f))
}

// report logs the details of an internal error, and returns an error with the
// request id for the caller.
func (x *exchange) report(f *fault.Error) *fault.Error {
	id := rand.Text()[:12]
	x.Log.ErrorContext(x.r.Context(), "request failed", "request", id, "method", x.r.Method, "path", x.r.URL.Path,
		"err", f.Err)
	return &fault.Error{
		Kind: fault.Internal, Message: "the portal failed with an internal error; its log has the details under the " +
			"request id " + id,
		Detail: map[string]any{"requestId": id},
	}
}

// Failure returns the HTTP status of an error, and its body as every portal sends it.
func Failure(f *fault.Error) (code int, body []byte) { return status[f.Kind], failure(f) }

// failure returns the body of an error (wire.md, Errors).
func failure(f *fault.Error) []byte {
	out := resource.AppendString([]byte(`{"errorMessage":`), f.Message)
	out = strconv.AppendInt(append(out, `,"errorCode":`...), int64(1000+status[f.Kind]), 10)
	return append(append(append(out, `,"errorDetail":`...), detail(f)...), '}')
}

func detail(f *fault.Error) []byte {
	out := []byte{'{'}
	add := func(key string, value any) {
		text, err := encode(value)
		if err != nil { // omit a detail that cannot be sent; the message suffices
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(resource.AppendString(out, key), ':'), text...)
	}
	if f.Field != "" {
		add("field", f.Field)
		add("reason", f.Message)
	}
	if len(f.Allowed) > 0 {
		add("allowed", f.Allowed)
	}
	if each, ok := f.Detail.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(each)) {
			add(key, each[key])
		}
	} else if text, err := encode(f.Detail); err == nil && len(text) > len("{}") {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, text[1:len(text)-1]...)
	}
	if len(out) == 1 {
		return []byte("null")
	}
	return append(out, '}')
}

// rescue turns a panic into a 500, so that it ends only its own request.
func (x *exchange) rescue() {
	cause := recover()
	if cause == nil {
		return
	}
	if cause == http.ErrAbortHandler {
		panic(cause)
	}
	x.refuse(x.report(&fault.Error{Err: fmt.Errorf("panic: %v\n%s", cause, debug.Stack())}))
}
