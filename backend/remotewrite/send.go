package remotewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/forward"
)

// laterError is an error after which the same batch may succeed later.
type laterError struct {
	error
	after time.Duration // requested by the receiver; 0: none
}

func (e *laterError) Unwrap() error { return e.error }

// maxResponse limits how much of a response is read, for its text.
const maxResponse = 4 << 10

// send makes one attempt. An error other than laterError is permanent.
func (s *Service) send(ctx context.Context, row *forward.RemoteWrite, batch []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, row.URL, bytes.NewReader(batch))
	if err != nil {
		return err
	}
	if s.o.Header != nil {
		request.Header = s.o.Header.Clone()
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("Content-Encoding", "snappy")
	request.Header.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
	request.Header.Set("User-Agent", "Spyglass/"+s.o.Version)
	switch row.Auth {
	case forward.AuthBasic:
		request.SetBasicAuth(row.Username, row.Secret)
	case forward.AuthBearer:
		request.Header.Set("Authorization", "Bearer "+row.Secret)
	}
	response, err := s.client.Do(request)
	if err != nil {
		var why interface{ Unwrap() error } // without the address and its query, which the error text includes
		if errors.As(err, &why) && why.Unwrap() != nil {
			err = why.Unwrap()
		}
		return &laterError{error: fmt.Errorf("%s did not respond: %w", request.URL.Host, err)}
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if response.StatusCode/100 == 2 {
		return nil
	}
	err = fmt.Errorf("%s responded with %s", request.URL.Host, response.Status)
	if text := strings.TrimSpace(string(body)); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	if s.isTemporary(response.StatusCode) {
		return &laterError{err, retryAfter(response.Header.Get("Retry-After"), s.o.Clock())}
	}
	return err
}

// isTemporary reports whether a receiver that responds with an error may accept the same
// batch later. A sample store has to get all samples: only what is wrong with them is final.
func (s *Service) isTemporary(status int) bool {
	if s.o.Store == nil {
		return status/100 == 5 || status == http.StatusTooManyRequests
	}
	switch status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return false
	}
	return true
}

// retryAfter parses seconds or a date (RFC 9110, 10.2.3).
func retryAfter(header string, now time.Time) time.Duration {
	if n, err := strconv.ParseInt(header, 10, 32); err == nil {
		return max(0, time.Duration(n)*time.Second)
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// oneLine returns an error text of the other side in the form that is stored.
func oneLine(err error) string {
	text := strings.ToValidUTF8(strings.Join(strings.Fields(err.Error()), " "), "?")
	if runes := []rune(text); len(runes) > 500 {
		return string(runes[:500]) + "…"
	}
	return text
}
