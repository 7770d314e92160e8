package workspace

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/store"
)

// words is the full-text index of the history.
var words = store.Words{Name: "history_words"}

// Limits of a user's historyKept setting.
const (
	keptSetting = "historyKept"
	LeastKept   = 100
	MostKept    = 1_000_000
	// MostKeptOfMany is MostKept for users who are not administrators, if there
	// is a quota.
	MostKeptOfMany = 50_000
)

// learnedBytes limits the indexed bytes of a request or a response.
const learnedBytes = 64 << 10

// learnSoon indexes requests without words on another goroutine.
func (w *Workspace) learnSoon() {
	select {
	case w.unlearned <- struct{}{}:
	default:
	}
}

func (w *Workspace) learnOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.unlearned:
		}
		if w.quiet(ctx) {
			return
		}
		if err := w.catchUp(ctx); err != nil && ctx.Err() == nil && !fault.Is(err, fault.Offline) {
			w.log.Error("requests cannot be searched yet", "err", err)
		}
	}
}

// Indexing writes, and sending waits for writes. So indexing begins after no
// request was sent for restFor, or longestWait at the latest.
const (
	restFor     = time.Second
	longestWait = 30 * time.Second
)

// quiet waits until it is time to index; it reports whether the workspace is
// closed.
func (w *Workspace) quiet(ctx context.Context) (closed bool) {
	rest, latest := time.NewTimer(restFor), time.NewTimer(longestWait)
	defer rest.Stop()
	defer latest.Stop()
	for {
		select {
		case <-ctx.Done():
			return true
		case <-w.unlearned:
			rest.Reset(restFor)
		case <-rest.C:
			return false
		case <-latest.C:
			return false
		}
	}
}

// catchUp indexes requests, some in each transaction, until all have them or
// ctx is done.
func (w *Workspace) catchUp(ctx context.Context) error {
	for {
		learned := 0
		err := w.db.Write(ctx, func(tx resource.Tx) (err error) {
			learned, err = learnSome(ctx, tx)
			return err
		})
		if err != nil || learned == 0 || ctx.Err() != nil {
			return err
		}
	}
}

// learnedAtOnce limits how many requests one transaction indexes.
const learnedAtOnce = 64

func learnSome(ctx context.Context, tx resource.Tx) (int, error) {
	last, err := words.Last(ctx, tx)
	if err != nil {
		return 0, err
	}
	rows, err := resource.Find(ctx, tx, historyRows, resource.Where{Field: "id", Op: ">", Value: last},
		resource.Limit(learnedAtOnce))
	for i := range rows {
		if err == nil {
			err = learn(ctx, tx, &rows[i])
		}
	}
	return len(rows), err
}

func learnAll(ctx context.Context, tx resource.Tx) error {
	for {
		if n, err := learnSome(ctx, tx); err != nil || n == 0 {
			return err
		}
	}
}

// learn adds the words of one request to the index.
func learn(ctx context.Context, tx resource.Tx, h *History) error {
	response, err := responseText(ctx, tx, h)
	if err != nil {
		return err
	}
	texts := []string{h.Method, h.Path, h.URL, strconv.FormatInt(h.Status, 10), h.StatusText, h.Error,
		head(h.Draft.Body), response}
	for _, rows := range []Rows{h.Draft.Query, h.Draft.Headers, h.Draft.PathParams} {
		for _, r := range rows {
			if r.On {
				texts = append(texts, r.Key, r.Value)
			}
		}
	}
	return words.Put(ctx, tx, h.ID, tagsOf(h), once(texts))
}

