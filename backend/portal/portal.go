// Package portal puts the subjects of the API together: the rows that each new
// portal begins with, and paths that show or repeat what several subjects have.
//
// Each subject is a package below, from the ground up: ground, setting, audit,
// people, threshold, datasource, fleet, collector, opsnote, forward, override,
// maintenance, alert, reporting, incident. A subject imports those below it.
// What it needs of one above, it gets through a resource.Hook. A declaration is
// all there is to a resource without verbs of its own: backend/store turns it
// into a table and its endpoints. Shapes, names and units follow the published
// API; what only this portal does is said at the field.
//
// Seed writes every row that each new portal has: the root group (id 1), the
// built-in collector (id 1) with its group (id 1), the default groups of users
// and roles (id 1), the built-in roles and the built-in data sources (ids 1 to 8).
// Errors that a caller can cause are *fault.Error; declarations never change and
// are safe to share.
package portal
