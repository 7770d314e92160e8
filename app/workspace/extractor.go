package workspace

import (
	"context"
	"strings"

	"spyglass/app/document/query"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Extractor extracts a value from responses and stores it as a variable: after
// 200, $.id → deviceId. It runs automatically after a request whose endpoint and
// status match, and stores its last result.
type Extractor struct {
	ID       int64
	UserID   int64
	Endpoint string // "POST /device/devices", or any
	Status   string // 200, 2xx or any
	Path     string // a query, as in app/document/query
	Variable string
	On       bool
	RanAt    resource.Millis // 0: never
	Last     string          // the last value, truncated; stars for a secret one
	Problem  string          // why the last run found nothing
}

const extractorRows resource.Name[*Extractor] = "extractor"

const (
	maxExtractors = 200 // per user
	anyMatch      = "any"
)

// Extractors declares /extractors.
var Extractors = resource.Resource[*Extractor]{
	Name: extractorRows, Label: "extractor", Path: "/extractors", Object: resource.Anyone, Owner: "userId",
	Doc: "Extracts a value from responses into a variable.",
	Fields: []resource.Field[*Extractor]{
		{Name: "id", At: func(x *Extractor) any { return &x.ID }, Doc: "Set by the workspace", ReadOnly: true},
		{Name: "userId", At: func(x *Extractor) any { return &x.UserID }, Doc: "Id of its user", ReadOnly: true,
			WriteOnly: true, Index: true},
		{Name: "endpoint", At: func(x *Extractor) any { return &x.Endpoint }, Doc: "Method and template of an " +
			"endpoint, or any", Default: anyMatch, MaxLen: 1024},
		{Name: "status", At: func(x *Extractor) any { return &x.Status }, Doc: "200, 2xx or any", Default: "2xx",
			MaxLen: 3},
		{Name: "path", At: func(x *Extractor) any { return &x.Path }, Doc: "JSONPath, or jq; the first match is stored",
			Required: true, MaxLen: 4096},
		{Name: "variable", At: func(x *Extractor) any { return &x.Variable }, Doc: "The variable that gets the value",
			Required: true, MaxLen: 100},
		{Name: "on", At: func(x *Extractor) any { return &x.On }, Doc: "Whether it runs", Default: true},
		{Name: "ranAt", At: func(x *Extractor) any { return &x.RanAt }, Doc: "When it last ran; 0: never",
			ReadOnly: true},
		{Name: "last", At: func(x *Extractor) any { return &x.Last }, Doc: "The value it last found", ReadOnly: true},
		{Name: "problem", At: func(x *Extractor) any { return &x.Problem }, Doc: "Why it last found nothing",
			ReadOnly: true},
	},
	Check: func(w *resource.Write, was, now *Extractor) error {
		if was == nil {
			counts, err := w.Tx.CountBy(w.Context, string(extractorRows), "userId")
			if err != nil {
				return err
			}
			if counts[now.UserID] >= maxExtractors {
				return fault.New(fault.Conflict, "there are %d extractors; delete some first", maxExtractors)
			}
		}
		if !variableName.MatchString(now.Variable) {
			return fault.At("variable",
				"a variable's name must begin with a letter, and contain only letters, digits, dots, dashes and "+
					"underscores")
		}
		if !statusPattern(now.Status) {
			return fault.At("status", "the status must be three digits like 201, a class like 2xx, or any")
		}
		if _, err := query.Parse(now.Path); err != nil {
			return fault.At("path", "%s", err)
		}
		if was != nil && (was.Endpoint != now.Endpoint || was.Status != now.Status || was.Path != now.Path ||
			was.Variable != now.Variable) {
			now.RanAt, now.Last, now.Problem = 0, "", "" // the results belong to the old definition
		}
		return nil
	},
}

func statusPattern(s string) bool {
	if s == anyMatch {
		return true
	}
	if len(s) != 3 || s[0] < '1' || s[0] > '5' {
		return false
	}
	digits := func(c byte) bool { return '0' <= c && c <= '9' }
	return s[1:] == "xx" || digits(s[1]) && digits(s[2])
}

// Matches reports whether the extractor runs after a response with that status
// (three digits) to an endpoint ("GET /device/devices", empty if unknown).
func (x *Extractor) Matches(endpoint, status string) bool {
	at := x.Endpoint == anyMatch || x.Endpoint == endpoint
	class := x.Status == anyMatch || x.Status == status || strings.HasSuffix(x.Status, "xx") &&
		x.Status[:1] == status[:1]
	return x.On && at && class
}

// ExtractorsOf returns the user's extractors by id.
func (w *Workspace) ExtractorsOf(ctx context.Context, userID int64) ([]Extractor, error) {
	return known(ctx, w.db, extractorRows, userID)
}

// Extracted is the result of an extractor on a response: a value, or a problem.
type Extracted struct {
	Extractor int64  `json:"extractor"`
	Variable  string `json:"variable"`
	Value     string `json:"value" doc:"stars for a secret one"`
	Problem   string `json:"problem"`

	Secret bool `json:"-" doc:"keep it as a secret, even in a new variable"`
}

const shownValue = 200

// KeepExtracted stores the values of extractors in the variables of the environment, 0 for
// none, or else in those of the portal, which it creates if they are missing; and as the
// last results of the extractors. Afterwards it masks secret values.
func (w *Workspace) KeepExtracted(ctx context.Context, userID, portalID, environmentID int64, at resource.Millis,
	found []Extracted) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	type secret struct{ key, value string }
	var secrets []secret
	var masked []bool
	err := w.db.Write(ctx, func(tx resource.Tx) error {
		secrets, masked = nil, make([]bool, len(found)) // reset for a second run
		for i := range found {
			if found[i].Problem == "" {
				v, err := keepVariable(ctx, tx, userID, portalID, environmentID, at, &found[i])
				if err != nil {
					return err
				}
				if masked[i] = v.Secret; v.Secret {
					secrets = append(secrets, secret{v.key(), found[i].Value})
				}
			}
			if err := noteExtracted(ctx, tx, userID, at, &found[i], masked[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, s := range secrets {
		w.keep(s.key, s.value)
	}
	for i := range found {
		if masked[i] {
			found[i].Value = resource.Mask
		}
	}
	w.changed(userID, VariablesChanged)
	w.changed(userID, ExtractorsChanged)
	return nil
}

func keepVariable(ctx context.Context, tx resource.Tx, userID, portalID, environmentID int64, at resource.Millis,
	x *Extracted) (*Variable, error) {
	v := &Variable{UserID: userID, PortalID: portalID, Name: x.Variable, Scope: ScopePortal, Secret: x.Secret}
	have, err := resource.Find(ctx, tx, variableRows, mine(userID),
		resource.Where{Field: "portalId", Op: "=", Value: portalID},
		resource.Where{Field: "name", Op: "=", Value: x.Variable})
	if err != nil {
		return nil, err
	}
	for i := range have {
		if of := have[i].EnvironmentID; of == environmentID || of == 0 && v.ID == 0 {
			v = &have[i]
		}
	}
	if v.Value, v.ChangedOn = x.Value, at; v.Secret {
		v.Value = resource.Mask
	}
	return v, resource.Put(ctx, tx, variableRows, v)
}

func noteExtracted(ctx context.Context, tx resource.Tx, userID int64, at resource.Millis, x *Extracted,
	masked bool) error {
	row, err := resource.Get(ctx, tx, extractorRows, x.Extractor)
	if fault.Is(err, fault.Unknown) || err == nil && row.UserID != userID {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	row.RanAt, row.Problem = at, x.Problem
	if text := []rune(x.Value); x.Problem == "" {
		row.Last = string(text[:min(len(text), shownValue)])
	}
	if masked {
		row.Last = resource.Mask
	}
	return resource.Put(ctx, tx, extractorRows, row)
}
