package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "draw the floors again")

// floorplan is the path of the diagram of the floors in README.
const floorplan = "pictures/floors.svg"

func TestPictureShowsTheFloors(t *testing.T) {
	drawn := drawFloors()
	if *update {
		if err := os.WriteFile(floorplan, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(floorplan)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, drawn) {
		t.Errorf("%s does not show the floors as they are; draw them with: go test ./build -run Picture -update",
			floorplan)
	}
}

// Sizes in the diagram, in pixels.
const (
	pictureWidth = 880
	boxHeight    = 22
	boxGap       = 6
	charWidth    = 6.7 // of the font below
	floorGap     = 10
)

// drawFloors draws a box for each package, the highest floor first, and gives each
// tree a color.
func drawFloors() []byte {
	var boxes bytes.Buffer
	y := floorGap
	for _, floor := range slices.Backward(floors) {
		fmt.Fprintf(&boxes, "<path d=\"M0 %dh%d\"/>\n", y-floorGap/2, pictureWidth)
		x := boxGap
		for _, pkg := range floor {
			name := pkg
			if pkg == "" {
				name = "main.go"
			}
			tree, _, _ := strings.Cut(name, "/")
			width := int(float64(len(name))*charWidth) + 14
			if x+width > pictureWidth {
				x, y = boxGap, y+boxHeight+boxGap
			}
			fmt.Fprintf(&boxes, "<g class=\"%s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>",
				strings.TrimSuffix(tree, ".go"), x, y, width, boxHeight)
			fmt.Fprintf(&boxes, "<text x=\"%d\" y=\"%d\">%s</text></g>\n", x+7, y+15, name)
			x += width + boxGap
		}
		y += boxHeight + floorGap
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d">
<style>
text { font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #fff }
path { stroke: #8884 }
rect { fill: #4b5563 }
.backend rect { fill: #1d5fa8 }
.app rect { fill: #23734a }
.frontend rect { fill: #9a4a14 }
</style>
%s</svg>
`, pictureWidth, y, boxes.Bytes())
}
