package rehearse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"

	"spyglass/backend/fault"
)

// Parts of devices are in files with one line for each device.

func encodeParts(d *deviceParts) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(d)
	return out.Bytes(), err
}

func decodeParts(line []byte) (*deviceParts, error) {
	d := &deviceParts{}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	return d, dec.Decode(d)
}

// addParts adds a line to the file of parts.
func (f files) addParts(which string, d *deviceParts) error {
	text, err := encodeParts(d)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.path(fileOf(which, partsPath)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// keepParts writes the file of parts, whole or not at all.
func (f files) keepParts(which string, each func(add func(*deviceParts) error) error) error {
	return f.write(fileOf(which, partsPath), func(out *bufio.Writer) error {
		return each(func(d *deviceParts) error {
			text, err := encodeParts(d)
			if err == nil {
				_, err = out.Write(text)
			}
			return err
		})
	})
}

// eachParts calls do with the parts of each device. A last line that is not complete is
// cut off first: writing it was interrupted.
func (f files) eachParts(which string, do func(*deviceParts) error) error {
	in, err := f.index(which)
	if err != nil {
		return err
	}
	defer in.close()
	for _, id := range in.order {
		d, err := in.get(id)
		if err == nil {
			err = do(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// partsIndex finds the parts of a device in a file.
type partsIndex struct {
	file  *os.File // nil: there is none
	order []string // ids of devices
	at    map[string][2]int64
}

// index opens a file of parts.
func (f files) index(which string) (*partsIndex, error) {
	path := f.path(fileOf(which, partsPath))
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return &partsIndex{}, nil
	}
	if err != nil {
		return nil, err
	}
	in := &partsIndex{file: file, at: map[string][2]int64{}}
	lines := bufio.NewReader(file)
	for from := int64(0); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil { // the end, perhaps after a part of a line
			if len(line) > 0 {
				err = file.Truncate(from)
			} else {
				err = nil
			}
			return in, errors.Join(err)
		}
		id, ok := strings.CutPrefix(string(line), `{"device":"`)
		if id, _, ok = cutQuote(id, ok); !ok {
			in.close()
			return nil, fault.New(fault.Conflict, "%s is damaged. Use another data folder, and copy again", path)
		}
		if _, again := in.at[id]; !again {
			in.order = append(in.order, id)
		}
		in.at[id] = [2]int64{from, int64(len(line))}
		from += int64(len(line))
	}
}

func cutQuote(text string, ok bool) (before, after string, both bool) {
	before, after, found := strings.Cut(text, `"`)
	return before, after, ok && found
}

// get returns the parts of a device; nil if the file does not have them.
func (p *partsIndex) get(device string) (*deviceParts, error) {
	at, ok := p.at[device]
	if !ok {
		return nil, nil
	}
	line := make([]byte, at[1])
	if _, err := p.file.ReadAt(line, at[0]); err != nil {
		return nil, err
	}
	return decodeParts(line)
}

func (p *partsIndex) close() {
	if p.file != nil {
		_ = p.file.Close()
	}
}
