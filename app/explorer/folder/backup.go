package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"spyglass/backend/backup"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// The files in the spool.
const (
	outFile = "out" // a backup to be downloaded
	inFile  = "in"  // an uploaded backup, as far as it has arrived
)

const backupType = "application/octet-stream"

// maxPart limits the bytes of one uploaded part of a backup, with its envelope.
const maxPart = 4 << 20

// madeBackup is a backup that can be downloaded once.
type madeBackup struct {
	Bytes int64  `json:"bytes"`
	Name  string `json:"name"`
}

// makeBackup writes a backup beside the data. It has no time limit, but ends
// when the caller disconnects.
func (f *Data) makeBackup(ctx context.Context, c *resource.Call) (*madeBackup, error) {
	ctx, done, err := f.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	free, err := f.maintenance.take()
	if err != nil {
		return nil, err
	}
	defer free()
	path := filepath.Join(f.spool(), outFile)
	if err := os.MkdirAll(f.spool(), 0o700); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = backup.Write(ctx, backup.Options{Folder: f.Folder, File: path, Version: f.Version, Clock: time.Now,
		Progress: f.progressOf(c.Access.UserID), Databases: f.Databases})
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &madeBackup{info.Size(), backupName()}, nil
}

func backupName() string { return "spyglass-" + time.Now().Format(time.DateOnly) + ".backup" }

// fetchBackup streams the backup and then deletes it, even after an error.
func (f *Data) fetchBackup(context.Context, *resource.Call) (any, error) {
	return &resource.Response{Type: backupType, Filename: backupName(), Stream: func(w io.Writer) error {
		free, err := f.maintenance.take()
		if err != nil {
			return err
		}
		defer free()
		file, err := os.Open(filepath.Join(f.spool(), outFile))
		if err != nil {
			return fault.New(fault.Unknown, "there is no backup to download; create one first")
		}
		_, err = io.Copy(w, file)
		return errors.Join(err, file.Close(), os.Remove(file.Name()))
	}}, nil
}

type taken struct {
	Bytes int64 `json:"bytes" doc:"received so far"`
}

// takePart appends a part to the uploaded backup. The first part starts a new
// upload; each later one gives the number of bytes before it.
func (f *Data) takePart(_ context.Context, c *resource.Call) (*taken, error) {
	free, err := f.maintenance.take()
	if err != nil {
		return nil, err
	}
	defer free()
	at, err := strconv.ParseInt(c.Query.Get("at"), 10, 64)
	if err != nil || at < 0 {
		return nil, fault.At("at", "at must be the number of bytes already sent")
	}
	if err := os.MkdirAll(f.spool(), 0o700); err != nil {
		return nil, err
	}
	how := os.O_WRONLY
	if at == 0 {
		how |= os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(filepath.Join(f.spool(), inFile), how, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNothingSent
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if info.Size() != at {
		return nil, fault.New(fault.Conflict, "another backup is being sent; start again")
	}
	_, err = file.WriteAt(c.Body, at)
	if err = errors.Join(err, file.Close()); fault.NoRoom(err) {
		return nil,
			&fault.Error{
				Kind: fault.Full, Message: "the disk of the data folder is full; nothing was changed", Err: err}
	}
	return &taken{at + int64(len(c.Body))}, err
}

var errNothingSent = fault.New(fault.Conflict, "no backup was sent")

// request is the body of /data/restore and /data/restore/look.
type request struct {
	Name       string
	WithoutKey bool
}

var requests = resource.Resource[*request]{Name: "restore", Label: "restore", Fields: []resource.Field[*request]{
	{Name: "name", At: func(r *request) any { return &r.Name }, Doc: "Name of the backup file", Required: true,
		MaxLen: 255},
	{Name: "withoutKey", At: func(r *request) any { return &r.WithoutKey }, Doc: "Restore even if its secrets " +
		"cannot be decrypted"},
}}

// sent returns the options to restore the uploaded backup, and locks the data
// folder until free is called.
func (f *Data) sent(c *resource.Call, in *request) (o backup.Options, free func(), err error) {
	if free, err = f.maintenance.take(); err != nil {
		return o, nil, err
	}
	o = backup.Options{
		Folder: f.Folder, File: filepath.Join(f.spool(), inFile), Name: in.Name, Version: f.Version,
		Clock: time.Now, Progress: f.progressOf(c.Access.UserID), WithoutKey: in.WithoutKey, Databases: f.Databases,
	}
	if _, err := os.Stat(o.File); err != nil {
		free()
		return o, nil, errNothingSent
	}
	return o, free, nil
}

// sentBackup describes a backup that was uploaded.
type sentBackup struct {
	Bytes   int64  `json:"bytes"`
	Made    int64  `json:"made" doc:"epoch milliseconds"`
	SameKey bool   `json:"sameKey" doc:"its passwords and keys can be decrypted here"`
	Version string `json:"version" doc:"version of the program that made it"`
}

// lookAtBackup describes the uploaded backup, or returns its error.
func (f *Data) lookAtBackup(ctx context.Context, c *resource.Call, in *request) (*sentBackup, error) {
	o, free, err := f.sent(c, in)
	if err != nil {
		return nil, err
	}
	defer free()
	m, err := backup.Inspect(ctx, o)
	if err != nil {
		return nil, errors.Join(err, os.Remove(o.File))
	}
	same, err := m.SameKey(f.Folder)
	bytes := int64(0)
	for _, file := range m.Files {
		bytes += file.Size
	}
	return &sentBackup{bytes, m.Made.UnixMilli(), same, m.Version}, err
}

// stageRestore prepares the uploaded backup for a restore at the next start.
func (f *Data) stageRestore(ctx context.Context, c *resource.Call, in *request) (*folderState, error) {
	ctx, done, err := f.Life.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	o, free, err := f.sent(c, in)
	if err != nil {
		return nil, err
	}
	defer free()
	if err := backup.Stage(ctx, o); err != nil {
		return nil, err
	}
	if err := os.Remove(o.File); err != nil {
		return nil, err
	}
	return f.showData(ctx, c)
}
