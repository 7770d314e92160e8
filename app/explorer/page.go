package explorer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// page is one page of a list, its items as they were sent.
type page struct {
	total *int64 // nil: not said; negative: at least so many
	items []json.RawMessage
}

var errNoList = errors.New("the answer is no list: it has no items")

// readPage takes a page apart without changing a byte of its items.
func readPage(body []byte) (*page, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	if open, err := dec.Token(); err != nil {
		return nil, err
	} else if open != json.Delim('{') {
		return nil, errNoList
	}
	p, listed := &page{}, false
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		switch key {
		case "items":
			listed = true
			if err := json.Unmarshal(value, &p.items); err != nil {
				return nil, errNoList
			}
		case "total":
			if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
				p.total = &n
			}
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the list")
	}
	if !listed {
		return nil, errNoList
	}
	return p, nil
}

// idOf is an item's id as it was sent, empty when it has none.
func idOf(item json.RawMessage) string {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(item, &named) != nil || string(named.ID) == "null" {
		return ""
	}
	return string(named.ID)
}

// paged is a list's address without the place in it, and the place it asked for.
type paged struct {
	address string // with everything else of its query
	offset  int64
	size    int64 // 0: not said
}

// pagedOf reads offset and size out of an address.
func pagedOf(address string) paged {
	path, query, _ := strings.Cut(address, "?")
	out := paged{}
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, text, _ := strings.Cut(part, "=")
		name, _ = url.QueryUnescape(name)
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case part == "":
		case name == "offset" && err == nil && n >= 0:
			out.offset = n
		case name == "size" && err == nil && n > 0:
			out.size = n
		default: // what cannot be read, too: the portal says what is wrong with it
			kept = append(kept, part)
		}
	}
	out.address = path
	if len(kept) > 0 {
		out.address += "?" + strings.Join(kept, "&")
	}
	return out
}

// at is the address of the page at offset.
func (p paged) at(offset int64) string { return p.upToOffset() + strconv.FormatInt(offset, 10) }

// upToOffset is the address of any page, but for its offset, which it ends with.
func (p paged) upToOffset() string {
	mark := "?"
	if strings.Contains(p.address, "?") {
		mark = "&"
	}
	address := p.address + mark
	if p.size > 0 {
		address += "size=" + strconv.FormatInt(p.size, 10) + "&"
	}
	return address + "offset="
}
