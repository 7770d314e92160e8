package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Limits of a response.
const (
	maxResponse  = 1 << 20
	maxHeader    = 64 << 10
	maxRedirects = 5
)

func httpCheck(d *Dialer) Check {
	return Check{
		Name: "http", Title: "Web page", PublishedName: "webpage", PublishedSearch: "ad_http",
		Needs: &Need{Property: "http.url", Label: "URL", Example: "https://shop.example.net/"},
		Doc:   "A web page: its status, response time and content.",
		Attributes: []Setting{
			{"url", "the address, http or https"}, {"method", "GET or HEAD; GET unless given"},
			{"followRedirect", "true or false; true unless given"},
			{"text", "what the page should hold"}, {"timeout", "how long to wait, in milliseconds; 10000 unless given"},
		},
		Fields: []Setting{
			{"status", "status code of the response"}, {"responseTime", "time until it was complete, in milliseconds"},
			{"size", "its size in bytes; at most 1 MiB is read"}, {"found", "1 when it holds the text, else 0"},
		},
		ConnectsTo: func(t *Task) string {
			if at, err := url.Parse(t.Attribute("url", "")); err == nil && at.Host != "" {
				return at.Hostname()
			}
			return t.Host
		},
		Run: func(ctx context.Context, t *Task) (Values, error) {
			ctx, cancel, err := t.within(ctx, 10*time.Second)
			if err != nil {
				return nil, err
			}
			defer cancel()
			return d.page(ctx, t)
		},
	}
}

func (d *Dialer) page(ctx context.Context, t *Task) (Values, error) {
	at, err := url.Parse(t.Attribute("url", "http://"+t.Host+"/"))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, errors.New("the url must be a web address, http://… or https://…")
	}
	method := strings.ToUpper(t.Attribute("method", http.MethodGet))
	if method != http.MethodGet && method != http.MethodHead {
		return nil, fmt.Errorf("the method must be GET or HEAD, not %q", method)
	}
	r, err := http.NewRequestWithContext(ctx, method, at.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "Spyglass")
	// without a proxy, which would connect to addresses itself
	transport := &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		switch {
		case !strings.EqualFold(t.Attribute("followRedirect", "true"), "true"):
			return http.ErrUseLastResponse
		case len(via) > maxRedirects:
			return &Failure{Text: "The page redirects more than 5 times.", Responded: true}
		case to.URL.Scheme != "http" && to.URL.Scheme != "https":
			return &Failure{Text: "The page redirects to something that is not http or https.", Responded: true}
		}
		return nil
	}}
	began := time.Now()
	response, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return nil,
			&Failure{Text: fmt.Sprintf("The page began with status %d, but was not complete: %s.", response.StatusCode,
				plainly(err)), Responded: true}
	}
	out := Values{"status": float64(response.StatusCode), "responseTime": millis(began), "size": float64(len(body))}
	if text := t.Attribute("text", ""); text != "" {
		out["found"] = truth(strings.Contains(string(body), text))
	}
	return out, nil
}
