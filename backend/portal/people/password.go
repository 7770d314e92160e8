package people

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2" // the standard's own implementation of RFC 9106

	"spyglass/backend/fault"
)

// The cost of one hash: OWASP's first recommendation. RFC 9106's second option
// (64 MiB, 3 passes) takes more memory than a small machine has for four
// sign-ins.
const (
	hashMemory = 46 * 1024 // KiB
	hashPasses = 1
	hashLanes  = 1
	hashBytes  = 32
)

// The maximum cost of a stored hash, so that one planted in the database cannot
// overload the machine.
const (
	mostMemory = 128 * 1024 // KiB
	mostPasses = 8
	mostLanes  = 4
	mostBytes  = 64
)

//go:embed passwords.txt
var commonPasswords string

// HashPassword returns the stored form of a new password: argon2id, in the usual
// $argon2id$… text. It takes some 30 ms. It refuses a password that is too short,
// too long or among the 10,000 most common ones (OWASP ASVS 2.1.7).
func HashPassword(password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < 8 || n > 512 {
		return "", fault.At("password", "a password must have 8 to 512 characters")
	}
	if strings.Contains(commonPasswords, "\n"+strings.ToLower(password)+"\n") {
		return "", fault.At("password",
			"this password is among the most common ones, which are guessed first. Choose another one")
	}
	return encodePassword(password, ""), nil
}

// encodePassword hashes a password at the current cost. If origin is set, the
// hash has it as the data parameter of the PHC string format.
func encodePassword(password, origin string) string {
	salt := make([]byte, 16)
	rand.Read(salt)
	sum := argon2.IDKey([]byte(password), salt, hashPasses, hashMemory, hashLanes, hashBytes)
	b64 := base64.RawStdEncoding
	if origin != "" {
		origin = dataParameter + origin
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d%s$%s$%s", argon2.Version, hashMemory, hashPasses,
		hashLanes, origin,
		b64.EncodeToString(salt), b64.EncodeToString(sum))
}

// dataParameter precedes the origin of a hash, see PasswordOrigin.
const dataParameter = ",data="

// PasswordOrigin identifies the password behind a hash. It stays the same when
// RehashPassword encodes that password again, and changes with every other
// write.
func PasswordOrigin(hash string) string {
	if parts := strings.Split(hash, "$"); len(parts) == 6 {
		if _, origin, found := strings.Cut(parts[3], dataParameter); found {
			return origin
		}
	}
	sum := sha256.Sum256([]byte(hash))
	return base64.RawStdEncoding.EncodeToString(sum[:])
}

// RehashPassword hashes a password again at the current cost. It returns false if
// the hash already has that cost. The caller has checked the password.
func RehashPassword(hash, password string) (string, bool) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 {
		return "", false
	}
	cost, _, _ := strings.Cut(parts[3], dataParameter)
	if cost == fmt.Sprintf("m=%d,t=%d,p=%d", hashMemory, hashPasses, hashLanes) {
		return "", false
	}
	return encodePassword(password, PasswordOrigin(hash)), true
}

// checkNotName refuses a password that is one of the names an attacker tries
// first, those of the user and of the portal, ignoring case and spaces.
func checkNotName(password string, names ...string) error {
	plain := strings.ToLower(strings.Join(strings.Fields(password), ""))
	for _, name := range append(names, "spyglass") {
		if name = strings.ToLower(strings.Join(strings.Fields(name), "")); name != "" && name == plain {
			return fault.At("password", "the password must not be the name of the user or of the portal. Choose "+
				"another one")
		}
	}
	return nil
}

// CheckPassword reports whether password matches the hash. An invalid hash
// takes as long: the time does not reveal whether a user exists.
func CheckPassword(hash, password string) bool {
	var version, memory, passes, lanes int
	var salt, want []byte
	parts := strings.Split(hash, "$")
	if len(parts) == 6 {
		_, _ = fmt.Sscanf(parts[2], "v=%d", &version)
		_, _ = fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &passes, &lanes)
		salt, _ = base64.RawStdEncoding.DecodeString(parts[4])
		want, _ = base64.RawStdEncoding.DecodeString(parts[5])
	}
	if version != argon2.Version || passes < 1 || passes > mostPasses || lanes < 1 || lanes > mostLanes ||
		memory < 1 || memory > mostMemory || len(want) == 0 || len(want) > mostBytes {
		argon2.IDKey([]byte(password), make([]byte, 16), hashPasses, hashMemory, hashLanes, hashBytes)
		return false
	}
	got := argon2.IDKey([]byte(password), salt, uint32(passes), uint32(memory), uint8(lanes), uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1
}
