package watch

import (
	"context"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"spyglass/app/document"
	"spyglass/app/explorer/send"
	"spyglass/app/explorer/view"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
	"spyglass/backend/sheet"
)

// Sample is a response of a watch, or a missing response.
type Sample struct {
	At      int64           `json:"at" doc:"when it was sent; milliseconds since 1970"`
	Status  int64           `json:"status" doc:"0: no response"`
	MS      int64           `json:"ms"`
	Bytes   int64           `json:"bytes"`
	Problem string          `json:"problem" doc:"why there is no response; empty if there is one"`
	Changes int             `json:"changes" doc:"values that differ from the sample before"`
	More    bool            `json:"more" doc:"there were more numbers than a recording keeps"`
	Values  document.Values `json:"values" doc:"the numbers in the order of the paths; missing at the end if null"`
}

// Recording holds the samples of a watch.
type Recording struct {
	Request string // GET /device/devices
	Every   int64

	user int64
	id   string

	mu      sync.Mutex
	running bool
	paths   []string
	columns map[string]int // of the paths
	samples []Sample
	changed []int64       // values of the last response
	replies []*send.Reply // the last two, the newest last
}

// begin keeps a recording, and forgets the oldest of those that ended.
func (w *Watcher) begin(r *Recording) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	running := 0
	for _, other := range w.recordings {
		if other.user != r.user {
			continue
		}
		if other.id == r.id {
			return fault.New(fault.Conflict, "this request is already being watched")
		}
		if other.isRunning() {
			running++
		}
	}
	if running == maxWatches {
		return fault.New(fault.Conflict, "%d requests are being watched, the most at a time; stop one of them",
			maxWatches)
	}
	w.recordings = append(w.recordings, r)
	for i := 0; len(w.recordings) > mostKept && i < len(w.recordings)-1; {
		if w.recordings[i].isRunning() {
			i++
			continue
		}
		w.recordings = slices.Delete(w.recordings, i, i+1)
	}
	return nil
}

func (r *Recording) isRunning() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running
}

func (r *Recording) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = false
}

func (r *Recording) size() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.samples)
}

// add adds a sample with its numbers, the changed values, and its response, if it has one.
// It returns the response that is no longer kept.
func (r *Recording) add(one Sample, numbers []document.NumberAt, changed []int64, reply *send.Reply) (old *send.Reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	one.Values = make(document.Values, len(r.paths), len(r.paths)+len(numbers))
	for i := range one.Values {
		one.Values[i] = math.NaN()
	}
	for _, n := range numbers {
		column, known := r.columns[n.Path]
		switch {
		case known:
			one.Values[column] = n.Value
		case len(r.paths) == MaxPaths:
			one.More = true
		default:
			r.columns[n.Path] = len(r.paths)
			r.paths = append(r.paths, n.Path)
			one.Values = append(one.Values, n.Value)
		}
	}
	r.samples = append(r.samples, one)
	if reply == nil {
		return nil
	}
	r.changed = changed
	r.replies = append(r.replies, reply)
	if len(r.replies) > 2 {
		old, r.replies = r.replies[0], r.replies[1:]
	}
	return old
}

// of returns the recording of a caller.
func (w *Watcher) of(c *resource.Call) (*Recording, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.recordings {
		if r.user == c.Access.UserID && r.id == c.Vars["watchId"] {
			return r, nil
		}
	}
	return nil, fault.New(fault.Unknown, "this recording is no longer kept; watch the request again")
}

// news is the response to /watches/{watchId}.
type news struct {
	Paths   []string    `json:"paths" doc:"paths of the numbers, starting with the requested one"`
	Samples []Sample    `json:"samples" doc:"from the requested one"`
	Changed []int64     `json:"changed" doc:"nodes of the last response that differ from the one before"`
	Reply   *send.Reply `json:"reply" doc:"the last response; null if there is none"`
}

// show returns what the caller does not have of a recording.
func (w *Watcher) show(_ context.Context, c *resource.Call) (*news, error) {
	r, err := w.of(c)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	from, err := numberIn(c, "from", len(r.samples))
	if err != nil {
		return nil, err
	}
	path, err := numberIn(c, "path", len(r.paths))
	if err != nil {
		return nil, err
	}
	out := &news{Paths: append([]string{}, r.paths[path:]...), Samples: append([]Sample{}, r.samples[from:]...),
		Changed: append([]int64{}, r.changed...)}
	if n := len(r.replies); n > 0 {
		out.Reply = r.replies[n-1]
	}
	return out, nil
}

// numberIn returns a parameter from 0, at most most; 0 if it is missing.
func numberIn(c *resource.Call, name string, most int) (int, error) {
	text := c.Query.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fault.At(name, "%s must be a number from 0", name)
	}
	return min(n, most), nil
}

var fileTypes = []string{"text/csv", "application/json"}

// file returns a recording as a file.
func (w *Watcher) file(_ context.Context, c *resource.Call) (any, error) {
	r, err := w.of(c)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	paths, samples := slices.Clone(r.paths), slices.Clone(r.samples)
	r.mu.Unlock()
	_, name, _ := strings.Cut(r.Request, " ")
	name = "watch-" + view.FileName(name)
	switch c.Query.Get("format") {
	case sheet.CSV.ID:
		return &resource.Response{Type: sheet.CSV.Type, Filename: name + "." + sheet.CSV.Extension,
			Stream: func(to io.Writer) error { return writeCSV(to, paths, samples) }}, nil
	case "json":
		text, err := resource.Encode(recorded{r.Request, r.Every, paths, samples})
		return &resource.Response{Type: "application/json", Filename: name + ".json",
			Stream: func(to io.Writer) error {
				_, err := to.Write(text)
				return err
			}}, err
	}
	return nil, fault.At("format", "format must be csv or json")
}

// recorded is a recording as a JSON file.
type recorded struct {
	Request string   `json:"request"`
	Every   int64    `json:"every"` // seconds
	Paths   []string `json:"paths"`
	Samples []Sample `json:"samples"`
}

// writeCSV writes a row for each sample.
func writeCSV(to io.Writer, paths []string, samples []Sample) error {
	head := sheet.Columns("time", "status", "ms", "bytes", "problem")
	for i := 1; i < 4; i++ {
		head[i].Number = true
	}
	for _, path := range paths {
		head = append(head, sheet.Column{Name: path, Number: true})
	}
	w, err := sheet.CSV.Open(to, head)
	if err != nil {
		return err
	}
	for _, s := range samples {
		row := []sheet.Cell{{Kind: sheet.Text, Text: time.UnixMilli(s.At).UTC().Format(time.RFC3339Nano)},
			whole(s.Status), whole(s.MS), whole(s.Bytes), {Kind: sheet.Text, Text: s.Problem}}
		for i := range paths {
			if i >= len(s.Values) || math.IsNaN(s.Values[i]) {
				row = append(row, sheet.Cell{})
				continue
			}
			row = append(row, sheet.Cell{Kind: sheet.Number, Text: strconv.FormatFloat(s.Values[i], 'g', -1, 64)})
		}
		if err := w.Row(row); err != nil {
			return err
		}
	}
	return w.Close()
}

func whole(n int64) sheet.Cell { return sheet.Cell{Kind: sheet.Number, Text: strconv.FormatInt(n, 10)} }
