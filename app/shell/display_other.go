//go:build desktop && !linux

package shell

import (
	"errors"

	desktop "github.com/wailsapp/wails/v2/pkg/runtime"
)

// displays returns the current screens. Here Wails reports their sizes but not
// their positions, and counts places from the corner of the window's own.
func (r *running) displays() (found []display, err error) {
	screens, err := desktop.ScreenGetAll(r.wails)
	if err != nil {
		return nil, err
	}
	for _, s := range screens {
		found = append(found, display{Width: s.Size.Width, Height: s.Size.Height, Primary: s.IsPrimary,
			Current: s.IsCurrent})
	}
	if len(found) == 0 {
		return nil, errors.New("Wails knows of no display")
	}
	return found, nil
}

// move moves the window to p, relative to the corner of the display it is on.
func (r *running) move(p Place) { desktop.WindowSetPosition(r.wails, p.X, p.Y) }
