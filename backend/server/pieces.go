package server

import (
	"context"
	"errors"
	"math"
	"path/filepath"

	"spyglass/backend/portal/reporting"
	"spyglass/backend/report"
	"spyglass/backend/store"
)

// reportFiles is the name of the files of reports after a move.
const reportFiles = "report files"

// pieces returns the files of reports in a database.
func pieces(db *store.DB) (report.Files, error) {
	_, err := store.Add(db, &reporting.ReportPieces)
	return report.InDatabase(db, math.MaxInt64), err
}

// moveReports returns a function that copies the files of reports between the data folder
// and the database, and compares both sides.
func (o Options) moveReports(back bool, progress func(MoveProgress)) func(context.Context, *store.DB, bool) (Moved,
	error) {
	return func(ctx context.Context, db *store.DB, complete bool) (m Moved, err error) {
		m.Table = reportFiles
		from, err := report.InFolder(filepath.Join(o.Data, report.Folder))
		if err != nil {
			return m, err
		}
		to, err := pieces(db)
		if err != nil {
			return m, err
		}
		if back {
			from, to = to, from
		}
		if !complete {
			if err := report.CopyFiles(ctx, to, from, func(done, total int) {
				progress(MoveProgress{Doing: "copying", Table: reportFiles, Done: int64(done), Total: int64(total)})
			}); err != nil {
				return m, err
			}
		}
		progress(MoveProgress{Doing: "comparing", Table: reportFiles})
		if m.From.Rows, m.From.Hash, err = report.HashFiles(ctx, from); err == nil {
			m.To.Rows, m.To.Hash, err = report.HashFiles(ctx, to)
		}
		return m, err
	}
}

// onServer copies the databases of a portal on a server, and its files of reports.
type onServer struct {
	store.OnServer
	o     Options
	files report.Files // nil: the portal is not open
}

// Reports copies the files of reports from the database to the folder work.
func (d onServer) Reports(ctx context.Context, _, work string) (folder string, err error) {
	from := d.files
	if from == nil {
		var db *store.DB
		if db, err = d.open(ctx); err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		if from, err = pieces(db); err != nil {
			return "", err
		}
	}
	to, err := report.InFolder(work)
	if err != nil {
		return "", err
	}
	return work, report.CopyFiles(ctx, to, from, func(int, int) {})
}

// open opens the database beside the nodes that use it, without its key.
func (d onServer) open(ctx context.Context) (*store.DB, error) {
	known, err := shapes()
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, store.Options{Path: d.Place.Portal, Database: d.o.Database, Shared: true, Log: d.o.Log,
		KeyOf: new(store.DB)})
	if err != nil {
		return nil, err
	}
	if err := db.Accept(ctx, known...); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
