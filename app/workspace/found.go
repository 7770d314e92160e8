package workspace

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"spyglass/backend/resource"
)

// pastRow is a request that a search found.
type pastRow struct {
	json.RawMessage          // the row, without its draft
	found           *excerpt // nil if the row itself contains the match
}

// excerpt is a part of a text with a matching word.
type excerpt struct {
	In     string `json:"in" enum:"request|response"`
	Before string `json:"before"`
	Text   string `json:"text"`
	After  string `json:"after"`
}

// MarshalJSON adds the excerpt to the row.
func (p pastRow) MarshalJSON() ([]byte, error) {
	found, err := json.Marshal(p.found)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, p.RawMessage[:len(p.RawMessage)-1]...)
	return append(append(append(out, `,"found":`...), found...), '}'), nil
}

// Schema implements resource.Described.
func (pastRow) Schema() resource.Schema {
	s := resource.Schema{Type: "object", Name: "Past", Doc: "A request of the history without its draft."}
	for _, k := range Histories.Schema().Properties {
		if slices.Contains(pastFields, k.Name) {
			k.Required = true
			s.Properties = append(s.Properties, k)
		}
	}
	where := declared((*excerpt)(nil))
	where.Doc = "Where a word was found that the row does not show by itself"
	s.Properties = append(s.Properties,
		resource.Key{Name: "template", Required: true, Schema: resource.Text("The path in the catalog, or nothing")},
		resource.Key{Name: "found", Required: true, Schema: *where})
	return s
}

var pastFields = []string{"id", "at", "method", "path", "url", "status", "statusText", "ms", "bytes", "error", "kept",
	"pinned", "pageSize", "items", "total"}

// shownPast reads the requests of a search in the order of ids.
func (w *Workspace) shownPast(ctx context.Context, ids []int64, userID int64, words []string) ([]pastRow, error) {
	rows, err := resource.Find(ctx, w.db, historyRows, mine(userID), resource.Where{Field: "id", Op: "in", Value: ids})
	if err != nil {
		return nil, err
	}
	at := map[int64]*History{}
	for i := range rows {
		at[rows[i].ID] = &rows[i]
	}
	out, histories := make([]pastRow, 0, len(ids)), Histories.Untyped()
	for _, id := range ids {
		h := at[id]
		if h == nil {
			continue // deleted meanwhile
		}
		text, err := histories.AppendJSON(nil, h)
		if err != nil {
			return nil, err
		}
		template, err := json.Marshal(h.Draft.Template)
		if err != nil {
			return nil, err
		}
		text = resource.SelectKeys(nil, text, pastFields)
		text = append(append(text[:len(text)-1], `,"template":`...), template...)
		row := pastRow{RawMessage: append(text, '}')}
		if row.found, err = w.excerptOf(ctx, h, words); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// excerptOf returns an excerpt with the first word that the row itself does not
// contain.
func (w *Workspace) excerptOf(ctx context.Context, h *History, words []string) (*excerpt, error) {
	visible := strings.Join([]string{h.Method, h.Path, strconv.FormatInt(h.Status, 10), h.StatusText, h.Error}, "\n")
	var hidden []string
	for _, word := range words {
		if at, _ := wordIn(visible, word); at < 0 {
			hidden = append(hidden, word)
		}
	}
	if len(hidden) == 0 {
		return nil, nil
	}
	request := []string{h.URL, h.Draft.Body}
	for _, rows := range []Rows{h.Draft.Query, h.Draft.Headers, h.Draft.PathParams} {
		for _, r := range rows {
			request = append(request, r.Key+": "+r.Value)
		}
	}
	response, err := responseText(ctx, w.db, h)
	if err != nil {
		return nil, err
	}
	for _, word := range hidden {
		if e := cutOut("response", response, word); e != nil {
			return e, nil
		}
		for _, text := range request {
			if e := cutOut("request", head(text), word); e != nil {
				return e, nil
			}
		}
	}
	return nil, nil
}

// around is the number of bytes that an excerpt shows on each side.
const around = 40

func cutOut(in, text, word string) *excerpt {
	from, to := wordIn(text, word)
	if from < 0 {
		return nil
	}
	first, last := max(0, from-around), min(len(text), to+around)
	for first > 0 && !utf8.RuneStart(text[first]) {
		first--
	}
	for last < len(text) && !utf8.RuneStart(text[last]) {
		last++
	}
	return &excerpt{in, oneSpace(text[first:from]), text[from:to], oneSpace(text[to:last])}
}

// oneSpace replaces white space so that the text is one line.
func oneSpace(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}

// wordIn returns the position of word at the beginning of a word in text,
// ignoring case; -1 if there is none.
func wordIn(text, word string) (from, to int) {
	for i, r := range text {
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); i > 0 && wordRune(before) && wordRune(r) {
			continue
		}
		if n := len(word); len(text)-i >= n && strings.EqualFold(text[i:i+n], word) {
			return i, i + n
		}
	}
	return -1, -1
}
