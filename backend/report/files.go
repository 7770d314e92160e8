package report

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spyglass/backend/fault"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/resource"
)

// Files stores the files of runs, by task.
type Files interface {
	// Create begins the file of a task.
	Create(ctx context.Context, task int64) (Writer, error)
	// Open opens the file of a task; fs.ErrNotExist if there is none.
	Open(ctx context.Context, task int64) (io.ReadCloser, error)
	// Remove deletes the file of a task, if there is one.
	Remove(ctx context.Context, task int64) error
	// List returns the existing files, including unfinished ones.
	List(ctx context.Context) ([]Stored, error)
}

// Stored is an existing file.
type Stored struct {
	Task int64
	Part bool // it is unfinished
}

// Writer writes a file, which exists when Finish returns nil. Call Discard after it,
// or instead.
type Writer interface {
	io.Writer
	Finish() error
	Discard()
}

// CopyFiles makes the files of one place the same as those of another. It copies those that
// differ or are missing, and removes others. A file that is removed meanwhile is left out.
func CopyFiles(ctx context.Context, to, from Files, progress func(done, total int)) error {
	all, err := from.List(ctx)
	if err != nil {
		return err
	}
	old, err := to.List(ctx)
	if err != nil {
		return err
	}
	finished := slices.DeleteFunc(all, func(f Stored) bool { return f.Part })
	for _, f := range old {
		if f.Part || !slices.Contains(finished, f) {
			if err := to.Remove(ctx, f.Task); err != nil {
				return err
			}
		}
	}
	for i, f := range finished {
		progress(i, len(finished))
		if slices.Contains(old, f) {
			same, err := sameFile(ctx, to, from, f.Task)
			if err != nil {
				return err
			}
			if same {
				continue
			}
		}
		if err := copyFile(ctx, to, from, f.Task); err != nil {
			return err
		}
	}
	return nil
}

func sameFile(ctx context.Context, to, from Files, task int64) (bool, error) {
	var sums [2]hash.Hash
	for i, in := range []Files{to, from} {
		sums[i] = sha256.New()
		if err := hashFile(ctx, sums[i], in, task); err != nil {
			return false, present(err)
		}
	}
	return bytes.Equal(sums[0].Sum(nil), sums[1].Sum(nil)), nil
}

