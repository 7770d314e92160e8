package document

import (
	"bytes"
	"unicode/utf8"
)

// HeadSize is how many bytes of a body tell whether it is text.
const HeadSize = 4 << 10

// Binary tells whether the body is no text: its first 4 KiB hold a zero byte,
// or more than a tenth of them are control characters or no UTF-8. JSON is
// always text.
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

// strange counts the bytes that a text in UTF-8 does not have.
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

// isTextControl tells whether a text may have the control character: the blanks,
// backspace, and escape, with which terminals are told colours.
func isTextControl(r rune) bool { return '\b' <= r && r <= '\r' || r == 0x1b }
