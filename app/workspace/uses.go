package workspace

import (
	"context"
	"regexp"
	"slices"
	"time"

	"spyglass/backend/resource"
)

// use describes where a variable is used: the numbers of saved requests and
// extractors, the first of these requests, and when it was last sent.
type use struct {
	Name     string   `json:"name"`
	Requests []usedIn `json:"requests" doc:"the first 20"`
	Count    int      `json:"count"`

	Extractors int             `json:"extractors" doc:"number of extractors that write to it"`
	SentAt     resource.Millis `json:"sentAt" doc:"0: not in the last seven days, or not requested"`
}

type useList struct {
	Items []use `json:"items"`
}

type usedIn struct {
	ID   int64  `json:"id"`
	Name string `json:"name" doc:"as the tree shows it"`
}

// Limits of the search, and of the names reported for each.
const (
	usesAtOnce = 200
	usesNamed  = 20
	lately     = 7 * 24 * time.Hour
)

// usesEndpoint returns GET /variables/uses.
func (w *Workspace) usesEndpoint() resource.Endpoint {
	return resource.Endpoint{
		Method: "GET", Path: "/variables/uses", Summary: "Where variables are used", Right: anyone,
		Response: declared(useList{}),
		Doc: "By saved requests and extractors; with sent, also when the history of the last seven days " +
			"used each.",
		Params: []resource.Param{
			{Name: "sent", In: "query", Schema: resource.Boolean("Look through the history, too")}},
		Handle: func(ctx context.Context, c *resource.Call) (any, error) {
			sent, err := c.Flag("sent")
			if err != nil {
				return nil, err
			}
			u := &uses{by: map[string]*use{}}
			if err := w.usesSaved(ctx, c.Access.UserID, u); err != nil {
				return nil, err
			}
			extractors, err := resource.Find(ctx, w.db, extractorRows, mine(c.Access.UserID))
			if err != nil {
				return nil, err
			}
			for i := range extractors {
				u.of(extractors[i].Variable).Extractors++
			}
			if sent {
				if err := w.usesSent(ctx, c, u); err != nil {
					return nil, err
				}
			}
			list := &useList{Items: make([]use, len(u.all))}
			for i, one := range u.all {
				list.Items[i] = *one
			}
			return list, nil
		},
	}
}

type uses struct {
	all []*use
	by  map[string]*use
}

func (u *uses) of(name string) *use {
	if u.by[name] == nil {
		u.by[name] = &use{Name: name, Requests: []usedIn{}}
		u.all = append(u.all, u.by[name])
	}
	return u.by[name]
}

// usesSaved searches the saved requests, in batches.
func (w *Workspace) usesSaved(ctx context.Context, userID int64, u *uses) error {
	u.all = []*use{}
	for last := int64(0); ; {
		rows, err := resource.Find(ctx, w.db, requestRows, mine(userID),
			resource.Where{Field: "trashed", Op: "=", Value: int64(0)},
			resource.Where{Field: "id", Op: ">", Value: last}, resource.Limit(usesAtOnce))
		if err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			last = r.ID
			name := r.Name
			if name == "" {
				name = r.Method + " " + r.Path
			}
			for _, variable := range r.Draft.References() {
				of := u.of(variable)
				if of.Count++; of.Count <= usesNamed {
					of.Requests = append(of.Requests, usedIn{r.ID, name})
				}
			}
		}
		if len(rows) < usesAtOnce {
			return nil
		}
	}
}

// usesSent searches the requests sent recently, in batches.
func (w *Workspace) usesSent(ctx context.Context, c *resource.Call, u *uses) error {
	for last := int64(0); ; {
		rows, err := resource.Find(ctx, w.db, historyRows, append(here(c), mine(c.Access.UserID),
			resource.Where{Field: "at", Op: ">", Value: int64(resource.MillisOf(c.At.Add(-lately)))},
			resource.Where{Field: "id", Op: ">", Value: last}, resource.Limit(usesAtOnce))...)
		if err != nil {
			return err
		}
		for i := range rows {
			last = rows[i].ID
			for _, name := range rows[i].Draft.References() {
				of := u.of(name)
				of.SentAt = max(of.SentAt, rows[i].At)
			}
		}
		if len(rows) < usesAtOnce {
			return nil
		}
	}
}

var variableReference = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}`)

// References returns the names of the variables that a draft uses, each once.
func (d *Draft) References() (names []string) {
	look := func(text string) {
		for _, m := range variableReference.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	look(d.Path)
	for _, rows := range []Rows{d.PathParams, d.Query, d.Headers} {
		for _, r := range rows {
			look(r.Key)
			look(r.Value)
		}
	}
	look(d.Body)
	return names
}
