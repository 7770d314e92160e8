package agent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"spyglass/backend/check"
	"spyglass/backend/fault"
	"spyglass/backend/private"
)

// identity identifies the collector to the portal.
type identity struct {
	Portal    string `json:"portal"` // its API
	Collector int64  `json:"collectorId"`
	Secret    string `json:"token"`
}

const identityFile = "collector.json"

func readIdentity(folder string) (*identity, error) {
	text, err := os.ReadFile(filepath.Join(folder, identityFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.Invalid, "no collector is registered in %s; start it with --portal and --token, "+
			"as its installer does", folder)
	}
	if err != nil {
		return nil, err
	}
	id := &identity{}
	if err := json.Unmarshal(text, id); err != nil || id.Portal == "" || id.Collector == 0 || id.Secret == "" {
		return nil, fault.New(fault.Conflict, "%s is damaged; register the collector again with a new installation "+
			"token", filepath.Join(folder, identityFile))
	}
	return id, nil
}

func (id *identity) keep(folder string) error {
	text, err := json.Marshal(id)
	if err != nil {
		return err
	}
	return private.Replace(filepath.Join(folder, identityFile), text)
}

// waiting is the queue of batches that the portal does not have yet, in one file
// each.
type waiting struct {
	folder string
	mu     sync.Mutex
	names  []string // the oldest first
	next   int64
}

// maxWaiting limits the pending batches.
const maxWaiting = 10_000

func openWaiting(folder string) (*waiting, error) {
	w := &waiting{folder: filepath.Join(folder, "waiting")}
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(w.folder, "*.json"))
	for _, file := range files {
		name := filepath.Base(file)
		var n int64
		if _, failed := fmt.Sscanf(name, "%d.json", &n); failed == nil {
			w.names, w.next = append(w.names, name), max(w.next, n+1)
		}
	}
	slices.SortFunc(w.names, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
	return w, err
}

// add stores a batch. If too many are pending, it deletes the oldest.
func (w *waiting) add(results []check.Result) error {
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	name := fmt.Sprintf("%012d.json", w.next)
	w.next++
	if err := private.Replace(filepath.Join(w.folder, name), text); err != nil {
		return err
	}
	w.names = append(w.names, name)
	if len(w.names) <= maxWaiting {
		return nil
	}
	oldest := w.names[0]
	w.names = w.names[1:]
	return os.Remove(filepath.Join(w.folder, oldest))
}

// first returns the oldest batch; name is empty if there is none. It deletes
// batches that a crash has made unreadable.
func (w *waiting) first() (name string, results []check.Result, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.names) > 0 {
		name = w.names[0]
		text, err := os.ReadFile(filepath.Join(w.folder, name))
		if err == nil {
			err = json.Unmarshal(text, &results)
		}
		if err == nil {
			return name, results, nil
		}
		w.names = w.names[1:]
		if err := os.Remove(filepath.Join(w.folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", nil, err
		}
	}
	return "", nil, nil
}

func (w *waiting) remove(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if k := slices.Index(w.names, name); k >= 0 {
		w.names = slices.Delete(w.names, k, k+1)
	}
	if err := os.Remove(filepath.Join(w.folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (w *waiting) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.names)
}
