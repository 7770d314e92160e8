package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"spyglass/backend/fault"
)

// The folders of a restore, inside the data folder.
const (
	workFolder   = "restore"                // deleted when everything is done
	newFolder    = workFolder + "/unpacked" // not valid yet
	readyFolder  = workFolder + "/ready"    // complete; existing files are moved away
	movingFolder = workFolder + "/moving"   // existing files are moved away; these take their place
	oldFolder    = workFolder + "/replaced" // the files that were moved away
	undoFile     = workFolder + "/undo"     // marks that "ready" contains the kept files
	keptFolder   = "before-restore"         // the same, when everything is done
)

var errWaits = fault.New(fault.Conflict, "a restore is already pending for the next start; cancel it first")

// State is the state of restores in a data folder.
type State struct {
	Waits     bool      // a restore resumes at the next start
	Replaced  time.Time // when the kept files were replaced; zero if there are none
	KeptBytes int64
}

// StateOf reads the state of a data folder.
func StateOf(folder string) (State, error) {
	s := State{Waits: waits(folder)}
	info, err := os.Stat(filepath.Join(folder, keptFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return s, err
	}
	s.Replaced = info.ModTime()
	s.KeptBytes, err = Size(filepath.Join(folder, keptFolder))
	return s, err
}

// Size returns the total bytes of the files below a folder. It ignores files that
// are deleted meanwhile.
func Size(folder string) (bytes int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		bytes += info.Size()
		return nil
	})
	return bytes, err
}

func waits(folder string) bool { return exists(filepath.Join(folder, readyFolder)) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Unstage cancels a restore that is pending for the next start.
func Unstage(folder string) error {
	if !waits(folder) {
		return fault.New(fault.Conflict, "no restore is pending")
	}
	to := newFolder // where it is not valid
	if exists(filepath.Join(folder, undoFile)) {
		to = keptFolder
	}
	if err := os.Rename(filepath.Join(folder, readyFolder), filepath.Join(folder, to)); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(folder, workFolder))
}

// Undo makes the files that the last restore replaced ready to be restored.
func Undo(folder string) error {
	if waits(folder) {
		return errWaits
	}
	kept := filepath.Join(folder, keptFolder)
	if !exists(kept) {
		return fault.New(fault.Conflict, "the data from before the restore is no longer kept")
	}
	work := filepath.Join(folder, workFolder)
	if err := errors.Join(os.RemoveAll(work), os.Mkdir(work, 0o700), os.WriteFile(filepath.Join(folder, undoFile), nil,
		0o600)); err != nil {
		return err
	}
	if err := os.Rename(kept, filepath.Join(folder, readyFolder)); err != nil {
		return err
	}
	return syncFolders(work, folder)
}

// DeleteReplaced deletes what the last restore replaced.
func DeleteReplaced(folder string) error { return os.RemoveAll(filepath.Join(folder, keptFolder)) }

// Finish completes a pending restore, and deletes an incomplete one. Each step
// can be repeated after a crash. It does nothing in a folder without a restore.
func Finish(folder string) error {
	err := finish(folder)
	if err != nil {
		return fault.New(fault.Conflict, "the restore in %s is not finished (%v); it resumes at the next start",
			folder, err)
	}
	return nil
}

func finish(folder string) error {
	at := func(name string) string { return filepath.Join(folder, name) }
	if waits(folder) {
		if err := moveAway(folder); err != nil {
			return err
		}
		if err := os.Rename(at(readyFolder), at(movingFolder)); err != nil {
			return err
		}
	}
	if exists(at(movingFolder)) {
		if err := moveIn(folder); err != nil {
			return err
		}
	}
	if exists(at(oldFolder)) {
		if err := errors.Join(os.RemoveAll(at(keptFolder)), os.Rename(at(oldFolder), at(keptFolder))); err != nil {
			return err
		}
	}
	if !exists(at(workFolder)) { // on a read-only disk, even removing nothing fails
		return nil
	}
	return os.RemoveAll(at(workFolder))
}

// moveAway moves the portal's files out of the folder.
func moveAway(folder string) error {
	old := filepath.Join(folder, oldFolder)
	names := []string{folderName}
	for _, name := range databases {
		if err := os.RemoveAll(filepath.Join(folder, name+"-shm")); err != nil { // created again when needed
			return err
		}
		names = append(names, name, name+"-wal")
	}
	for _, name := range names {
		if !exists(filepath.Join(folder, name)) {
			continue
		}
		if err := errors.Join(os.MkdirAll(old, 0o700),
			os.Rename(filepath.Join(folder, name), filepath.Join(old, name))); err != nil {
			return err
		}
	}
	if !exists(old) { // the folder was empty
		return syncFolders(folder)
	}
	return syncFolders(old, folder)
}

// moveIn moves the restored files into the folder.
func moveIn(folder string) error {
	if err := syncFolders(filepath.Join(folder, workFolder)); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(folder, movingFolder))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(folder, movingFolder, e.Name()),
			filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return syncFolders(folder)
}
