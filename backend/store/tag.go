package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// etag is the entity tag of an object as it is shown.
func etag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// matches reports whether a list of entity tags holds tag, or is *.
func matches(header, tag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == tag || part == "*" {
			return true
		}
	}
	return false
}
