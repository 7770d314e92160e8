// Package forward declares the remote write settings, which forward samples to
// another time-series database, and its progress.
//
// Package remotewrite does the sending. The secret is kept encrypted, and sent in
// clear text only if a user has agreed.
package forward

import (
	"net/url"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/loopback"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// RemoteWrite holds the remote write settings: one row, id 1. Package remotewrite
// writes the status (State and the fields after it).
type RemoteWrite struct {
	ID          int64
	Enabled     bool
	URL         string
	Auth        string
	Username    string
	Secret      string // encrypted
	SendInClear bool   // may send the secret to another machine over http://
	GroupID     int64  // the devices in the group; the root: all
	Interval    int64  // seconds
	Batch       int64  // samples
	Keep        int64  // hours
	State       string
	SentOn      resource.Seconds
	Since       resource.Seconds
	Sent        int64 // samples, since the process started
	Dropped     int64 // samples, since the process started
	Error       string
}

// RemoteWriteMark is the progress of a remote write: samples measured before At
// were sent or dropped. There is no row while it is turned off.
type RemoteWriteMark struct {
	ID int64 // of the RemoteWrite
	At resource.Seconds
}

// RemoteWriteID is the id of the only row.
const RemoteWriteID int64 = 1

// Ids of marks of the sample store of a portal, which has no RemoteWrite: its progress,
// and the time before which its samples are only there.
const (
	SampleStoreID      int64 = 2
	SampleStoreFloorID int64 = 3
)

// Authentication methods of a remote write.
const (
	AuthNone   = "none"
	AuthBasic  = "basic"
	AuthBearer = "bearer"
)

// States of a RemoteWrite.
const (
	RemoteWriteOff      = "off"
	RemoteWriteReady    = "ready"    // nothing was sent yet
	RemoteWriteSending  = "sending"  // the last batch was accepted
	RemoteWriteBehind   = "behind"   // the same, but older samples wait on disk
	RemoteWriteRetrying = "retrying" // the last batch was not accepted, and is retried
	RemoteWriteRefused  = "refused"  // the last batch was permanently rejected
)

// RemoteWriteMarks declares the progress. It has no endpoints.
var RemoteWriteMarks = resource.Resource[*RemoteWriteMark]{
	Name: "remoteWriteMark", Label: "progress of remote write",
	Doc: "Progress of sending samples.",
	Fields: []resource.Field[*RemoteWriteMark]{
		{Name: "id", At: func(m *RemoteWriteMark) any { return &m.ID },
			Doc: "Id of the remote write settings", ReadOnly: true},
		{Name: "at", At: func(m *RemoteWriteMark) any { return &m.At },
			Doc:      "Samples measured before this time have been sent",
			ReadOnly: true},
	},
}

// RemoteWrites declares /setting/remotewrite.
var RemoteWrites = resource.Resource[*RemoteWrite]{
	Name: "remoteWrite", Label: "remote write settings", Sample: RemoteWriteID, Single: RemoteWriteID,
	Path:     "/setting/remotewrite",
	Category: ground.CategorySettings, Object: resource.Setting, Area: ground.AreaPortal,
	Doc: "Forwards samples as they are measured, with Prometheus remote write 1.0, to a time-series database of " +
		"your own. It sends samples measured after it was enabled. While the receiver or the portal is down, " +
		"samples wait on disk; they are sent afterwards, oldest first.",
	Fields: []resource.Field[*RemoteWrite]{
		{Name: "id", At: func(r *RemoteWrite) any { return &r.ID }, Doc: "Always 1", ReadOnly: true},
		{Name: "enabled", At: func(r *RemoteWrite) any { return &r.Enabled }, Doc: "Send samples"},
		{Name: "url", At: func(r *RemoteWrite) any { return &r.URL }, Doc: "The receiver, http or https", MaxLen: 2048,
			Example: "https://prometheus.example.net/api/v1/write"},
		{Name: "auth", At: func(r *RemoteWrite) any { return &r.Auth },
			Doc: "none, basic with username and secret, or bearer with the secret as token", Default: AuthNone,
			OneOf: []any{AuthNone, AuthBasic, AuthBearer}},
		{Name: "username", At: func(r *RemoteWrite) any { return &r.Username }, Doc: "basic: user name to sign in with",
			MaxLen: 255},
		{Name: "secret", At: func(r *RemoteWrite) any { return &r.Secret },
			Doc: "basic: the password; bearer: the token; never shown", WriteOnly: true, Sealed: true, MaxLen: 4096},
		{Name: "sendInClear", At: func(r *RemoteWrite) any { return &r.SendInClear }, Doc: ground.SendInClearDoc},
		{Name: "groupId", At: func(r *RemoteWrite) any { return &r.GroupID },
			Doc: "Only the devices in this group and the groups inside it; 1: all", Default: int(ground.RootGroup),
			Min: resource.Bound(1), Refs: string(fleet.GroupRows), Example: ground.RootGroup},
		{Name: "interval", At: func(r *RemoteWrite) any { return &r.Interval },
			Doc: "Maximum seconds that samples wait to be batched", Default: 5, Min: resource.Bound(1),
			Max: resource.Bound(300)},
		{Name: "batchSize", At: func(r *RemoteWrite) any { return &r.Batch }, Doc: "Maximum samples in one request",
			Default: 2000, Min: resource.Bound(1), Max: resource.Bound(20_000)},
		{Name: "keepHours", At: func(r *RemoteWrite) any { return &r.Keep },
			Doc: "Hours that samples wait while the receiver is down; older ones are dropped", Default: 24,
			Min: resource.Bound(1), Max: resource.Bound(168)},
		{Name: "state", At: func(r *RemoteWrite) any { return &r.State },
			Doc: "off; ready, before the first sample is sent; sending; behind, while it sends older samples; " +
				"retrying, " +
				"while the " +
				"receiver does not respond or is busy; refused, if it rejected the last batch", ReadOnly: true,
			Default: RemoteWriteOff},
		{Name: "lastSentOn", At: func(r *RemoteWrite) any { return &r.SentOn },
			Doc: "When the receiver last accepted samples; 0: never", ReadOnly: true},
		{Name: "waitingSince", At: func(r *RemoteWrite) any { return &r.Since },
			Doc: "Time of the oldest sample that waits because the receiver or the portal was down; updated every " +
				"minute; 0: none", ReadOnly: true},
		{Name: "samplesSent", At: func(r *RemoteWrite) any { return &r.Sent },
			Doc: "Samples it accepted since the portal started; updated every minute", ReadOnly: true},
		{Name: "samplesDropped", At: func(r *RemoteWrite) any { return &r.Dropped },
			Doc: "Samples that it refused or that expired since the portal started", ReadOnly: true},
		{Name: "lastError", At: func(r *RemoteWrite) any { return &r.Error },
			Doc: "Why the last batch failed; empty if it succeeded", ReadOnly: true},
	},
	Check: func(w *resource.Write, was, now *RemoteWrite) error {
		if was != nil && was.Secret != "" && !w.Given("secret") && (now.URL != was.URL || now.Auth != was.Auth) {
			return fault.At("secret",
				"secret is required again, because the receiver has changed; send an empty text for none")
		}
		group, err := resource.Lookup(w.Context, w.Tx, fleet.GroupRows, now.GroupID)
		if err != nil {
			return err
		}
		if group == nil {
			return fault.At("groupId", "there is no device group %d", now.GroupID)
		}
		if err := now.check(); err != nil || now.Secret == "" || now.Auth == AuthNone {
			return err
		}
		if was != nil && was.URL == now.URL && was.Auth == now.Auth && was.SendInClear == now.SendInClear &&
			!w.Given("secret") {
			return nil // stored before consent was required
		}
		return loopback.CheckConsent(now.URL, "the secret", now.SendInClear)
	},
}

func (r *RemoteWrite) check() error {
	u, err := url.Parse(r.URL)
	switch {
	case r.URL == "" && !r.Enabled:
	case err != nil || r.URL == "" || !ground.IsWebLink(r.URL):
		return fault.At("url", "url must be the address of a remote write receiver, and begin with http:// or https://")
	case u.User != nil:
		return fault.At("url", "url must not contain a user and password; put them into username and secret")
	}
	switch {
	case strings.ContainsAny(r.Secret, "\r\n"):
		return fault.At("secret", "secret must be one line of text")
	case r.Auth == AuthBasic && (r.Username == "" || strings.ContainsAny(r.Username, ":\r\n")):
		return fault.At("username", "username is required for basic, and must not contain a colon")
	case r.Auth == AuthBearer && r.Secret == "" && r.Enabled:
		return fault.At("secret", "secret is required for bearer: it is the token")
	}
	return nil
}
