// Package data serves measured data: the samples of instances as rows, as
// aggregates and as the lines of a graph.
//
// # Units and shapes
//
// A request gives times in epoch seconds, both ends included; a response has
// them in epoch milliseconds, the newest first in rows and the oldest first in
// graphs. A missing value is null. A response holds at most 500 times of an
// instance; nextPageParams requests the earlier ones, and is empty when there
// are none. CSV is not paged: it is written as it is read.
//
// A graph leaves out short gaps because a step may be shorter than the time
// between two samples, and one missed poll is not an outage.
//
// # Access
//
// Data is visible to every user who may view the device. Anything else is
// reported as not existing.
//
// # Concurrency
//
// A Service is immutable and can be shared.
//
// # Errors
//
// fault.Invalid names the parameter, fault.Unknown the missing object.
package data

import (
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
	"spyglass/backend/series"
)

// Options configures a Service.
type Options struct {
	DB     resource.DB
	Series *series.DB
	Zone   func() *time.Location // of the portal; UTC when nil
}

// Service handles requests for data.
type Service struct {
	db     resource.DB
	series *series.DB
	zone   func() *time.Location
}

// New returns a Service.
func New(o Options) *Service {
	s := &Service{db: o.DB, series: o.Series, zone: o.Zone}
	if s.zone == nil {
		s.zone = func() *time.Location { return time.UTC }
	}
	return s
}

const (
	devicePath   = "/device/devices/{deviceId}/devicedatasources"
	instancePath = devicePath + "/{hdsId}/instances/{id}"
)

// Endpoints returns the routes of the service.
func (s *Service) Endpoints() []resource.Endpoint {
	id := func(name, doc string, example int64) resource.Param {
		return resource.Param{Name: name, In: "path", Required: true, Schema: resource.Integer(doc), Example: example}
	}
	groupID, none := id("dsigId", "Id of the instance group; 0 for instances without a group", 1), int64(0)
	groupID.Schema.Min = &none
	device := id("deviceId", "Id of the device", 1)
	on := id("hdsId", "Id of the data source on the device", 1)
	instance := id("id", "Id of the instance", 1)
	graph := id("graphId", "Id of the graph, one of the data source's graphs", 7014)
	points, plot, hour := []resource.Param{pointsParam}, schemaOf(GraphPlot{}),
		resource.Example{Query: [][2]string{{"period", "1"}}}
	at := func(path string) resource.Example { return resource.Example{Path: path, Query: hour.Query} }
	body := resource.SchemaOf(fetch{})
	body.Name = "DeviceInstances"
	all := []resource.Endpoint{
		{
			Method: "GET", Path: devicePath + "/{id}/data", Summary: "Get data of a data source on a device",
			Doc: "Returns the samples of all instances, the newest first. If there is more than one page, " +
				"nextPageParams of the response applies to all instances.",
			Params: params([]resource.Param{device, id("id", "Id of the data source on the device", 1)}, points,
				spanParams, sumParams),
			Response: schemaOf(DeviceDataSourceData{}), Files: []string{csvType},
			Example: at("/device/devices/1/devicedatasources/1/data"), Handle: s.ofDevice,
		},
		{
			Method: "GET", Path: instancePath + "/data", Summary: "Get data of an instance",
			Doc:      "Returns the samples of the instance, the newest first, up to 500 times per page.",
			Params:   params([]resource.Param{device, on, instance}, points, spanParams, sumParams),
			Response: schemaOf(DeviceDataSourceInstanceData{}), Files: []string{csvType},
			Example: at("/device/devices/1/devicedatasources/1/instances/1/data"), Handle: s.ofInstance,
		},
		{
			Method: "GET", Path: instancePath + "/graphs/{graphId}/data", Summary: "Get data of a graph of an instance",
			Doc: "Returns the lines of the graph, in about 300 steps. Without start and end, it shows the period " +
				"of its timeScale, until now.",
			Params:   params([]resource.Param{device, on, instance, graph}, graphParams),
			Response: plot, Files: []string{csvType}, Example: resource.Example{
				Path: "/device/devices/1/devicedatasources/1/instances/1/graphs/7014/data"}, Handle: s.graphBelow,
		},
		{
			Method: "GET", Path: "/device/devicedatasourceinstances/{instanceId}/graphs/{graphId}/data",
			Summary:  "Get data of a graph by the instance's id",
			Doc:      "Returns the lines of the graph, like the longer path.",
			Params:   params([]resource.Param{id("instanceId", "Id of the instance", 1), graph}, graphParams),
			Response: plot, Files: []string{csvType}, Example: resource.Example{
				Path: "/device/devicedatasourceinstances/1/graphs/7014/data"}, Handle: s.graphOf,
		},
		{
			Method: "GET", Path: devicePath + "/{deviceDsId}/groups/{dsigId}/graphs/{ographId}/data",
			Summary: "Get data of an overview graph",
			Doc: "Returns the lines of a graph over the instances of a group: one for all of them if the graph is " +
				"aggregated, otherwise one for each of the first 50.",
			Params: params([]resource.Param{device, id("deviceDsId", "Id of the data source on the device", 1), groupID,
				id("ographId", "Id of the graph, one of the data source's overviewGraphs", 7018)}, graphParams),
			Response: plot, Files: []string{csvType}, Example: resource.Example{
				Path: "/device/devices/1/devicedatasources/1/groups/1/graphs/7018/data"}, Handle: s.overview,
		},
		{
			Method: "POST", Path: "/device/instances/datafetch", Summary: "Get data of several instances",
			Doc: "Returns the samples of up to 100 instances, in the requested order. A missing instance has a " +
				"sentence in errMsg instead.",
			Params: params(fetchParams), Body: &body,
			Response: schemaOf(DeviceInstanceDataPage{}), Example: resource.Example{Path: "/device/instances/datafetch",
				Query: hour.Query, Body: fetch{"1,2"}}, Handle: s.fetch,
		},
		s.sparkEndpoint(),
		s.countEndpoint([]resource.Param{device, on, instance}),
	}
	for i := range all {
		e := &all[i]
		e.Category, e.Right = ground.CategoryDevices, resource.Right{Object: resource.DeviceGroup, Op: resource.Read}
		e.Errors = []resource.Failure{
			{Kind: fault.NoLogin, When: "no user is signed in, or the token is wrong"},
			{Kind: fault.Denied, When: "the user's role does not have the permission"},
			{Kind: fault.TooMany, When: "the rate limit is reached"},
			{Kind: fault.Invalid, When: "a parameter or a field of the body is wrong; errorDetail names it"},
		}
		if e.Body == nil {
			e.Errors = append(e.Errors, resource.Failure{Kind: fault.Unknown, When: "there is no such device, data " +
				"source on it, instance or graph, or you cannot view it"})
		}
	}
	return all
}

// schemaOf describes a response whose type has the published name.
func schemaOf(v any) *resource.Schema {
	s := resource.SchemaOf(v)
	return &s
}

func params(lists ...[]resource.Param) (all []resource.Param) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
