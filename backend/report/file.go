package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"spyglass/backend/fault"
	"spyglass/backend/portal/reporting"
)

// Folder is where the files lie, in the data folder.
const Folder = "reports"

// fileOf is the file of a task.
func fileOf(folder string, task int64) string {
	return filepath.Join(folder, strconv.FormatInt(task, 10))
}

const unfinished = ".part" // what a run that was cut off leaves behind

// File makes the report into the file of the task, whole or not at all, and
// notes in the task what it made: size, rows, format and what its user saw.
func File(ctx context.Context, folder string, task *reporting.ReportTask, r *Run) (err error) {
	path := fileOf(folder, task.ID)
	out, err := os.OpenFile(path+unfinished, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return spent(err)
	}
	defer func() {
		_ = out.Close()
		if err != nil {
			_ = os.Remove(path + unfinished)
		}
	}()
	counted := &counter{to: out}
	buffer := bufio.NewWriterSize(counted, 64<<10)
	rows, err := r.Write(ctx, buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = out.Sync()
	}
	if err == nil {
		err = out.Close()
	}
	if err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err != nil {
		return spent(err)
	}
	task.Size, task.Rows, task.Pages, task.Format = counted.n, rows, r.pages, r.Report.Format
	task.Saw(reporting.ReportTypeOf(r.Report.Type), r.Access)
	return nil
}

// spent says so where the disk is full.
func spent(err error) error {
	if fault.NoRoom(err) {
		return &fault.Error{Kind: fault.Full, Message: "the disk is full; make room and run the report again", Err: err}
	}
	return err
}

type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

// typeOf is what a file of a format is for a browser and for a mail.
func typeOf(format string) string {
	switch format {
	case reporting.FormatCSV:
		return "text/csv; charset=utf-8"
	case reporting.FormatPDF:
		return "application/pdf"
	case reporting.FormatXLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return "text/html; charset=utf-8"
}

// filename is what the file is called when it is saved: of the report's name
// only letters and digits, of any script, and a few marks that no system objects to.
func filename(name string, t *reporting.ReportTask, day string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.L, unicode.M, unicode.Nd) || c == ' ' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, name)
	const longest = 160 // bytes: the date comes behind it, and systems take 255
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "")
	}
	if name = strings.Trim(name, " -"); name == "" {
		name = "report"
	}
	return fmt.Sprintf("%s %s.%s", name, day, strings.ToLower(t.Format))
}
