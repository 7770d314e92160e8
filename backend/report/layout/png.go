package layout

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Pixels of an image of a chart; a unit of the chart is a pixel.
const (
	imageMargin = 12.0
	imageTitle  = 24.0 // height of the title
	lineWidth   = 1.8
)

// raster draws a chart as an image, in the colors of the light page.
type raster struct {
	*image.RGBA
	face font.Face
	left float64
	top  float64
}

// PNG writes the chart as an image, with its title above it.
func (c Chart) PNG(w io.Writer) error {
	letters, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return err
	}
	face, err := opentype.NewFace(letters, &opentype.FaceOptions{Size: 12, DPI: 72})
	if err != nil {
		return err
	}
	wide, high := int(chartWidth+2*imageMargin), int(c.height()+imageTitle+2*imageMargin)
	r := &raster{RGBA: image.NewRGBA(image.Rect(0, 0, wide, high)), face: face, left: imageMargin, top: imageMargin}
	draw.Draw(r.RGBA, r.Bounds(), image.White, image.Point{}, draw.Src)
	r.text(point{0, 13}, atStart, inkText, shorten(c.Title, 140))
	r.top += imageTitle
	c.draw(r)
	return png.Encode(w, r)
}

func pixels(ink Ink) image.Image {
	c := pdfInks[ink]
	return image.NewUniform(color.RGBA{uint8(c.r), uint8(c.g), uint8(c.b), 255})
}

func (r *raster) rect(x, y, w, h float64, ink Ink) {
	shape := vector.NewRasterizer(r.Bounds().Dx(), r.Bounds().Dy())
	r.polygon(shape, point{x, y}, point{x + w, y}, point{x + w, y + h}, point{x, y + h})
	shape.Draw(r.RGBA, r.Bounds(), pixels(ink), image.Point{})
}

// polygon adds a closed shape. Shapes that overlap need the same direction.
func (r *raster) polygon(to *vector.Rasterizer, corners ...point) {
	for i, p := range corners {
		x, y := float32(p.x+r.left), float32(p.y+r.top)
		if i == 0 {
			to.MoveTo(x, y)
			continue
		}
		to.LineTo(x, y)
	}
	to.ClosePath()
}

// path draws each segment as a rectangle, and a small octagon over each joint.
func (r *raster) path(points []point, ink Ink) {
	shape := vector.NewRasterizer(r.Bounds().Dx(), r.Bounds().Dy())
	const half = lineWidth / 2
	for i, p := range points {
		var joint [8]point
		for k := range joint {
			sin, cos := math.Sincos(-float64(k) * math.Pi / 4)
			joint[k] = point{p.x + half*cos, p.y + half*sin}
		}
		r.polygon(shape, joint[:]...)
		if i == 0 {
			continue
		}
		from := points[i-1]
		long := math.Hypot(p.x-from.x, p.y-from.y)
		if long == 0 {
			continue
		}
		nx, ny := -(p.y-from.y)/long*half, (p.x-from.x)/long*half
		r.polygon(shape, point{from.x + nx, from.y + ny}, point{p.x + nx, p.y + ny}, point{p.x - nx, p.y - ny},
			point{from.x - nx, from.y - ny})
	}
	shape.Draw(r.RGBA, r.Bounds(), pixels(ink), image.Point{})
}

func (r *raster) text(at point, anchor anchor, ink Ink, text string) {
	d := font.Drawer{Dst: r.RGBA, Src: pixels(ink), Face: r.face}
	wide := float64(d.MeasureString(text)) / 64
	switch anchor {
	case atMiddle:
		at.x -= wide / 2
	case atEnd:
		at.x -= wide
	}
	d.Dot = fixed.Point26_6{X: fixed.Int26_6((at.x + r.left) * 64), Y: fixed.Int26_6((at.y + r.top) * 64)}
	d.DrawString(text)
}
