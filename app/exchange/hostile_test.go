package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"spyglass/app/exchange"
	"spyglass/app/exchange/hostile"
	"spyglass/backend/fault"
	"spyglass/backend/testkit"
)

func TestHostileFilesStayWithinTheBudget(t *testing.T) {
	const size, most = 100 << 10, 64 << 20
	for _, file := range hostile.Files(size) {
		t.Run(file.Attack, func(t *testing.T) {
			if len(file.Text) > 3*size {
				t.Fatalf("the file has %d bytes", len(file.Text))
			}
			before := testkit.Allocated()
			found, err := exchange.Read(t.Context(),
				&exchange.File{Name: file.Name, Text: file.Text, Bases: []string{"http://127.0.0.1:8443/api"}})
			used := testkit.Allocated() - before
			if used > most {
				t.Errorf("reading %d bytes allocated %d MB", len(file.Text), used>>20)
			}
			if err != nil {
				if f := fault.Of(err); f.Kind != fault.Invalid && f.Kind != fault.TooLarge || len(f.Message) > 1000 {
					t.Errorf("the error is %v", err)
				}
				return
			}
			for _, f := range exchange.Formats {
				if f.Write == nil {
					continue
				}
				before := testkit.Allocated()
				_, err := exchange.Write(t.Context(), f, &exchange.Bundle{Name: "x", BaseURL: "http://h/api",
					Folders: found.Folders, Variables: found.Variables})
				if used := testkit.Allocated() - before; used > most {
					t.Errorf("writing it as %s allocated %d MB", f.ID, used>>20)
				}
				if err != nil && !fault.Is(err, fault.TooLarge) {
					t.Errorf("writing it as %s: %v", f.ID, err)
				}
			}
		})
	}
}

func TestImportEndsWhenItsContextIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the caller went away")
	cancel(gone)
	for _, text := range []string{postmanFile, insomnia4Text, harText} {
		if _, err := exchange.Read(ctx, &exchange.File{Text: []byte(text)}); !errors.Is(err, gone) {
			t.Errorf("%.40s: the error is %v", text, err)
		}
	}
	if _, err := exchange.Write(ctx, &exchange.OpenAPI, bundle()); !errors.Is(err, gone) {
		t.Errorf("writing: the error is %v", err)
	}
}

func TestLargeValidFileIsImported(t *testing.T) {
	request := func(i int) string {
		return fmt.Sprintf(`{"name":"Device %d","request":{"method":"PUT","header":[{"key":"X-Team",`+
			`"value":"network"}],"url":{"raw":"{{baseUrl}}/device/devices/%d?fields=id","host":["{{baseUrl}}"],`+
			`"path":["device","devices","%d"],"query":[{"key":"fields","value":"id"}]},"body":{"mode":"raw",`+
			`"raw":"{\"name\":\"web-%d\",\"disableAlerting\":false}"}}}`, i, i, i, i)
	}
	var text strings.Builder
	text.WriteString(`{"info":{"name":"x"},"item":[` + request(0))
	n := 1
	for ; text.Len() < exchange.MaxSize-1000; n++ {
		text.WriteString("," + request(n))
	}
	text.WriteString(`]}`)
	found, err := exchange.Read(t.Context(), &exchange.File{Text: []byte(text.String())})
	if err != nil || len(found.Folders[0].Requests) != n {
		t.Fatalf("%d requests were read as %v: %v", n, found, err)
	}
}
