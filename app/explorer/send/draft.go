package send

import (
	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

// OfDraft is the body of requests about a draft and nothing else.
type OfDraft struct{ Draft workspace.Draft }

// OfDrafts declares OfDraft.
var OfDrafts = resource.Resource[*OfDraft]{Name: "ofDraft", Label: "draft",
	Fields: []resource.Field[*OfDraft]{
		{Name: "draft", At: func(d *OfDraft) any { return &d.Draft }, Doc: "The request", Required: true},
	}}
