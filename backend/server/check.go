package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/store"
)

// databases are the files of a data folder that Check reads.
var databases = []string{"portal.db", "series.db", "workspace.db"}

// Check reads every database of a data folder to its end, whether or not a
// portal runs on it, and changes nothing. tell hears of each that is sound; the
// first that is damaged is a fault.
func Check(ctx context.Context, data string, tell func(file string)) error {
	if _, err := os.Stat(filepath.Join(data, databases[0])); err != nil {
		return fault.New(fault.Conflict, "there is no portal in %s; name its folder with --data", data)
	}
	var damaged []error
	for _, name := range databases {
		err := store.VerifyFile(ctx, filepath.Join(data, name))
		switch {
		case err == nil:
			tell(name)
		case errors.Is(err, fs.ErrNotExist): // a portal without an Explorer has no workspace
		case ctx.Err() != nil:
			return fault.New(fault.Conflict, "stopped; nothing was changed")
		default:
			damaged = append(damaged, err)
		}
	}
	return errors.Join(damaged...)
}

// settled is how long verify leaves a start alone.
const settled = 10 * time.Second

// verify reads the databases once in the background, and logs what is damaged.
func (s *Server) verify(ctx context.Context) {
	select {
	case <-time.After(settled):
	case <-ctx.Done():
		return
	}
	for _, name := range databases {
		err := store.VerifyFile(ctx, filepath.Join(s.o.Data, name))
		if err == nil || ctx.Err() != nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s.o.Log.ErrorContext(ctx, fault.Sentence(err), "file", name, "err", err)
	}
}
