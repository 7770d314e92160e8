package api

import (
	"testing"
	"time"
)

func TestWaitIsFormattedInItsLargestUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Millisecond: "1 s", 120 * time.Second: "120 s", 121 * time.Second: "2 min 1 s",
		3599 * time.Second: "59 min 59 s",
		time.Hour:          "1 h", 3601 * time.Second: "1 h 1 min", 25 * time.Hour: "25 h",
	} {
		if got := inWords(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestRateLimitHoldsInEverySlidingWindow(t *testing.T) {
	limit := Limit{Requests: 3, Window: time.Minute}
	var b bucket
	for _, step := range []struct {
		at   time.Duration
		left int
		wait time.Duration
	}{
		{at: 0, left: 2},
		{at: 50 * time.Second, left: 1},
		{at: 59 * time.Second, left: 0},
		{at: 59*time.Second + 500*time.Millisecond, left: 0, wait: 500 * time.Millisecond},
		{at: 60 * time.Second, left: 0}, // the first request has left the window; the refused request never counted
		{at: 61 * time.Second, left: 0, wait: 49 * time.Second},
		{at: 110 * time.Second, left: 0},
		{at: 300 * time.Second, left: 2},
	} {
		if left, wait := b.take(step.at, limit); left != step.left || wait != step.wait {
			t.Errorf("at %v: %d left, wait %v; want %d and %v", step.at, left, wait, step.left, step.wait)
		}
	}
}

func TestRateLimitCanChangeWhileInUse(t *testing.T) {
	var b bucket
	for i := range 4 {
		b.take(time.Duration(i)*time.Second, Limit{Requests: 4, Window: time.Minute})
	}
	if left, wait := b.take(10*time.Second, Limit{Requests: 2, Window: time.Minute}); left != 0 ||
		wait != 52*time.Second {
		t.Errorf("a smaller limit leaves %d, wait %v; want 0 and 52s: three must go first", left, wait)
	}
	if left, wait := b.take(10*time.Second, Limit{Requests: 100, Window: time.Minute}); left != 95 || wait != 0 {
		t.Errorf("a larger limit leaves %d, wait %v; want 95 and none", left, wait)
	}
}

func TestBucketNeverExceedsItsLimit(t *testing.T) {
	limit := Limit{Requests: 500, Window: time.Minute}
	var b bucket
	for i := range 100_000 {
		b.take(time.Duration(i)*time.Millisecond, limit)
	}
	if len(b.times) != 500 {
		t.Errorf("it remembers %d requests, want 500", len(b.times))
	}
	if n := testing.AllocsPerRun(1000, func() { b.take(200*time.Second, limit) }); n != 0 {
		t.Errorf("a request allocates %v times, want never", n)
	}
}

func TestRequestOverTheLimitIsRefusedOnBothMountsAndNotCounted(t *testing.T) {
	p := newPortal(t, func(o *Options) {
		o.Limits = func(method string) Limit {
			return Limit{Requests: map[string]int{"GET": 2}[method], Window: time.Hour}
		}
	})
	const over = `{"errorMessage":"GET /device/devices accepts 2 requests in 1 h; try again in 1 h",` +
		`"errorCode":1429,"errorDetail":null}`
	const refused = `{"errorMessage":"too many requests were refused: the portal accepts 2 requests in 1 h;` +
		` try again in 1 h","errorCode":1429,"errorDetail":null}`
	p.play(t, []scenario{
		// a request without sign-in does not count
		{do: "GET /api/device/devices", code: 401, want: nobody, headers: "X-Rate-Limit-Remaining: 1"},
		{do: "GET /api/device/devices", as: "admin", code: 200, want: noDevices,
			headers: "X-Rate-Limit-Limit: 2\nX-Rate-Limit-Remaining: 1\nX-Rate-Limit-Window: 3600"},
		{do: "GET /santaba/rest/device/devices", as: "token", code: 200, want: noDevices,
			headers: "X-Rate-Limit-Remaining: 0"},
		{do: "GET /api/device/devices", as: "viewer", code: 429, want: over, headers: "Retry-After: " +
			"3600\nX-Rate-Limit-Limit: 2\nX-Rate-Limit-Remaining: 0\nX-Rate-Limit-Window: 3600"},
		{do: "GET /santaba/rest/device/devices", as: "token", code: 429, want: over},
		{do: "GET /api/device/devices", code: 401, want: nobody, headers: "X-Rate-Limit-Remaining: 0"},
		{do: "GET /api/nothing", code: 429, want: refused, headers: "Retry-After: 3600\nX-Rate-Limit-Remaining: 0"},
		{do: "GET /", head: "Host: evil.example", code: 429, want: refused},
		// each user has a separate limit
		{do: "GET /api/setting/roles", as: "viewer", code: 403,
			want: `{"errorMessage":"your role does not have the permission read on settings: useraccess",` +
				`"errorCode":1403,"errorDetail":{"right":"read on settings: useraccess"}}`,
			headers: "X-Rate-Limit-Remaining: 1"},
		// each endpoint has a separate limit
		{do: "GET /api/session", as: "token", code: 200, want: admin, headers: "X-Rate-Limit-Remaining: 1"},
		{do: "GET /explorer/echo", as: "admin", code: 200, want: `{"at":1769853600,"body":"","lenient":false,` +
			`"mount":"/explorer","query":{},"remote":"127.0.0.1","user":"admin","vars":null}`},
	})
}

func TestNoLimitHeadersWithoutLimits(t *testing.T) {
	p := newPortal(t, func(o *Options) { o.Limits = nil })
	p.play(t, []scenario{{do: "GET /api/device/devices", as: "admin", code: 200, want: noDevices,
		headers: "X-Rate-Limit-Limit:\nX-Rate-Limit-Remaining:\nX-Rate-Limit-Window:"}})
}

func TestQuotasOfManyCallersUseLimitedMemory(t *testing.T) {
	limit := Limit{Requests: 2, Window: time.Minute}
	q := quotas{by: map[caller]*bucket{}}
	for i := range 3 * maxCallers {
		q.of(caller{user: int64(i)}, time.Duration(i)*time.Millisecond, limit.Window).take(
			time.Duration(i)*time.Millisecond, limit)
	}
	if len(q.by) != maxCallers || q.of(caller{user: -1}, time.Hour-time.Minute, 2*time.Hour) != &q.shared {
		t.Errorf("%d callers are kept, want %d, and one for the rest", len(q.by), maxCallers)
	}
	if b := q.of(caller{user: -1}, time.Hour, limit.Window); b == &q.shared || len(q.by) != 1 {
		t.Errorf("after a quiet hour %d are kept, want 1", len(q.by))
	}
}
