package portal

import (
	"strconv"

	"spyglass/backend/resource"
)

func number(n int64) *int64 { return &n }

// named are the ids that rows name, each once.
func named(rows []resource.Row) []int64 {
	ids, seen := []int64{}, map[string]bool{}
	for _, row := range rows {
		if id, err := strconv.ParseInt(row.From, 10, 64); err == nil && !seen[row.From] {
			ids, seen[row.From] = append(ids, id), true
		}
	}
	return ids
}

// eachNamed gives each row the value of what it names; rows that name the same
// share one.
func eachNamed[T any](rows []resource.Row, all map[int64]*T, value func(*T) any) ([][]byte, error) {
	out, known := make([][]byte, len(rows)), map[string][]byte{}
	for i, row := range rows {
		text, ok := known[row.From]
		if !ok {
			id, _ := strconv.ParseInt(row.From, 10, 64)
			one := all[id]
			if one == nil {
				one = new(T)
			}
			var err error
			if text, err = resource.Encode(value(one)); err != nil {
				return nil, err
			}
			known[row.From] = text
		}
		out[i] = text
	}
	return out, nil
}

// integers gives each row its count.
func integers(rows []resource.Row, counts map[int64]int64) [][]byte {
	out := make([][]byte, len(rows))
	for i, row := range rows {
		out[i] = strconv.AppendInt(nil, counts[row.ID], 10)
	}
	return out
}

func rowIDs(rows []resource.Row) []int64 {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids
}

func nullable(s resource.Schema) resource.Schema {
	s.Nullable = true
	return s
}
