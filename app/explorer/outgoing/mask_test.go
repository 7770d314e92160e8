package outgoing

import (
	"reflect"
	"testing"

	"spyglass/app/workspace"
	"spyglass/backend/resource"
)

func TestMaskBody(t *testing.T) {
	endpoint := &resource.Endpoint{Body: &resource.Schema{Type: "object", Properties: []resource.Key{
		{Name: "pin", WriteOnly: true, Schema: resource.Text("")},
		{
			Name: "list",
			Schema: resource.List(
				resource.Schema{
					Type:       "object",
					Properties: []resource.Key{{Name: "code", WriteOnly: true, Schema: resource.Text("")}}}, "")},
	}}}
	for _, tt := range []struct{ body, want string }{
		{``, ``},
		{`{ "name": "web",  "n": 1.00 }`, `{ "name": "web",  "n": 1.00 }`},
		{`{"password":"x", "name":"web"}`, `{"password":"********", "name":"web"}`},
		{`{"password":"{{pw}}","n":{{id}}}`, `{"password":"{{pw}}","n":{{id}}}`},
		{`{"password":"a{{pw}}","n":{{ü}}, "pin": 1234}`, `{"password":"********","n":{{ü}}, "pin": "********"}`},
		{`{"password":null,"pin":{"a":1},"list":[{"code":"x","other":"y"}]}`, `{"password":null,"pin":"********",` +
			`"list":[{"code":"********","other":"y"}]}`},
		{`{"customProperties":[{"name":"site","value":"Oslo"},{"value":"x\"y","name":"snmp.community"}]}`,
			`{"customProperties":[{"name":"site","value":"Oslo"},{"value":"********","name":"snmp.community"}]}`},
		{`{"password":"x", "broken"`, `{"password":"********", "broken"`},
		{`{"name":"db.pass","value":"x"`, `{"name":"db.pass","value":"********"`},
		{`{"apiKey":"unended`, `{"apiKey":"********"`},
		{`user=me&password=x y`, `user=me&password=******** y`},
		{`a=b, nothing here`, `a=b, nothing here`},
	} {
		if got := MaskBody(tt.body, endpoint); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.body, got, tt.want)
		}
	}
}

func TestSecretNamesDependOnTheirPlace(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		query, header, anywhere bool
	}{
		{"password", true, true, true},
		{"mysqlpwd", true, true, true},
		{"sig", true, false, false},
		{"code", true, false, false},
		{"KEY", true, false, false},
		{"api%2Dkey", true, false, false},
		{"api-key", true, true, true},
		{"Ocp-Apim-Subscription-Key", false, true, false},
		{"x-functions-key", false, true, false},
		{"X-Hub-Signature", false, true, false},
		{"size", false, false, false},
		{"displayName", false, false, false},
	} {
		if q, h, any := secretParameter(tt.name), secretHeader(tt.name), SecretKey(tt.name); tt.query && !q ||
			tt.header && !h || tt.anywhere && !any || !tt.query && !tt.header && (q || h || any) {
			t.Errorf("%s: query %v, header %v, anywhere %v", tt.name, q, h, any)
		}
	}
}

func TestMaskDraftDoesNotChangeItsArgument(t *testing.T) {
	row := func(key, value string) workspace.Row { return workspace.Row{On: true, Key: key, Value: value} }
	d := workspace.Draft{
		Path:  "/x?a=1&api_key=ab%2Fcd&token={{t}}",
		Query: workspace.Rows{row("size", "3"), row("access_token", "q-secret"), row("api.key", "{{k}}")},
		Headers: workspace.Rows{row("authorization", "Bearer h-secret"), row("Authorization", "Bearer {{t}}"),
			row("X-Api-Key", "abc"), row("X-A", "abc")},
		Body: `{"password":"b\"secret","n":1}`,
	}
	want := workspace.Draft{
		Path:  "/x?a=1&api_key=********&token={{t}}",
		Query: workspace.Rows{row("size", "3"), row("access_token", "********"), row("api.key", "{{k}}")},
		Headers: workspace.Rows{row("authorization", "********"), row("Authorization", "Bearer {{t}}"),
			row("X-Api-Key", "********"), row("X-A", "abc")},
		Body: `{"password":"********","n":1}`,
	}
	got, typed := MaskDraft(d, nil)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if want := []string{"ab%2Fcd", "ab/cd", "q-secret", "Bearer h-secret", "h-secret", `b\"secret`,
		`b"secret`}; !reflect.DeepEqual(typed, want) {
		t.Errorf("typed were %q, want %q", typed, want)
	}
	if d.Query[1].Value != "q-secret" || d.Headers[0].Value != "Bearer h-secret" {
		t.Errorf("the draft became %+v", d)
	}
}
