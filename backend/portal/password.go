package portal

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2" // the standard's own implementation of RFC 9106

	"spyglass/backend/fault"
)

// The cost of one hash: the first that OWASP recommends. RFC 9106's second option
// (64 MiB, 3 passes) takes more memory than a small machine has for four sign-ins.
const (
	hashMemory = 46 * 1024 // KiB
	hashPasses = 1
	hashLanes  = 1
	hashBytes  = 32
)

// The most that a stored hash may cost: one that was planted in the database must
// not take the machine.
const (
	mostMemory = 128 * 1024 // KiB
	mostPasses = 8
	mostLanes  = 4
	mostBytes  = 64
)

// HashPassword is the form a password is kept in: argon2id, in the usual
// $argon2id$… text. It takes some 30 ms.
func HashPassword(password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < 8 || n > 512 {
		return "", fault.At("password", "a password has 8 to 512 characters")
	}
	salt := make([]byte, 16)
	rand.Read(salt)
	sum := argon2.IDKey([]byte(password), salt, hashPasses, hashMemory, hashLanes, hashBytes)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, hashMemory, hashPasses, hashLanes, b64.EncodeToString(salt), b64.EncodeToString(sum)), nil
}

// CheckPassword reports whether password is the one that was hashed. It takes
// as long for a hash that is none: nobody learns from the time whether a user exists.
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
