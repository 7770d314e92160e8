package shell

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
)

var (
	laptop = display{Name: "eDP-1", Width: 1280, Height: 800, Primary: true}
	beside = display{Name: "HDMI-1", X: 1280, Y: -200, Width: 1920, Height: 1080}
	above  = display{Name: "DP-2", Y: -1440, Width: 2560, Height: 1440}
)

func TestWindowIsMovedBackOntoADisplay(t *testing.T) {
	for _, tt := range []struct {
		name       string
		displays   []display
		last, want Place
	}{
		{"where it stood", []display{laptop}, Place{X: 100, Y: 50, Width: 800, Height: 600},
			Place{X: 100, Y: 50, Width: 800, Height: 600}},
		{"over the corner", []display{laptop}, Place{X: -400, Y: -1, Width: 800, Height: 600},
			Place{Width: 800, Height: 600}},
		{"as large as the display", []display{laptop}, Place{X: 10, Y: 10, Width: 1280, Height: 800},
			Place{Width: 1280, Height: 800}},
		{"larger than it", []display{laptop}, Place{X: 10, Y: 10, Width: 1440, Height: 700},
			Place{Y: 10, Width: 1440, Height: 700, Maximised: true}},
		{"on the second", []display{laptop, beside}, Place{X: 1900, Y: 100, Width: 800, Height: 600},
			Place{X: 1900, Y: 100, Width: 800, Height: 600}},
		{"mostly on the second", []display{laptop, beside}, Place{X: 1100, Y: 0, Width: 800, Height: 600},
			Place{X: 1280, Y: 0, Width: 800, Height: 600}},
		{"maximised on the second", []display{laptop, beside},
			Place{X: 1300, Y: 0, Width: 800, Height: 600, Maximised: true},
			Place{X: 1300, Y: 0, Width: 800, Height: 600, Maximised: true}},
		{"on one left of the corner", []display{above, laptop}, Place{X: 200, Y: -1400, Width: 1600, Height: 1000},
			Place{X: 200, Y: -1400, Width: 1600, Height: 1000}},
		{"on one that is gone", []display{laptop}, Place{X: 1900, Y: 100, Width: 800, Height: 600},
			Place{X: 480, Y: 100, Width: 800, Height: 600}},
		{"on one that is gone, of two", []display{beside, laptop}, Place{X: 200, Y: -1400, Width: 800, Height: 600},
			Place{X: 200, Y: 0, Width: 800, Height: 600}},
		{"where none is the primary one", []display{beside, above}, Place{X: -5000, Y: 0, Width: 800, Height: 600},
			Place{X: 1280, Y: 0, Width: 800, Height: 600}},
	} {
		if got := tt.last.fit(choose(tt.displays, tt.last)); got != tt.want {
			t.Errorf("%s: %+v comes back at %+v, want %+v", tt.name, tt.last, got, tt.want)
		}
	}
	// the positions of the displays are unknown
	two := []display{{Width: 1280, Height: 800, Primary: true}, {Width: 1920, Height: 1080, Current: true}}
	if got := choose(two, Place{X: 5000, Width: 10, Height: 10}); got != two[0] {
		t.Errorf("the window opens on %+v", got)
	}
}

func TestWindowPositionIsStoredPerDisplayArrangement(t *testing.T) {
	desk, alone := arrangement([]display{laptop, beside}), arrangement([]display{laptop})
	if desk != "HDMI-1 1920x1080+1280+-200, eDP-1 1280x800+0+0" || desk != arrangement([]display{beside, laptop}) {
		t.Errorf("the arrangement is called %q", desk)
	}
	wide := Place{X: 1300, Width: 1800, Height: 900}
	small := Place{X: 20, Y: 30, Width: 900, Height: 700, Maximised: true}
	var places Places
	if got := places.at(desk); got != (Place{}) {
		t.Errorf("nothing is known, and it stood at %+v", got)
	}
	places = places.with(desk, Place{Width: 700, Height: 700}).with(desk, wide).with(alone, small)
	if places.at(desk) != wide || places.at(alone) != small || places.at("a projector") != small {
		t.Errorf("the places are %+v", places)
	}
	text, err := json.Marshal(places)
	var back Places
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || !reflect.DeepEqual(back, places) {
		t.Errorf("%s is read as %+v (%v)", text, back, err)
	}
	for i := range 20 {
		places = places.with(fmt.Sprint(i), small)
	}
	if len(places) != mostPlaces || places[0].Displays != "19" {
		t.Errorf("%d places are kept, the first is of %q", len(places), places[0].Displays)
	}
}
