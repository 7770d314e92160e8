package exchange_test

import (
	"testing"

	"spyglass/app/exchange"
	"spyglass/backend/fault"
)

// fuzz reads any text. If that succeeds, it writes the result and reads it again.
func fuzz(t *testing.T, text []byte) {
	found, err := exchange.Read(t.Context(), &exchange.File{Name: "x", Text: text})
	if err != nil {
		if kind := fault.Of(err).Kind; kind != fault.Invalid && kind != fault.TooLarge {
			t.Fatalf("the error is %v", err)
		}
		return
	}
	written, err := exchange.Spyglass.Write(&exchange.Bundle{Folders: found.Folders, Variables: found.Variables})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exchange.Read(t.Context(), &exchange.File{Text: written}); err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
}

func FuzzPostman(f *testing.F) {
	f.Add([]byte(postmanFile))
	f.Add([]byte(`{"info":{"name":"x"},"item":[{"request":{"url":{"path":"a","host":"b"},"header":null,` +
		`"body":{"mode":"graphql","graphql":{}}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) { fuzz(t, text) })
}

func FuzzHAR(f *testing.F) {
	f.Add([]byte(harText))
	f.Fuzz(func(t *testing.T, text []byte) { fuzz(t, text) })
}

func FuzzInsomnia(f *testing.F) {
	f.Add([]byte(insomnia4Text))
	f.Add([]byte(insomnia5Text))
	f.Fuzz(func(t *testing.T, text []byte) { fuzz(t, text) })
}

func FuzzBruno(f *testing.F) {
	f.Add([]byte(bruFile))
	f.Add([]byte(bruEnvironment))
	f.Add([]byte(brunoText))
	f.Add([]byte(openCollectionText))
	f.Fuzz(func(t *testing.T, text []byte) { fuzz(t, text) })
}

func FuzzSwagger(f *testing.F) {
	f.Add([]byte(swaggerText))
	f.Fuzz(func(t *testing.T, text []byte) { fuzz(t, text) })
}

func FuzzYaak(f *testing.F) {
	f.Add([]byte(yaakText))
	f.Fuzz(func(t *testing.T, text []byte) { fuzz(t, text) })
}
