package session

import (
	"encoding/binary"
	"time"
)

// rememberDevice limits how long a browser is recognized as one with which its
// user signed in. Each sign-in renews it.
const rememberDevice = 365 * 24 * time.Hour

// devicePlace is the place for sealed cookies, so that no sealed value of the
// database is accepted as a cookie.
const devicePlace = "device cookie"

// device returns a device cookie for a browser after a sign-in of the user. It
// grants no access; it only allows a sign-in with the right password while failed
// attempts lock the user name (OWASP, Authentication Cheat Sheet: device
// cookies).
func (s *Service) device(userID int64) string {
	text := binary.BigEndian.AppendUint64([]byte("device"), uint64(userID))
	return s.db.Seal(devicePlace, binary.BigEndian.AppendUint64(text, uint64(s.clock().Unix())))
}

// isDeviceOf reports whether the user signed in with this browser within
// rememberDevice.
func (s *Service) isDeviceOf(device string, userID int64) bool {
	if device == "" {
		return false
	}
	text, err := s.db.Unseal(devicePlace, device)
	if err != nil || len(text) != len("device")+16 || string(text[:6]) != "device" {
		return false
	}
	owner, made := int64(binary.BigEndian.Uint64(text[6:])), int64(binary.BigEndian.Uint64(text[14:]))
	return owner == userID && s.clock().Sub(time.Unix(made, 0)) < rememberDevice
}
