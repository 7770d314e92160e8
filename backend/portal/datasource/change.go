package datasource

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// IDsOfEach is the number of ids that a data source has for its data points and
// graphs. Ids are not reused, so that samples and alerts of a deleted data point
// never appear under another.
const IDsOfEach = 1000

// checkRoom refuses data points and graphs for which no ids are left.
func (d *DataSource) checkRoom() error {
	fresh := 0
	d.eachID(func(id *int64) {
		if *id == 0 {
			fresh++
		}
	})
	if d.Highest+int64(fresh) >= IDsOfEach {
		return fault.New(fault.Conflict,
			"the data source %s has used %d of its %d ids for data points and graphs; copy it under another name",
			d.Name,
			d.Highest, IDsOfEach-1)
	}
	return nil
}

// eachID calls do with each id of the data points and graphs.
func (d *DataSource) eachID(do func(id *int64)) {
	for i := range d.DataPoints {
		do(&d.DataPoints[i].ID)
	}
	for i := range d.Graphs {
		do(&d.Graphs[i].ID)
	}
	for i := range d.OverviewGraphs {
		do(&d.OverviewGraphs[i].ID)
	}
}

// number assigns ids to the data points and graphs that have none, once the data
// source has its own id.
func (d *DataSource) number() {
	if d.ID == 0 {
		return
	}
	d.eachID(func(id *int64) {
		if *id == 0 {
			d.Highest++
			*id = d.ID*IDsOfEach + d.Highest
		}
	})
	ids := make(map[string]int64, len(d.DataPoints))
	for i := range d.DataPoints {
		d.DataPoints[i].DataSourceID = d.ID
		ids[d.DataPoints[i].Name] = d.DataPoints[i].ID
	}
	for _, graphs := range [][]Graph{d.Graphs, d.OverviewGraphs} {
		for _, g := range graphs {
			for i := range g.DataPoints {
				g.DataPoints[i].DataPointID = ids[g.DataPoints[i].DataPointName]
				g.DataPoints[i].DataSourceDataPointID = g.DataPoints[i].DataPointID
			}
			for i := range g.Lines {
				if g.Lines[i].DataPointID = 0; !g.Lines[i].Virtual {
					g.Lines[i].DataPointID = ids[g.Lines[i].DataPointName]
				}
			}
		}
	}
}

// settleDataSource increments the version if the data source has changed.
func settleDataSource(w *resource.Write, was, now *DataSource) error {
	now.number()
	text, err := json.Marshal(now.definition())
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	now.Checksum = hex.EncodeToString(sum[:])
	at := resource.SecondsOf(w.Call.At)
	switch {
	case was == nil:
		lineage := sha256.Sum256([]byte("lineage of " + now.Name))
		now.LineageID = base64.RawURLEncoding.EncodeToString(lineage[:16])
		now.Version, now.AuditVersion, now.PayloadVersion, now.CreatedOn, now.UpdatedOn = 1, 1, 1, at, at
	case was.Checksum != now.Checksum:
		now.Version++
		now.UpdatedOn = at
	}
	return nil
}

// afterDataSource records who made the change and why, and updates the data source
// on devices.
func afterDataSource(w *resource.Write, was, now *DataSource) error {
	reason := w.Call.Query.Get("reason")
	if was == nil || was.Version != now.Version || reason != "" {
		if err := noteReason(w, now, reason); err != nil {
			return err
		}
	}
	if was == nil {
		return nil
	}
	return OnDataSourceChanged.Fire(w.Context, w.Tx, DataSourceChange{Was: was, Now: now})
}
