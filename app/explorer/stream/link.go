package stream

import (
	"spyglass/app/link"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

// OpenLinks opens spyglass:// links in the page: in the desktop window's, or in
// whichever connects first. A text that is not a link is reported there.
func (h *Hub) OpenLinks(texts []string) {
	for _, text := range texts {
		event := resource.Event{Name: "link"}
		if to, err := link.Read(text); err != nil {
			event.Data = map[string]any{"problem": fault.Of(err).Message}
		} else {
			event.Data = to
		}
		h.TellOne("link "+text, event)
	}
}
