package stream

import (
	"spyglass/app/link"
	"spyglass/backend/fault"
)

// OpenLinks opens spyglass:// links in the page: in the desktop window, or in the
// first page that connects. The page reports a text that is not a link.
func (h *Hub) OpenLinks(texts []string) {
	for _, text := range texts {
		event := LinkEvent{}
		if to, err := link.Read(text); err != nil {
			event.Problem = fault.Of(err).Message
		} else {
			event.Target = to
		}
		h.NotifyOne("link "+text, event)
	}
}
