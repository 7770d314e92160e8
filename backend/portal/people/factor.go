package people

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6238: what authenticator apps compute with
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"spyglass/backend/fault"
)

// SecondFactor is the secret that a user's authenticator app shares with the portal: time-based
// codes of RFC 6238 with SHA-1, 30 s and 6 digits, which every app supports.
type SecondFactor struct {
	Secret   []byte   `json:"secret"`   // empty until a code confirms Next
	LastStep int64    `json:"lastStep"` // of the last accepted code; older codes are not valid
	Recovery []string `json:"recovery"` // SHA-256 of the unused recovery codes, hex

	Next   []byte `json:"next,omitempty"` // the secret of a set-up in progress
	NextOn int64  `json:"nextOn,omitempty"`
}

const (
	factorStep    = 30 * time.Second
	factorBytes   = 20 // of a secret: as many as SHA-1 has (RFC 4226, 4)
	recoveryCodes = 10
	setUpLasts    = 15 * time.Minute
)

// Factor returns the user's second factor; the zero value if it is not set up.
func (u *User) Factor() (f SecondFactor) {
	_ = json.Unmarshal([]byte(u.SecondFactor), &f) // the portal wrote it; empty: not set up
	return f
}

// IsSetUp reports whether sign-ins require a code.
func (f *SecondFactor) IsSetUp() bool { return len(f.Secret) > 0 }

// KeepFactor replaces the user's second factor.
func (u *User) KeepFactor(f SecondFactor) error {
	text, err := json.Marshal(f)
	u.SecondFactor = string(text)
	return err
}

// ResetSecondFactor deletes the set-up. It returns fault.Conflict if there is none.
func (u *User) ResetSecondFactor() error {
	if u.SecondFactor == "" {
		return fault.New(fault.Conflict, "%s has not set up two-factor authentication", u.Username)
	}
	u.SecondFactor = ""
	return nil
}

// Begin begins a set-up and returns its secret. The former secret stays valid until
// Confirm.
func (f *SecondFactor) Begin(now time.Time) (secret []byte) {
	f.Next, f.NextOn = make([]byte, factorBytes), now.Unix()
	rand.Read(f.Next)
	return f.Next
}

// Confirm completes a set-up with a code of its secret, and returns new recovery codes.
func (f *SecondFactor) Confirm(code string, now time.Time) (recovery []string, err error) {
	age := now.Sub(time.Unix(f.NextOn, 0))
	if len(f.Next) == 0 || age < -factorStep || age > setUpLasts {
		return nil, fault.New(fault.Conflict, "no set-up is in progress, or it began more than 15 minutes ago; begin "+
			"again")
	}
	step, ok := stepOf(f.Next, plainCode(code), now)
	if !ok {
		return nil, fault.At("code", "the code is wrong. Check that the clock of your phone is right, and type the "+
			"next code")
	}
	*f = SecondFactor{Secret: f.Next, LastStep: step}
	for range recoveryCodes {
		code := newRecoveryCode()
		recovery, f.Recovery = append(recovery, code), append(f.Recovery, hashCode(plainCode(code)))
	}
	return recovery, nil
}

// Accept reports whether a code is valid, and uses it up: a code of the app for a time
// after the last accepted one and within one step of now, or a recovery code.
func (f *SecondFactor) Accept(code string, now time.Time) bool {
	code = plainCode(code)
	if step, ok := stepOf(f.Secret, code, now); ok {
		if step <= f.LastStep {
			return false
		}
		f.LastStep = step
		return true
	}
	if i := slices.Index(f.Recovery, hashCode(code)); i >= 0 {
		f.Recovery = slices.Delete(f.Recovery, i, i+1)
		return true
	}
	return false
}

// stepOf returns the time step within one of now to which a code belongs.
func stepOf(secret []byte, code string, now time.Time) (step int64, ok bool) {
	at := now.Unix() / int64(factorStep/time.Second)
	for _, s := range []int64{at - 1, at, at + 1} {
		if subtle.ConstantTimeCompare([]byte(FactorCode(secret, s)), []byte(code)) == 1 {
			step, ok = s, true
		}
	}
	return step, ok && len(secret) > 0
}

// FactorCode returns the code of a secret for a time step of 30 s (RFC 4226, 5.3).
func FactorCode(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1_000_000)
}

// FactorText returns a secret as authenticator apps read it.
func FactorText(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// plainCode returns a code without the spaces and dashes that people type.
func plainCode(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// newRecoveryCode returns a random code of 80 bits.
func newRecoveryCode() string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	raw := make([]byte, 16)
	rand.Read(raw)
	var b strings.Builder
	for i, c := range raw {
		if i > 0 && i%4 == 0 {
			b.WriteByte('-')
		}
		b.WriteByte(letters[c&31])
	}
	return b.String()
}

// hashCode needs no salt and no cost: a code has 80 random bits.
func hashCode(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}
