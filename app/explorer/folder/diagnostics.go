package folder

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/resource"
)

// publicSettings lists the settings without private data: those of appearance and
// behavior.
var publicSettings = []string{"theme", "density", "fontSize", "zoom", "keys", "timeout", "reviewWrites", "wrap",
	"historyKept", "view", "panel", "layout"}

const diagnosticsType = "application/zip"

// diagnostics packs versions, settings, counts, metrics and the last lines of the
// log.
func (f *Data) diagnostics(ctx context.Context, c *resource.Call) (any, error) {
	about, err := f.about(ctx, c)
	if err != nil {
		return nil, err
	}
	settings, err := f.diagnosticSettings(ctx, c.Access.UserID)
	if err != nil {
		return nil, err
	}
	tables, err := f.tables(ctx)
	if err != nil {
		return nil, err
	}
	health, err := f.health()
	if err != nil {
		return nil, err
	}
	return &resource.Response{Type: diagnosticsType, Filename: "spyglass-diagnostics-" +
		time.Now().Format(time.DateOnly) + ".zip", Stream: func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, part := range []struct {
			name string
			text any
		}{
			{"about.json", about}, {"settings.json", settings}, {"tables.json", tables}, {"health.json", health},
			{"log.txt", f.Tail.Log()}, {"errors.txt", f.Tail.Troubles()},
		} {
			text, ok := part.text.([]byte)
			if !ok {
				if text, err = json.MarshalIndent(part.text, "", "  "); err != nil {
					return err
				}
			}
			entry, err := z.Create(part.name)
			if err == nil {
				_, err = io.Copy(entry, bytes.NewReader(text))
			}
			if err != nil {
				return err
			}
		}
		return z.Close()
	}}, nil
}

// diagnosticSettings returns the public settings, and the size in bytes of the
// others.
func (f *Data) diagnosticSettings(ctx context.Context, userID int64) (any, error) {
	text, err := f.Workspace.SettingsJSON(ctx, userID)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	shown, others := map[string]json.RawMessage{}, map[string]int{}
	for _, key := range publicSettings {
		if value, set := all[key]; set {
			shown[key] = value
			delete(all, key)
		}
	}
	for key, value := range all {
		others[key] = len(value)
	}
	return map[string]any{"settings": shown, "bytesOfOthers": others}, nil
}

func (f *Data) tables(ctx context.Context) (any, error) {
	workspace, err := f.Workspace.Counts(ctx)
	if err != nil {
		return nil, err
	}
	portal, err := f.Counts(ctx)
	return map[string]any{"workspace": workspace, "portal": portal}, err
}

// health returns the memory and file sizes of the process, in bytes.
func (f *Data) health() (any, error) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	entries, err := os.ReadDir(f.Folder)
	if err != nil {
		return nil, err
	}
	files := map[string]int64{}
	for _, entry := range entries {
		bytes, sizeErr := backup.Size(filepath.Join(f.Folder, entry.Name()))
		files[entry.Name()], err = bytes, errors.Join(err, sizeErr)
	}
	return map[string]any{
		"at": time.Now().UTC().Format(time.RFC3339), "upSeconds": int64(time.Since(f.Began).Seconds()),
		"desktop": f.Desktop, "demo": f.Demo,
		"cpus": runtime.NumCPU(), "goroutines": runtime.NumGoroutine(),
		"memory": map[string]any{"heap": memory.HeapAlloc, "system": memory.Sys, "collections": memory.NumGC,
			"pauseMs": memory.PauseTotalNs / 1e6},
		"files": files,
	}, err
}
