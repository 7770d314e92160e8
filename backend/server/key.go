package server

import (
	"encoding/base64"
	"log/slog"
	"os"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/private"
	"spyglass/backend/store"
)

// ReadKey returns the key for Options.Key from a file, or from a text in Base64 such as
// the value of an environment variable; nil if both are empty. A file has the bytes of
// the key, as portal.db.key does, or Base64. Errors do not contain the key.
func ReadKey(file, text string, log *slog.Logger) ([]byte, error) {
	from := "the given key"
	switch {
	case file != "" && text != "":
		return nil, fault.New(fault.Invalid, "there are two keys: give a file or a value, not both")
	case file != "":
		from = "the key file " + file
		info, err := os.Stat(file)
		if err == nil && private.OthersWrite(file, info) {
			return nil, fault.New(fault.Conflict, "other users can write to %s, so it is not trusted; change its "+
				"permissions", from)
		}
		var content []byte
		if err == nil {
			content, err = os.ReadFile(file)
		}
		if err != nil {
			return nil, fault.New(fault.Conflict, "%s cannot be read (%v)", from, cause(err))
		}
		if private.OthersMay(file, info) {
			log.Warn("other users can read the key file", "path", file)
		}
		if len(content) == store.KeySize {
			return content, nil
		}
		text = string(content)
	case text == "":
		return nil, nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != store.KeySize {
		return nil, fault.New(fault.Invalid, "%s must be %d bytes, or their Base64; portal.db.key of a portal is such "+
			"a file. To create a new one: head -c %d /dev/urandom > FILE", from, store.KeySize, store.KeySize)
	}
	return key, nil
}
