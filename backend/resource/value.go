package resource

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Seconds is a time in epoch seconds; 0 means never.
type Seconds int64

// Millis is a time in epoch milliseconds; 0 means never.
type Millis int64

// SecondsOf returns t in epoch seconds.
func SecondsOf(t time.Time) Seconds { return Seconds(t.Unix()) }

// MillisOf returns t in epoch milliseconds.
func MillisOf(t time.Time) Millis { return Millis(t.UnixMilli()) }

// TextID is a row's own id that the published API sends as a string.
type TextID int64

// IDs are ids of another resource, sent as one comma-separated string.
type IDs []int64

func (ids IDs) String() string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(parts, ",")
}

// ParseIDs parses "1,2,3"; it drops spaces and duplicates and keeps the order.
func ParseIDs(text string) (IDs, error) {
	var ids IDs
	seen := map[int64]bool{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		id, ok := ParseID(part)
		if !ok {
			return nil, fmt.Errorf("%q is not an id", part)
		}
		if !seen[id] {
			ids, seen[id] = append(ids, id), true
		}
	}
	return ids, nil
}
