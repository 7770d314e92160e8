package document

import (
	"bytes"
	"unicode/utf8"
)

// HeadSize is the number of leading bytes that decide whether a body is text or
// binary.
const HeadSize = 4 << 10

// Binary reports whether the body is not text: its first 4 KiB hold a zero
// byte, or more than a tenth of them are control characters or invalid UTF-8.
// JSON is always text.
func (d *Document) Binary() (bool, error) {
	if ok, _ := d.JSON(); ok {
		return false, nil
	}
	head, err := d.beginning(HeadSize)
	if err != nil {
		return false, err
	}
	return bytes.IndexByte(head, 0) >= 0 || strange(head)*10 > len(head), nil
}

// strange returns the number of bytes that are not valid UTF-8 text.
func strange(head []byte) int {
	n := 0
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		cut := len(head) < utf8.UTFMax && !utf8.FullRune(head) // the head may end within a character
		if r == utf8.RuneError && size == 1 && !cut || r < ' ' && !isTextControl(r) {
			n++
		}
		head = head[size:]
	}
	return n
}

// isTextControl reports whether text may contain the control character: white
// space, backspace, and escape, which starts terminal color codes.
func isTextControl(r rune) bool { return '\b' <= r && r <= '\r' || r == 0x1b }
