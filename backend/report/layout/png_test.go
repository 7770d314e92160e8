package layout_test

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"testing"
	"time"

	"spyglass/backend/report/layout"
)

func TestChartIsRenderedAsAnImage(t *testing.T) {
	c := layout.Chart{Title: "web-42: Ping", From: time.Unix(0, 0), To: time.Unix(3600, 0),
		Lines: []layout.Line{{Name: "flat", Values: []float64{5, 5, 5, 5, 5, 5}},
			{Name: "broken", Values: []float64{1, 9, math.NaN(), math.NaN(), 2, 8}}}}
	var image bytes.Buffer
	if err := c.PNG(&image); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&image)
	if err != nil {
		t.Fatal(err)
	}
	if size := got.Bounds().Size(); size.X != 984 || size.Y != 272 {
		t.Errorf("it is %v", size)
	}
	// drawn counts pixels that are close to a color, because edges are smooth
	drawn := func(want color.RGBA) (n int) {
		for y := range got.Bounds().Dy() {
			for x := range got.Bounds().Dx() {
				r, g, b, _ := got.At(x, y).RGBA()
				if math.Abs(float64(r>>8)-float64(want.R))+math.Abs(float64(g>>8)-float64(want.G))+
					math.Abs(float64(b>>8)-float64(want.B)) < 60 {
					n++
				}
			}
		}
		return n
	}
	for what, want := range map[string]struct {
		ink   color.RGBA
		least int
	}{
		"ground": {color.RGBA{255, 255, 255, 255}, 200_000}, "the flat line": {color.RGBA{31, 122, 104, 255}, 600},
		"the broken line": {color.RGBA{137, 94, 22, 255}, 150}, "the title": {color.RGBA{27, 34, 42, 255}, 20},
	} {
		if n := drawn(want.ink); n < want.least {
			t.Errorf("%s has %d pixels, want at least %d", what, n, want.least)
		}
	}
}
