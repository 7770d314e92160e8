package shell

import (
	"fmt"
	"slices"
	"strings"
)

// display is one screen of the desktop. X and Y are its corner in the coordinates
// of all displays; if unknown they are 0, and windows are placed relative to the
// screen they open on.
type display struct {
	Name                string
	X, Y, Width, Height int
	Primary, Current    bool // Current: the window is on it
}

// arrangement returns a text that identifies the positions of displays, in any
// order.
func arrangement(displays []display) string {
	var parts []string
	for _, d := range displays {
		parts = append(parts, fmt.Sprintf("%s %dx%d+%d+%d", d.Name, d.Width, d.Height, d.X, d.Y))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// holds returns the area of p on d, in pixels.
func (d display) holds(p Place) int {
	width := min(p.X+p.Width, d.X+d.Width) - max(p.X, d.X)
	height := min(p.Y+p.Height, d.Y+d.Height) - max(p.Y, d.Y)
	return max(width, 0) * max(height, 0)
}

// choose returns the display with most of p. If p is on none, it returns the
// primary display, or the display with the window, or the first.
func choose(displays []display, p Place) display {
	chosen, most := displays[0], 0
	for _, d := range displays {
		if d.Current {
			chosen = d
		}
	}
	for _, d := range displays {
		if d.Primary {
			chosen = d
		}
	}
	for _, d := range displays {
		if held := d.holds(p); held > most {
			chosen, most = d, held
		}
	}
	return chosen
}

// fit moves p so that all of it is on d. A larger window is maximised instead.
func (p Place) fit(d display) Place {
	if p.Width > d.Width || p.Height > d.Height {
		p.Maximised = true
	}
	p.X = d.X + max(0, min(p.X-d.X, d.Width-p.Width))
	p.Y = d.Y + max(0, min(p.Y-d.Y, d.Height-p.Height))
	return p
}

// Places lists the window's positions: one for each arrangement of the
// displays, the last one first.
type Places []Placed

// Placed is the window's position for one arrangement of the displays.
type Placed struct {
	Displays string `json:"displays"`
	Place
}

// mostPlaces limits the stored arrangements: a desk at home, the office, a room
// with a projector, and some more.
const mostPlaces = 12

// at returns the window's place for that arrangement, or else its last place.
func (all Places) at(displays string) Place {
	for _, one := range all {
		if one.Displays == displays {
			return one.Place
		}
	}
	if len(all) > 0 {
		return all[0].Place
	}
	return Place{}
}

// with returns the places after the window was at p in that arrangement.
func (all Places) with(displays string, p Place) Places {
	next := Places{{displays, p}}
	for _, one := range all {
		if one.Displays != displays && len(next) < mostPlaces {
			next = append(next, one)
		}
	}
	return next
}
