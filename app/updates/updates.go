// Package updates checks whether there is a newer version of Spyglass. It does so only when
// a user requests it, downloads nothing but one small manifest, and installs nothing.
//
// # The manifest
//
// A JSON file, with its signature by minisign beside it, under the same name with .minisig:
//
//	{"version": "0.2.0", "link": "https://example.net/spyglass/0.2.0",
//	 "issued": "2026-11-26T10:00:00Z", "expires": "2027-02-26T10:00:00Z"}
//
// Check refuses a manifest with a wrong signature or an invalid version, an
// expired manifest, and a manifest older than the last accepted manifest. An attacker who
// controls the server or the network can hold an update back only until the manifest
// expires, and can never offer an older version as a new one.
//
// # Errors
//
// An address or a key that cannot be used is fault.Invalid, a server that does not respond
// fault.Offline, and a manifest that cannot be trusted fault.Conflict.
package updates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"aead.dev/minisign"       // MIT, by its author's own: verifies signatures by minisign
	"golang.org/x/mod/semver" // BSD-3, by the Go project: compares versions

	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/private"
)

// Options configures a check.
type Options struct {
	URL     string           // of the manifest; https, or http on this machine
	Key     string           // the public key, as minisign writes it
	Version string           // of this program
	Folder  string           // the data folder, where Check stores when the last manifest was issued
	Clock   func() time.Time // time.Now when nil
	HTTP    *http.Client     // http.DefaultClient when nil
}

// Update is a version in a manifest that can be trusted.
type Update struct {
	Version string // 0.2.0
	Link    string // https, where a person downloads it
	Newer   bool   // than this program
}

type manifest struct {
	Version string    `json:"version"`
	Link    string    `json:"link"`
	Issued  time.Time `json:"issued"`
	Expires time.Time `json:"expires"`
}

const (
	maxManifest = 16 << 10 // bytes
	patience    = 10 * time.Second
	stateFile   = "updates.json"
)

// Check requests the manifest and its signature, and returns the version in it.
func Check(ctx context.Context, o Options) (*Update, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(o.Key)); err != nil {
		return nil, fault.New(fault.Invalid, "%q is not a public key of minisign", o.Key)
	}
	if err := trusted(o.URL); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := o.get(ctx, o.URL)
	if err != nil {
		return nil, err
	}
	signature, err := o.get(ctx, o.URL+".minisig")
	if err != nil {
		return nil, err
	}
	if !minisign.Verify(key, text, signature) {
		return nil, refused("its signature is not by the key of Spyglass")
	}
	return o.judge(text)
}

// judge reads a manifest whose signature is valid.
func (o Options) judge(text []byte) (*Update, error) {
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil || !semver.IsValid("v"+m.Version) {
		return nil, refused("it names no version")
	}
	if link, err := url.Parse(m.Link); err != nil || link.Scheme != "https" || link.Host == "" {
		return nil, refused("its link is no https address")
	}
	last, err := o.lastIssued()
	if err != nil {
		return nil, err
	}
	switch now := o.Clock(); {
	case m.Issued.Before(last):
		return nil, refused(fmt.Sprintf("it is older than the one of %s, which this program has seen",
			last.UTC().Format(time.DateOnly)))
	case !m.Expires.After(now):
		return nil, refused("it expired on " + m.Expires.UTC().Format(time.DateOnly))
	}
	if err := o.keepIssued(m.Issued); err != nil {
		return nil, err
	}
	return &Update{Version: m.Version, Link: m.Link, Newer: semver.Compare("v"+m.Version, "v"+o.Version) > 0}, nil
}

func refused(why string) error {
	return fault.New(fault.Conflict, "the list of updates cannot be trusted: %s. Nothing was changed; try again later",
		why)
}

// trusted refuses addresses that others on the network can read or change. The signature
// protects the content, and this check protects the identity of the user.
func trusted(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback.Host(u.Hostname())) {
		return fault.New(fault.Invalid, "%q is not an https address", address)
	}
	return nil
}

func (o Options) get(ctx context.Context, address string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "Spyglass") // without a version: the server learns nothing of this machine
	client := *o.HTTP
	client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if len(via) > 3 {
			return errors.New("it redirects more than 3 times")
		}
		return trusted(next.URL.String())
	}
	response, err := client.Do(r)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Offline, Err: err, Message: "the list of updates at " + address +
			" cannot be read; check the address and the network"}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxManifest+1))
	if err != nil || response.StatusCode != http.StatusOK || len(text) > maxManifest {
		return nil, &fault.Error{Kind: fault.Offline, Err: err, Message: fmt.Sprintf("the server of %s responds with "+
			"%d and %d bytes, and not with a list of updates", address, response.StatusCode, len(text))}
	}
	return text, nil
}

// state is the content of stateFile.
type state struct {
	Issued time.Time `json:"issued"`
}

// lastIssued returns when the newest accepted manifest was issued; the zero time for none.
func (o Options) lastIssued() (time.Time, error) {
	var s state
	path := filepath.Join(o.Folder, stateFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		return time.Time{}, &fault.Error{Kind: fault.Conflict, Err: err, Message: path + " cannot be read, which " +
			"stores the time of the last list of updates; correct or delete it"}
	}
	return s.Issued, nil
}

// keepIssued stores when an accepted manifest was issued, in one step.
func (o Options) keepIssued(issued time.Time) error {
	text, err := json.Marshal(state{issued})
	path := filepath.Join(o.Folder, stateFile)
	if err == nil {
		err = private.Replace(path, text)
	}
	if err != nil {
		return &fault.Error{Kind: fault.Conflict, Err: err, Message: path + " cannot be written, which prevents that " +
			"an old list of updates is accepted; check the permissions of the folder"}
	}
	return nil
}
