package stream

import (
	"spyglass/app/expect"
	"spyglass/app/explorer/payload"
	"spyglass/app/link"
	"spyglass/app/workspace"
	"spyglass/backend/backup"
	"spyglass/backend/resource"
)

// Event is the data of an event. Only the types of this package are sent to the
// page, so all are declared.
type Event interface{ name() string }

// ProgressEvent reports how many bytes of a response have arrived.
type ProgressEvent struct {
	Expected int64  `json:"expected" doc:"bytes; 0: unknown"`
	Received int64  `json:"received" doc:"bytes"`
	SendID   string `json:"sendId"`
}

// PagesEvent reports the progress of a run through the pages of a list.
type PagesEvent struct {
	Items  int64          `json:"items"`
	MS     int64          `json:"ms"`
	Page   int64          `json:"page" doc:"received pages"`
	Pages  int64          `json:"pages" doc:"0: unknown"`
	Quota  *payload.Quota `json:"quota" doc:"from the last response"`
	SendID string         `json:"sendId"`
	State  string         `json:"state" enum:"running|paused|waiting|ready" doc:"ready once, when a run to a file waits for the download"`
	Total  *int64         `json:"total"`
	Wait   int64          `json:"wait" doc:"milliseconds to wait for the portal's rate limit"`
}

// BatchEvent reports the result of one request of a batch.
type BatchEvent struct {
	BatchID string `json:"batchId"`
	Of      int    `json:"of" doc:"requests of the whole run"`
	Result  Ran    `json:"result"`
}

// Ran is the result of one request of a batch.
type Ran struct {
	At        int             `json:"at" doc:"its place in the plan, from 0"`
	Row       int             `json:"row" doc:"row of the data file, from 1; 0 without one"`
	ID        int64           `json:"id" doc:"id of the saved request"`
	Name      string          `json:"name"`
	Method    string          `json:"method" enum:"GET|POST|PUT|PATCH|DELETE|"`
	Path      string          `json:"path"`
	Status    int64           `json:"status" doc:"0: no response"`
	MS        int64           `json:"ms"`
	HistoryID int64           `json:"historyId" doc:"0: it is not in the history"`
	Problem   string          `json:"problem" doc:"one sentence; empty when all checks passed, or without checks when the status is from 200 to 299"`
	Passed    int64           `json:"passed" doc:"checks"`
	Failed    int64           `json:"failed" doc:"checks"`
	Checks    []expect.Result `json:"checks" doc:"some are missing in a run with very many"`
}

// WatchEvent reports that a watch has a new sample, or that it waits.
type WatchEvent struct {
	WatchID string `json:"watchId"`
	Samples int    `json:"samples" doc:"so far"`
	Wait    int64  `json:"wait" doc:"milliseconds until the portal's rate limit allows the next request; 0: none"`
}

// WorkspaceEvent reports that rows of a kind changed, here or in another window.
type WorkspaceEvent struct {
	Kind workspace.Kind `json:"kind"`
}

// FolderEvent reports what changed on disk in a collection that is kept in a folder, and
// the user may not expect.
type FolderEvent struct {
	Collection string        `json:"collection" doc:"its name"`
	Removed    []RemovedItem `json:"removed" doc:"deleted on disk; they can be restored"`
	Copies     []string      `json:"copies" doc:"requests that were changed on disk and in the window: names of the window's versions"`
}

// RemovedItem is a folder or a request that was deleted on disk.
type RemovedItem struct {
	Folder bool   `json:"folder"`
	ID     int64  `json:"id"`
	Name   string `json:"name"`
}

// UndoneEvent reports that a write of the history was undone.
type UndoneEvent struct {
	HistoryID int64 `json:"historyId"`
}

// PortalEvent reports that rows of a kind changed in the portal.
type PortalEvent struct {
	Kind string `json:"kind" doc:"the name of the resource"`
}

// LinkEvent is a spyglass:// link that was opened outside of the page.
type LinkEvent struct {
	link.Target
	Problem string `json:"problem,omitempty" doc:"why it cannot be read"`
}

// DataEvent reports the progress of a backup or a restore with one file.
type DataEvent struct{ backup.Progress }

// StorageEvent reports whether the portal can write.
type StorageEvent struct {
	Problem string `json:"problem" doc:"why it cannot; empty while it can"`
}

func (ProgressEvent) name() string  { return "progress" }
func (PagesEvent) name() string     { return "pages" }
func (BatchEvent) name() string     { return "batch" }
func (WatchEvent) name() string     { return "watch" }
func (WorkspaceEvent) name() string { return "workspace" }
func (FolderEvent) name() string    { return "folder" }
func (UndoneEvent) name() string    { return "undone" }
func (PortalEvent) name() string    { return "portal" }
func (LinkEvent) name() string      { return "link" }
func (DataEvent) name() string      { return "data" }
func (StorageEvent) name() string   { return "storage" }

// Events declares all events: one key for each, with its data.
type Events struct {
	Batch     BatchEvent     `json:"batch"`
	Data      DataEvent      `json:"data"`
	Folder    FolderEvent    `json:"folder"`
	Link      LinkEvent      `json:"link"`
	Pages     PagesEvent     `json:"pages"`
	Portal    PortalEvent    `json:"portal"`
	Progress  ProgressEvent  `json:"progress"`
	Session   struct{}       `json:"session" doc:"the session has ended"`
	Storage   StorageEvent   `json:"storage"`
	Undone    UndoneEvent    `json:"undone"`
	Watch     WatchEvent     `json:"watch"`
	Workspace WorkspaceEvent `json:"workspace"`
}

// schema describes the stream: text/event-stream, of the events that Events declares.
func schema() *resource.Schema {
	s := resource.SchemaOf(Events{})
	s.Format, s.Doc = "text/event-stream", "The data of each event by its name."
	return &s
}

func sent(e Event) resource.Event { return resource.Event{Name: e.name(), Data: e} }
