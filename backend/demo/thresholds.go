package demo

import (
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/threshold"
	"spyglass/backend/resource"
)

// thresholds adds two cluster alerts, and one threshold that a group sets for its
// devices.
func (f *filler) thresholds() error {
	ping, err := f.dataPoint("Ping", 0)
	if err != nil {
		return err
	}
	loss, err := f.dataPoint("Ping", 5)
	if err != nil {
		return err
	}
	for _, a := range []alert.ClusterAlert{
		{ID: 1, GroupID: WebShop, DataSourceID: ping.DataSourceID, DataPointID: ping.ID, CountBy: "host",
			ThresholdType: "percentage", Expr: "> 25 50 75", MinLevel: threshold.SeverityError, SuppressSingle: true},
		{ID: 2, GroupID: linux, DataSourceID: loss.DataSourceID, DataPointID: loss.ID, CountBy: "host",
			ThresholdType: "absolute", Expr: "> 1 2 3", MinLevel: threshold.SeverityWarn},
	} {
		if err := add(f, &alert.ClusterAlerts, &a, nil); err != nil {
			return err
		}
	}
	const asFurtherUp = -1
	o := override.Override{GroupID: siteAustin, DataSourceID: ping.DataSourceID, DataPointID: ping.ID,
		Expr: "> 250 500 1000", Note: "The line crosses the ocean", NoData: asFurtherUp, Transition: asFurtherUp,
		ClearTransition: asFurtherUp}
	return resource.Put(f.write.Context, f.write.Tx, override.Overrides.Name, &o)
}

// dataPoint returns the nth data point of a data source.
func (f *filler) dataPoint(source string, nth int) (*datasource.DataPoint, error) {
	found, err := resource.Find(f.write.Context, f.write.Tx, datasource.DataSources.Name,
		resource.Where{Field: "name", Op: "=", Value: source})
	if err != nil {
		return nil, err
	}
	return &found[0].DataPoints[nth], nil
}
