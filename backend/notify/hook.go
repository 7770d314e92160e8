package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"

	"spyglass/backend/portal/alert"
)

// hook sends to web hooks.
type hook struct {
	*Service
	client *http.Client
}

// maxHookResponse limits how much of a response is read. The response is used only
// in errors.
const maxHookResponse = 4 << 10

func newHook(s *Service) hook {
	transport := &http.Transport{
		DialContext: s.o.Dial, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: s.o.Roots},
		TLSHandshakeTimeout: attempt, MaxResponseHeaderBytes: 64 << 10, IdleConnTimeout: time.Minute,
	} // no proxy, which would connect to addresses itself
	return hook{s, &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // do not send a secret to another address
	}}}
}

func (h hook) send(ctx context.Context, i *alert.Integration, d *alert.Delivery) error {
	request, err := http.NewRequestWithContext(ctx, i.Method, i.URL, strings.NewReader(d.Payload))
	if err != nil {
		return refused{err}
	}
	for _, header := range i.Headers {
		request.Header.Set(header.Name, header.Value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Spyglass/"+h.o.Version)
	request.Header.Set("Idempotency-Key", d.Key)
	if i.Secret != "" {
		request.Header.Set(i.SecretHeader, i.Secret)
	}
	if i.SigningKey != "" {
		at := strconv.FormatInt(h.o.Clock().Unix(), 10)
		request.Header.Set("X-Spyglass-Timestamp", at)
		request.Header.Set("X-Spyglass-Signature", "sha256="+sign(i.SigningKey, at+"."+d.Payload))
	}
	connected := false
	request = request.WithContext(
		httptrace.WithClientTrace(
			ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }}))
	response, err := h.client.Do(request)
	if err != nil {
		var why interface{ Unwrap() error } // without the address and its query, which the error text includes
		if errors.As(err, &why) && why.Unwrap() != nil {
			err = why.Unwrap()
		}
		err = fmt.Errorf("%s did not respond: %w", request.URL.Host, err)
		if !connected {
			return unsent{err}
		}
		return err
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxHookResponse)) // only for the error text
	return hookError(request.URL.Host, response.StatusCode, response.Status, string(body))
}

// hookError converts a response to an error. A retry may succeed if the server is
// busy or broken, but not if it refuses the notice.
func hookError(host string, code int, status, body string) error {
	if code >= 200 && code < 300 {
		return nil
	}
	err := fmt.Errorf("%s responded with %s", host, status)
	if text := oneLine(body); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	switch {
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly,
		code == http.StatusTooManyRequests:
		return unsent{err}
	case code >= 300 && code < 400:
		return refused{fmt.Errorf("%w; Spyglass does not follow redirects, change the address", err)}
	}
	return refused{err}
}

// sign returns the HMAC-SHA256 of text, in hex.
func sign(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}
