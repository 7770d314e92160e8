package app

import (
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestOnlyPagesThatNothingHasWrittenToAreGivenBack(t *testing.T) {
	const smaps = `00400000-00500000 r-xp 00000000 fe:01 12 /usr/bin/spyglass
Rss:                 100 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
00500000-00600000 r--p 00100000 fe:01 12 /usr/bin/spyglass
Anonymous:            12 kB
Swap:                  0 kB
00580000-005a0000 r--p 00180000 fe:01 12 /usr/bin/spyglass
Anonymous:             0 kB
Swap:                  8 kB
00600000-00700000 rw-p 00200000 fe:01 12 /usr/bin/spyglass
Anonymous:             0 kB
Swap:                  0 kB
00700000-00800000 r--s 00000000 fe:01 13 /usr/share/cache
Anonymous:             0 kB
Swap:                  0 kB
00800000-00900000 r--p 00000000 00:00 0
Anonymous:             0 kB
Swap:                  0 kB
00900000-00a00000 r-xp 00000000 00:00 0 [vdso]
Anonymous:             0 kB
Swap:                  0 kB
00a00000-00b00000 r--p 00000000 fe:01 14 /usr/lib/a library.so
Anonymous:             0 kB
Swap:                  0 kB
`
	want := []mapping{{0x400000, 0x500000}, {0xa00000, 0xb00000}}
	if got := unchanged(strings.NewReader(smaps)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestTheProgramRunsOnAfterItsPagesAreGivenBack(t *testing.T) {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if len(unchanged(file)) == 0 {
		t.Error("there is nothing to give back")
	}
	for range 3 {
		giveBack(slog.Default())
	}
}
