package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"golang.org/x/image/draw" // by the Go project: scales pictures
)

// sizes are the widths, in pixels, that launchers use.
var sizes = []int{16, 22, 24, 32, 48, 64, 128, 256}

// icons returns the logo of the application in all sizes.
func (r release) icons() (map[int]image.Image, error) {
	file, err := os.Open(filepath.Join(r.root, "build", "icon", "spyglass.png"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	mark, err := png.Decode(file)
	if err != nil {
		return nil, err
	}
	all := map[int]image.Image{}
	for _, size := range sizes {
		scaled := image.NewNRGBA(image.Rect(0, 0, size, size))
		draw.CatmullRom.Scale(scaled, scaled.Bounds(), mark, mark.Bounds(), draw.Src, nil)
		all[size] = scaled
	}
	return all, nil
}

func asPNG(m image.Image) ([]byte, error) {
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	err := e.Encode(&out, m)
	return out.Bytes(), err
}

// icns returns an icon for macOS: chunks, each with a name, a length and a PNG.
func icns(all map[int]image.Image) ([]byte, error) {
	var chunks bytes.Buffer
	for _, c := range []struct {
		name string
		size int
	}{{"icp4", 16}, {"icp5", 32}, {"ic11", 32}, {"ic12", 64}, {"ic07", 128}, {"ic13", 256}, {"ic08", 256}} {
		text, err := asPNG(all[c.size])
		if err != nil {
			return nil, fmt.Errorf("icon of %d: %w", c.size, err)
		}
		chunk(&chunks, c.name, text)
	}
	var file bytes.Buffer
	chunk(&file, "icns", chunks.Bytes())
	return file.Bytes(), nil
}

func chunk(to *bytes.Buffer, name string, text []byte) {
	to.WriteString(name)
	to.Write(binary.BigEndian.AppendUint32(nil, uint32(len(text)+8)))
	to.Write(text)
}
