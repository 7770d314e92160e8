package series

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// point is a sample without its series.
type point struct {
	at    int64
	value float64
}

var errShort = errors.New("a row ends in the middle of a sample")

// encode returns the chunk of points, which are sorted by time.
func encode(points []point) ([]byte, error) {
	chunk := chunkenc.NewXORChunk()
	app, err := chunk.Appender()
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		app.Append(p.at, p.value)
	}
	return chunk.Bytes(), nil
}

// decode appends the points of a chunk to list.
func decode(data []byte, list []point) ([]point, error) {
	if len(data) < 2 {
		return list, errShort
	}
	var chunk chunkenc.XORChunk
	chunk.Reset(data)
	if free := cap(list) - len(list); free < chunk.NumSamples() {
		list = append(make([]point, 0, len(list)+chunk.NumSamples()), list...)
	}
	it := chunk.Iterator(nil)
	for it.Next() == chunkenc.ValFloat {
		at, value := it.At()
		list = append(list, point{at, value})
	}
	return list, it.Err()
}

// logRow is a row of the log under construction: for each sample the differences
// of series and time from the previous sample, and the value.
type logRow struct {
	when       int64
	data       []byte
	number, at int64
}

func (r *logRow) add(number int64, p point) {
	r.data = binary.AppendVarint(r.data, number-r.number)
	r.data = binary.AppendVarint(r.data, p.at-r.at)
	r.data = binary.LittleEndian.AppendUint64(r.data, math.Float64bits(p.value))
	r.number, r.at = number, p.at
}

// readLog calls each with the samples in a row of the log.
func readLog(data []byte, each func(number int64, p point) error) error {
	var number, at int64
	for len(data) > 0 {
		for _, n := range []*int64{&number, &at} {
			step, size := binary.Varint(data)
			if size <= 0 {
				return errShort
			}
			*n += step
			data = data[size:]
		}
		if len(data) < 8 || at < 0 || at >= latest {
			return errShort
		}
		value := math.Float64frombits(binary.LittleEndian.Uint64(data))
		data = data[8:]
		if err := each(number, point{at, value}); err != nil {
			return err
		}
	}
	return nil
}
