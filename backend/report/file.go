package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"spyglass/backend/fault"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/report/content"
)

// File writes the report to the file of the task, completely or not at all. It
// sets the task's size, rows, format, and what its user could view.
func File(ctx context.Context, files Files, task *reporting.ReportTask, r *content.Run) error {
	out, err := files.Create(ctx, task.ID)
	if err != nil {
		return spent(err)
	}
	defer out.Discard()
	counted := &counter{to: out}
	buffer := bufio.NewWriterSize(counted, 64<<10)
	rows, pages, err := r.Write(ctx, buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = out.Finish()
	}
	if err != nil {
		return spent(err)
	}
	task.Size, task.Rows, task.Pages, task.Format = counted.n, rows, pages, r.Report.Format
	task.Saw(content.RightOf(r.Report.Type), r.Access)
	return nil
}

// spent returns a fault of kind Full if the disk is full.
func spent(err error) error {
	if fault.NoRoom(err) {
		return &fault.Error{Kind: fault.Full, Message: "the disk is full; free some space and run the report " +
			"again", Err: err}
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

// typeOf returns the media type of a format.
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

// filename returns the name of a download: letters and digits of any script from
// the report's name, and a few characters that all systems accept.
func filename(name string, t *reporting.ReportTask, day string) string {
	name = strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.L, unicode.M, unicode.Nd) || c == ' ' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}, name)
	const longest = 160 // bytes: the date is appended, and systems allow 255
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "")
	}
	if name = strings.Trim(name, " -"); name == "" {
		name = "report"
	}
	return fmt.Sprintf("%s %s.%s", name, day, strings.ToLower(t.Format))
}
