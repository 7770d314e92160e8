package report_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report"
	"spyglass/backend/resource"
	"spyglass/backend/store"
	"spyglass/backend/store/storetest"
)

// places returns both places for files.
func places(t *testing.T, most int64) map[string]report.Files {
	t.Helper()
	db := storetest.Open(t, store.Options{})
	addPieces(t, db)
	return map[string]report.Files{"folder": folder(t, t.TempDir()), "database": report.InDatabase(db, most)}
}

func addPieces(t *testing.T, db *store.DB) {
	t.Helper()
	if _, err := store.Add(db, &reporting.ReportPieces); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, to report.Files, task int64, content []byte) (report.Writer, error) {
	t.Helper()
	w, err := to.Create(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(w, struct{ io.Reader }{bytes.NewReader(content)}) // in many writes
	return w, err
}

func read(t *testing.T, from report.Files, task int64) ([]byte, error) {
	t.Helper()
	r, err := from.Open(t.Context(), task)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func TestFilesOfReports(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcde"), 150_000) // 2.2 MB: several pieces
	for name, files := range places(t, 16<<20) {
		t.Run(name, func(t *testing.T) {
			if _, err := read(t, files, 7); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a missing file: %v", err)
			}
			for task, content := range map[int64][]byte{7: []byte("seven"), 8: large} {
				w, err := write(t, files, task, content)
				if err := errors.Join(err, w.Finish()); err != nil {
					t.Fatal(err)
				}
				w.Discard()
				if got, err := read(t, files, task); err != nil || !bytes.Equal(got, content) {
					t.Errorf("file %d has %d bytes (%v), want %d", task, len(got), err, len(content))
				}
			}
			w, err := write(t, files, 7, []byte("again")) // replaces the file
			if err := errors.Join(err, w.Finish()); err != nil {
				t.Fatal(err)
			}
			if got, err := read(t, files, 7); err != nil || string(got) != "again" {
				t.Errorf("the file is %q (%v)", got, err)
			}
			if w, err = write(t, files, 9, large); err != nil {
				t.Fatal(err)
			}
			w.Discard()
			if _, err := read(t, files, 9); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a discarded file: %v", err)
			}
			if err := files.Remove(t.Context(), 8); err != nil {
				t.Error(err)
			}
			left, err := files.List(t.Context())
			if want := []report.Stored{{Task: 7}}; err != nil || !reflect.DeepEqual(left, want) {
				t.Errorf("there are %v (%v), want %v", left, err, want)
			}
		})
	}
}

