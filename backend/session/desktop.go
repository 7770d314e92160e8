package session

import (
	"context"
	"encoding/hex"
	"slices"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// launch is a one-time token by which the desktop window signs in.
type launch struct {
	userID     int64
	persistent bool
	made       time.Duration
}

const (
	launchLasts = 30 * time.Second
	maxLaunches = 1000
)

// Launch creates a token that Redeem accepts once, within 30 s. The caller has
// authenticated the user; Redeem still refuses a user who may not sign in.
func (s *Service) Launch(userID int64, persistent bool) (token string) {
	token = newSecret()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.launches) >= maxLaunches {
		clear(s.launches)
	}
	s.launches[digestOf(token)] = launch{userID: userID, persistent: persistent, made: s.now()}
	return token
}

// Redeem starts a session for a launch token. It returns fault.NoLogin for a
// token that is unknown, used or expired.
func (s *Service) Redeem(ctx context.Context, token string) (*Session, error) {
	key := digestOf(token)
	s.mu.Lock()
	l, ok := s.launches[key]
	delete(s.launches, key)
	s.mu.Unlock()
	if !ok || s.now()-l.made >= launchLasts {
		return nil, fault.New(fault.NoLogin, "this link has been used or is older than 30 seconds; start again from "+
			"the app")
	}
	everyone, err := s.everyone(ctx)
	if err != nil {
		return nil, err
	}
	who := everyone.byID[l.userID]
	if who == nil || !who.maySignIn() {
		return nil, fault.New(fault.NoLogin, "the user is suspended or deleted")
	}
	// the user of this machine owns the portal, and has typed no password
	sess, err := s.open(ctx, who, l.persistent, steps{})
	if err == nil && l.persistent {
		sess.Window = s.newWindow()
	}
	if err == nil {
		s.note(ctx, s.change("sign-in", who.row.Username, "Signed in from this machine", ""))
	}
	return sess, err
}

// maxWindows limits the number of known windows; the oldest is dropped.
const maxWindows = 20

// newWindow returns a secret by which IsWindow recognizes the window that
// redeemed a launch token, whichever user signs in there later.
func (s *Service) newWindow() (secret string) {
	secret = newSecret()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.windows) >= maxWindows {
		s.windows = slices.Delete(s.windows, 0, 1)
	}
	s.windows = append(s.windows, digestOf(secret))
	return secret
}

// IsWindow reports whether a secret belongs to a desktop window. It shows where a
// request comes from, but not who is signed in.
func (s *Service) IsWindow(secret string) bool {
	key := digestOf(secret)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Contains(s.windows, key)
}

// credential is a token with which the next start of the desktop resumes a user's
// session. It is not part of the published API.
type credential struct {
	ID     int64
	UserID int64
	Hash   string // SHA-256 of the secret, hex
	Mark   string // mark of the user when it was created, hex
	UsedOn resource.Seconds
}

// credentialRows names the rows of credential.
const credentialRows resource.Name[*credential] = "desktopCredential"

// Credentials declares the table of desktop credentials, without endpoints.
var Credentials = resource.Resource[*credential]{
	Name: credentialRows, Label: "desktop credential", Object: resource.Setting, Area: "useraccess",
	Doc: "A credential with which the desktop resumes a session.",
	Fields: []resource.Field[*credential]{
		{Name: "id", At: func(c *credential) any { return &c.ID }, Doc: "Set by the portal", ReadOnly: true},
		{Name: "userId", At: func(c *credential) any { return &c.UserID }, Doc: "Whose session it resumes",
			ReadOnly: true, Index: true},
		{Name: "hash", At: func(c *credential) any { return &c.Hash }, Doc: "Digest of the secret", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "mark", At: func(c *credential) any { return &c.Mark }, Doc: "Digest of what the user was",
			ReadOnly: true, WriteOnly: true},
		{Name: "usedOn", At: func(c *credential) any { return &c.UsedOn }, Doc: "When it was last used or renewed",
			ReadOnly: true},
	},
}

const (
	credentialLasts = 30 * 24 * time.Hour // after its last use
	renewEvery      = time.Hour           // while a window is open
	maxCredentials  = 5                   // per user; the oldest is deleted
)

