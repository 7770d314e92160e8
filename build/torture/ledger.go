package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// shelf is a kind of object that a ledger writes, each in another database.
type shelf struct {
	path  string // of the list
	key   string // the field that names an object
	value string // the field that changes
	all   string // query that lists every object
}

var (
	devices = shelf{"/api/device/devices", "name", "description", "?size=1000&fields=id,name,description&" +
		"filter=name~%22torture%22&offset="}
	variables = shelf{"/explorer/variables", "name", "value", "?size=1000&offset="}
)

// ledger records the last acknowledged value of each object, and the one that
// was requested when the program died. An empty value means that it was
// deleted.
type ledger struct {
	of      shelf
	mu      sync.Mutex
	known   map[string]string
	pending map[string]string
	acks    int
}

func newLedger(of shelf) *ledger {
	return &ledger{of: of, known: map[string]string{}, pending: map[string]string{}}
}

func (l *ledger) request(name, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending[name] = value
}

func (l *ledger) refused(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pending, name)
}

func (l *ledger) acknowledged(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[name] = l.pending[name]
	delete(l.pending, name)
	l.acks++
}

// write creates, changes and deletes objects until the program dies or until
// returns true; until may be nil. Statuses in fine are no mistakes, and nothing
// was written then.
func (l *ledger) write(ctx context.Context, p *program, r *result, prefix string, until func() bool, fine ...int) {
	for i := 0; until == nil || !until(); i++ {
		name := fmt.Sprintf("torture-%s-%d", prefix, i)
		response, ok := l.one(ctx, p, r, http.MethodPost, l.of.path, name, "made", fine)
		if !ok {
			return
		}
		var made struct{ ID int64 }
		if response == nil || json.Unmarshal(response, &made) != nil || made.ID == 0 {
			continue
		}
		path := fmt.Sprintf("%s/%d", l.of.path, made.ID)
		switch i % 3 {
		case 1:
			_, ok = l.one(ctx, p, r, http.MethodPatch, path, name, "changed", fine)
		case 2:
			_, ok = l.one(ctx, p, r, http.MethodDelete, path+"?deleteHard=true", name, "", fine)
		}
		if !ok {
			return
		}
	}
}

// one sends one write; ok is false when there is no response. A refused write
// returns no response.
func (l *ledger) one(ctx context.Context, p *program, r *result, method, path, name, value string,
	fine []int) (response []byte, ok bool) {
	body := ""
	switch method {
	case http.MethodPost:
		body = fmt.Sprintf(`{%q:%q,%q:%q}`, l.of.key, name, l.of.value, value)
	case http.MethodPatch:
		body = fmt.Sprintf(`{%q:%q}`, l.of.value, value)
	}
	if l.of == variables && method == http.MethodDelete {
		path = path[:len(path)-len("?deleteHard=true")]
	}
	l.request(name, value)
	began := time.Now()
	status, response, err := p.request(ctx, method, path, body)
	if err != nil {
		return nil, false
	}
	r.tried(time.Since(began))
	if status == http.StatusOK || status == http.StatusCreated {
		l.acknowledged(name)
		return response, true
	}
	l.refused(name)
	for _, f := range fine {
		if status == f {
			return nil, true
		}
	}
	r.isWrong("%s %s returned %d %.200s", method, path, status, response)
	return nil, true
}

// check compares the program's data with the ledger, and continues from there. It
// walks pages as a client does, and shares no code with the program under test.
func (l *ledger) check(ctx context.Context, p *program, r *result) error {
	have := map[string]string{}
	for offset, total := 0, 1; offset < total; {
		status, response, err := p.request(ctx, http.MethodGet, l.of.path+l.of.all+fmt.Sprint(offset), "")
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("the list %s returned %d %.200s %w", l.of.path, status, response, err)
		}
		var page struct {
			Total int
			Items []map[string]any
		}
		if err := json.Unmarshal(response, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			have[fmt.Sprint(item[l.of.key])] = fmt.Sprint(item[l.of.value])
		}
		total = page.Total
		if offset += len(page.Items); len(page.Items) == 0 {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, want := range l.known {
		sent, open := l.pending[name]
		if got := have[name]; got != want && (!open || got != sent) {
			r.isLost("%s is %q, acknowledged was %q", name, got, want)
		}
	}
	for name, sent := range l.pending {
		if got := have[name]; got != "" && got != sent && got != l.known[name] {
			r.isWrong("%s is half there: %q was sent, it has %q", name, sent, got)
		}
	}
	l.known = maps.Clone(have)
	clear(l.pending)
	return nil
}
