package datasource

import (
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

const (
	updateReasonRows resource.Name[*UpdateReason] = "updateReason"

	maxReason     = 1000 // bytes
	keptReasons   = 500  // per data source
	reasonsPruned = 64   // number of changes after which older ones are deleted
)

// UpdateReason records who changed a data source, and why.
type UpdateReason struct {
	ID           int64
	DataSourceID int64
	Version      int64 // the version of the data source after the change
	User         string
	On           resource.Seconds
	Local        string
	IP           string
	Reason       string
}

// UpdateReasons declares /setting/datasources/{id}/updatereasons. Only changes of
// data sources create rows.
var UpdateReasons = resource.Resource[*UpdateReason]{
	Name: updateReasonRows, Label: "update reason", Object: resource.Setting, Area: ground.AreaDataSources,
	Doc: "Who changed a data source, when, from where, and why.",
	Fields: []resource.Field[*UpdateReason]{
		{Name: "id", At: func(u *UpdateReason) any { return &u.ID }, Doc: "Set by the portal; it grows with time",
			ReadOnly: true, Example: 1},
		{Name: "userName", At: func(u *UpdateReason) any { return &u.User },
			Doc: "Who made the change; system for the portal itself", ReadOnly: true, Example: "admin"},
		{Name: "updateReason", At: func(u *UpdateReason) any { return &u.Reason },
			Doc: "The reason parameter of the change; empty where none was given", ReadOnly: true,
			Example: "Fewer alerts at night"},
		{Name: "timeEpoch", At: func(u *UpdateReason) any { return &u.On }, Doc: "When it was made", ReadOnly: true,
			Example: 1790000000},
		{Name: "timeStr", At: func(u *UpdateReason) any { return &u.Local },
			Doc: "happenedOn in the time zone of the portal's machine", ReadOnly: true,
			Example: "2026-09-21 16:13:20 CEST"},
		{Name: "clientIp", At: func(u *UpdateReason) any { return &u.IP },
			Doc: "Where the request came from; empty for the portal itself", ReadOnly: true, Example: "127.0.0.1"},
		{Name: "version", At: func(u *UpdateReason) any { return &u.Version },
			Doc: "Of the data source, as the change made it", ReadOnly: true, Example: 2},
		{Name: "dataSourceId", At: func(u *UpdateReason) any { return &u.DataSourceID }, Doc: "The data source",
			ReadOnly: true, Refs: string(DataSourceRows), Cascade: true, Index: true, Example: 1},
	},
	Without: []resource.Verb{resource.OnList, resource.OnGet, resource.OnCreate, resource.OnReplace, resource.OnPatch,
		resource.OnDelete},
	Lists: []resource.Listing{{
		Path: "/setting/datasources/{id}/updatereasons", Category: ground.CategoryDataSources,
		Summary: "List update reasons of a data source",
		Doc:     "Returns who changed the data source, when and why; the last 500 changes are kept.",
		Of:      string(DataSourceRows), Param: "id", Field: "dataSourceId", Sample: 1,
	}},
}

func noteReason(w *resource.Write, d *DataSource, reason string) error {
	row := UpdateReason{
		DataSourceID: d.ID, Version: d.Version, User: "system", On: resource.SecondsOf(w.Call.At), Reason: reason,
		Local: w.Call.At.Format("2006-01-02 15:04:05 MST"), IP: w.Call.Remote,
	}
	if w.Call.Access != nil {
		row.User = w.Call.Access.User
	}
	err := resource.Put(w.Context, w.Tx, updateReasonRows, &row)
	if err != nil || row.ID%reasonsPruned != 0 {
		return err
	}
	rows, err := resource.Find(w.Context, w.Tx, updateReasonRows,
		resource.Where{Field: "dataSourceId", Op: "=", Value: d.ID})
	if err != nil || len(rows) <= keptReasons {
		return err
	}
	return resource.DeleteAll(w.Context, w.Tx, updateReasonRows,
		resource.Where{Field: "dataSourceId", Op: "=", Value: d.ID},
		resource.Where{Field: "id", Op: "<=", Value: rows[len(rows)-keptReasons-1].ID})
}
