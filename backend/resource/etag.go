package resource

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ETag returns the entity tag of a body, quoted: 64 bits of its SHA-256.
func ETag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// MatchesETag reports whether an If-Match or If-None-Match header lists tag, or
// is *. It compares weakly (RFC 9110, 8.8.3.2): a compressed response has a weak
// tag.
func MatchesETag(header, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}
