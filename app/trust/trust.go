// Package trust makes this computer accept the certificate authority of a data folder,
// and stops that again.
//
// Each system has its own stores: Linux one for the whole computer, which only root can
// change, and the databases (NSS) of Chromium and Firefox; macOS the user's login
// keychain; Windows the user's root certificates. On macOS and Windows the system asks the
// user to confirm.
//
// A store knows the authority by its common name, which names the portal. Adding one
// replaces the previous authority of that portal.
//
// Linux and macOS have commands for it, and Windows has functions. Of libraries,
// github.com/smallstep/truststore was considered: it always elevates with sudo, which waits
// forever in a window, and does not use the user's own keychain on macOS.
//
// # Concurrency
//
// A Computer may be used by one goroutine at a time.
//
// # Errors
//
// fault.Denied: a store of the whole computer was not changed; the message has the
// command that does it. fault.Conflict: a command failed, or the user did not confirm.
package trust

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"os/exec"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/localca"
)

// State is whether a store trusts an authority.
type State struct {
	Store   string // its name for the user
	Trusted bool
	Problem string // the problem and its solution; empty if there is none
	Command string // for a shell, which would change the store; empty for none
}

// Authority is a certificate in a file.
type Authority struct {
	File string // PEM
	Cert *x509.Certificate
}

// Of returns the authority of a data folder; fault.Unknown if there is none.
func Of(data string) (Authority, error) {
	cert, err := localca.Read(data)
	return Authority{File: localca.File(data), Cert: cert}, err
}

// name returns the name by which stores know the authority.
func (a Authority) name() string { return a.Cert.Subject.CommonName }

// store is one place with the authorities that programs trust.
type store interface {
	state(ctx context.Context, a Authority) State
	add(ctx context.Context, a Authority) error
	remove(ctx context.Context, a Authority) error
}

// Computer has the stores of this computer.
type Computer struct {
	// Prompt is set in a window: a program with a dialog asks for the password of an
	// administrator, where there is one.
	Prompt bool
}

// States returns the state of each store, that of the system first.
func (c Computer) States(ctx context.Context, a Authority) []State {
	states := []State{}
	for _, s := range c.stores() {
		states = append(states, s.state(ctx, a))
	}
	return states
}

// Add makes each store trust the authority, even after one has failed.
func (c Computer) Add(ctx context.Context, a Authority) error {
	var errs []error
	for _, s := range c.stores() {
		errs = append(errs, s.add(ctx, a))
	}
	return first(errs)
}

// Remove makes each store forget the authority, even after one has failed.
func (c Computer) Remove(ctx context.Context, a Authority) error {
	var errs []error
	for _, s := range c.stores() {
		errs = append(errs, s.remove(ctx, a))
	}
	return first(errs)
}

// first returns the first error; the others are its causes.
func first(errs []error) error {
	err := errors.Join(errs...)
	for _, one := range errs {
		if one != nil {
			f := *fault.Of(one)
			f.Err = err
			return &f
		}
	}
	return nil
}

// promptTime limits how long a command may take: the user may have to enter a password.
const promptTime = 2 * time.Minute

// run runs a program, and returns what it printed.
func run(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, promptTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	output := strings.TrimSpace(out.String())
	if err != nil {
		if output == "" {
			output = err.Error()
		}
		last := output[strings.LastIndexByte(output, '\n')+1:]
		return output, &fault.Error{Kind: fault.Conflict, Err: err, Message: program + " failed: " + last}
	}
	return output, nil
}

// shell returns a command with each word quoted where a POSIX shell needs it.
func shell(words ...string) string {
	var quoted []string
	for _, w := range words {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}
