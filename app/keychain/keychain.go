// Package keychain stores the session credential in the keyring of the operating
// system, and nowhere else: never in a file, never in SQLite.
//
// Without a keyring that responds, a secret is kept in memory until the process
// ends, and Available returns a message for the user.
//
// # Time
//
// A call takes at most Limit, because a locked keyring may prompt and wait for
// the user; it then counts as missing. If the user unlocks it later, changes made
// in memory are carried over, and Available reports true again.
//
// # Concurrency
//
// A Keychain may be used by many goroutines; one at a time calls the keyring. A
// call without a response leaks one goroutine until the process ends, and never a
// second one.
//
// # Errors
//
// Get returns fault.Unknown if there is no secret. Any other failure of the
// keyring is logged once, without the secret, and means "no keyring". Delete is
// the exception: it returns fault.Offline if the keyring may still hold the
// deleted secret.
package keychain

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/service"

	"github.com/zalando/go-keyring"
)

// Limit is the timeout of a call.
const Limit = 3 * time.Second

// Without is the notice for the user if there is no keyring.
const Without = "No system keyring found: you stay signed in for this session only"

// Keychain keeps secrets by account.
type Keychain struct {
	service string
	log     *slog.Logger
	limit   time.Duration
	turn    chan struct{} // holds one token during a call to the keyring
	calls   service.Group

	mu     sync.Mutex
	state  state
	exists bool            // there is a keyring, even if it does not respond now
	memory map[string]kept // by account: changes that the keyring does not have yet
}

type state int

const (
	unchecked state = iota
	responses
	silent
)

// kept is a change that the keyring has not stored yet.
type kept struct {
	secret string
	gone   bool // the account has to be deleted from the keyring
}

// Open prepares the keychain for a service, the name under which the operating
// system shows the entries. It does not call the keyring yet.
func Open(service string, log *slog.Logger) *Keychain {
	return &Keychain{
		service: service, log: log, limit: Limit,
		turn: make(chan struct{}, 1), memory: map[string]kept{},
	}
}

// Available reports whether the keyring responds, and if not, why, for the user.
// The first call checks it and may take up to Limit.
func (k *Keychain) Available() (ok bool, why string) {
	k.mu.Lock()
	checked := k.state != unchecked
	k.mu.Unlock()
	if !checked {
		_ = k.call(func() error { // this stores the result in state
			_, err := keyring.Get(k.service, "")
			return err
		})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state != responses {
		return false, Without
	}
	return true, ""
}

// Get returns an account's secret; fault.Unknown if there is none.
func (k *Keychain) Get(account string) (string, error) {
	k.mu.Lock()
	m, ok := k.memory[account]
	k.mu.Unlock()
	if !ok {
		found := make(chan string, 1)
		err := k.call(func() error {
			secret, err := keyring.Get(k.service, account)
			if err == nil {
				found <- secret
			}
			return err
		})
		if err == nil {
			return <-found, nil
		}
	}
	if !ok || m.gone {
		return "", fault.New(fault.Unknown, "no credential is stored for %s", account)
	}
	return m.secret, nil
}

// Set stores an account's secret, replacing an earlier secret. It reports whether
// the secret outlives the process.
func (k *Keychain) Set(account, secret string) (lasts bool) {
	k.want(account, kept{secret: secret})
	err := k.call(func() error { return keyring.Set(k.service, account, secret) })
	if err == nil {
		k.settled(account, kept{secret: secret})
	}
	return err == nil
}

// Delete deletes an account's secret if there is one. After fault.Offline it is
// no longer used, but the keyring may still hold it.
func (k *Keychain) Delete(account string) error {
	k.want(account, kept{gone: true})
	err := k.call(func() error { return keyring.Delete(k.service, account) })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		k.settled(account, kept{gone: true})
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.exists {
		return nil
	}
	return &fault.Error{Kind: fault.Offline, Message: "the system keyring does not respond; it may still hold the " +
		"credential of " + account, Err: err}
}

// want records the state that the keyring should have.
func (k *Keychain) want(account string, m kept) {
	k.mu.Lock()
	k.memory[account] = m
	k.mu.Unlock()
}

// settled deletes the record of want, unless it has changed meanwhile.
func (k *Keychain) settled(account string, m kept) {
	k.mu.Lock()
	if k.memory[account] == m {
		delete(k.memory, account)
	}
	k.mu.Unlock()
}

var (
	errSilent = errors.New("the keyring did not respond before")
	errSlow   = errors.New("the keyring does not respond in time")
	errBroken = errors.New("the keyring failed")
)

// call runs one call to the keyring. It returns keyring.ErrNotFound, nil, or an
// error that means that there is no keyring.
func (k *Keychain) call(do func() error) error {
	if k.isSilent() {
		return errSilent
	}
	ctx, cancel := context.WithTimeout(context.Background(), k.limit)
	defer cancel()
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return errSlow
	}
	if k.isSilent() {
		<-k.turn
		return errSilent
	}
	done := make(chan error, 1)
	k.calls.Go("keyring", func() {
		defer func() { <-k.turn }()
		err := errBroken // in case of a panic
		defer func() { done <- err }()
		failed := Bus()
		if failed == nil {
			failed = do()
		}
		if failed == nil || errors.Is(failed, keyring.ErrNotFound) {
			k.done()
		} else {
			k.gaveUp(failed)
		}
		err = failed
	})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		k.gaveUp(errSlow)
		return errSlow
	}
}

func (k *Keychain) isSilent() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state == silent
}

func (k *Keychain) gaveUp(err error) {
	k.mu.Lock()
	k.exists = k.exists || errors.Is(err, errSlow)
	first := k.state != silent
	k.state = silent
	k.mu.Unlock()
	if first {
		k.log.Warn("no OS keyring: credentials last for this session only", "err", err)
	}
}

// done records that the keyring works. After a late response it applies the
// changes recorded meanwhile; the caller holds the turn.
func (k *Keychain) done() {
	k.mu.Lock()
	late := k.state == silent
	k.state, k.exists = responses, true
	todo := maps.Clone(k.memory)
	k.mu.Unlock()
	if !late {
		return
	}
	k.log.Info("the system keyring responds again")
	for account, m := range todo {
		var err error
		if m.gone {
			err = keyring.Delete(k.service, account)
		} else {
			err = keyring.Set(k.service, account, m.secret)
		}
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			k.gaveUp(err)
			return
		}
		k.settled(account, m)
	}
}
