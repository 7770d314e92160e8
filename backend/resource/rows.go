package resource

import "strconv"

// Bound returns n as the Min or Max of a field.
func Bound(n int64) *int64 { return &n }

// NamedIDs returns the ids in From of the rows, without duplicates.
func NamedIDs(rows []Row) []int64 {
	ids, seen := []int64{}, map[string]bool{}
	for _, row := range rows {
		if id, err := strconv.ParseInt(row.From, 10, 64); err == nil && !seen[row.From] {
			ids, seen[row.From] = append(ids, id), true
		}
	}
	return ids
}

// EachNamed returns for each row the value of the ids in its From; rows with the
// same ids share one.
func EachNamed[T any](rows []Row, all map[int64]*T, value func(*T) any) ([][]byte, error) {
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
			if text, err = Encode(value(one)); err != nil {
				return nil, err
			}
			known[row.From] = text
		}
		out[i] = text
	}
	return out, nil
}

// Integers returns the count of each row, 0 if missing, as an Of must return it.
func Integers(rows []Row, counts map[int64]int64) [][]byte {
	out := make([][]byte, len(rows))
	for i, row := range rows {
		out[i] = strconv.AppendInt(nil, counts[row.ID], 10)
	}
	return out
}

// RowIDs returns the ids of rows, in their order.
func RowIDs(rows []Row) []int64 {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	return ids
}

// Nullable returns a schema that also allows null.
func Nullable(s Schema) Schema {
	s.Nullable = true
	return s
}
