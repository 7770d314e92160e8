package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store/engine"
)

// sealer encrypts secrets that Spyglass must be able to read again (access keys,
// device passwords), so that nobody can read them in the database or a copy of
// it. It uses AES-256-GCM with a key in a separate file beside the database,
// which backups do not include.
type sealer struct{ aead cipher.AEAD }

// keyName names the entry that holds the fingerprint of the database's key.
const keyName = "key"

// released replaces a fingerprint after a user has chosen to continue without the
// key: the next start uses the present key, or creates one.
const released = "released"

// openKey reads the key beside the database, and creates one for a new database.
// For a database that has secrets, it refuses a missing or different key.
func (db *DB) openKey(ctx context.Context, o Options) (sealer, error) {
	if o.KeyOf != nil {
		return o.KeyOf.seal, nil
	}
	path := db.path + ".key"
	known, err := meta(ctx, db.base, engine.Identity, keyName)
	if err != nil {
		return sealer{}, err
	}
	shapes, err := db.base.AllMeta(ctx, engine.Shape)
	if err != nil {
		return sealer{}, err
	}
	key, err := o.Key, error(nil)
	switch {
	case key == nil:
		key, err = os.ReadFile(path)
	case len(key) != KeySize:
		return sealer{}, fault.New(fault.Invalid, "the given key has %d bytes; it must have %d", len(key), KeySize)
	}
	missing := errors.Is(err, os.ErrNotExist)
	if err != nil && !missing {
		return sealer{}, fault.New(fault.Conflict, "the key file %s cannot be used (%v); choose another --data "+
			"folder or change its permissions", path, rootCause(err))
	}
	if !missing && len(key) != KeySize && !o.NewKey {
		return sealer{}, lost("the key file %s is damaged; restore it from a copy. To continue without "+
			"the passwords and access keys that it opens, start once with --without %s", path, filepath.Base(path))
	}
	free := known == released || known == "" && (len(shapes) == 0 || !missing)
	switch {
	case !o.Secrets, free, !missing && resource.KeyFingerprint(key) == known:
	case !o.NewKey && missing:
		return sealer{}, lost("the key file %s is missing; nothing was changed. Restore it from a copy: it opens "+
			"the passwords and access keys in %s. To continue without them, start once with --without %s",
			path, db.path, filepath.Base(path))
	case !o.NewKey && o.Key != nil:
		return sealer{}, lost("the given key does not belong to %s; nothing was changed. Give the right one. To "+
			"continue without the passwords and access keys that it opens, start once with --without %s",
			db.name, filepath.Base(path))
	case !o.NewKey:
		return sealer{}, lost("the key file %s does not belong to %s; nothing was changed. Restore the right one "+
			"from a copy. To continue without the passwords and access keys that it opens, "+
			"start once with --without %s", path, db.path, filepath.Base(path))
	}
	if missing || len(key) != KeySize {
		if key, err = newKey(path, missing); err != nil {
			return sealer{}, err
		}
	}
	if print := resource.KeyFingerprint(key); print != known {
		if err := db.writer.base.SetMeta(ctx, engine.Identity, keyName, print); err != nil {
			return sealer{}, err
		}
	}
	return newSealer(key)
}

func newSealer(key []byte) (sealer, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCM(block)
	return sealer{aead}, err
}

// KeySize is the size of a key in bytes, that of AES-256.
const KeySize = 32

// newKey creates a key file. It keeps a damaged one under another name.
func newKey(path string, missing bool) ([]byte, error) {
	if !missing {
		if err := os.Rename(path, path+"-damaged"); err != nil {
			return nil, err
		}
	}
	key := make([]byte, KeySize)
	rand.Read(key)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.Write(key)
		err = errors.Join(err, file.Sync(), file.Close())
	}
	if err != nil {
		return nil, fault.New(fault.Conflict, "the key file %s cannot be written (%v); choose another --data folder "+
			"or change its permissions", path, rootCause(err))
	}
	return key, nil
}

// ReleaseKey allows a database that no process has open to use another key.
func (Files) ReleaseKey(ctx context.Context, path string) error {
	return embedded.SetIdentity(ctx, path, keyName, released)
}

// sealedVersion is the prefix of each sealed value that is bound to its place.
// Values of earlier versions have no prefix: they open anywhere, and are bound
// when their row is next written.
const sealedVersion = "v2:"

// Seal encrypts a secret with the portal's key and binds it to its place (the
// additional data of AES-GCM). Only Unseal with the same place decrypts it, so an
// attacker who can write the file cannot give one row the secret of another. The
// place must never change. Tables use their name, the field and the id of the
// row, which is known before the first write.
func (db *DB) Seal(place string, secret []byte) string {
	nonce := make([]byte, db.seal.aead.NonceSize())
	rand.Read(nonce)
	return sealedVersion + base64.RawStdEncoding.EncodeToString(db.seal.aead.Seal(nonce, nonce, secret, []byte(place)))
}

// opened decrypts a secret. It returns "" if the key does not fit, for example
// after a restore without the key, or if the value was copied from another place;
// the secret then counts as not set.
func (db *DB) opened(place, sealed string) string {
	secret, err := db.Unseal(place, sealed)
	if err != nil {
		db.unopened.Do(func() {
			db.log.Warn("secrets in the database were encrypted with another key, or moved: they are empty until "+
				"they are entered again", "key", db.path+".key", "first", place)
		})
	}
	return string(secret)
}

// Unseal decrypts a secret that was sealed for this place with the same key.
func (db *DB) Unseal(place, sealed string) ([]byte, error) {
	text, bound := strings.CutPrefix(sealed, sealedVersion)
	var data []byte
	if bound {
		data = []byte(place)
	}
	raw, err := base64.RawStdEncoding.DecodeString(text)
	if size := db.seal.aead.NonceSize(); err == nil && len(raw) > size {
		return db.seal.aead.Open(nil, raw[:size], raw[size:], data)
	}
	return nil, errors.New("a sealed secret is damaged")
}
