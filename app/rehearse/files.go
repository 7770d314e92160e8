package rehearse

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"spyglass/backend/fault"
	"spyglass/backend/private"
)

// Folder is the folder of a rehearsal in a data folder.
const Folder = "rehearsal"

// state is the progress of a rehearsal.
type state struct {
	Version  int            `json:"version"`
	Name     string         `json:"name"` // of the portal that was copied
	URL      string         `json:"url"`
	Began    time.Time      `json:"began"`
	Read     map[string]int `json:"read"` // objects of each list that was read completely
	Finished time.Time      `json:"finished,omitzero"`
	Notes    []Note         `json:"notes"`
	Copied   map[string]int `json:"copied"` // objects of each kind
}

const version = 1

// link says which object of the rehearsal is the copy of one of the portal.
type link struct {
	Kind   string `json:"kind"`
	Remote string `json:"remote"`
	Local  string `json:"local"` // empty: it could not be copied
}

// files are the files of a rehearsal. All are readable for their user only.
type files struct{ dir string }

func (f files) path(name string) string { return filepath.Join(f.dir, name) }

// load returns the state; nil if there is no rehearsal.
func (f files) load() (*state, error) {
	text, err := os.ReadFile(f.path("state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := &state{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fault.New(fault.Conflict, "%s is damaged: %v. Use another data folder, and copy again",
			f.path("state.json"), err)
	}
	if s.Version != version {
		return nil, fault.New(fault.Conflict, "the rehearsal in %s was made by another version of Spyglass. Use "+
			"another data folder, and copy again", f.dir)
	}
	return s, nil
}

func (f files) save(s *state) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return f.write("state.json", func(out *bufio.Writer) error {
		_, err := out.Write(append(text, '\n'))
		return err
	})
}

// write writes a file, whole or not at all.
func (f files) write(name string, do func(*bufio.Writer) error) error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	return private.ReplaceBy(f.path(name), func(w io.Writer) error {
		out := bufio.NewWriter(w)
		return errors.Join(do(out), out.Flush())
	})
}

// fileOf returns the name of the file with the objects of a list: "remote" as the portal
// had them, "local" as the rehearsal had them when the copy was complete.
func fileOf(which, list string) string {
	return which + strings.ReplaceAll(list, "/", "-") + ".jsonl"
}

// keep writes the objects of a list, without secrets.
func (f files) keep(which, list string, each func(func(object) error) error) (n int, err error) {
	err = f.write(fileOf(which, list), func(out *bufio.Writer) error {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return each(func(o object) error {
			n++
			return enc.Encode(clean(list, o))
		})
	})
	return n, err
}

// kept returns the objects of a file; none if the file does not exist.
func (f files) kept(name string) (all []object, err error) {
	err = f.lines(name, func(line []byte) error {
		o, err := readObject(line)
		all = append(all, o)
		return err
	})
	return all, err
}

// maxLine limits the bytes of an object in a file.
const maxLine = 64 << 20

func (f files) lines(name string, do func([]byte) error) error {
	file, err := os.Open(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewScanner(file)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		if err := do(in.Bytes()); err != nil {
			return fault.New(fault.Conflict, "%s is damaged: %v. Use another data folder, and copy again", f.path(name),
				err)
		}
	}
	return in.Err()
}

const linksFile = "links.jsonl"

// links are the copies of objects, by kind.
type links struct {
	files
	local  map[string]map[string]string // ids in the rehearsal, by those in the portal
	remote map[string]map[string]string // and the other way round
}

// links reads which objects were copied. The last line is ignored if it is not
// complete.
func (f files) links() (*links, error) {
	l := &links{files: f, local: map[string]map[string]string{}, remote: map[string]map[string]string{}}
	text, err := os.ReadFile(f.path(linksFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := text[:strings.LastIndexByte(string(text), '\n')+1]
	for line := range strings.Lines(string(whole)) {
		var one link
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			return nil, fault.New(fault.Conflict, "%s is damaged: %v. Use another data folder, and copy again",
				f.path(linksFile), err)
		}
		l.put(one)
	}
	if len(whole) < len(text) {
		return l, os.Truncate(f.path(linksFile), int64(len(whole)))
	}
	return l, nil
}

func (l *links) put(one link) {
	if l.local[one.Kind] == nil {
		l.local[one.Kind], l.remote[one.Kind] = map[string]string{}, map[string]string{}
	}
	l.local[one.Kind][one.Remote] = one.Local
	if one.Local != "" {
		l.remote[one.Kind][one.Local] = one.Remote
	}
}

// add records a copy.
func (l *links) add(one link) error {
	text, err := json.Marshal(one)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(l.path(linksFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = file.Write(append(text, '\n'))
		err = errors.Join(err, file.Close())
	}
	l.put(one)
	return err
}
