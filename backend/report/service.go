// Package report runs reports, on request and on a schedule, and stores their files.
//
// Package content computes what is in a report, package layout draws it.
//
// # Schedules
//
// Report.NextOn is the time of the next run. A due run is added in the transaction
// that advances NextOn, so that a restart neither repeats nor loses it; several missed
// runs become one, with a note. It runs as the user who last changed the report. The
// transaction that finishes a run also queues its emails, which notify sends.
//
// # Rights
//
// A run has the permissions of its user. reporting.ReportTask.SeenBy decides who may
// download the file: users who can view at least as much.
//
// # Concurrency
//
// At most Options.Workers runs run at once; the others wait in the order of their
// requests, also across a restart. A run that the end of the process interrupts fails;
// a scheduled run starts once more. Close cancels running ones and waits for them;
// close the HTTP server first, and the database afterwards.
//
// # Errors
//
// The error of a run is a sentence in its row (ReportTask.Error); internal errors are
// logged, too.
package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/setting"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/service"
)

// Options configure a Service.
type Options struct {
	Files Files // see InFolder and InDatabase
	// Access returns the permissions of a user; fault.NoLogin if the user is
	// suspended or deleted.
	Access func(ctx context.Context, userID int64) (*resource.Access, error)
	Zone   func() *time.Location // time zone of the portal
	Series *series.DB            // measured data; may be nil
	// Deliver writes the mails of a run, in the transaction that ends it; nil for
	// no mails.
	Deliver func(ctx context.Context, tx resource.Tx, m *reporting.ReportMail) error
	Origin  func() string    // base URL of the portal, for links; may be nil
	Workers int              // runs at the same time; 2 when 0
	Clock   func() time.Time // time.Now when nil
	Log     *slog.Logger
	Guard   *service.Guard
}

// Service runs requested and scheduled reports.
type Service struct {
	db     resource.LiveDB
	o      Options
	freed  chan struct{} // a worker has become free
	wait   service.Group
	mu     sync.Mutex
	active map[int64]context.CancelCauseFunc // by task
}

// The maximum duration of a run, the maximum number of waiting runs, and the interval
// of progress updates.
const (
	longest    = 30 * time.Minute
	mostQueued = 100
	tellEvery  = time.Second
)

var (
	errRemoved = errors.New("the run was removed")
)

// New returns the service of some files, which is not started yet.
func New(db resource.LiveDB, o Options) *Service {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	o.Workers, o.Log = cmp.Or(o.Workers, 2), cmp.Or(o.Log, slog.Default())
	s := &Service{db: db, o: o, freed: make(chan struct{}, 1), active: map[int64]context.CancelCauseFunc{},
		wait: service.Group{Guard: o.Guard}}
	return s
}

// resume marks runs that the last process interrupted as failed, and deletes files
// without a row.
func (s *Service) resume(ctx context.Context) error {
	err := s.db.Write(ctx, func(tx resource.Tx) error {
		cut, err := resource.Find(ctx, tx, reporting.ReportTasks.Name,
			resource.Where{Field: "state", Op: "=", Value: reporting.TaskRunning})
		for i := range cut {
			if err == nil {
				err = s.cutOff(ctx, tx, &cut[i])
			}
		}
		return err
	})
	if err == nil {
		err = s.sweep(ctx)
	}
	return err
}

// cutOff handles a run that the end of the last process interrupted. A scheduled one
// starts once more.
func (s *Service) cutOff(ctx context.Context, tx resource.Tx, t *reporting.ReportTask) error {
	if !t.Scheduled || t.Starts > 1 {
		return s.failed(ctx, tx, t, "the portal stopped during the run; run the report again")
	}
	t.State, t.Progress, t.Rows = reporting.TaskWaiting, 0, 0
	if t.Note != "" {
		t.Note += ". "
	}
	t.Note += "The portal stopped during the run, and started it again"
	return resource.Put(ctx, tx, reporting.ReportTasks.Name, t)
}

// Start starts the service, which continues with waiting runs. It may be called again
// after Stop.
func (s *Service) Start(ctx context.Context) {
	s.wait.Begin(ctx)
	interrupted := true // only runs of before the first start, not those of a task that panicked
	s.wait.Keep("schedule of reports", func(ctx context.Context) {
		s.run(ctx, &interrupted)
	})
}

