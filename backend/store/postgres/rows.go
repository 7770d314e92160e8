package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// rows implements engine.Rows. A connection runs one query at a time, so a second
// query first reads the rest of the first one: see drain.
type rows struct {
	from   pgx.Rows
	fields []pgconn.FieldDescription
	values [][]byte // of the current row
	rest   [][][]byte
	read   bool // rest has all other rows
}

func newRows(from pgx.Rows) *rows { return &rows{from: from} }

func (r *rows) Next() bool {
	if r.read {
		if len(r.rest) == 0 {
			return false
		}
		r.values, r.rest = r.rest[0], r.rest[1:]
		return true
	}
	if !r.from.Next() {
		return false
	}
	if r.fields == nil {
		r.fields = r.from.FieldDescriptions()
	}
	r.values = r.from.RawValues()
	return true
}

// drain reads all other rows into memory, so that the connection is free.
func (r *rows) drain() {
	if r.read {
		return
	}
	for r.from.Next() {
		if r.fields == nil {
			r.fields = r.from.FieldDescriptions()
		}
		values := r.from.RawValues()
		all := make([][]byte, len(values))
		for i, value := range values {
			if all[i] = slices.Clone(value); value != nil && all[i] == nil {
				all[i] = []byte{}
			}
		}
		r.rest = append(r.rest, all)
	}
	r.from.Close()
	r.read = true
}

func (r *rows) Err() error { return known(r.from.Err()) }

// Close implements engine.Rows. The error of the query is that of Err.
func (r *rows) Close() error {
	r.from.Close()
	r.read, r.rest = true, nil
	return nil
}

func (r *rows) Scan(dest ...any) error {
	if len(dest) != len(r.values) {
		return fmt.Errorf("%d values for %d destinations", len(r.values), len(dest))
	}
	for i, raw := range r.values {
		if err := scan(r.fields[i], raw, dest[i]); err != nil {
			return fmt.Errorf("column %q: %w", r.fields[i].Name, err)
		}
	}
	return nil
}

// scan reads one value. It decodes by itself what PostgreSQL stores for this
// engine: bigint, double precision, text and bytea, in the binary format.
func scan(f pgconn.FieldDescription, raw []byte, dest any) error {
	switch f.DataTypeOID {
	case pgtype.TextOID, pgtype.NameOID:
		switch d := dest.(type) {
		case *string:
			*d = string(raw)
			return nil
		case *[]byte:
			*d = append([]byte{}, raw...)
			return nil
		}
		return put(dest, string(raw))
	case pgtype.ByteaOID:
		if d, ok := dest.(*[]byte); ok {
			*d = append([]byte{}, raw...)
			return nil
		}
		return put(dest, append([]byte{}, raw...))
	case pgtype.Float8OID:
		return put(dest, math.Float64frombits(binary.BigEndian.Uint64(raw)))
	case pgtype.BoolOID:
		return put(dest, int64(raw[0]))
	case pgtype.Int4OID:
		return put(dest, int64(int32(binary.BigEndian.Uint32(raw))))
	case pgtype.Int8OID:
		n := int64(binary.BigEndian.Uint64(raw))
		if d, ok := dest.(*int64); ok {
			*d = n
			return nil
		}
		return put(dest, n)
	}
	return fmt.Errorf("a value of the type %d", f.DataTypeOID)
}

// put stores a value of the types int64, float64, string or []byte.
func put(dest, value any) error {
	switch d := dest.(type) {
	case *any:
		*d = value
		return nil
	case interface{ Scan(value any) error }:
		return d.Scan(value)
	}
	to := reflect.ValueOf(dest)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("%T is no destination", dest)
	}
	to = to.Elem()
	switch v := value.(type) {
	case int64:
		switch {
		case to.CanInt():
			to.SetInt(v)
			return nil
		case to.Kind() == reflect.Bool:
			to.SetBool(v != 0)
			return nil
		case to.CanFloat():
			to.SetFloat(float64(v))
			return nil
		case to.Kind() == reflect.String:
			to.SetString(strconv.FormatInt(v, 10))
			return nil
		}
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return nil
		}
	case string:
		switch {
		case to.Kind() == reflect.String:
			to.SetString(v)
			return nil
		case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
			to.SetBytes([]byte(v))
			return nil
		}
	case []byte:
		switch {
		case to.Kind() == reflect.String:
			to.SetString(string(v))
			return nil
		case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
			to.SetBytes(v)
			return nil
		}
	}
	return fmt.Errorf("a %T does not fit into %T", value, dest)
}
