package backup

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/shirou/gopsutil/v4/disk" // BSD-3: free space of a disk, on every system

	"spyglass/backend/fault"
)

// largestManifest is the maximum size of a manifest, which is read before the file is
// verified.
const largestManifest = 64 << 20

// largest is more bytes than any disk holds.
const largest = 1 << 50

// Inspect reads a whole backup and returns its contents, or an error that says
// why it cannot be restored.
func Inspect(ctx context.Context, o Options) (Manifest, error) {
	z, m, err := o.open()
	if err != nil {
		return m, err
	}
	defer z.Close()
	return m, o.verify(ctx, z, m)
}

// SameKey reports whether the folder's key decrypts the secrets in the backup.
func (m Manifest) SameKey(folder string) (bool, error) {
	have, err := fingerprint(folder)
	return m.readableWith(have), err
}

// readableWith reports whether the key with a fingerprint decrypts the secrets in the backup.
func (m Manifest) readableWith(key string) bool { return key == m.Key || m.Key == "" }

// Restore replaces the contents of the data folder with a backup. If it fails,
// the folder is unchanged. The caller must keep other processes out of the
// folder.
func Restore(ctx context.Context, o Options) error {
	if err := Stage(ctx, o); err != nil {
		return err
	}
	return Finish(o.Folder)
}

// Stage makes a backup ready: the restore is then pending, and the next start,
// which calls Finish, completes it. It may run while a portal runs.
func Stage(ctx context.Context, o Options) error {
	if err := o.Databases.Replaceable(); err != nil {
		return err
	}
	if waits(o.Folder) {
		return errWaits
	}
	z, m, err := o.open()
	if err != nil {
		return err
	}
	defer z.Close()
	if err := o.checkRoom(m); err != nil {
		return err
	}
	if err := o.verify(ctx, z, m); err != nil { // all of it, before changing the folder
		return err
	}
	same, err := o.checkKey(m)
	if err != nil {
		return err
	}
	err = o.unpack(ctx, z, m)
	if err == nil && !same {
		err = o.Databases.ReleaseKey(ctx, filepath.Join(o.Folder, newFolder, portalFile))
	}
	if err != nil {
		return unwritten(o.Folder, errors.Join(err, os.RemoveAll(filepath.Join(o.Folder, workFolder))))
	}
	if err := os.Rename(filepath.Join(o.Folder, newFolder), filepath.Join(o.Folder, readyFolder)); err != nil {
		return unwritten(o.Folder, errors.Join(err, os.RemoveAll(filepath.Join(o.Folder, workFolder))))
	}
	return syncFolders(filepath.Join(o.Folder, workFolder))
}

// verify reads every file of the backup to its end.
func (o Options) verify(ctx context.Context, z *zip.ReadCloser, m Manifest) error {
	for _, f := range m.Files {
		if err := o.extract(ctx, z, f, "checking", io.Discard); err != nil {
			return err
		}
	}
	return nil
}

func (o Options) broken(cause error) error {
	return &fault.Error{Kind: fault.Conflict, Message: o.name() +
		" is not a complete backup of Spyglass; nothing was changed", Err: cause}
}

func (o Options) newer(by string) error {
	return fault.New(fault.Conflict, "%s was made by a newer version of Spyglass (%s); restore it with that one. "+
		"Nothing was changed", o.name(), by)
}

// open reads the manifest and verifies the file against it.
func (o Options) open() (*zip.ReadCloser, Manifest, error) {
	var m Manifest
	z, err := zip.OpenReader(o.File)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, m, fault.New(fault.Invalid, "%s cannot be read; nothing was changed", o.name())
	}
	if err != nil {
		return nil, m, o.broken(err)
	}
	if m, err = readManifest(z); err == nil && m.Layout > layout {
		err = o.newer(m.Version)
	} else if err == nil {
		err = m.check()
	}
	if err != nil {
		_ = z.Close()
		if !fault.Is(err, fault.Conflict) {
			err = o.broken(err)
		}
		return nil, m, err
	}
	return z, m, nil
}

func readManifest(z *zip.ReadCloser) (m Manifest, err error) {
	in, err := z.Open(manifest)
	if err != nil {
		return m, err
	}
	defer in.Close()
	err = json.NewDecoder(io.LimitReader(in, largestManifest)).Decode(&m)
	return m, err
}

