package document_test

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"spyglass/app/document"
	"spyglass/app/document/query"
)

// body50 returns a list of some 50 MB.
func body50() string { return devices(220_000) }

func write(b *testing.B, s *document.Store, body string) *document.Writer {
	w := s.Create("application/json")
	if _, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{strings.NewReader(body)},
		make([]byte, 32<<10)); err != nil {
		b.Fatal(err)
	}
	return w
}

func store(b *testing.B) *document.Store {
	s, err := document.NewStore(b.TempDir(), document.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	return s
}

// BenchmarkKeepAndIndex50MB also reports the time from the last byte to the first rows.
func BenchmarkKeepAndIndex50MB(b *testing.B) {
	body := body50()
	s := store(b)
	b.SetBytes(int64(len(body)))
	var last time.Duration
	for b.Loop() {
		w := write(b, s, body)
		ended := time.Now()
		d, err := w.Finish()
		if err != nil {
			b.Fatal(err)
		}
		if rows, _, err := d.Rows(0, 50); len(rows) != 50 || err != nil {
			b.Fatal(len(rows), err)
		}
		last += time.Since(ended)
		s.Drop(d.ID)
	}
	b.ReportMetric(float64(last)/float64(b.N), "first-rows-ns")
}

func kept50(b *testing.B) *document.Document {
	d, err := write(b, store(b), body50()).Finish()
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func BenchmarkRowsFarDown50MB(b *testing.B) {
	d := kept50(b)
	for b.Loop() {
		if rows, _, err := d.Rows(200_000, 50); len(rows) != 50 || err != nil {
			b.Fatal(len(rows), err)
		}
	}
}

func BenchmarkRowsFarDownAllOpen50MB(b *testing.B) {
	d := kept50(b)
	total := d.OpenAll()
	for b.Loop() {
		if rows, _, err := d.Rows(total/2, 50); len(rows) != 50 || err != nil {
			b.Fatal(len(rows), err)
		}
	}
}

func BenchmarkLinesFarDown50MB(b *testing.B) {
	d := kept50(b)
	for b.Loop() {
		if lines, _, err := d.Lines(40_000, 50); len(lines) != 50 || err != nil {
			b.Fatal(len(lines), err)
		}
	}
}

func BenchmarkFind50MB(b *testing.B) {
	d := kept50(b)
	for b.Loop() {
		for _, query := range []string{"web-199999", "nowhere"} { // two queries, so that neither hits the cache
			if f, err := d.Find(context.Background(), query, false, 0); err != nil ||
				(f.Count == 1) != (query != "nowhere") {
				b.Fatal(f, err)
			}
		}
	}
}

// BenchmarkIndexSize50MB reports the heap that a 50 MB document holds.
func BenchmarkIndexSize50MB(b *testing.B) {
	body := body50()
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := write(b, store(b), body).Finish()
		runtime.GC()
		runtime.ReadMemStats(&after)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "heap-bytes")
		runtime.KeepAlive(d)
	}
	runtime.KeepAlive(body)
}

func BenchmarkFilter50MB(b *testing.B) {
	for _, src := range []string{`$.items[*].name`, `$.items[?@.hostStatus == "dead"].id`,
		`.items[] | select(.displayName | test("7$")) | {id, name}`, `$..name`, `$.items[-1]`, `$.items[*]`} {
		b.Run(src, func(b *testing.B) {
			s := store(b)
			d, err := write(b, s, body50()).Finish()
			if err != nil {
				b.Fatal(err)
			}
			q, err := query.Parse(src)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				result, _, err := s.Filter(context.Background(), d, q)
				if err != nil {
					b.Fatal(err)
				}
				s.Drop(result.ID)
			}
		})
	}
}
