package server

import (
	"context"
	"errors"
	"slices"

	"spyglass/backend/demo"
	"spyglass/backend/portal"
	"spyglass/backend/portal/alert"
	"spyglass/backend/portal/audit"
	"spyglass/backend/portal/collector"
	"spyglass/backend/portal/datasource"
	"spyglass/backend/portal/fleet"
	"spyglass/backend/portal/forward"
	"spyglass/backend/portal/incident"
	"spyglass/backend/portal/maintenance"
	"spyglass/backend/portal/node"
	"spyglass/backend/portal/opsnote"
	"spyglass/backend/portal/override"
	"spyglass/backend/portal/people"
	"spyglass/backend/portal/reporting"
	"spyglass/backend/portal/setting"
	"spyglass/backend/report/content"
	"spyglass/backend/resource"
	"spyglass/backend/series"
	"spyglass/backend/session"
	"spyglass/backend/store"
)

// tables adds every resource of the portal. Without a database it only verifies
// them and collects their shapes.
func (s *Server) tables() error {
	return errors.Join(
		mount(s, &fleet.Devices),
		mount(s, &fleet.Groups),
		mount(s, &fleet.DeviceDataSources),
		mount(s, fleet.InstancesWith(func(ctx context.Context, instance int64, dataPoints []int64) (int64, error) {
			return s.series.Latest(ctx, instance, dataPoints...)
		}, func(instance int64) string {
			if engine := s.engine.Load(); engine != nil {
				return engine.Reason(instance)
			}
			return ""
		})),
		mount(s, &fleet.InstanceGroups),
		keep(s, &override.Overrides),
		keep(s, &override.GroupDataSourceSettings),
		mountView(s, &override.InstanceAlertSettings),
		mountView(s, &override.DeviceDataSourceAlertSettings),
		mountView(s, &override.DeviceAlertSettings),
		mountView(s, &override.InstanceGroupAlertSetting),
		mountView(s, &override.GroupDataSources),
		mountView(s, &override.GroupAlertSettings),
		mount(s, &alert.ClusterAlerts),
		keep(s, &collector.CollectorTokens),
		keep(s, &fleet.UnsettledRows),
		keep(s, &fleet.SettlingRow),
		mount(s, &fleet.Functions),
		mount(s, &datasource.DataSources),
		mount(s, &datasource.UpdateReasons),
		mountView(s, &datasource.OverviewGraphs),
		mountView(s, &datasource.Graphs),
		mountView(s, &datasource.DataPoints),
		mountView(s, &fleet.Recycles),
		mountView(s, &fleet.DataSourceDevices),
		mount(s, &alert.Alerts),
		mount(s, &alert.Deliveries),
		mount(s, &maintenance.SDTs),
		mount(s, &maintenance.SDTHistories),
		mount(s, &alert.Rules),
		mount(s, &alert.Chains),
		mount(s, &alert.RecipientGroups),
		mountView(s, &portal.Recipients),
		mount(s, &alert.Integrations),
		mount(s, &collector.Collectors),
		mount(s, &collector.CollectorGroups),
		mount(s, &collector.CollectorVersions),
		mount(s, &people.Users),
		mount(s, &people.Tokens),
		mount(s, &people.Roles),
		mount(s, &people.SignIns),
		mount(s, &people.UserGroups),
		mount(s, &people.RoleGroups),
		mount(s, &opsnote.OpsNotes),
		mount(s, &setting.Settings),
		mount(s, &forward.RemoteWrites),
		keep(s, &forward.RemoteWriteMarks),
		mount(s, &reporting.ReportGroups),
		mount(s, reporting.ReportsOf(content.Types())),
		keep(s, &reporting.ReportTasks),
		s.keepPieces(),
		mountView(s, &reporting.ReportTaskList),
		mount(s, &audit.AuditLogs),
		mountIn(s, &s.staged, &incident.Incidents),
		keep(s, &incident.DemoTimes),
		keep(s, &node.Nodes),
		keep(s, &node.Leases),
		keep(s, &node.Requests),
	)
}

// declares records a table that tables would add.
func (s *Server) declares(shape store.Shape, verify func() error) {
	s.shapes, s.verifies = append(s.shapes, shape), append(s.verifies, verify)
}

// shapes returns the shape of every table of a portal.
func shapes() ([]store.Shape, error) {
	var s Server
	err := s.tables()
	return append(s.shapes, store.ShapeOf(&session.Credentials), store.ShapeOf(&session.SignedIns),
		store.ShapeOf(&session.Failures)), err
}

// movable returns the tables and samples that move between files and a database. What
// nodes write about themselves does not, and files of reports move as files.
func movable() (t store.Tables, err error) {
	t.Known, err = shapes()
	t.Spaces = series.Spaces()
	for _, s := range t.Known {
		if !slices.Contains(unmoved, s.Table) {
			t.Moved = append(t.Moved, s.Table)
		}
	}
	return t, err
}

var unmoved = []string{string(node.Nodes.Name), string(node.Leases.Name), string(node.Requests.Name),
	string(reporting.ReportPieces.Name)}

// keepPieces adds the files of reports, if they are in the database.
func (s *Server) keepPieces() error {
	if s.db != nil && s.o.Database == "" {
		return nil
	}
	return keep(s, &reporting.ReportPieces)
}

func mount[T any](s *Server, r *resource.Resource[*T]) error {
	return mountIn(s, &s.endpoints, r)
}

// mountIn adds a resource and appends its endpoints to a given list.
func mountIn[T any](s *Server, endpoints *[]resource.Endpoint, r *resource.Resource[*T]) error {
	if s.db == nil {
		s.declares(store.ShapeOf(r), r.Verify)
		return nil
	}
	table, err := store.Add(s.db, r)
	if err == nil {
		*endpoints = append(*endpoints, table.Endpoints()...)
		s.kinds = append(s.kinds, string(r.Name))
		takes(s, r)
		s.examples = append(s.examples, demo.SampleOf(r))
	}
	return err
}

// mountView adds rows that are computed and not stored.
func mountView[T any](s *Server, v *resource.View[*T]) error {
	if s.db == nil {
		return nil
	}
	s.endpoints = append(s.endpoints, store.ViewEndpoints(s.db, v)...)
	return nil
}

// keep adds rows that have no endpoints of their own.
func keep[T any](s *Server, r *resource.Resource[*T]) error {
	if s.db == nil {
		s.declares(store.ShapeOf(r), r.Verify)
		return nil
	}
	_, err := store.Add(s.db, r)
	takes(s, r)
	return err
}
