package tray

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"image/png"
	"testing"

	"spyglass/build/icon"
)

func TestTrayIconHasADotForTheHighestSeverity(t *testing.T) {
	icons, err := iconsOf(icon.PNG)
	if err != nil {
		t.Fatal(err)
	}
	for level, want := range map[Level]color.RGBA{
		Calm: {0x11, 0x16, 0x1a, 0xff}, Errors: {0xee, 0x8b, 0x49, 0xff}, Critical: {0xec, 0x56, 0x5b, 0xff},
	} {
		file := icons[level]
		picture, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if size := picture.Bounds().Size(); size.X != 64 || size.Y != 64 {
			t.Errorf("level %d is %v pixels", level, size)
		}
		if got := color.RGBAModel.Convert(picture.At(59, 48)); got != want {
			t.Errorf("level %d has %v in its corner, want %v", level, got, want)
		}
		if _, _, _, alpha := picture.At(24, 24).RGBA(); alpha != 0xffff {
			t.Errorf("level %d does not show the mark", level)
		}
		whole := ico(file)
		size, begin := binary.LittleEndian.Uint32(whole[14:]), binary.LittleEndian.Uint32(whole[18:])
		if !bytes.Equal(whole[begin:begin+size], file) || int(begin+size) != len(whole) {
			t.Errorf("level %d: the Windows icon file is not that picture", level)
		}
	}
	if _, err := iconsOf([]byte("no picture")); err == nil {
		t.Error("data that is not a picture makes an icon")
	}
}
