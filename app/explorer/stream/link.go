package stream

import (
	"spyglass/app/link"
	"spyglass/backend/fault"
)

// OpenLinks opens spyglass:// links in the page: in the desktop window's, or in
// whichever connects first. A text that is not a link is reported there.
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