func TestFilesAreCopiedBetweenPlaces(t *testing.T) {
	all := places(t, 16<<20)
	for task, in := range map[int64]report.Files{1: all["folder"], 2: all["folder"], 3: all["database"]} {
		w, err := write(t, in, task, []byte{byte(task)})
		if err := errors.Join(err, w.Finish()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := write(t, all["folder"], 4, []byte("unfinished")); err != nil {
		t.Fatal(err)
	}
	var steps []int
	if err := report.CopyFiles(t.Context(), all["database"], all["folder"], func(done, total int) {
		steps = append(steps, done, total)
	}); err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 2, 1, 2}; !slices.Equal(steps, want) {
		t.Errorf("the progress is %v, want %v", steps, want)
	}
	left, err := all["database"].List(t.Context())
	slices.SortFunc(left, func(a, b report.Stored) int { return int(a.Task - b.Task) })
	if want := []report.Stored{{Task: 1}, {Task: 2}}; err != nil || !reflect.DeepEqual(left, want) {
		t.Errorf("there are %v (%v), want %v", left, err, want)
	}
	if got, err := read(t, all["database"], 2); err != nil || string(got) != "\x02" {
		t.Errorf("file 2 is %q (%v)", got, err)
	}
	var sums []string
	for _, in := range all {
		n, sum, err := report.HashFiles(t.Context(), in)
		if sums = append(sums, sum); n != 2 || err != nil {
			t.Errorf("it hashed %d files (%v), want 2", n, err)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("the sums differ: %v", sums)
	}
}

// counting counts the files that are created, and removes one after it was opened.
type counting struct {
	report.Files
	created []int64
	remove  int64
}

func (c *counting) Create(ctx context.Context, task int64) (report.Writer, error) {
	c.created = append(c.created, task)
	return c.Files.Create(ctx, task)
}

func (c *counting) Open(ctx context.Context, task int64) (io.ReadCloser, error) {
	in, err := c.Files.Open(ctx, task)
	if err == nil && task == c.remove {
		err = c.Remove(ctx, task)
	}
	return in, err
}

func TestCopyingFilesAgainCopiesOnlyWhatDiffers(t *testing.T) {
	all := places(t, 16<<20)
	put := func(in report.Files, task int64, content string) {
		w, err := write(t, in, task, []byte(content))
		if err := errors.Join(err, w.Finish()); err != nil {
			t.Fatal(err)
		}
	}
	for task, content := range map[int64]string{1: "same", 2: "complete", 3: "new"} {
		put(all["folder"], task, content)
	}
	put(all["database"], 1, "same")
	put(all["database"], 2, "compl")
	to := &counting{Files: all["database"]}
	if err := report.CopyFiles(t.Context(), to, all["folder"], func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(to.created)
	if want := []int64{2, 3}; !slices.Equal(to.created, want) {
		t.Errorf("it copied %v, want %v", to.created, want)
	}
	if got, err := read(t, to, 2); err != nil || string(got) != "complete" {
		t.Errorf("file 2 is %q (%v)", got, err)
	}
}

func TestAFileThatIsRemovedWhileItIsCopiedIsLeftOut(t *testing.T) {
	all := places(t, 16<<20)
	w, err := write(t, all["database"], 1, bytes.Repeat([]byte("0123456789"), 100_000)) // two pieces
	if err := errors.Join(err, w.Finish()); err != nil {
		t.Fatal(err)
	}
	from := &counting{Files: all["database"], remove: 1}
	if err := report.CopyFiles(t.Context(), all["folder"], from, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if left, err := all["folder"].List(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("there are %v (%v), want no files", left, err)
	}
}

func TestFilesInADatabaseHaveALimit(t *testing.T) {
	files := places(t, 1<<20)["database"]
	w, err := write(t, files, 1, make([]byte, 1<<20+1))
	if f := fault.Of(err); f.Kind != fault.TooLarge || !strings.Contains(f.Message, "larger than 1 MB") {
		t.Errorf("got %v", err)
	}
	w.Discard()
	if left, err := files.List(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("there are %v (%v)", left, err)
	}
}

func TestReportsRunWithFilesInTheDatabase(t *testing.T) {
	h := open(t)
	h.inventory()
	addPieces(t, h.db)
	files := report.InDatabase(h.db, 1<<20)
	if w, err := write(t, files, 77, []byte("of no task")); errors.Join(err, w.Finish()) != nil {
		t.Fatal(err)
	}
	h.place = files
	s := h.service(nil)
	s.Start(context.Background())
	if _, err := h.send(s, admin, runIt, 1, 0, ""); err != nil {
		t.Fatal(err)
	}
	h.until(1, reporting.TaskDone)
	out, err := h.send(s, admin, fetchIt, 1, 1, "")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := out.(resource.Response).Stream(&text); err != nil {
		t.Fatal(err)
	}
	task, err := resource.Get(t.Context(), h.db, reporting.ReportTasks.Name, 1)
	if err != nil || int64(text.Len()) != task.Size || task.Size == 0 {
		t.Errorf("the file has %d bytes, want %d (%v)", text.Len(), task.Size, err)
	}
	made, err := s.Made(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var attached bytes.Buffer
	if _, err := made.Write(&attached); err != nil || !bytes.Equal(attached.Bytes(), text.Bytes()) {
		t.Errorf("the attachment has %d bytes (%v)", attached.Len(), err)
	}
	if left, err := files.List(t.Context()); err != nil || !reflect.DeepEqual(left, []report.Stored{{Task: 1}}) {
		t.Errorf("there are %v (%v)", left, err)
	}
	if _, err := os.Stat(filepath.Join(h.folder, "1")); err == nil {
		t.Error("there is a file in the folder, too")
	}
}
