package pages

import (
	"encoding/json"
	"io"
	"strconv"

	"spyglass/app/document"
)

// screen is the sink that writes a document, without any loss.
type screen struct {
	*document.Writer
	begun bool
	items bool
}

const listEnd = "]}"

func (s *screen) page(first *int64, items []json.RawMessage) error {
	if !s.begun {
		s.begun = true
		head := `{"items":[`
		if first != nil {
			head = `{"total":` + strconv.FormatInt(*first, 10) + `,"items":[`
		}
		if _, err := io.WriteString(s, head); err != nil {
			return err
		}
	}
	for _, item := range items {
		if s.items {
			if _, err := io.WriteString(s, ","); err != nil {
				return err
			}
		}
		s.items = true
		if _, err := s.Write(item); err != nil {
			return err
		}
	}
	return nil
}

// goOn continues an earlier document.
func (s *screen) goOn(doc *document.Document, items bool) error {
	s.begun, s.items = true, items
	_, err := doc.WriteTo(&head{to: s.Writer, left: doc.Size() - int64(len(listEnd))})
	return err
}

// head passes on the first bytes and discards the rest.
type head struct {
	to   io.Writer
	left int64
}

func (h *head) Write(b []byte) (int, error) {
	n := min(h.left, int64(len(b)))
	h.left -= n
	_, err := h.to.Write(b[:n])
	return len(b), err
}