// present returns nil for the error of a missing file.
func present(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// HashFiles returns the number of finished files, and a SHA-256 over them.
func HashFiles(ctx context.Context, in Files) (n int64, sum string, err error) {
	all, err := in.List(ctx)
	if err != nil {
		return 0, "", err
	}
	slices.SortFunc(all, func(a, b Stored) int { return cmp.Compare(a.Task, b.Task) })
	h := sha256.New()
	for _, f := range all {
		if f.Part {
			continue
		}
		if err := hashFile(ctx, h, in, f.Task); err != nil {
			return 0, "", err
		}
		n++
	}
	return n, hex.EncodeToString(h.Sum(nil)), nil
}

// hashFile adds a file to a sum, so that different files have different sums.
func hashFile(ctx context.Context, h hash.Hash, in Files, task int64) error {
	file, err := in.Open(ctx, task)
	if err != nil {
		return err
	}
	n, err := io.Copy(h, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(h, " %d %d\n", task, n)
	return err
}

func copyFile(ctx context.Context, to, from Files, task int64) error {
	in, err := from.Open(ctx, task)
	if err != nil {
		return present(err)
	}
	defer in.Close()
	out, err := to.Create(ctx, task)
	if err != nil {
		return err
	}
	defer out.Discard()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	still, err := from.Open(ctx, task)
	if err != nil {
		return present(err) // removed while it was read, which ends a file in a database early
	}
	_ = still.Close() // it was not read
	return out.Finish()
}

// Folder is the folder of report files in the data folder.
const Folder = "reports"

// InFolder returns the files in a folder. It creates the folder if it does not exist.
func InFolder(path string) (Files, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fault.New(fault.Conflict, "the folder %s for reports cannot be created; choose another data "+
			"folder with --data", path)
	}
	return folder(path), nil
}

type folder string

// of returns the path of a task's file.
func (f folder) of(task int64) string { return filepath.Join(string(f), strconv.FormatInt(task, 10)) }

const unfinished = ".part" // the extension of unfinished files

func (f folder) Create(_ context.Context, task int64) (Writer, error) {
	path := f.of(task)
	file, err := os.OpenFile(path+unfinished, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &fileWriter{file, path}, nil
}

type fileWriter struct {
	*os.File
	path string
}

func (w *fileWriter) Finish() error {
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		return err
	}
	return os.Rename(w.path+unfinished, w.path)
}

func (w *fileWriter) Discard() {
	_ = w.Close()
	_ = os.Remove(w.path + unfinished) // gone after Finish
}

func (f folder) Open(_ context.Context, task int64) (io.ReadCloser, error) {
	return os.Open(f.of(task))
}

func (f folder) Remove(_ context.Context, task int64) error {
	for _, path := range []string{f.of(task), f.of(task) + unfinished} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (f folder) List(context.Context) (all []Stored, err error) {
	entries, err := os.ReadDir(string(f))
	for _, e := range entries {
		name, part := strings.CutSuffix(e.Name(), unfinished)
		if id, err := strconv.ParseInt(name, 10, 64); err == nil && e.Type().IsRegular() {
			all = append(all, Stored{id, part})
		}
	}
	return all, err
}

// pieceSize is the size of a piece of a file in a database, in bytes.
const pieceSize = 512 << 10

// InDatabase returns the files in the table reporting.ReportPieces, each of at most that
// many bytes.
func InDatabase(db resource.DB, most int64) Files { return &table{db, db.Write, most} }

// InTx returns the files of InDatabase for one transaction.
func InTx(tx resource.Tx, most int64) Files {
	return &table{tx, func(_ context.Context, do func(resource.Tx) error) error { return do(tx) }, most}
}

type table struct {
	read  resource.Reader
	write func(ctx context.Context, do func(tx resource.Tx) error) error
	most  int64
}

func ofTask(task int64) resource.Where { return resource.Where{Field: "taskId", Op: "=", Value: task} }

func (t *table) Create(ctx context.Context, task int64) (Writer, error) {
	return &pieceWriter{table: t, ctx: ctx, task: task}, t.Remove(ctx, task)
}

type pieceWriter struct {
	*table
	ctx   context.Context
	task  int64
	size  int64
	piece []byte
	done  bool
}

func (w *pieceWriter) Write(p []byte) (n int, err error) {
	if w.size += int64(len(p)); w.size > w.most {
		return 0, fault.New(fault.TooLarge, "the file of the report is larger than %d MB; reduce the number of rows, "+
			"or raise --report-limit", w.most>>20)
	}
	for n < len(p) {
		take := min(len(p)-n, pieceSize-len(w.piece))
		w.piece = append(w.piece, p[n:n+take]...)
		n += take
		if len(w.piece) == pieceSize {
			if err := w.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (w *pieceWriter) flush() error {
	if len(w.piece) == 0 {
		return nil
	}
	err := w.write(w.ctx, func(tx resource.Tx) error {
		return resource.Put(w.ctx, tx, reporting.ReportPieces.Name,
			&reporting.ReportPiece{TaskID: w.task, Data: w.piece})
	})
	w.piece = nil // the row has it
	return err
}

func (w *pieceWriter) Finish() error {
	err := w.flush()
	w.done = err == nil
	return err
}

func (w *pieceWriter) Discard() {
	if !w.done {
		_ = w.Remove(context.WithoutCancel(w.ctx), w.task) // if not, the next sweep does
	}
}

// Open implements Files. An empty file has no pieces; no report is one.
func (t *table) Open(ctx context.Context, task int64) (io.ReadCloser, error) {
	r := &pieceReader{table: t, ctx: ctx, task: task}
	if err := r.next(); err != nil {
		if errors.Is(err, io.EOF) {
			err = fs.ErrNotExist
		}
		return nil, err
	}
	return r, nil
}

// pieceReader reads one piece at a time.
type pieceReader struct {
	*table
	ctx   context.Context
	task  int64
	last  int64 // the id of the piece
	piece []byte
}

func (r *pieceReader) next() error {
	found, err := resource.Find(r.ctx, r.read, reporting.ReportPieces.Name, ofTask(r.task),
		resource.Where{Field: "id", Op: ">", Value: r.last}, resource.Limit(1))
	if err == nil && len(found) == 0 {
		err = io.EOF
	}
	if err != nil {
		return err
	}
	r.last, r.piece = found[0].ID, found[0].Data
	return nil
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if len(r.piece) == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

func (r *pieceReader) Close() error { return nil }

func (t *table) Remove(ctx context.Context, task int64) error {
	return t.write(ctx, func(tx resource.Tx) error {
		return resource.DeleteAll(ctx, tx, reporting.ReportPieces.Name, ofTask(task))
	})
}

// List implements Files. The row of a task says whether its file is finished.
func (t *table) List(ctx context.Context) (all []Stored, err error) {
	counts, err := t.read.CountBy(ctx, string(reporting.ReportPieces.Name), "taskId")
	for task := range counts {
		all = append(all, Stored{Task: task})
	}
	return all, err
}
