package main

import (
	"encoding/binary"
	"image"
	"testing"
)

func TestScreenDumpColorsAreCountedUpToTheLimit(t *testing.T) {
	dump := make([]byte, 100+12) // a header and one color
	for field, value := range map[int]uint32{0: 100, 4: 3, 5: 2, 12: 12, 19: 1} {
		binary.BigEndian.PutUint32(dump[4*field:], value)
	}
	for _, pixel := range []uint32{1, 1, 2, 1, 3, 2} {
		dump = binary.NativeEndian.AppendUint32(dump, pixel)
	}
	s := screenOf(dump)
	all := image.Rect(0, 0, s.width, s.height)
	if got := [3]int{s.colours(all, 10), s.colours(all, 2), s.colours(image.Rect(0, 0, 2, 2), 10)}; got != [3]int{
		3, 2, 2} {
		t.Errorf("counted %v, want 3 colours, 2 up to a limit of 2, and 2 in the left two columns", got)
	}
}