// once returns each piece of the texts once, so that repeated texts in a list
// take no additional space. The parts of web-01.fra (web-01.fra, 01.fra and fra)
// are pieces too, so that a search finds each of them.
func once(texts []string) string {
	var out strings.Builder
	seen := map[string]bool{}
	for _, text := range texts {
		for piece := range strings.FieldsFuncSeq(text, between) {
			for piece = trimJoints(piece); piece != "" && !seen[piece]; piece = trimJoints(piece) {
				seen[piece] = true
				out.WriteString(piece)
				out.WriteByte('\n')
				i := strings.IndexAny(piece, joints)
				if i < 0 {
					break
				}
				piece = piece[i:]
			}
		}
	}
	return out.String()
}

// joints are characters within a piece: web-01.fra and 10.20.0.11 are one piece
// each.
const joints = "._-"

func trimJoints(piece string) string { return strings.Trim(piece, joints) }

// between reports whether a character separates pieces.
func between(r rune) bool { return !wordRune(r) && !strings.ContainsRune(joints, r) }

func tagsOf(h *History) []string {
	tags := []string{userTag(h.UserID), portalTag(h.PortalID), "m" + h.Method, statusTag(h.Status)}
	if h.Draft.Template != "" {
		tags = append(tags, endpointTag(h.Draft.Template))
	}
	if h.Pinned {
		tags = append(tags, pinnedTag)
	}
	return tags
}

const pinnedTag = "pinned"

func userTag(id int64) string { return fmt.Sprintf("u%d", id) }

func portalTag(id int64) string { return fmt.Sprintf("at%d", id) }

// statusTag returns the class of a status: s2 for 200 to 299, s0 without a
// response.
func statusTag(status int64) string { return fmt.Sprintf("s%d", status/100) }

func endpointTag(template string) string {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, template) // a hash does not fail
	return "e" + hex.EncodeToString(sum.Sum(nil))
}

// responseText returns the beginning of the stored response, if it is text.
func responseText(ctx context.Context, from resource.Reader, h *History) (string, error) {
	if !h.Kept {
		return "", nil
	}
	r, err := resource.Get(ctx, from, replyRows, h.ID)
	if fault.Is(err, fault.Unknown) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	z, err := unzipped(r.Zipped)
	if err != nil {
		return "", nil // an unreadable body is not indexed
	}
	text, _ := io.ReadAll(io.LimitReader(z, learnedBytes))
	if bytes.IndexByte(text, 0) >= 0 {
		return "", nil
	}
	return strings.ToValidUTF8(string(text), " "), nil
}

func head(text string) string { return strings.ToValidUTF8(text[:min(len(text), learnedBytes)], " ") }

// searching returns GET /history/search.
func (w *Workspace) searching() resource.Endpoint {
	query := func(name string, s resource.Schema) resource.Param {
		return resource.Param{Name: name, In: "query", Schema: s}
	}
	method := resource.Text("Of the request")
	method.Enum = allowed(Methods)
	return resource.Endpoint{
		Method: "GET", Path: "/history/search", Summary: "Search the history", Right: anyone,
		Doc: "Newest first, without the drafts. total counts to " + strconv.Itoa(mostCounted) +
			" and no further, but for a search without conditions.",
		Params: []resource.Param{
			query("words", resource.Text("Words that the request or the response contains, or their beginnings")),
			query("method", method),
			query("status", resource.Integer("The first digit; 0 for no response")),
			query("endpoint", resource.Text("Its path in the catalog")),
			query("pinned", resource.Boolean("Only pinned requests")),
			query("from", resource.Integer("Epoch milliseconds")),
			query("to", resource.Integer("Epoch milliseconds, not included")),
			query("before", resource.Integer("Only ids below: the next page")),
			query("size", resource.Integer("At most "+strconv.Itoa(mostFound))),
		},
		Response: foundSchema(), Handle: w.searchHistory,
	}
}

const (
	mostCounted = 1000
	mostFound   = 100
)

// foundPast is a page of a search.
type foundPast struct {
	Items []pastRow `json:"items"`
	More  bool      `json:"more"`
	Total int64     `json:"total" doc:"counted to 1000 only where there are conditions; 0 on a further page"`
}

