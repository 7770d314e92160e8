package series

import (
	"encoding/hex"
	"maps"
	"testing"
)

// Every later version must read these files. When you change these bytes, raise
// chunkFormat in package store, so that older versions refuse the file, and continue to
// read the old format.
func TestFileFormatIsStable(t *testing.T) {
	points := []point{{1_699_228_800, 1.5}, {1_699_228_860, 1.5}, {1_699_228_925, -3}}
	chunk, err := encode(points)
	if err != nil {
		t.Fatal(err)
	}
	var log logRow
	for i, p := range points {
		log.add(int64(7+i), p)
	}
	rolled, err := writeHours([]Step{{At: 1_699_228_800, Count: 3, Sum: 0, Min: -3, Max: 1.5, First: 1.5, Last: -3}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{"chunk": hex.EncodeToString(chunk), "log": hex.EncodeToString(log.data),
		"hours": hex.EncodeToString(rolled)}
	want := map[string]string{
		"chunk": "000380b2c1d40c3ff80000000000003c4002e033ffc0",
		"log":   "0e80b2c1d40c000000000000f83f0278000000000000f83f02820100000000000008c0",
		"hours": "0f000180b2c1d40c40080000000000000f000180b2c1d40c00000000000000000f000180b2c1d40cc008000000000000" +
			"0f000180b2c1d40c3ff80000000000000f000180b2c1d40c3ff80000000000000f000180b2c1d40cc008000000000000",
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
