package server_test

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/server"
	"spyglass/backend/store"
	"spyglass/backend/store/postgres/pgtest"
)

func TestReadKey(t *testing.T) {
	key := bytes.Repeat([]byte{0xfe}, store.KeySize)
	text := base64.StdEncoding.EncodeToString(key)
	for name, tt := range map[string]struct {
		file, text string
		mode       os.FileMode
		want       []byte
		err        string
	}{
		"nothing":              {},
		"a file of bytes":      {file: string(key), mode: 0o600, want: key},
		"a file of Base64":     {file: text + "\n", mode: 0o600, want: key},
		"a value":              {text: text, want: key},
		"both":                 {file: text, mode: 0o600, text: text, err: "there are two keys"},
		"a short value":        {text: text[:20], err: "the given key must be 32 bytes"},
		"a long file":          {file: string(key) + "x", mode: 0o600, err: "must be 32 bytes, or their Base64"},
		"a file of many users": {file: string(key), mode: 0o666, err: "other users can write to the key file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := ""
			if tt.file != "" {
				path = filepath.Join(t.TempDir(), "key")
				if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, tt.mode); err != nil {
					t.Fatal(err)
				}
			}
			got, err := server.ReadKey(path, tt.text, slog.New(slog.DiscardHandler))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil || !bytes.Equal(got, tt.want) {
				t.Errorf("got %x (%v), want %x", got, err, tt.want)
			}
		})
	}
	_, err := server.ReadKey(filepath.Join(t.TempDir(), "none"), "", slog.Default())
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("a missing file: %v, want fault.Conflict", err)
	}
}

func TestAGivenKeyTakesThePlaceOfTheFile(t *testing.T) {
	key := bytes.Repeat([]byte{7}, store.KeySize)
	o := server.Options{Data: t.TempDir(), Database: pgtest.Database(t), Key: key, Version: "test"}
	start := func(o server.Options) error {
		s, err := server.New(t.Context(), o)
		if err != nil {
			return err
		}
		return s.Stop(t.Context())
	}
	if err := start(o); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"portal.db.key", "portal.db", "reports"} {
		if _, err := os.Stat(filepath.Join(o.Data, file)); err == nil {
			t.Errorf("there is %s", file)
		}
	}
	o.Data = t.TempDir() // another machine
	if err := start(o); err != nil {
		t.Errorf("with the key: %v", err)
	}
	o.Key = bytes.Repeat([]byte{8}, store.KeySize)
	err := start(o)
	if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "the given key does not belong") {
		t.Errorf("with another key: %v", err)
	}
	o.Key = nil
	if err := start(o); !fault.Is(err, fault.Conflict) {
		t.Errorf("without the key: %v, want fault.Conflict", err)
	}
}
