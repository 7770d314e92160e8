package collector

import (
	"spyglass/backend/portal/ground"
	"spyglass/backend/resource"
)

// collectorTokenRows names the rows of CollectorToken.
const collectorTokenRows resource.Name[*CollectorToken] = "collectorToken"

// CollectorToken is the credential of a remote collector: for one installation,
// or permanently for collecting. It belongs to no user.
type CollectorToken struct {
	ID          int64
	CollectorID int64
	Hash        string // SHA-256 of the bearer token, hex; the token itself is shown once
	Installs    bool   // it allows fetching the program and registering, and is then deleted
	ExpiresOn   resource.Seconds
	CreatedOn   resource.Seconds
	CreatedBy   string
}

// CollectorTokens declares the tokens; package collect creates them, and package
// session reads them.
var CollectorTokens = resource.Resource[*CollectorToken]{
	Name: collectorTokenRows, Label: "collector token", Object: resource.Setting, Area: ground.AreaCollectors,
	Doc: "A credential of a remote collector.",
	Fields: []resource.Field[*CollectorToken]{
		{Name: "id", At: func(t *CollectorToken) any { return &t.ID }, Doc: "Set by the portal", ReadOnly: true},
		{Name: "collectorId", At: func(t *CollectorToken) any { return &t.CollectorID }, Doc: "Whose it is",
			Refs: string(CollectorRows), Cascade: true, Index: true},
		{Name: "hash", At: func(t *CollectorToken) any { return &t.Hash }, Doc: "Digest of the token", WriteOnly: true,
			Index: true},
		{Name: "installs", At: func(t *CollectorToken) any { return &t.Installs }, Doc: "For one installation"},
		{Name: "expiresOn", At: func(t *CollectorToken) any { return &t.ExpiresOn }, Doc: "When it ends; 0 for never"},
		{Name: "createdOn", At: func(t *CollectorToken) any { return &t.CreatedOn }, Doc: "When it was created"},
		{Name: "createdBy", At: func(t *CollectorToken) any { return &t.CreatedBy }, Doc: "Who created it"},
	},
}

// Areas that only a remote collector's credential may use, and users who may edit
// all settings.
const (
	AreaInstalling = "installing" // fetch the program, register
	AreaCollecting = "collecting" // heartbeat, assignments, samples
)