// foundSchema describes foundPast.
func foundSchema() *resource.Schema {
	s := declared(foundPast{})
	s.Name = "PastPage"
	return s
}

func (w *Workspace) searchHistory(ctx context.Context, c *resource.Call) (any, error) {
	if err := w.catchUp(ctx); err != nil {
		return nil, err
	}
	q, numbers, err := wordQuery(c)
	if err != nil {
		return nil, err
	}
	at := string(historyRows)
	if numbers["from"] > 0 {
		if q.From, err = w.db.FirstSince(ctx, at, "at", resource.Millis(numbers["from"])); err != nil || q.From == 0 {
			return resource.JSON(`{"total":0,"more":false,"items":[]}`), err
		}
	}
	if numbers["to"] > 0 {
		if q.Before, err = w.db.FirstSince(ctx, at, "at", resource.Millis(numbers["to"])); err != nil {
			return nil, err
		}
	}
	size := int(numbers["size"])
	q.Limit = mostCounted
	if before := numbers["before"]; before > 0 { // a later page: the total is known
		q.Limit = size + 1
		if q.Before == 0 || before < q.Before {
			q.Before = before
		}
	}
	ids, err := words.Find(ctx, w.db, q)
	if err != nil {
		return nil, err
	}
	total, err := w.total(ctx, c.Access.UserID, &q, len(ids))
	if err != nil {
		return nil, err
	}
	more := len(ids) > size
	items, err := w.shownPast(ctx, ids[:min(size, len(ids))], c.Access.UserID, q.Words)
	return &foundPast{items, more, total}, err
}

// total returns the number of matching requests, up to the search limit; without
// conditions, the exact number of the user's requests.
func (w *Workspace) total(ctx context.Context, userID int64, q *store.WordQuery, found int) (int64, error) {
	if found < mostCounted || len(q.Words) > 0 || len(q.Tags) > 2 || q.From > 0 || q.Before > 0 {
		return int64(found), nil
	}
	counts, err := w.db.CountBy(ctx, string(historyRows), "userId")
	return counts[userID], err
}

// wordQuery parses the parameters; numbers holds the numeric ones.
func wordQuery(c *resource.Call) (q store.WordQuery, numbers map[string]int64, err error) {
	q.Tags = []string{userTag(c.Access.UserID), portalTag(PortalID(c))}
	q.Words = splitWords(c.Query.Get("words"))
	if method := c.Query.Get("method"); method != "" {
		if !slices.Contains(Methods, method) {
			return q, nil, &fault.Error{Kind: fault.Invalid, Field: "method", Message: "the method must be one of " +
				strings.Join(Methods, ", "), Allowed: allowed(Methods)}
		}
		q.Tags = append(q.Tags, "m"+method)
	}
	if endpoint := c.Query.Get("endpoint"); endpoint != "" {
		q.Tags = append(q.Tags, endpointTag(endpoint))
	}
	pinned, err := c.Flag("pinned")
	if err != nil {
		return q, nil, err
	}
	if pinned {
		q.Tags = append(q.Tags, pinnedTag)
	}
	numbers = map[string]int64{"size": 50}
	for name, most := range map[string]int64{"status": 5, "from": 1 << 52, "to": 1 << 52, "before": 1 << 52,
		"size": mostFound} {
		text := c.Query.Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > most {
			return q, nil, fault.At(name, "%s must be a whole number from 0 to %d", name, most)
		}
		numbers[name] = n
		if name == "status" {
			q.Tags = append(q.Tags, statusTag(100*n))
		}
	}
	return q, numbers, nil
}

// mostWords limits the words of a search.
const mostWords = 16

// splitWords returns the words of a search, without punctuation.
func splitWords(text string) (found []string) {
	for word := range strings.FieldsFuncSeq(strings.ToValidUTF8(text, " "), between) {
		if word = trimJoints(word); word != "" && len(found) < mostWords {
			found = append(found, word)
		}
	}
	return found
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