// Credential creates a secret for the OS keyring, by which Resume finds the user
// again after a restart. It ends when the user's password, status or roles
// change, when a desktop session signs out, and 30 days after its last use.
func (s *Service) Credential(ctx context.Context, userID int64) (secret string, err error) {
	everyone, err := s.everyone(ctx)
	if err != nil {
		return "", err
	}
	who := everyone.byID[userID]
	if who == nil || !who.maySignIn() {
		return "", fault.New(fault.NoLogin, "the user is suspended or deleted")
	}
	secret = newSecret()
	row := credential{UserID: userID, Hash: bearerHash(secret), Mark: hex.EncodeToString(who.mark[:]),
		UsedOn: resource.SecondsOf(s.clock())}
	return secret, s.db.Write(ctx, func(tx resource.Tx) error {
		have, err := resource.Find(ctx, tx, credentialRows, resource.Where{Field: "userId", Op: "=", Value: userID})
		for ; err == nil && len(have) >= maxCredentials; have = have[1:] {
			err = resource.Delete(ctx, tx, credentialRows, have[0].ID)
		}
		if err != nil {
			return err
		}
		row.ID = 0
		return resource.Put(ctx, tx, credentialRows, &row)
	})
}

// Resume returns the owner of a credential, for Launch. It returns fault.NoLogin
// for a credential that is unknown or expired, or if the user has changed since.
func (s *Service) Resume(ctx context.Context, secret string) (userID int64, err error) {
	everyone, err := s.everyone(ctx)
	if err != nil {
		return 0, err
	}
	now := resource.SecondsOf(s.clock())
	err = s.db.Write(ctx, func(tx resource.Tx) error {
		userID = 0
		found, err := resource.Find(ctx, tx, credentialRows,
			resource.Where{Field: "hash", Op: "=", Value: bearerHash(secret)})
		if err != nil || len(found) == 0 {
			return err
		}
		c := found[0]
		who := everyone.byID[c.UserID]
		if !c.resumes(who, now) {
			return resource.Delete(ctx, tx, credentialRows, c.ID)
		}
		userID, c.UsedOn, c.Mark = c.UserID, now, hex.EncodeToString(who.mark[:])
		return resource.Put(ctx, tx, credentialRows, &c)
	})
	if fault.Is(err, fault.Busy) || fault.Is(err, fault.Full) { // the storage is unavailable, which ends no session
		userID, err = s.resumable(ctx, secret)
	}
	if err == nil && userID == 0 {
		err = fault.New(fault.NoLogin, "the desktop's session has ended; sign in again")
	}
	return userID, err
}

// resumable returns the owner of a credential without renewing it; 0 for none.
func (s *Service) resumable(ctx context.Context, secret string) (userID int64, err error) {
	everyone, err := s.everyone(ctx)
	if err != nil {
		return 0, err
	}
	found, err := resource.Find(ctx, s.db, credentialRows,
		resource.Where{Field: "hash", Op: "=", Value: bearerHash(secret)})
	if err != nil || len(found) == 0 || !found[0].resumes(everyone.byID[found[0].UserID],
		resource.SecondsOf(s.clock())) {
		return 0, err
	}
	return found[0].UserID, nil
}

// resumes reports whether the user may still sign in with the credential.
func (c *credential) resumes(who *person, now resource.Seconds) bool {
	return who != nil && who.maySignIn() && who.isMark(c.Mark) &&
		now-c.UsedOn <= resource.Seconds(credentialLasts/time.Second)
}

// isMark reports whether a credential was created for the current state of the
// user.
func (p *person) isMark(mark string) bool {
	return mark == hex.EncodeToString(p.mark[:]) || mark == hex.EncodeToString(p.formerMark[:])
}

// dropCredentials deletes the desktop credentials of the user.
func (s *Service) dropCredentials(ctx context.Context, userID int64) error {
	return s.db.Write(ctx, func(tx resource.Tx) error {
		rows, err := resource.Find(ctx, tx, credentialRows, resource.Where{Field: "userId", Op: "=", Value: userID})
		for _, c := range rows {
			if err == nil {
				err = resource.Delete(ctx, tx, credentialRows, c.ID)
			}
		}
		return err
	})
}

func renewCredentials(ctx context.Context, tx resource.Tx, userID int64, now resource.Seconds) error {
	rows, err := resource.Find(ctx, tx, credentialRows, resource.Where{Field: "userId", Op: "=", Value: userID})
	for _, c := range rows {
		c.UsedOn = now
		if err == nil {
			err = resource.Put(ctx, tx, credentialRows, &c)
		}
	}
	return err
}
