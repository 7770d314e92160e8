package explorer_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestResponseInAnotherCharsetIsShownDecodedAndSavedUnchanged(t *testing.T) {
	h := build(t)
	const sent = "{\"errorMessage\":\"Z\xfcrich is full\",\"field\":1}"
	h.answerRaw(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=ISO-8859-1")
		w.WriteHeader(http.StatusConflict)
		_, _ = w.Write([]byte(sent))
	})
	a := h.call(1, "POST /explorer/send", `{"draft":{"path":"/raw/x"}}`)
	for _, want := range []string{`"text":"Zürich is full"`, `"reading":"The text is in iso-8859-1. A saved file` +
		` keeps the original bytes"`, `"message":"Zürich is full"`, `"bytes":43,`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("%s\nhas no %s", a.body, want)
		}
	}
	r := h.send(1, `{"path":"/raw/x"}`)
	if got := h.body(1, r.Document); got != sent {
		t.Errorf("saved %q, want %q", got, sent)
	}
	again := h.call(1, "GET /explorer/history/2/reply", "")
	if !strings.Contains(again.body, `"text":"Zürich is full"`) || !strings.Contains(again.body, `"bytes":43,`) {
		t.Errorf("from the history: %s", again.body)
	}
}
