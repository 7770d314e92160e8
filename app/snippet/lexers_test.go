package snippet

import (
	"reflect"
	"testing"

	"github.com/alecthomas/chroma/v2"
	chromas "github.com/alecthomas/chroma/v2/lexers"
)

func TestOurLexersAreThoseOfChroma(t *testing.T) {
	r := Request{Method: "POST", URL: "https://portal.example/api/device/devices?filter=name~%22a%22",
		Headers: []Header{{"X-Version", "3"}, {"Content-Type", "application/json"}},
		Body:    "{\"name\": \"it's \\\"$HOME\\\" `x`\",\n \"up\": [true, null, 1.5e3]}"}
	for _, l := range Languages {
		for _, code := range []string{l.Write(r), l.Write(Request{Method: "GET", URL: r.URL})} {
			theirs, err := chroma.Tokenise(chromas.Get(l.Lexer), &chroma.TokeniseOptions{State: "root"}, code)
			if err != nil {
				t.Fatal(err)
			}
			for _, token := range theirs {
				if token.Type == chroma.Error {
					t.Errorf("%s: chroma does not understand %q in\n%s", l.Label, token.Value, code)
				}
			}
			if ours, want := Highlight(l.Lexer, code), linesOf(theirs, code); !reflect.DeepEqual(ours, want) {
				t.Errorf("%s: our lexer gives\n%v, chroma's\n%v", l.Label, ours, want)
			}
		}
	}
}
