package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"spyglass/backend/resource"
	"spyglass/backend/session"
)

// signer creates a token of admin for LMv1 signatures.
func (p *served) signer(t *testing.T) session.Created {
	t.Helper()
	id, err := p.sessions.UserID(t.Context(), "admin")
	must(t, err)
	made, err := p.sessions.CreateToken(t.Context(), id, "signs", "admin")
	must(t, err)
	return made
}

// announce sends the header of a POST without its body, and reads the response.
func (p *served) announce(t *testing.T, path, authorization string, length int) string {
	t.Helper()
	c, err := net.Dial("tcp", p.host)
	must(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n", path, p.host, authorization, length)
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	must(t, err)
	text, err := io.ReadAll(response.Body)
	must(t, err)
	return fmt.Sprint(response.StatusCode, " ", string(text))
}

func TestBodyIsNotReadBeforeAuthentication(t *testing.T) {
	large := echo("POST", "/large")
	large.Limit = 64 << 20
	p := newPortal(
		t, func(o *Options) { o.Explorer = []resource.Endpoint{large}; o.Endpoints = append(o.Endpoints, large) })
	known := p.signer(t).AccessID
	late := fmt.Sprint(time.Now().Add(-time.Hour).UnixMilli())
	soon := fmt.Sprint(time.Now().UnixMilli())
	const stale = `401 {"errorMessage":"the time of the LMv1 signature must be epoch milliseconds within 30 minutes ` +
		`of this portal's clock","errorCode":1401,"errorDetail":null}`
	for _, tt := range []struct{ what, authorization, want string }{
		{"no LMv1 at all", "LMv1 x", `401 {"errorMessage":"LMv1 takes <accessId>:<signature>:<epochMillis>",` +
			`"errorCode":1401,"errorDetail":null}`},
		{"an unknown access id", "LMv1 nobody:x:" + soon, "401 " + badToken},
		{"a time long ago", "LMv1 " + known + ":x:" + late, stale},
		{"a known access id, and more than may be signed", "LMv1 " + known + ":x:" + soon,
			`413 {"errorMessage":"the body is larger than 4194304 bytes","errorCode":1413,"errorDetail":null}`},
		{"a bearer token of nobody", "Bearer x", "401 " + badToken},
	} {
		for _, mount := range []string{"/api", "/santaba/rest", "/explorer"} {
			t.Run(tt.what+mount, func(t *testing.T) {
				if got := p.announce(t, mount+"/large", tt.authorization, 60<<20); got != tt.want {
					t.Errorf("got %s\nwant %s", got, tt.want)
				}
			})
		}
	}
}

func TestBodiesInFlightShareOneBudget(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	p := newPortal(t, func(o *Options) {
		o.BodyBudget = 16 << 10
		wait := echo("POST", "/wait")
		wait.Limit = 0
		wait.Handle = holdUntil(inside, leave)
		o.Explorer = append(o.Explorer, wait)
	})
	const crowded = `{"errorMessage":"the portal is receiving too much data at the moment;` +
		` send the request again in a second","errorCode":1503,"errorDetail":null}`
	body := `"` + strings.Repeat("x", 10<<10) + `"`
	for range 3 { // each request releases its share of the budget
		if response, text := p.request("POST /api/device/devices", "admin", body); response.StatusCode != 400 {
			t.Fatalf("a body within the budget returns %d %s", response.StatusCode, text)
		}
	}
	first := make(chan int)
	go func() {
		response, _ := p.request("POST /explorer/wait", "admin", body)
		first <- response.StatusCode
	}()
	<-inside
	p.play(t, []scenario{
		{do: "POST /api/device/devices", as: "token", body: body, code: 503, want: crowded, headers: "Retry-After: 1"},
		{do: "GET /api/device/devices", as: "token", code: 200, want: noDevices}, // has no body
		{do: "POST /api/test/echo/x", as: "token", body: `{}`, code: 200, want: `{"at":1769853600,"body":"{}",` +
			`"lenient":false,"mount":"/api","query":{},"remote":"127.0.0.1","user":"admin","vars":{"name":"x"}}`},
	})
	close(leave)
	if status := <-first; status != 200 {
		t.Errorf("the first request returned %d", status)
	}
	if response, text := p.request("POST /api/device/devices", "admin", body); response.StatusCode != 400 {
		t.Errorf("after the first request a body returns %d %s", response.StatusCode, text)
	}
	// An unauthenticated sender gets an eighth of the budget.
	authorization := "LMv1 " + p.signer(t).AccessID + ":x:" + fmt.Sprint(time.Now().UnixMilli())
	if got := p.announce(t, "/api/device/devices", authorization, 3<<10); got != "503 "+crowded {
		t.Errorf("an unauthenticated sender got %s", got)
	}
}

// holdUntil signals that a request has arrived, and blocks it until leave is
// closed.
func holdUntil(inside chan<- struct{}, leave <-chan struct{}) func(context.Context, *resource.Call) (any, error) {
	return func(context.Context, *resource.Call) (any, error) {
		inside <- struct{}{}
		<-leave
		return nil, nil
	}
}
