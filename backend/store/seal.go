package store

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"

	"spyglass/backend/fault"
)

// sealer keeps secrets that must be read again (access keys, device passwords)
// from being readable in the database or in a copy of it: AES-256-GCM, with a
// key that lies in a file of its own, beside the database, and in no backup.
type sealer struct{ aead cipher.AEAD }

func openSealer(path string) (sealer, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		key = make([]byte, 32)
		rand.Read(key)
		err = os.WriteFile(path, key, 0o600)
	}
	if err != nil {
		return sealer{}, fault.New(fault.Conflict, "the key file %s cannot be used (%v); choose another --data folder or change its permissions", path, rootCause(err))
	}
	if len(key) != 32 {
		return sealer{}, fault.New(fault.Conflict, "the key file %s is damaged; restore it from where you keep a copy", path)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCM(block)
	return sealer{aead}, err
}

// Seal encrypts a secret with the portal's key.
func (db *DB) Seal(secret []byte) string {
	nonce := make([]byte, db.seal.aead.NonceSize())
	rand.Read(nonce)
	return base64.RawStdEncoding.EncodeToString(db.seal.aead.Seal(nonce, nonce, secret, nil))
}

// opened is what was sealed; empty where the key is another one, as after a
// restore without the key: such a secret is as if it had never been given.
func (db *DB) opened(sealed string) string {
	secret, err := db.Unseal(sealed)
	if err != nil {
		db.unopened.Do(func() {
			db.log.Warn("secrets in the database were sealed with another key: they are empty until they are given again", "key", db.path+".key")
		})
	}
	return string(secret)
}

// Unseal gives back what was sealed with the same key file.
func (db *DB) Unseal(sealed string) ([]byte, error) {
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if size := db.seal.aead.NonceSize(); err == nil && len(raw) > size {
		return db.seal.aead.Open(nil, raw[:size], raw[size:], nil)
	}
	return nil, errors.New("a sealed secret is damaged")
}
