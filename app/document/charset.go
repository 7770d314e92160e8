package document

import (
	"bytes"
	"fmt"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex" // the charsets of the web, by the names that servers send
	"golang.org/x/text/encoding/unicode"
)

// declaredIn is the number of leading bytes in which a body may declare its
// charset.
const declaredIn = 1 << 10

// marks lists the byte order marks and their encodings.
var marks = []struct {
	mark []byte
	name string
	from encoding.Encoding
}{
	{[]byte{0xef, 0xbb, 0xbf}, "utf-8", unicode.UTF8BOM},
	{[]byte{0xff, 0xfe}, "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)},
	{[]byte{0xfe, 0xff}, "utf-16be", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
}

// inXML and inHTML match the charset declaration in a body.
var (
	inXML  = regexp.MustCompile(`^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']`)
	inHTML = regexp.MustCompile(`(?i)<meta[^>]*\bcharset\s*=\s*["']?([\w.:-]+)`)
)

// charsetOf returns how to convert a body that begins with head to UTF-8: from
// is nil if no conversion is needed. A byte order mark overrides the content
// type, which overrides a declaration in the body. reading is a sentence for
// the user, empty if there is nothing to report.
func charsetOf(contentType string, head []byte) (from encoding.Encoding, reading string) {
	for _, m := range marks {
		if bytes.HasPrefix(head, m.mark) {
			return m.from, readAs(m.name)
		}
	}
	kind, parameters, _ := mime.ParseMediaType(contentType)
	name := parameters["charset"]
	if name == "" {
		if found := inXML.FindSubmatch(head); found != nil {
			name = string(found[1])
		} else if kind == "text/html" {
			if found := inHTML.FindSubmatch(head); found != nil {
				name = string(found[1])
			}
		}
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "", "utf-8", "utf8", "us-ascii", "ascii": // ASCII is UTF-8, too
		return nil, ""
	}
	from, err := htmlindex.Get(name)
	if err != nil || from == encoding.Replacement {
		return nil,
			fmt.Sprintf("The response declares the charset “%s”, which Spyglass does not support. It is shown as "+
				"UTF-8", name)
	}
	if from == unicode.UTF8 {
		return nil, ""
	}
	return from, readAs(strings.ToLower(name))
}

func readAs(name string) string {
	if name == "utf-8" {
		return ""
	}
	return fmt.Sprintf("The text is in %s. A saved file keeps the original bytes", name)
}

// Reading describes how the bytes of the body were decoded to text, in one
// sentence without a period; it is empty for UTF-8.
func (d *Document) Reading() string { return d.reading }

// notUTF8 is the Reading of a body that declares no charset and has invalid UTF-8
// among its first bytes.
const notUTF8 = "The text is not valid UTF-8, and the response declares no charset. Invalid characters are shown as �"

// looked is the number of leading bytes that are checked for valid UTF-8.
const looked = 64 << 10

// readable checks that the body is valid UTF-8 if it declares no charset.
func (d *Document) readable() error {
	if d.reading != "" || d.sent != nil {
		return nil
	}
	return d.use(func(s *scanner) error {
		d.reading = readingOf(s.bytes(0, min(looked, d.size)), d.size > looked)
		return s.err
	})
}

// readingOf returns how a text without a charset was decoded; head may be its beginning.
func readingOf(head []byte, cut bool) string {
	if cut { // the last character may be cut
		for i := 1; i < utf8.UTFMax && i <= len(head); i++ {
			if tail := head[len(head)-i:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					head = head[:len(head)-i]
				}
				break
			}
		}
	}
	if !utf8.Valid(head) {
		return notUTF8
	}
	return ""
}
