package check_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"spyglass/backend/check"
)

func TestHostMeasuresTheMachineItRunsOn(t *testing.T) {
	folder := t.TempDir()
	got, err := look(t, &check.Dialer{Folder: folder}, check.Task{Method: "host", Host: "elsewhere.example"})
	if err != nil {
		t.Fatal(err)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		t.Fatal(err)
	}
	size := float64(disk.Blocks) * float64(disk.Bsize)
	for name, within := range map[string][2]float64{
		"cpuPercent":  {0, 100},
		"load1":       {first(t, "/proc/loadavg", "") - 2, first(t, "/proc/loadavg", "") + 2},
		"memoryTotal": {first(t, "/proc/meminfo", "MemTotal:") * 1024, first(t, "/proc/meminfo", "MemTotal:") * 1024},
		"memoryUsed":  {1 << 20, first(t, "/proc/meminfo", "MemTotal:") * 1024},
		"diskTotal":   {size, size},
		"diskUsed":    {1, size},
		"upTime":      {first(t, "/proc/uptime", "") - 10, first(t, "/proc/uptime", "") + 10},
	} {
		if v, ok := got[name]; !ok || v < within[0] || v > within[1] {
			t.Errorf("%s is %v, want %v to %v", name, v, within[0], within[1])
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("there are unknown fields: %v", got)
	}
}

func TestDisksOfTheMachineAreFoundAndMeasured(t *testing.T) {
	found, err := check.Discoverers(check.All(&check.Dialer{}))["disk"].Discover(t.Context(),
		check.Search{Host: "elsewhere.example"})
	if err != nil || len(found) == 0 || found[0].WildValue != "/" {
		t.Fatalf("%+v, %v: the shortest folder is the root", found, err)
	}
	for _, f := range found {
		var want syscall.Statfs_t
		if err := syscall.Statfs(f.WildValue, &want); err != nil {
			t.Fatal(err)
		}
		got, err := look(t, &check.Dialer{}, check.Task{Method: "disk", Host: "elsewhere.example", Wild: f.WildValue})
		size := float64(want.Blocks) * float64(want.Bsize)
		if err != nil || got["diskTotal"] != size || got["diskUsed"] < 1 || got["diskUsed"]+got["diskFree"] > size {
			t.Errorf("%s: %v, %v; its size is %v", f.WildValue, got, err, size)
		}
	}
	if got,
		err := look(t, &check.Dialer{}, check.Task{Method: "disk", Host: "elsewhere.example",
		Wild: "/no/such/disk"}); err == nil ||
		!strings.HasPrefix(err.Error(), "the disk at /no/such/disk cannot be read") {
		t.Errorf("a disk that is gone: %v, %v", got, err)
	}
}

func TestInterfacesOfTheMachineAreCounted(t *testing.T) {
	found, err := check.Discoverers(check.All(&check.Dialer{}))["network"].Discover(t.Context(),
		check.Search{Host: "elsewhere.example"})
	if err != nil || slices.ContainsFunc(found, func(f check.Found) bool { return f.WildValue == "lo" }) {
		t.Fatalf("%+v, %v: the loopback leads nowhere", found, err)
	}
	before := first(t, "/proc/net/dev", "lo:")
	got, err := look(t, &check.Dialer{}, check.Task{Method: "network", Host: "elsewhere.example", Wild: "lo"})
	if err != nil || len(got) != 6 || got["inOctets"] < before || got["inOctets"] > first(t, "/proc/net/dev", "lo:") {
		t.Errorf("%v, %v; it had received %v", got, err, before)
	}
	if got,
		err := look(t, &check.Dialer{}, check.Task{Method: "network", Host: "elsewhere.example",
		Wild: "gone0"}); err == nil || err.Error() != "this machine no longer has the interface gone0" {
		t.Errorf("an interface that is gone: %v, %v", got, err)
	}
}

// first returns the first number in a file after a word.
func first(t *testing.T, path, word string) float64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), word)
	var n float64
	if _, err := fmt.Sscan(after, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
