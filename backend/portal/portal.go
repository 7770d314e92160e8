// Package portal declares the nouns of the API, one file a resource.
//
// A declaration here is all there is to a resource without verbs of its own:
// backend/store turns it into a table and its endpoints. Shapes, names and
// units follow the published API (wire.md); what only this portal does is said
// at the field.
//
// Every row that exists in each new portal is made by Seed: the root group (id
// 1), the built-in collector (id 1) with its group (id 1), the default user
// group and role group (id 1 each), the built-in roles and the built-in data sources (ids 1 to 8).
package portal
