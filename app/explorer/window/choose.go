package window

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// folderRequest is the body of /native/choose-folder.
type folderRequest struct{ Title string }

var folderRequests = resource.Resource[*folderRequest]{Name: "chooseFolder", Label: "folder",
	Fields: []resource.Field[*folderRequest]{
		{Name: "title", At: func(f *folderRequest) any { return &f.Title }, Doc: "What the folder is for, as the " +
			"title of the dialog", Required: true, MaxLen: 200},
	}}

type chosenFolder struct {
	Path string `json:"path" doc:"absolute; empty if the user cancelled"`
}

// chooseFolder lets the user choose a folder. It only returns its path: what is done
// there is another request, with its own checks.
func (w *Window) chooseFolder(_ context.Context, _ *resource.Call, in *folderRequest) (*chosenFolder, error) {
	if w.Desk == nil {
		return nil, fault.New(fault.Conflict, "this portal runs without a desktop window; type the path")
	}
	path, err := w.Desk.ChooseFolder(in.Title)
	if err != nil {
		return nil, &fault.Error{Kind: fault.Conflict, Message: "the dialog did not open: " + err.Error(), Err: err}
	}
	return &chosenFolder{path}, nil
}
