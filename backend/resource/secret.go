package resource

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"spyglass/backend/fault"
)

// Property is one custom property of a device, a group or a collector.
type Property struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Secret bool   `json:"secret,omitempty" doc:"true: the value is write-only; omit it to keep it"`
}

// Mask replaces secrets in responses.
const Mask = "********"

// IsSecret reports whether the value is write-only, because of its flag or its
// name.
func (p Property) IsSecret() bool { return p.Secret || SecretName(p.Name) }

// Shown returns the value for responses.
func (p Property) Shown() string {
	if p.Value != "" && p.IsSecret() {
		return Mask
	}
	return p.Value
}

// Masked returns a copy of properties with masked secrets.
func Masked(props []Property) []Property {
	out := slices.Clone(props)
	for i := range out {
		out[i].Value = out[i].Shown()
	}
	return out
}

// GivenProperty is a property of a request body. Flagged is set if the body
// includes the secret flag, which otherwise does not change.
type GivenProperty struct {
	Property
	Flagged bool
}

// Kept completes properties of a body from the stored ones: a masked value means
// the stored one, and a missing flag does not change. To remove the flag of a
// secret, the body must include the value, so that this never reveals a secret.
func Kept(field string, now []GivenProperty, was []Property) ([]Property, error) {
	stored := make(map[string]Property, len(was))
	for _, old := range was {
		stored[strings.ToLower(old.Name)] = old
	}
	out := make([]Property, len(now))
	for i, given := range now {
		p, old := given.Property, stored[strings.ToLower(given.Name)]
		if !given.Flagged {
			p.Secret = old.Secret
		}
		if p.Value == Mask && old.IsSecret() {
			if !p.IsSecret() {
				return nil, fault.At(field, "%s: %q is secret; send its value again to show it", field, p.Name)
			}
			p.Value = old.Value
		}
		out[i] = p
	}
	return out, nil
}

// secretEndings lists endings of the names of secrets, without separators and in
// lower case, like the names when compared.
var secretEndings = []string{
	"pass", "password", "passwords", "passwd", "passphrase", "passphrases", "passcode", "pwd", "pwds", "pw",
	"psk", "psks",
	"passwordhash", "passwdhash", "pwhash", "pincode", "pinnumber", "puk",
	"passwort", "kennwort", "motdepasse", "contrasena", "contraseña", "senha", "wachtwoord", "пароль", "密码",
	"secret", "secrets", "secretid", "secretvalue", "secretstring", "secrettext",
	"key", "keys", "privatekeypem", "privatepem", "keydata", "keymaterial",
	"token", "tokens", "bearer", "jwt", "credential", "credentials", "creds", "serviceaccountjson",
	"connectionstring", "connectionstrings", "connstring", "connstr",
	"community", "communities", "communitystring", "authorization", "basicauth",
}

// secretWords lists names of secrets that also count as the last word of a longer
// name. They are too short to count as the ending of a word: a spin is not a PIN.
var secretWords = []string{"pin", "pins", "cred", "otp", "totp", "dsn", "cookie", "cookies"}

// pinOwners lists the words before pin in names that are written as one word.
var pinOwners = []string{"sim", "user", "admin", "card", "door", "device", "alarm", "voicemail", "auth", "access",
	"security", "login"}

// shownWords lists words that end like a secret by accident. They count only as
// the whole last word of a name, so that telecom_pass is a secret, but compass is
// not.
var shownWords = []string{
	"compass", "encompass", "bypass", "overpass", "underpass", "surpass", "trespass", "lowpass", "highpass", "bandpass",
	"monkey", "donkey", "turkey", "hockey", "jockey", "whiskey", "hotkey", "hotkeys", "turnkey",
}

// shownEndings lists endings of names whose values are not secret: public keys,
// and the numbers of tokens that a language model reads or writes.
var shownEndings = []string{
	"publickey", "publickeys", "pubkey", "pubkeys",
	"maxtokens", "mintokens", "numtokens", "inputtokens", "outputtokens", "totaltokens", "prompttokens",
	"completiontokens",
}

// SecretName reports whether the value of a property with that name is
// write-only. It checks only the end of the name, ignoring letter case,
// separators and digits: db.pass, DBPASS, db-password_2, apiKey and API KEYS are
// names of secrets. The whole program uses this function. In doubt it returns
// true: a masked value is a nuisance, but a revealed secret is a leak.
func SecretName(name string) bool {
	var room [64]byte
	letters, start := nameLetters(room[:0], name)
	last := letters[start:]
	if isOneOf(last, shownWords) || endsWith(letters, shownEndings) {
		return false
	}
	if isOneOf(last, secretWords) || endsWith(letters, secretEndings) {
		return true
	}
	owner, isPin := bytes.CutSuffix(last, []byte("pin"))
	return isPin && isOneOf(owner, pinOwners)
}

// MaskPairs returns a JSON text in which the values beside the names of secrets
// are masked. It changes nothing else, and returns a text that is not JSON
// unchanged.
func MaskPairs(text string) string {
	node, err := ParseJSON([]byte(text))
	if err != nil {
		return text
	}
	shown := secretValues(nil, node)
	for _, n := range slices.Backward(shown) {
		text = text[:n.Pos] + `"` + Mask + `"` + text[n.Pos+len(n.Raw):]
	}
	return text
}

// secretValues adds the values of secret pairs below n to found, in the order
// of the text.
func secretValues(found []Node, n Node) []Node {
	name, value := n.Get("name"), n.Get("value")
	if name != nil && value != nil && SecretName(name.Text) && value.Text != "" {
		return append(found, *value)
	}
	for _, item := range n.Items {
		found = secretValues(found, item)
	}
	return found
}

// SecretRules returns all rules of SecretName as text. A package that stores
// masked values rewrites them when the text changes.
func SecretRules() string {
	return fmt.Sprint(secretEndings, secretWords, pinOwners, shownWords, shownEndings)
}

func isOneOf(word []byte, words []string) bool {
	return slices.Contains(words, string(word))
}

func endsWith(letters []byte, endings []string) bool {
	if len(letters) == 0 {
		return false
	}
	tail := letters[len(letters)-1]
	for _, end := range endings {
		if end[len(end)-1] == tail && bytes.HasSuffix(letters, []byte(end)) {
			return true
		}
	}
	return false
}

// nameLetters appends the letters of a name in lower case, and returns the index
// at which its last word begins: after a character that is not a letter, or at a
// capital after a small letter. It does not allocate for usual names, because
// every write checks every property.
func nameLetters(out []byte, name string) (letters []byte, last int) {
	if !isASCII(name) {
		name = lowerForeign(name)
	}
	var before byte
	for i := range len(name) {
		c := name[i]
		if isLetter(c) {
			if !isLetter(before) || isUpper(c) && !isUpper(before) {
				last = len(out)
			}
			out = append(out, lower(c))
		}
		before = c
	}
	return out, last
}

// lowerForeign converts letters beyond ASCII to lower case. Capitals inside a
// name show where words begin.
func lowerForeign(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return unicode.ToLower(r)
	}, name)
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// isLetter counts every byte of a letter beyond ASCII as a letter.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// KeyFingerprint identifies the encryption key of secrets without revealing
// anything else about it.
func KeyFingerprint(key []byte) string {
	sum := sha256.Sum256(append([]byte("spyglass key "), key...))
	return hex.EncodeToString(sum[:8])
}
