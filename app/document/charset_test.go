package document_test

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"spyglass/app/document"
)

func TestTextIsDecodedInTheCharsetOfTheResponse(t *testing.T) {
	const json = `{"name":"Zürich – 5 €","ok":true}`
	latin := func(text string) string {
		out, err := charmap.Windows1252.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	wide := func(order unicode.Endianness, mark unicode.BOMPolicy, text string) string {
		out, err := unicode.UTF16(order, mark).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	long := `[` + strings.Repeat(`"Zürich",`, 20_000) + `"é"]` // over the limits of a head, a chunk and the memory
	const notUTF8 = "The text is not valid UTF-8, and the response declares no charset. Invalid characters are " +
		"shown as �"
	for _, tt := range []struct {
		kind, sent, text, reading string
		json                      bool
	}{
		{kind: "application/json", sent: json, text: json, json: true},
		{kind: "application/json; charset=UTF-8", sent: json, text: json, json: true},
		{kind: "application/json; charset=us-ascii", sent: json, text: json, json: true},
		{kind: "application/json", sent: "\ufeff" + json, text: json, json: true},
		// the byte order mark takes precedence
		{kind: "application/json; charset=ISO-8859-1", sent: "\ufeff" + json, text: json, json: true},
		{kind: "application/json; charset=ISO-8859-1", sent: latin(json), text: json, json: true,
			reading: "The text is in iso-8859-1. A saved file keeps the original bytes"},
		{kind: `application/json; charset="windows-1252"`, sent: latin(long), text: long, json: true,
			reading: "The text is in windows-1252. A saved file keeps the original bytes"},
		{kind: "application/json", sent: wide(unicode.LittleEndian, unicode.UseBOM, json), text: json, json: true,
			reading: "The text is in utf-16le. A saved file keeps the original bytes"},
		{kind: "text/plain", sent: wide(unicode.BigEndian, unicode.UseBOM, "Zürich"), text: "Zürich",
			reading: "The text is in utf-16be. A saved file keeps the original bytes"},
		{kind: "application/json; charset=utf-16le", sent: wide(unicode.LittleEndian, unicode.IgnoreBOM, json),
			text: json, json: true, reading: "The text is in utf-16le. A saved file keeps the original bytes"},
		{kind: "text/xml", sent: latin(`<?xml version="1.0" encoding="ISO-8859-15"?><a>é</a>`),
			text: `<?xml version="1.0" encoding="ISO-8859-15"?><a>é</a>`, reading: "The text is in iso-8859-15. " +
				"A saved file keeps the original bytes"},
		{kind: "text/html", sent: latin(`<html><meta charset=latin1><p>é`), text: `<html><meta charset=latin1><p>é`,
			reading: "The text is in latin1. A saved file keeps the original bytes"},
		{kind: "text/plain", sent: latin(`<meta charset=latin1>é`), text: `<meta charset=latin1>�`, reading: notUTF8},
		{kind: "text/plain; charset=klingon", sent: "Qapla' \xe9", text: "Qapla' �",
			reading: "The response declares the charset “klingon”, which Spyglass does not support. " +
				"It is shown as UTF-8"},
		{kind: "text/plain; charset=iso-2022-kr", sent: "abc", text: "abc",
			reading: "The response declares the charset " +
				"“iso-2022-kr”, which Spyglass does not support. It is shown as UTF-8"},
		// é crosses the end of the part that is inspected
		{kind: "text/plain", sent: strings.Repeat("a", 64<<10-1) + "é", text: strings.Repeat("a", 64<<10-1) + "é"},
		{kind: "", sent: "", text: ""},
		{kind: "text/plain", sent: "a", text: "a"},
	} {
		t.Run(tt.kind+" "+tt.text[:min(len(tt.text), 30)], func(t *testing.T) {
			dir := t.TempDir()
			s, err := document.NewStore(dir, document.Limits{AtOnce: 700, InMemory: 100 << 10})
			if err != nil {
				t.Fatal(err)
			}
			w := s.Create(tt.kind)
			body := tt.sent
			for _, piece := range []int{1, 2, 700, len(body)} { // in chunks, as a network delivers them
				piece = min(piece, len(body))
				if n, err := w.Write([]byte(body[:piece])); n != piece || err != nil {
					t.Fatal(n, err)
				}
				body = body[piece:]
			}
			d, err := w.Finish()
			if err != nil {
				t.Fatal(err)
			}
			var sent, text bytes.Buffer
			if _, err := d.WriteTo(&sent); err != nil || sent.String() != tt.sent || d.Size() != int64(len(tt.sent)) {
				t.Errorf("saved %.50q of %d bytes (%v), want %.50q", sent.String(), d.Size(), err, tt.sent)
			}
			if raw, err := d.Raw(0, 10); err != nil || string(raw) != tt.sent[:min(10, len(tt.sent))] {
				t.Errorf("begins with %q, %v", raw, err)
			}
			if err := d.WriteText(&text); err != nil || strings.ToValidUTF8(text.String(), "�") != tt.text {
				t.Errorf("reads %.50q (%v), want %.50q", text.String(), err, tt.text)
			}
			if ok, problem := d.JSON(); ok != tt.json {
				t.Errorf("JSON %v: %s", ok, problem)
			}
			if got := d.Reading(); got != tt.reading {
				t.Errorf("says %q\nwant %q", got, tt.reading)
			}
			if binary, err := d.Binary(); binary || err != nil {
				t.Errorf("binary %v, %v", binary, err)
			}
			s.Close()
			if left := files(t, dir); len(left) != 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}
