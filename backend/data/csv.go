package data

import (
	"context"
	"io"
	"strconv"

	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/resource"
	"spyglass/backend/sheet"
)

// download returns the data of instances as one file, the newest first. It reads
// each page while it writes the file, so the file may be of any length.
func (s *Service) download(ctx context.Context, name string, points []datasource.DataPoint, instances []fleet.Instance,
	a request, named bool) resource.Response {
	head := []string{"time"}
	if named {
		head = []string{"instance", "time"}
	}
	return file(name, append(head, names(points)...), func(w sheet.Writer) error {
		for i := range instances {
			if err := s.writeInstance(ctx, w, &instances[i], points, a, named); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) writeInstance(ctx context.Context, w sheet.Writer, i *fleet.Instance, points []datasource.DataPoint,
	a request, named bool) error {
	for {
		t, err := s.read(ctx, i.ID, points, a, most)
		if err != nil {
			return err
		}
		for k := len(t.times) - 1; k >= 0; k-- {
			var cells []sheet.Cell
			if named {
				cells = append(cells, sheet.Cell{Kind: sheet.Text, Text: i.DisplayName})
			}
			cells = append(cells, sheet.Cell{Kind: sheet.Text, Text: clock(t.times[k])})
			for d := range t.values {
				cells = append(cells, number(&t.values[d][k]))
			}
			if err := w.Row(cells); err != nil {
				return err
			}
		}
		if !t.more {
			return nil
		}
		a.to = t.times[0] - 1
	}
}

// file returns a CSV file with a header and the rows that write adds.
func file(name string, head []string, write func(w sheet.Writer) error) resource.Response {
	return resource.Response{Type: csvType + "; charset=utf-8", Filename: name, Stream: func(w io.Writer) error {
		out, err := sheet.CSV.Open(w, sheet.Columns(head...))
		if err != nil {
			return err
		}
		if err := write(out); err != nil {
			return err
		}
		return out.Close()
	}}
}

// number returns an empty cell if there is no data.
func number(v *float64) sheet.Cell {
	if v == nil || shown(v) == nil {
		return sheet.Cell{}
	}
	return sheet.Cell{Kind: sheet.Number, Text: strconv.FormatFloat(*v, 'f', -1, 64)}
}
