package outgoing

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSecretsInAStoredBodyAreMaskedWhileStreaming(t *testing.T) {
	long := strings.Repeat("x", 3*mostHeld)
	for _, tt := range []struct{ body, want string }{
		{``, ``},
		{`{ "name": "web",  "n": 1.00 }`, `{ "name": "web",  "n": 1.00 }`},
		{`{"password":"x", "name":"web"}`, `{"password":"********", "name":"web"}`},
		{`{"pass\u0077ord":"x","apiKey": 1234 ,"token":null,"secret":true}`, `{"pass\u0077ord":"********",` +
			`"apiKey": "********" ,"token":null,"secret":true}`},
		{`{"tokens":["a",{"id":1,"ok":true}],"n":"b"}`, `{"tokens":["********",{"id":"********","ok":true}],"n":"b"}`},
		{`{"name":"snmp.community","value":"x"}`, `{"name":"snmp.community","value":"********"}`},
		{`[{"value":"x\"y","deep":{"a":[1,{"value":2}]},"name":"db.pass"},{"value":"z","name":"site"}]`,
			`[{"value":"********","deep":{"a":[1,{"value":2}]},"name":"db.pass"},{"value":"z","name":"site"}]`},
		{`{"name":"x","value":"y","secret":true}`, `{"name":"x","value":"********","secret":true}`},
		{`{"password":"","pin":"********"}`, `{"password":"","pin":"********"}`},
		{`{"password":"` + long + `\"","a":"b"}`, `{"password":"********","a":"b"}`},
		{`{"a":"` + long + `\\","password":"b"}`, `{"a":"` + long + `\\","password":"********"}`},
		{`{"` + long + `":"a","password":"b"}`, `{"` + long + `":"a","password":"********"}`},
		{`{"value":"x","much":"` + long + `","name":"db.pass"}`, `{"value":"********","much":"` + long +
			`","name":"db.pass"}`},
		{`{"password":"cut o`, `{"password":"********"`},
		{`{"n":12`, `{"n":12`},
		{`}}]<html>"`, `}}]<html>"`},
	} {
		for _, from := range []io.Reader{strings.NewReader(tt.body), iotest.OneByteReader(strings.NewReader(tt.body))} {
			var got bytes.Buffer
			m := &BodyMask{To: &got}
			if _, err := io.Copy(m, from); err != nil {
				t.Fatal(err)
			}
			if err := m.Close(); err != nil || got.String() != tt.want {
				t.Errorf("%.200s\n got %.200s\nwant %.200s (%v)", tt.body, got.String(), tt.want, err)
			}
			if cap(m.buf) > 8*mostHeld {
				t.Errorf("%.60s: %d bytes were held", tt.body, cap(m.buf))
			}
		}
	}
}
