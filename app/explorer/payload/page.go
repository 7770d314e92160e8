package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"strings"
)

// Page is one page of a list, with its items unchanged.
type Page struct {
	Total *int64 // nil: unknown; negative: at least that many
	Items []json.RawMessage
}

var errNoList = errors.New("the response is not a list: it has no items")

// ReadPage splits a page without changing its items. It is not
// resource.ParseJSON because pages of other portals may be larger and deeper than
// a body that this one takes, and it decodes to notice one that broke off.
func ReadPage(body []byte) (*Page, error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	var fields map[string]json.RawMessage
	err := dec.Decode(&fields)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return nil, errNoList
	}
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is more data after the list")
	}
	p := &Page{}
	items, listed := fields["items"]
	if !listed || json.Unmarshal(items, &p.Items) != nil {
		return nil, errNoList
	}
	if n, err := strconv.ParseInt(string(fields["total"]), 10, 64); err == nil {
		p.Total = &n
	}
	return p, nil
}

// IDOf returns an item's id as text; "" if it has none.
func IDOf(item json.RawMessage) string {
	var named struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(item, &named) != nil || string(named.ID) == "null" {
		return ""
	}
	return string(named.ID)
}

// Paged is the address of a list without paging parameters, and its requested
// page.
type Paged struct {
	address string // with everything else of its query
	Offset  int64
	Size    int64 // 0: not set
}

// PagedOf reads offset and size from an address.
func PagedOf(address string) Paged {
	path, query, _ := strings.Cut(address, "?")
	out := Paged{}
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, text, _ := strings.Cut(part, "=")
		name, _ = url.QueryUnescape(name)
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case part == "":
		case name == "offset" && err == nil && n >= 0:
			out.Offset = n
		case name == "size" && err == nil && n > 0:
			out.Size = n
		default: // also for invalid values: the portal reports the error
			kept = append(kept, part)
		}
	}
	out.address = path
	if len(kept) > 0 {
		out.address += "?" + strings.Join(kept, "&")
	}
	return out
}

// At returns the address of the page at offset.
func (p Paged) At(offset int64) string { return p.UpToOffset() + strconv.FormatInt(offset, 10) }

// UpToOffset returns the address of any page up to its offset, which comes last.
func (p Paged) UpToOffset() string {
	mark := "?"
	if strings.Contains(p.address, "?") {
		mark = "&"
	}
	address := p.address + mark
	if p.Size > 0 {
		address += "size=" + strconv.FormatInt(p.Size, 10) + "&"
	}
	return address + "offset="
}
