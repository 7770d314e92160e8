package resource

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mask stands for every secret that is shown.
const Mask = "********"

// secretEndings end the names of secrets. They are written without separators
// and in lower case, as the names are compared.
var secretEndings = []string{
	"pass", "password", "passwords", "passwd", "passphrase", "passphrases", "passcode", "pwd", "pwds", "pw", "psk", "psks",
	"passwordhash", "passwdhash", "pwhash", "pincode", "pinnumber", "puk",
	"passwort", "kennwort", "motdepasse", "contrasena", "contraseña", "senha", "wachtwoord", "пароль", "密码",
	"secret", "secrets", "secretid", "secretvalue", "secretstring", "secrettext",
	"key", "keys", "privatekeypem", "privatepem", "keydata", "keymaterial",
	"token", "tokens", "bearer", "jwt", "credential", "credentials", "creds", "serviceaccountjson",
	"connectionstring", "connectionstrings", "connstring", "connstr",
	"community", "communities", "communitystring", "authorization", "basicauth",
}

// secretWords are the names of secrets, or the last word of one. They are too
// short to count as the ending of a longer word: a spin is no PIN.
var secretWords = []string{"pin", "pins", "cred", "otp", "totp", "dsn", "cookie", "cookies"}

// pinOwners stand before pin in names that are written as one word.
var pinOwners = []string{"sim", "user", "admin", "card", "door", "device", "alarm", "voicemail", "auth", "access", "security", "login"}

// shownWords end like a secret by accident. They count only as the whole last
// word of a name, so that telecom_pass is a secret, and compass is none.
var shownWords = []string{
	"compass", "encompass", "bypass", "overpass", "underpass", "surpass", "trespass", "lowpass", "highpass", "bandpass",
	"monkey", "donkey", "turkey", "hockey", "jockey", "whiskey", "hotkey", "hotkeys", "turnkey",
}

// shownEndings end names that say themselves that the value is no secret: public
// keys, and the numbers of tokens that a language model reads or writes.
var shownEndings = []string{
	"publickey", "publickeys", "pubkey", "pubkeys",
	"maxtokens", "mintokens", "numtokens", "inputtokens", "outputtokens", "totaltokens", "prompttokens", "completiontokens",
}

// SecretName reports whether the value of a property of that name is
// write-only. It looks at the end of the name and at nothing else, in any
// letter case and with any separators, digits left out:
// db.pass, DBPASS, db-password_2, apiKey and API KEYS are names of secrets.
// It is the one recogniser of the whole program. A name that may be one of a
// secret counts as one: a masked value costs a look, a shown one is public.
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

// SecretRules returns all that SecretName decides by. Whoever keeps values
// masked writes them anew when it changes.
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

// nameLetters adds the letters of a name to out, in lower case, and returns
// where its last word begins: behind anything that is no letter, and at a
// capital behind a small one. It allocates nothing for the usual name, because
// every write asks about every property.
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

// lowerForeign puts the letters outside ASCII into lower case. Those inside say
// where words begin.
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

// isLetter counts every byte of a letter outside ASCII as one.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func lower(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}
