package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/ground"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

const portalFile = "portal.db"

// databases lists the files of a data folder that Check reads.
var databases = []string{portalFile, "series.db", "workspace.db"}

// Check verifies every database of a data folder, even while a portal runs on it,
// and changes nothing. It calls progress with each intact file, and returns the first
// damaged one as a fault.
func Check(ctx context.Context, data string, progress func(file string)) error {
	if _, err := os.Stat(filepath.Join(data, databases[0])); err != nil {
		return fault.New(fault.Conflict, "there is no portal in %s; name its folder with --data", data)
	}
	var damaged []error
	for _, name := range databases {
		err := store.Files{}.Verify(ctx, filepath.Join(data, name))
		switch {
		case err == nil:
			progress(name)
		case errors.Is(err, fs.ErrNotExist): // a portal without an Explorer has no workspace
		case ctx.Err() != nil:
			return fault.New(fault.Conflict, "stopped; nothing was changed")
		default:
			damaged = append(damaged, err)
		}
	}
	return errors.Join(damaged...)
}

// settled sets how long verify waits after a start.
const settled = 10 * time.Second

// verify checks the databases once in the background, some time after the start.
func (s *Server) verify(ctx context.Context) {
	select {
	case <-time.After(settled):
	case <-ctx.Done():
		return
	}
	s.verifyNow(ctx)
}

// verifyNow reads the databases, logs damaged ones, and opens the portal's own
// alert about them. It clears the alert if none is damaged. The alert is the last
// write to a damaged portal.db, which is read-only from then on.
func (s *Server) verifyNow(ctx context.Context) {
	var damaged []string
	var refused error
	for _, name := range databases {
		err := store.Files{}.Verify(ctx, filepath.Join(s.o.Data, name))
		if err == nil || ctx.Err() != nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s.o.Log.ErrorContext(ctx, fault.Sentence(err), "file", name, "err", err)
		damaged = append(damaged, fault.Sentence(err)+".")
		if name == portalFile && (store.Damaged(err) || fault.Is(err, fault.Conflict)) {
			refused = &fault.Error{Kind: fault.Busy, Err: err, Message: filepath.Join(s.o.Data, name) +
				" is damaged, and read-only until it is repaired. Stop Spyglass, keep a copy " +
				"of the data folder, and restore a backup with spyglass restore"}
		}
	}
	if ctx.Err() != nil {
		return
	}
	if refused == nil {
		s.db.Refuse(s.noRoom())
	}
	if s.noRoom() != nil && len(damaged) == 0 { // an alert that is open closes after the next start
		return
	}
	if err := s.notifyDamage(ctx, damaged); err != nil && ctx.Err() == nil {
		s.o.Log.ErrorContext(ctx, "the alert about damaged databases could not be written", "err", err)
	}
	if refused != nil {
		s.db.Refuse(refused)
	}
	s.lookAtFiles()
}

func (s *Server) notifyDamage(ctx context.Context, damaged []string) error {
	f := &alert.Finding{
		CollectorID: ground.BuiltInCollector, Condition: alert.ConditionDatabase, Severity: threshold.SeverityCritical,
		Value: "damaged", Reason: strings.Join(damaged, " "), At: resource.SecondsOf(s.o.Clock()),
	}
	return s.db.Write(resource.WithCall(ctx, nil), func(tx resource.Tx) (err error) {
		if len(damaged) > 0 {
			_, _, err = alert.Raise(ctx, tx, f)
			return err
		}
		f.Value = ""
		_, err = alert.Clear(ctx, tx, f)
		return err
	})
}

// lookAgain is the interval at which watchFiles checks the databases.
const lookAgain = 5 * time.Second

// watchFiles detects within seconds that the data folder was deleted, even if
// nothing is written. The database logs that once. Commits check this as well:
// only a check right before a commit prevents the acknowledgement of a lost
// write.
func (s *Server) watchFiles(ctx context.Context) {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		s.lookAtFiles()
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}