// run executes requested and due runs until ctx is done. interrupted means that the last
// process may have left runs that it began.
func (s *Service) run(ctx context.Context, interrupted *bool) {
	requested, stopRequested := s.db.Watch(string(reporting.ReportTasks.Name))
	changed, stopChanged := s.db.Watch(string(reporting.Reports.Name))
	settings, stopSettings := s.db.Watch(string(setting.Settings.Name))
	defer stopRequested()
	defer stopChanged()
	defer stopSettings()
	for {
		wait, err := s.due(ctx, interrupted)
		if err != nil && ctx.Err() == nil {
			s.o.Log.ErrorContext(ctx, "reports are delayed", "err", err)
		}
		next := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			return
		case <-requested:
		case <-s.freed:
		case <-next.C:
		case <-settings:
			if err := s.rezone(ctx); err != nil && ctx.Err() == nil {
				s.o.Log.ErrorContext(ctx, "reports use the previous time zone", "err", err)
			}
		case <-changed:
			if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
				s.o.Log.ErrorContext(ctx, "files of deleted reports could not be deleted", "err", err)
			}
		}
		next.Stop()
	}
}

// due starts the runs that are due, and returns how long to wait for the next one.
func (s *Service) due(ctx context.Context, interrupted *bool) (wait time.Duration, err error) {
	if *interrupted {
		if err := s.resume(ctx); err != nil {
			return patience, err
		}
		*interrupted = false
	}
	wait, err = s.schedule(ctx)
	s.begin(ctx)
	return wait, err
}

// Stop cancels active runs and waits for them, at most until until ctx is done. It may be
// called twice, and on a service that never started.
func (s *Service) Stop(ctx context.Context) error { return s.wait.Stop(ctx) }

// begin starts waiting runs while workers are free. Only one goroutine calls it.
func (s *Service) begin(ctx context.Context) {
	waiting, err := resource.Find(ctx, s.db, reporting.ReportTasks.Name,
		resource.Where{Field: "state", Op: "=", Value: reporting.TaskWaiting},
		resource.Where{Field: "dueOn", Op: "<=", Value: s.o.Clock().Unix()}, resource.Limit(int64(2*s.o.Workers)))
	if err != nil {
		if ctx.Err() == nil {
			s.o.Log.ErrorContext(ctx, "waiting reports cannot be read", "err", err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range waiting {
		if len(s.active) >= s.o.Workers || ctx.Err() != nil {
			return
		}
		if s.active[t.ID] != nil {
			continue
		}
		ctx, cancel := context.WithCancelCause(ctx)
		s.active[t.ID] = cancel
		s.wait.Go("reports", func() {
			defer s.free(t.ID, cancel)
			s.work(ctx, t.ID)
		})
	}
}

// free releases the worker of a run that has ended.
func (s *Service) free(id int64, cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.active, id)
	cancel(nil)
	select {
	case s.freed <- struct{}{}:
	default:
	}
}

// work executes one run, and stores the reason if it fails.
func (s *Service) work(ctx context.Context, id int64) {
	err := s.guarded(ctx, id)
	if err == nil {
		return
	}
	if ctx.Err() != nil || errors.Is(err, errRemoved) {
		s.drop(ctx, id) // the row was deleted, or the next start marks the run as interrupted
		return
	}
	sentence := fault.Of(err).Message
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		sentence = fmt.Sprintf("it took longer than %d minutes; reduce the number of rows", int(longest.Minutes()))
	case fault.Of(err).Kind == fault.Internal:
		s.o.Log.ErrorContext(ctx, "a report could not be created", "task", id, "err", err)
		sentence = "the portal failed with an internal error; see its log"
	}
	if err := s.change(ctx, id, func(tx resource.Tx, t *reporting.ReportTask) error {
		return s.failed(ctx, tx, t, sentence)
	}); err != nil && !errors.Is(err, errRemoved) {
		s.o.Log.ErrorContext(ctx, "the failure of a report cannot be stored", "task", id, "err", err)
	}
}

// guarded calls make, and converts a panic to an error.
func (s *Service) guarded(ctx context.Context, id int64) (err error) {
	if p := s.o.Guard.Run("reports", func() { err = s.make(ctx, id) }); p != nil {
		return p
	}
	return err
}

func (s *Service) make(ctx context.Context, id int64) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	var task reporting.ReportTask
	err := s.change(ctx, id, func(tx resource.Tx, t *reporting.ReportTask) error {
		t.State, t.StartedOn, t.Progress = reporting.TaskRunning, resource.SecondsOf(s.o.Clock()), 0
		t.Starts++
		task = *t
		return resource.Put(ctx, tx, reporting.ReportTasks.Name, t)
	})
	if err != nil {
		return err
	}
	who, err := s.o.Access(ctx, task.UserID)
	if fault.Is(err, fault.NoLogin) {
		return fault.New(fault.Denied, "%s, who runs the report, is suspended or deleted; edit the report, "+
			"and it runs as you", cmp.Or(task.User, "the user"))
	}
	if err != nil {
		return err
	}
	task.User = who.User
	report, err := resource.Lookup(ctx, s.db, reporting.Reports.Name, task.ReportID)
	if err != nil {
		return err
	}
	if report == nil {
		return errRemoved
	}
	run := &content.Run{Report: report, Access: who, From: s.db, Series: s.o.Series, Zone: s.o.Zone(), At: s.o.Clock(),
		Progress: s.progressOf(ctx, id)}
	if err := File(ctx, s.o.Files, &task, run); err != nil {
		return err
	}
	return s.finish(ctx, &task)
}

