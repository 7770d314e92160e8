package send

import (
	"sync"

	"spyglass/app/document/query"
	"spyglass/app/explorer/view"
)

// maxQueries limits the parsed queries that are kept.
const maxQueries = 200

// queries keeps the parsed queries of checks and extractors: a run uses the same ones
// for each response.
type queries struct {
	mu     sync.Mutex
	parsed map[string]*query.Query
}

// of returns a query; its errors are faults with that field.
func (q *queries) of(field, text string) (*query.Query, error) {
	q.mu.Lock()
	have := q.parsed[text]
	q.mu.Unlock()
	if have != nil {
		return have, nil
	}
	made, err := view.CheckQuery(field, text)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.parsed == nil || len(q.parsed) >= maxQueries {
		q.parsed = map[string]*query.Query{}
	}
	q.parsed[text] = made
	return made, nil
}
