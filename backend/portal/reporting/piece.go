package reporting

import "spyglass/backend/resource"

// ReportPiece is a part of the file of a run, in a portal whose files are in the
// database. The pieces of a task are in the order of their ids.
type ReportPiece struct {
	ID     int64
	TaskID int64
	Data   []byte
}

// ReportPieces is a table without endpoints.
var ReportPieces = resource.Resource[*ReportPiece]{
	Name: "reportPiece", Label: "piece of a report",
	Fields: []resource.Field[*ReportPiece]{
		{Name: "id", At: func(p *ReportPiece) any { return &p.ID }, ReadOnly: true},
		{Name: "taskId", At: func(p *ReportPiece) any { return &p.TaskID }, ReadOnly: true, WriteOnly: true,
			Index: true},
		{Name: "data", At: func(p *ReportPiece) any { return &p.Data }, ReadOnly: true, WriteOnly: true},
	},
}
