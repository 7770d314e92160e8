package data

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
)

// download returns the data of instances as one file, the newest first. Each
// page is read while the file is written, so that it may be of any length.
func (s *Service) download(ctx context.Context, name string, points []datasource.DataPoint, instances []fleet.Instance,
	a ask, named bool) resource.Answer {
	return file(name, func(w *csv.Writer) error {
		head := []string{"time"}
		if named {
			head = []string{"instance", "time"}
		}
		if err := w.Write(harmless(append(head, names(points)...))); err != nil {
			return err
		}
		for i := range instances {
			if err := s.writeInstance(ctx, w, &instances[i], points, a, named); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) writeInstance(ctx context.Context, w *csv.Writer, i *fleet.Instance, points []datasource.DataPoint,
	a ask, named bool) error {
	for {
		t, err := s.read(ctx, i.ID, points, a, most)
		if err != nil {
			return err
		}
		for k := len(t.times) - 1; k >= 0; k-- {
			var cells []string
			if named {
				cells = harmless([]string{i.DisplayName})
			}
			cells = append(cells, clock(t.times[k]))
			for d := range t.values {
				cells = append(cells, number(&t.values[d][k]))
			}
			if err := w.Write(cells); err != nil {
				return err
			}
		}
		if !t.more {
			return nil
		}
		a.to = t.times[0] - 1
	}
}

func file(name string, write func(w *csv.Writer) error) resource.Answer {
	return resource.Answer{Type: csvType + "; charset=utf-8", Filename: name, Stream: func(w io.Writer) error {
		out := csv.NewWriter(w)
		out.UseCRLF = true
		if err := write(out); err != nil {
			return err
		}
		out.Flush()
		return out.Error()
	}}
}

// number returns "" where there is no data.
func number(v *float64) string {
	if v == nil || shown(v) == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// harmless escapes cells for CSV, see resource.CSVCell.
func harmless(cells []string) []string {
	for i, cell := range cells {
		cells[i] = resource.CSVCell(cell)
	}
	return cells
}
