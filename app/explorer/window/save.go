package window

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"spyglass/app/explorer/folder"
	"spyglass/app/explorer/payload"
	"spyglass/app/explorer/serve"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// saveRequest is the body of /native/save: a path of the portal to download, or a
// text.
type saveRequest struct{ Name, Path, Text string }

var saveRequests = resource.Resource[*saveRequest]{Name: "save", Label: "file", Fields: []resource.Field[*saveRequest]{
	{Name: "name", At: func(s *saveRequest) any { return &s.Name }, Doc: "Name of the file; default: the name in " +
		"the response", MaxLen: 255},
	{Name: "path", At: func(s *saveRequest) any { return &s.Path }, Doc: "Path below /explorer or /api, with the " +
		"query, of the contents", MaxLen: 8192},
	{Name: "text", At: func(s *saveRequest) any { return &s.Text }, Doc: "Contents of the file, if there is no path",
		MaxLen: serve.MaxDraft},
}}

type savedTo struct {
	Path string `json:"path" doc:"empty if the user cancelled"`
}

// saveFile lets the user choose a path and writes a file there; the response's
// path is empty if the user cancels. It first sends the request for the content,
// as the page's user, so that a refusal is reported before the dialog opens, and
// streams the content from the connection to the disk.
func (w *Window) saveFile(ctx context.Context, c *resource.Call, in *saveRequest) (*savedTo, error) {
	if w.Desk == nil || c.Session.Cookie == "" {
		return nil, fault.New(fault.Conflict, "this portal runs without a window; download the file in the browser")
	}
	from, name := io.Reader(strings.NewReader(in.Text)), in.Name
	if in.Path != "" {
		response, err := w.own(ctx, c, in.Path)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		// without the header, there is no name
		_, more, _ := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
		from, name = response.Body, cmp.Or(in.Name, more["filename"])
	}
	path, err := w.Desk.SaveFile(cmp.Or(name, "file"))
	if err != nil {
		return nil, &fault.Error{Kind: fault.Conflict, Message: "the save dialog did not open: " +
			err.Error(), Err: err}
	}
	if path != "" {
		err = writeFile(path, from)
	}
	return &savedTo{folder.Homely(path)}, err
}

// own sends a GET to this portal with the page's session.
func (w *Window) own(ctx context.Context, c *resource.Call, path string) (*http.Response, error) {
	if !strings.HasPrefix(path, "/explorer/") && !strings.HasPrefix(path, "/api/") {
		return nil, fault.At("path", "only paths below /explorer and /api can be saved")
	}
	header := http.Header{"Cookie": {w.Cookie(c.Session.Cookie)}}
	response, err := w.Client.Do(ctx, "GET", strings.TrimSuffix(w.BaseURL(), "/api")+path, header, "")
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, payload.MaxProblem))
	if err != nil {
		return nil, err
	}
	return nil, fault.New(fault.Conflict, "%s", cmp.Or(payload.MessageOf(body), response.Status))
}

// writeFile writes the whole file or none.
func writeFile(path string, from io.Reader) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".spyglass-")
	if err != nil {
		return unsaved(path, err)
	}
	_, err = io.Copy(file, from)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(unsaved(path, err), os.Remove(file.Name()))
	}
	return nil
}

func unsaved(path string, err error) error {
	kind := fault.Conflict
	if fault.NoRoom(err) {
		kind = fault.Full
	}
	cause := err
	if of := (*os.PathError)(nil); errors.As(err, &of) {
		cause = of.Err
	}
	return &fault.Error{Kind: kind, Message: "nothing was saved to " + folder.Homely(path) + ": " +
		cause.Error(), Err: err}
}
