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
	Name: "reportPiece", Label: "piece of a report", Doc: "Files of reports, in pieces.",
	Fields: []resource.Field[*ReportPiece]{
		{Name: "id", At: func(p *ReportPiece) any { return &p.ID }, Doc: "Id of the piece", ReadOnly: true},
		{Name: "taskId", At: func(p *ReportPiece) any { return &p.TaskID }, Doc: "The run", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "data", At: func(p *ReportPiece) any { return &p.Data }, Doc: "Part of the file", ReadOnly: true,
			WriteOnly: true},
	},
}
