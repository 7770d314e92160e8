// Package portal combines the subjects of the API: the initial rows of a new portal,
// and paths that span several subjects.
//
// Each subject is a package below, from the lowest layer up: ground, setting, audit,
// people, threshold, datasource, fleet, collector, opsnote, forward, override,
// maintenance, alert, reporting, incident. A subject imports those below it.
// What it needs from one above, it gets through a resource.Hook. A resource without
// custom actions consists of its declaration: backend/store turns it into a table
// and endpoints. Types, names and units follow the published API; differences are
// documented at the field.
//
// Seed writes every row that each new portal has: the root group (id 1), the
// built-in collector (id 1) with its group (id 1), the default groups of users
// and roles (id 1), the built-in roles and the built-in data sources (ids 1 to 8).
// Errors that a caller can cause are *fault.Error; declarations never change and
// are safe to share.
package portal
