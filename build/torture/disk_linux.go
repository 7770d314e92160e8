package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"spyglass/backend/store/postgres/pgtest"
)

// needsRoot returns the privilege that is missing for mounting a small disk.
func needsRoot() string {
	if os.Geteuid() != 0 {
		return "root"
	}
	if err := inFolder(func(folder string) error { // root of a container may not
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		if err := mountSmall(folder); err != nil {
			return err
		}
		return syscall.Unmount(folder, syscall.MNT_DETACH)
	}); err != nil {
		return fmt.Sprintf("the right to mount a disk (%v)", err)
	}
	return ""
}

const (
	smallDisk = 48 << 20
	largeDisk = 96 << 20
)

// long is a value that fills a disk sooner.
var long = strings.Repeat("x", 1000)

// fullDisk fills a small disk under the program, expects 507 and readable data,
// frees space and expects writes to work again; at the end it kills the program
// and checks that acknowledged writes are still there.
func fullDisk(ctx context.Context, o options, r *result) error {
	return inFolder(func(folder string) (err error) {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, o.long)
		defer cancel()
		for round := 0; round == 0 || ctx.Err() == nil; round++ {
			if err := mountSmall(folder); err != nil {
				return err
			}
			err := fill(context.WithoutCancel(ctx), o, r, folder, filepath.Join(folder, "data"), nil)
			if err = errors.Join(err, syscall.Unmount(folder, syscall.MNT_DETACH)); err != nil {
				return err
			}
		}
		return nil
	})
}

func mountSmall(folder string) error {
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", smallDisk)); err != nil {
		return fmt.Errorf("mounting a small disk: %w", err)
	}
	return nil
}

// needsRootAndPostgres returns what is missing for a database on a small disk.
func needsRootAndPostgres() string { return cmp.Or(needsRoot(), needsPostgres()) }

// fullDatabase does the same as fullDisk with the disk of a node's database. The log of
// the database (WAL) is on another disk: without room for that, PostgreSQL stops.
func fullDatabase(ctx context.Context, o options, r *result) error {
	return pgtest.Serve(func(database pgtest.Server) error {
		return inFolder(func(folder string) error {
			address, disk, err := database.Aside(ctx, mountSmall)
			if err != nil {
				return err
			}
			err = fill(ctx, o, r, disk, folder, []string{"SPYGLASS_DATABASE=" + address})
			return errors.Join(err, syscall.Unmount(disk, syscall.MNT_DETACH))
		})
	}, "synchronous_commit=on")
}

// fill fills the disk of a program whose data folder is folder.
func fill(ctx context.Context, o options, r *result, disk, folder string, env []string) error {
	p, err := startProgram(o.program, folder, env, "--rate-limit", "off")
	if err != nil {
		return err
	}
	defer func() { p.kill() }()
	if err := p.authorize(ctx); err != nil {
		return err
	}
	ballast := filepath.Join(disk, "ballast")
	book := newLedger(devices)
	if err := leave(disk, ballast, 2<<20); err != nil {
		return err
	}
	full := 0
	for i := 0; full < 5 && i < 20000; i++ {
		name := fmt.Sprintf("torture-full-%d", i)
		response, ok := book.one(ctx, p, r, http.MethodPost, book.of.path, name, long,
			[]int{http.StatusInsufficientStorage})
		if !ok {
			r.isWrong("the program gives no response on a full disk: %s", p.tail())
			return nil
		}
		if response == nil {
			full++
		}
	}
	if full == 0 {
		r.isWrong("20,000 writes fit on a full disk")
	}
	if err := book.check(ctx, p, r); err != nil {
		r.isWrong("on a full disk: %v", err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, fmt.Sprintf("size=%d", largeDisk)); err != nil {
		return err
	}
	written := 0
	book.write(ctx, p, r, "after", func() bool { written++; return written > 20 })
	r.used(p.peak())
	bearer := p.bearer
	p.kill()
	again, err := startProgram(o.program, folder, env, "--rate-limit", "off")
	if err != nil {
		r.isLost("after a full disk: %v", err)
		return nil
	}
	defer again.kill()
	again.bearer = bearer
	return book.check(ctx, again, r)
}

// leave fills a disk up to the last free bytes.
func leave(disk, file string, free int64) error {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(disk, &stat); err != nil {
		return err
	}
	size := int64(stat.Bavail)*stat.Bsize - free
	if size <= 0 {
		return nil
	}
	return os.WriteFile(file, make([]byte, size), 0o600)
}
