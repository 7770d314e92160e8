package window

import (
	"context"

	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// Autostart is the system's setting that starts the program when its user signs in;
// autostart.Program is one.
type Autostart interface {
	On() (bool, error)
	Set(on bool) error
}

// autostartState is that setting.
type autostartState struct {
	Available bool `json:"available" doc:"false without a window, and in a sandbox"`
	On        bool `json:"on" doc:"the system opens the window when the user signs in to the computer"`
}

// autostartRequest is the body of POST /native/autostart.
type autostartRequest struct{ On bool }

var autostartRequests = resource.Resource[*autostartRequest]{Name: "autostart", Label: "setting",
	Fields: []resource.Field[*autostartRequest]{
		{Name: "on", At: func(a *autostartRequest) any { return &a.On }, Doc: "Open the window at sign-in",
			Required: true},
	}}

func (w *Window) showAutostart(context.Context, *resource.Call) (*autostartState, error) {
	if w.Autostart == nil {
		return &autostartState{}, nil
	}
	on, err := w.Autostart.On()
	if err != nil {
		return nil, &fault.Error{Kind: fault.Conflict, Err: err, Message: "the system's setting cannot be read: " +
			err.Error()}
	}
	return &autostartState{true, on}, nil
}

func (w *Window) setAutostart(ctx context.Context, c *resource.Call, in *autostartRequest) (*autostartState, error) {
	if w.Autostart == nil {
		return nil, fault.New(fault.Conflict, "Spyglass cannot open its window at sign-in here; use the settings of "+
			"the system")
	}
	if err := w.Autostart.Set(in.On); err != nil {
		return nil, &fault.Error{Kind: fault.Conflict, Err: err, Message: "the system's setting cannot be changed: " +
			err.Error()}
	}
	return w.showAutostart(ctx, c)
}
