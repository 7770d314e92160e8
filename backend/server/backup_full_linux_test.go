package server_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spyglass/backend/fault"
	"spyglass/backend/server"
)

func TestFullDiskLeavesNoPartialBackupOrRestore(t *testing.T) {
	p := newPouch(t)
	portal := startChild(t, p.folder)
	portal.tell("files 20000")
	err := server.Backup(t.Context(), p.options(), p.file+"2", unheard)
	portal.kill()
	if !fault.Is(err, fault.Full) {
		t.Errorf("a running portal without room says %v", err)
	}
	if got, _ := filepath.Glob(filepath.Join(filepath.Dir(p.file), "*")); len(got) != 1 {
		t.Errorf("beside the backup lies %v", got)
	}

	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=300k,mode=0700"); err != nil {
		t.Skipf("a small disk needs root: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	}()
	if err := server.Backup(t.Context(), p.options(), filepath.Join(disk, "backup"), unheard); !fault.Is(
		err, fault.Full) {
		t.Errorf("a backup to a small disk says %v", err)
	}
	small := pouch{filepath.Join(disk, "data"), p.file}
	for _, folder := range []string{disk, small.folder} {
		if got, _ := filepath.Glob(filepath.Join(folder, "*")); len(got) != 0 {
			t.Errorf("on the small disk lies %v", got)
		}
	}
	_, err = server.Restore(t.Context(), small.options(), p.file, true, unheard)
	if !fault.Is(err, fault.Full) || !strings.Contains(fmt.Sprint(err), "MB unpacked") {
		t.Errorf("a restore to a small disk says %v", err)
	}
	if got, _ := filepath.Glob(filepath.Join(disk, "*")); len(got) != 0 {
		t.Errorf("on the small disk lies %v", got)
	}
}
