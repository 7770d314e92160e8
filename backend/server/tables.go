package server

import (
	"context"
	"errors"

	"spyglass/backend/portal"
	"spyglass/backend/resource"
	"spyglass/backend/session"
	"spyglass/backend/store"
)

// tables adds every resource; this list is the portal. Without a database it
// only collects their shapes.
func (s *Server) tables() error {
	return errors.Join(
		mount(s, &portal.Devices),
		mount(s, &portal.Groups),
		mount(s, &portal.DeviceDataSources),
		mount(s, portal.InstancesWith(func(ctx context.Context, instance int64, dataPoints []int64) (int64, error) {
			return s.series.Latest(ctx, instance, dataPoints...)
		}, func(instance int64) string {
			if engine := s.engine.Load(); engine != nil {
				return engine.Reason(instance)
			}
			return ""
		})),
		mount(s, &portal.InstanceGroups),
		keep(s, &portal.Overrides),
		keep(s, &portal.GroupDataSourceSettings),
		mountView(s, &portal.InstanceAlertSettings),
		mountView(s, &portal.DeviceDataSourceAlertSettings),
		mountView(s, &portal.DeviceAlertSettings),
		mountView(s, &portal.InstanceGroupAlertSetting),
		mountView(s, &portal.GroupDataSources),
		mountView(s, &portal.GroupAlertSettings),
		mount(s, &portal.ClusterAlerts),
		keep(s, &portal.CollectorTokens),
		keep(s, &portal.UnsettledRows),
		keep(s, &portal.SettlingRow),
		mount(s, &portal.Functions),
		mount(s, &portal.DataSources),
		mount(s, &portal.UpdateReasons),
		mountView(s, &portal.OverviewGraphs),
		mountView(s, &portal.Graphs),
		mountView(s, &portal.DataPoints),
		mountView(s, &portal.Recycles),
		mountView(s, &portal.DataSourceDevices),
		mount(s, &portal.Alerts),
		mount(s, &portal.Deliveries),
		mount(s, &portal.SDTs),
		mount(s, &portal.SDTHistories),
		mount(s, &portal.Rules),
		mount(s, &portal.Chains),
		mount(s, &portal.RecipientGroups),
		mountView(s, &portal.Recipients),
		mount(s, &portal.Integrations),
		mount(s, &portal.Collectors),
		mount(s, &portal.CollectorGroups),
		mount(s, &portal.CollectorVersions),
		mount(s, &portal.Users),
		mount(s, &portal.Tokens),
		mount(s, &portal.Roles),
		mount(s, &portal.UserGroups),
		mount(s, &portal.RoleGroups),
		mount(s, &portal.OpsNotes),
		mount(s, &portal.Settings),
		mount(s, &portal.RemoteWrites),
		keep(s, &portal.RemoteWriteMarks),
		mount(s, &portal.ReportGroups),
		mount(s, &portal.Reports),
		keep(s, &portal.ReportTasks),
		mountView(s, &portal.ReportTaskList),
		mount(s, &portal.AuditLogs),
		mountIn(s, &s.staged, &portal.Incidents),
		keep(s, &portal.DemoTimes),
	)
}

// shapes returns the shape of every table of a portal.
func shapes() ([]store.Shape, error) {
	var s Server
	err := s.tables()
	return append(s.shapes, session.Shapes()...), err
}

func mount[T any](s *Server, r *resource.Resource[*T]) error {
	return mountIn(s, &s.endpoints, r)
}

// mountIn adds a resource whose endpoints go elsewhere.
func mountIn[T any](s *Server, endpoints *[]resource.Endpoint, r *resource.Resource[*T]) error {
	if s.db == nil {
		s.shapes = append(s.shapes, store.ShapeOf(r))
		return nil
	}
	table, err := store.Add(s.db, r)
	if err == nil {
		*endpoints = append(*endpoints, table.Endpoints()...)
		s.kinds = append(s.kinds, string(r.Name))
		takes(s, r)
	}
	return err
}

// mountView adds rows that are computed and not kept.
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
		s.shapes = append(s.shapes, store.ShapeOf(r))
		return nil
	}
	_, err := store.Add(s.db, r)
	takes(s, r)
	return err
}
