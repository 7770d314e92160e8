package run

import (
	"encoding/json"
	"io"

	"spyglass/app/explorer/stream"
)

// JSON is a report for programs.
var JSON = Format{ID: "json", Label: "JSON", Ext: "json", Type: "application/json", Write: writeJSON}

func writeJSON(w io.Writer, r *Run) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		Title   string       `json:"title"`
		Portal  string       `json:"portal"`
		Began   int64        `json:"beganOn"` // epoch milliseconds
		MS      int64        `json:"ms"`
		Passed  bool         `json:"passed"`
		Planned int          `json:"planned"` // requests
		Sent    int          `json:"sent"`
		Failed  int          `json:"failed"`
		Stopped string       `json:"stopped"` // why it ended early
		Results []stream.Ran `json:"results"`
	}{r.Title, r.Portal, r.Began.UnixMilli(), r.Took.Milliseconds(), r.Passed(), r.Planned, len(r.Results), r.Failed(),
		r.Stopped, r.Results})
}
