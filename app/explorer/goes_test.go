package explorer_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestDeletePreviewNamesTheObjectAndItsDependents(t *testing.T) {
	below := func(w http.ResponseWriter, r *http.Request) {
		n := 4
		if strings.HasSuffix(r.URL.Path, "/openAlerts") {
			n = -1204 // at least so many
		}
		fmt.Fprintf(w, `{"total":%d,"items":[{}]}`, n)
	}
	const all = `"below":[{"label":"things in it","count":3},{"label":"spare parts","count":4},` +
		`{"label":"open alerts","count":1204}]`
	one := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"total":1,"items":[{}]}`) }
	for _, tt := range []struct {
		draft string // beside the method
		bin   bool
		below http.HandlerFunc
		want  string
	}{
		{draft: `"path":"/raw/things/7"`, bin: true, below: below,
			want: `{` + all + `,"bin":true,"late":false,"name":"seven","noun":"thing","path":"/raw/things/7"}`},
		{draft: `"path":"/raw/things/7?deleteHard=true"`, bin: true, below: below,
			want: `{` + all + `,"bin":false,"late":false,"name":"seven","noun":"thing",` +
				`"path":"/raw/things/7?deleteHard=true"}`},
		{draft: `"path":"/raw/things/{id}","template":"/raw/things/{id}","pathParams":[{"on":true,"key":"id",` +
			`"value":"{{seventh}}"}],"query":[{"on":true,"key":"note","value":"a b"},{"on":true,"key":"token",` +
			`"value":"t0p"}]`, bin: true, below: one,
			want: `{"below":[{"label":"things in it","count":3},{"label":"spare part","count":1},` +
				`{"label":"open alert","count":1}],"bin":true,"late":false,"name":"seven","noun":"thing",` +
				`"path":"/raw/things/7?note=a%20b&token=********"}`},
		{draft: `"path":"/raw/things/7"`, below: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) },
			want: `{"below":[{"label":"things in it","count":3}],"bin":false,"late":false,"name":"seven",` +
				`"noun":"thing","path":"/raw/things/7"}`},
		{draft: `"path":"/raw/things/8"`, below: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
			want: `{"below":[],"bin":false,"late":false,"name":"","noun":"thing","path":"/raw/things/8"}`},
		{draft: `"path":"/raw/unheard/of"`, want: `{"below":[],"bin":false,"late":false,"name":"","noun":"",` +
			`"path":"/raw/unheard/of"}`},
	} {
		t.Run(tt.draft, func(t *testing.T) {
			h, s := storeFixture(t, tt.bin)
			s.below = tt.below
			if a := h.call(1, "POST /explorer/variables", `{"name":"seventh","value":"7"}`); a.status != 201 {
				t.Fatal(a.body)
			}
			if a := h.call(1, "POST /explorer/goes", `{"draft":{"method":"DELETE",`+tt.draft+`}}`); a.body != tt.want {
				t.Errorf("got  %s\nwant %s", a.body, tt.want)
			}
			if got := s.writes(); got != nil {
				t.Errorf("looking wrote %q", got)
			}
		})
	}
}

func TestDeletePreviewDoesNotWaitForSlowCounts(t *testing.T) {
	h, s := storeFixture(t, true)
	s.below = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/parts") {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `{"total":2,"items":[]}`)
	}
	a := h.call(1, "POST /explorer/goes", `{"draft":{"method":"DELETE","path":"/raw/things/7"}}`)
	if want := `{"below":[{"label":"things in it","count":3},{"label":"open alerts","count":2}],"bin":true,` +
		`"late":true,"name":"seven","noun":"thing","path":"/raw/things/7"}`; a.body != want {
		t.Errorf("got  %s\nwant %s", a.body, want)
	}
}

func TestOnlyDeletesNeedConfirmation(t *testing.T) {
	h, _ := storeFixture(t, true)
	a := h.call(1, "POST /explorer/goes", `{"draft":{"method":"PUT","path":"/raw/things/7"}}`)
	if got, want := h.fault(a), "draft.method: only DELETE requests delete objects"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
