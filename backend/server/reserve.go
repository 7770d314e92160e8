package server

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/setting"
	"spyglass/backend/store"
)

// reserveFile keeps room in the data folder. A start on a full disk deletes it, because
// even reading a database needs room for its index of the log (32 KiB each).
const reserveFile, reserveSize = "reserve", 1 << 20

// reserve writes the reserve, and reports whether the disk is full. It then deletes the
// reserve, whose room the databases use.
func (s *Server) reserve() (full bool) {
	path := filepath.Join(s.o.Data, reserveFile)
	content := make([]byte, reserveSize) // random: a file system may store zeros without room
	rand.Read(content)
	err := os.WriteFile(path+".new", content, 0o600)
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err == nil {
		return false
	}
	err = errors.Join(err, present(os.Remove(path+".new")))
	if fault.NoRoom(err) {
		_ = os.Remove(path) // opening the databases fails, if it is needed and still there
		return true
	}
	s.o.Log.Warn("no room can be reserved in the data folder for a start on a full disk", "err", err)
	return false
}

// present returns err unless it says that there is no file.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// refuseWrites makes the portal read-only because its disk is full. Writes that the start
// needs are done.
func (s *Server) refuseWrites() {
	s.o.Log.Warn("the disk of the data folder is full: the portal is read-only until there is room", "folder",
		s.o.Data)
	s.db.Refuse(s.noRoom())
}

// noRoom returns why writes are refused since a start on a full disk; nil if they are not.
func (s *Server) noRoom() error {
	if !s.full.Load() {
		return nil
	}
	return &fault.Error{Kind: fault.Full, Message: "the disk of the data folder " + s.o.Data + " is full, so the " +
		"portal is read-only; nothing was written. Make room, and writes work again within seconds"}
}

// lookForRoom allows writes again when the disk has room. Two at a time would write the same
// file, and take its holes for room.
func (s *Server) lookForRoom() {
	s.looking.Lock()
	defer s.looking.Unlock()
	if !s.full.Load() || s.reserve() {
		return
	}
	s.full.Store(false)
	s.db.Refuse(nil)
	s.o.Log.Info("the disk of the data folder has room again: the portal is no longer read-only")
}

// copiesAgain is the interval at which old safety copies are deleted.
const copiesAgain = time.Hour

// removeCopies deletes the safety copies of upgrades after the time in the settings, until
// ctx ends.
func (s *Server) removeCopies(ctx context.Context) {
	again := time.NewTicker(copiesAgain)
	defer again.Stop()
	for {
		days, err := setting.CopyDays(ctx, s.db)
		if err == nil {
			var removed []string
			removed, err = store.RemoveCopies(s.o.Data, s.o.Clock().Add(-time.Duration(days)*24*time.Hour))
			for _, path := range removed {
				s.o.Log.InfoContext(ctx, "the safety copy of an upgrade was deleted", "copy", path, "days", days)
			}
		}
		if err != nil && ctx.Err() == nil {
			s.o.Log.WarnContext(ctx, "safety copies of upgrades cannot be deleted", "err", err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}
