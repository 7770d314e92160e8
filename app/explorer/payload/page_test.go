package payload

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
)

func TestPageKeepsTheBytesOfItsItems(t *testing.T) {
	five := int64(5)
	for _, tt := range []struct {
		body string
		want *Page
		err  string
	}{
		{body: `{"items":[]}`, want: &Page{Items: []json.RawMessage{}}},
		{body: `{"items":null,"total":"5"}`, want: &Page{}},
		{body: ` {"total":5,"items":[ {"id": 1.0}, 2 ],"more":{"items":[3]}} `,
			want: &Page{Total: &five, Items: []json.RawMessage{json.RawMessage(`{"id": 1.0}`), json.RawMessage(`2`)}}},
		{body: `{"Items":[1]}`, err: errNoList.Error()},
		{body: `{"items":7}`, err: errNoList.Error()},
		{body: `[1]`, err: errNoList.Error()},
		{body: `null`, err: errNoList.Error()},
		{body: `{"items":[1]} x`, err: "there is more data after the list"},
		{body: `<html>`, err: "invalid character '<' looking for beginning of value"},
		{body: `{"items":[1,`, err: io.ErrUnexpectedEOF.Error()},
	} {
		got, err := ReadPage([]byte(tt.body))
		if tt.err != "" {
			if err == nil || err.Error() != tt.err || errors.Is(err, errNoList) != (tt.err == errNoList.Error()) {
				t.Errorf("%s: %v, want %s", tt.body, err, tt.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s is %v (%v), want %v", tt.body, got, err, tt.want)
		}
	}
}

func TestEqualIgnoresWhitespaceAndKeyOrder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":[1,"x",{"b":null}],"c":true}`, "{ \"c\" : true,\n\"a\":[1,\"\\u0078\",{\"b\":null}]}", true},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,2]`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`1.0`, `1`, false},
		{`"1"`, `1`, false},
		{`true`, `false`, false},
		{`""`, ``, false},
		{`{`, `{`, false},
	} {
		if got := AlikeJSON([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("%s and %s are alike: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestErrorMessageIsFoundUnderAnyKnownName(t *testing.T) {
	for body, want := range map[string]string{
		`{"errorMessage":"a","errmsg":"b"}`: "a", `{"errmsg":"b","message":"c"}`: "b", `{"message":"c"}`: "c",
		`{"items":[]}`: "", `[]`: "", `<html>`: "", ``: "",
	} {
		if got := MessageOf([]byte(body)); got != want {
			t.Errorf("%s says %q, want %q", body, got, want)
		}
	}
}
