package app

import (
	"bufio"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// mapping is a part of the process's memory.
type mapping struct{ from, to uintptr }

// giveBack drops the pages of the program and its libraries that were needed to start:
// 130 MB are mapped then, and an idle window uses 60. The kernel maps pages again when
// they are used, from its cache.
func giveBack(log *slog.Logger) {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		log.Debug("the pages of the program stay in memory", "err", err)
		return
	}
	defer file.Close()
	for _, m := range unchanged(file) {
		_, _, failed := syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED)
		if failed != 0 {
			log.Debug("pages of the program stay in memory", "err", failed)
		}
	}
}

// unchanged returns the mappings of files in the format of /proc/self/smaps that nothing
// can write to and nothing has written to. Read-only pages that the linker has written
// to are anonymous, or swapped out: they would be lost.
func unchanged(smaps io.Reader) (found []mapping) {
	var m mapping
	candidate, written := false, false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		from, to, isHead := strings.Cut(words[0], "-")
		switch {
		case isHead && len(words) > 1: // 55d0-55e0 r-xp 00001000 fe:01 1234 /usr/bin/spyglass
			a, errA := strconv.ParseUint(from, 16, 64)
			b, errB := strconv.ParseUint(to, 16, 64)
			m, written = mapping{uintptr(a), uintptr(b)}, false
			candidate = errA == nil && errB == nil && len(words) > 5 && strings.HasPrefix(words[5], "/") &&
				strings.HasPrefix(words[1], "r-") && strings.HasSuffix(words[1], "p")
		case words[0] == "Anonymous:":
			written = words[1] != "0"
		case words[0] == "Swap:" && candidate && !written && words[1] == "0": // comes after Anonymous
			found = append(found, m)
		}
	}
	return found
}
