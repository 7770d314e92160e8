package tray

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// iconSize is the tray icon's width and height in pixels: twice the size on most
// desktops, for high-resolution screens.
const iconSize = 64

// fills maps levels to the colors of their dots: --crit-fill and --error-fill of
// the dark theme.
var fills = map[Level]color.RGBA{
	Errors:   {0xee, 0x8b, 0x49, 0xff},
	Critical: {0xec, 0x56, 0x5b, 0xff},
}

// iconsOf returns the application's icon as PNGs of the tray's size, with a
// dot in the corner if there are alerts.
func iconsOf(application []byte) (map[Level][]byte, error) {
	from, err := png.Decode(bytes.NewReader(application))
	if err != nil {
		return nil, err
	}
	icon := shrink(from) // each level's dot covers the one before
	icons := map[Level][]byte{}
	for _, level := range []Level{Calm, Errors, Critical} {
		if fill, bad := fills[level]; bad {
			const radius, ring = iconSize / 4, 4 // the clear ring separates the dot from the icon
			centre := image.Pt(iconSize-radius, iconSize-radius)
			disc(icon, centre, radius+ring, color.RGBA{})
			disc(icon, centre, radius, fill)
		}
		var out bytes.Buffer
		if err := png.Encode(&out, icon); err != nil {
			return nil, err
		}
		icons[level] = out.Bytes()
	}
	return icons, nil
}

// shrink returns the image scaled down by averaging pixels, including their
// transparency.
func shrink(from image.Image) *image.RGBA {
	b := from.Bounds()
	to := image.NewRGBA(image.Rect(0, 0, iconSize, iconSize))
	for y := range iconSize {
		for x := range iconSize {
			area := image.Rect(x*b.Dx()/iconSize, y*b.Dy()/iconSize, (x+1)*b.Dx()/iconSize,
				(y+1)*b.Dy()/iconSize).Add(b.Min)
			to.SetRGBA(x, y, mean(from, area))
		}
	}
	return to
}

func mean(of image.Image, area image.Rectangle) color.RGBA {
	var sum [4]uint32
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			r, g, b, a := of.At(x, y).RGBA()
			for i, part := range [4]uint32{r, g, b, a} {
				sum[i] += part >> 8
			}
		}
	}
	n := uint32(max(area.Dx()*area.Dy(), 1))
	return color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), uint8(sum[3] / n)}
}

func disc(on draw.Image, centre image.Point, radius int, fill color.RGBA) {
	for y := -radius; y <= radius; y++ {
		for x := -radius; x <= radius; x++ {
			if x*x+y*y <= radius*radius {
				on.Set(centre.X+x, centre.Y+y, fill)
			}
		}
	}
}

// ico returns a PNG as a Windows icon file: a directory with one picture.
func ico(picture []byte) []byte {
	head := []any{
		uint16(0), uint16(1), uint16(1), // reserved, an icon, one picture
		uint8(iconSize), uint8(iconSize), uint8(0), uint8(0), uint16(1), uint16(32), // planes, bits a pixel
		uint32(len(picture)), uint32(22), // offset of the picture
	}
	var out bytes.Buffer
	for _, part := range head {
		_ = binary.Write(&out, binary.LittleEndian, part) // writing to a buffer never fails
	}
	out.Write(picture)
	return out.Bytes()
}