// finish stores the result, and deletes the oldest runs beyond the maximum.
func (s *Service) finish(ctx context.Context, made *reporting.ReportTask) error {
	var dropped []reporting.ReportTask
	err := s.change(ctx, made.ID, func(tx resource.Tx, t *reporting.ReportTask) error {
		*t = *made
		t.State, t.Progress, t.EndedOn = reporting.TaskDone, 100, resource.SecondsOf(s.o.Clock())
		if err := resource.Put(ctx, tx, reporting.ReportTasks.Name, t); err != nil {
			return err
		}
		if err := s.mails(ctx, tx, t); err != nil {
			return err
		}
		var err error
		dropped, err = prune(ctx, tx, made.ReportID)
		return err
	})
	if err != nil {
		s.drop(ctx, made.ID)
		return err
	}
	for _, t := range dropped {
		s.drop(ctx, t.ID) // the next sweep tries again
	}
	return nil
}

// prune deletes the oldest finished runs.
func prune(ctx context.Context, tx resource.Tx, report int64) ([]reporting.ReportTask, error) {
	all, err := resource.Find(ctx, tx, reporting.ReportTasks.Name,
		resource.Where{Field: "reportId", Op: "=", Value: report})
	if err != nil {
		return nil, err
	}
	ended := slices.DeleteFunc(all, func(t reporting.ReportTask) bool {
		return t.State == reporting.TaskWaiting || t.State == reporting.TaskRunning
	})
	dropped := ended[:max(0, len(ended)-reporting.KeptTasks)]
	for _, t := range dropped {
		if err := resource.Delete(ctx, tx, reporting.ReportTasks.Name, t.ID); err != nil {
			return nil, err
		}
	}
	return dropped, nil
}

// failed stores the reason why a run failed.
func (s *Service) failed(ctx context.Context, tx resource.Tx, t *reporting.ReportTask, sentence string) error {
	t.State, t.Error, t.EndedOn = reporting.TaskFailed, sentence, resource.SecondsOf(s.o.Clock())
	if err := resource.Put(ctx, tx, reporting.ReportTasks.Name, t); err != nil {
		return err
	}
	if err := s.mails(ctx, tx, t); err != nil {
		return err
	}
	_, err := prune(ctx, tx, t.ReportID) // the next sweep deletes their files
	return err
}

// change writes the row of a run; it returns errRemoved if the run was deleted.
func (s *Service) change(ctx context.Context, id int64, do func(resource.Tx, *reporting.ReportTask) error) error {
	ctx = context.WithoutCancel(ctx)
	return s.db.Write(ctx, func(tx resource.Tx) error {
		t, err := resource.Lookup(ctx, tx, reporting.ReportTasks.Name, id)
		if err != nil {
			return err
		}
		if t == nil {
			return errRemoved
		}
		return do(tx, t)
	})
}

// progressOf returns a function that regularly stores the progress of a run. It
// detects that the run was deleted together with its report.
func (s *Service) progressOf(ctx context.Context, id int64) func(percent, rows int64) error {
	last := time.Now()
	return func(percent, rows int64) error {
		if time.Since(last) < tellEvery {
			return nil
		}
		last = time.Now()
		return s.change(ctx, id, func(tx resource.Tx, t *reporting.ReportTask) error {
			t.Progress, t.Rows = min(percent, 99), rows
			return resource.Put(ctx, tx, reporting.ReportTasks.Name, t)
		})
	}
}

// cancel ends an active run whose row was deleted.
func (s *Service) cancel(id int64) {
	s.mu.Lock()
	cancel := s.active[id]
	s.mu.Unlock()
	if cancel != nil {
		cancel(errRemoved)
	}
	s.drop(context.Background(), id) // an active run removes its own file
}

// drop deletes the file of a run; if that fails, a sweep does it later.
func (s *Service) drop(ctx context.Context, id int64) {
	_ = s.o.Files.Remove(context.WithoutCancel(ctx), id)
}

// sweep deletes files without a row.
func (s *Service) sweep(ctx context.Context) error {
	files, err := s.o.Files.List(ctx)
	if err != nil || len(files) == 0 {
		return err
	}
	tasks, err := resource.Find(ctx, s.db, reporting.ReportTasks.Name)
	if err != nil {
		return err
	}
	for _, f := range files {
		known := slices.ContainsFunc(tasks, func(t reporting.ReportTask) bool {
			// also an unfinished file of a done run: a reset of the demo writes it at this moment
			return t.ID == f.Task && (t.State == reporting.TaskRunning || t.State == reporting.TaskDone)
		})
		if known {
			continue
		}
		if err := s.o.Files.Remove(ctx, f.Task); err != nil {
			return err
		}
	}
	return nil
}
