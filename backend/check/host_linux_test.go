package check_test

import (
	"fmt"
	"os"
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
		t.Errorf("there are fields nobody knows: %v", got)
	}
}

// first is the first number in a file after a word.
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