// check verifies that every name is one that Write uses, because it becomes a
// path.
func (m Manifest) check() error {
	seen, all := map[string]bool{}, int64(0)
	for _, f := range m.Files {
		report := path.Dir(f.Name) == folderName && filepath.IsLocal(f.Name)
		if f.Size < 0 || f.Size > largest-all {
			return errors.New("invalid size of " + f.Name)
		}
		all += f.Size
		if seen[f.Name] || !report && !slices.Contains(databases, f.Name) {
			return errors.New("unexpected file " + f.Name)
		}
		seen[f.Name] = true
	}
	if !seen[portalFile] {
		return errors.New("it contains no portal")
	}
	return nil
}

// extract reads one file of the backup to its end, and compares it with the manifest.
func (o Options) extract(ctx context.Context, z *zip.ReadCloser, f File, doing string, to io.Writer) error {
	in, err := z.Open(f.Name)
	if err != nil {
		return o.broken(err)
	}
	defer in.Close()
	sum := sha256.New()
	source := &flow{ctx: ctx, in: io.LimitReader(in, f.Size+1), progress: o.Progress, notifiedOn: time.Now(),
		at: Progress{Doing: doing, File: f.Name, Total: f.Size}}
	size, err := io.Copy(io.MultiWriter(sum, to), source)
	switch {
	case ctx.Err() != nil:
		return unwritten(o.Folder, ctx.Err())
	case unwritable(err):
		return err
	case err != nil || size != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256:
		return o.broken(err)
	}
	return nil
}

// unwritable reports whether err is a write error.
func unwritable(err error) bool {
	var p *fs.PathError
	return errors.As(err, &p) && p.Op == "write"
}

// checkKey checks that the folder's key decrypts the secrets in the backup.
func (o Options) checkKey(m Manifest) (same bool, err error) {
	have, err := o.fingerprint()
	same = m.readableWith(have)
	if err != nil || same || o.WithoutKey {
		return same, err
	}
	return false, fault.New(fault.Conflict,
		"the secrets in %s were encrypted with another key than that of %s: put the %s of the portal that was "+
			"backed up there, or lose the passwords and access keys in it with --without-key. Nothing was changed",
		o.name(), o.Folder, keyFile)
}

// checkRoom checks that there is space for the unpacked files in addition to the
// existing ones. extract writes no more of a file than the manifest says.
func (o Options) checkRoom(m Manifest) error {
	room, err := disk.Usage(o.Folder)
	if err != nil {
		return nil //nolint:nilerr // the system does not report it; a full disk ends unpacking
	}
	need := uint64(0)
	for _, f := range m.Files {
		need += uint64(f.Size)
	}
	if need <= room.Free {
		return nil
	}
	return fault.New(fault.Full, "%s needs %.1f MB unpacked, but the disk of %s has only %.1f MB free; nothing "+
		"was changed. Make room on it",
		o.name(), float64(need)/1e6, o.Folder, float64(room.Free)/1e6)
}

// unpack writes all files to the disk, and checks each database again.
func (o Options) unpack(ctx context.Context, z *zip.ReadCloser, m Manifest) error {
	folder := filepath.Join(o.Folder, newFolder)
	if err := errors.Join(os.RemoveAll(filepath.Join(o.Folder, workFolder)),
		os.MkdirAll(filepath.Join(folder, folderName), 0o700)); err != nil {
		return err
	}
	for _, f := range m.Files {
		to := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := o.unpackFile(ctx, z, f, to); err != nil {
			return err
		}
		if !slices.Contains(databases, f.Name) {
			continue
		}
		if _, err := o.Databases.Check(ctx, to); err != nil {
			return o.unfit(err, m)
		}
	}
	return syncFolders(filepath.Join(folder, folderName), folder, filepath.Join(o.Folder, workFolder))
}

// unfit explains the error of a database whose checksum is correct.
func (o Options) unfit(err error, m Manifest) error {
	switch f := fault.Of(err); {
	case f.Kind != fault.Conflict:
		return err
	case f.Err != nil:
		return o.broken(err)
	}
	return o.newer(m.Version)
}

func (o Options) unpackFile(ctx context.Context, z *zip.ReadCloser, f File, to string) error {
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := o.extract(ctx, z, f, "unpacking", file); err != nil {
		_ = file.Close()
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
