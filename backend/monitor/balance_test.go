package monitor

import (
	"reflect"
	"testing"
)

func TestBalanceMovesTheFewestDevices(t *testing.T) {
	at := func(collector int64, weights ...int64) (out []load) {
		for i, w := range weights {
			out = append(out, load{collector*100 + int64(i), collector, w})
		}
		return out
	}
	join := func(parts ...[]load) (out []load) {
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	for _, tt := range []struct {
		name       string
		loads      []load
		collectors []int64
		limit      int64
		want       []move
	}{
		{"nothing to share", nil, []int64{1, 2}, 0, nil},
		{"one for all", at(1, 5, 5), []int64{1}, 1, nil},
		{"alike enough", join(at(1, 10), at(2, 9)), []int64{1, 2}, 0, nil},
		{"a gap that no device closes", join(at(1, 50), at(2, 1)), []int64{1, 2}, 0, nil},
		{"the heaviest that fits", join(at(1, 6, 3, 1), at(2, 2)), []int64{1, 2}, 0, []move{{101, 1, 2}, {102, 1, 2}}},
		{"a collector that is gone", join(at(9, 1, 7), at(1, 4), at(2, 4)), []int64{1, 2}, 0,
			[]move{{901, 9, 1}, {900, 9, 2}}},
		{"beyond the limit", join(at(1, 10, 1), at(2, 9)), []int64{1, 2}, 10, []move{{101, 1, 2}}},
		{"within it", join(at(1, 10, 1), at(2, 9)), []int64{1, 2}, 11, nil},
	} {
		if got := balance(tt.loads, tt.collectors, tt.limit); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
