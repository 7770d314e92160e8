package workspace_test

import (
	"strings"
	"testing"
)

func TestRenamedVariableIsUpdatedWhereItIsUsedAndUndone(t *testing.T) {
	d := open(t)
	d.send(1, "POST /collections", `{"name":"Mine"}`)
	d.send(2, "POST /collections", `{"name":"Theirs"}`)
	const used = `"draft":{"method":"POST","path":"/a/{{ site }}/{{site.x}}","query":[{"on":false,"key":"{{site}}",` +
		`"value":"site"}],"body":"{\"x\":\"{{site}}{{place}}\"}"}`
	for _, body := range []string{used, `"draft":{"method":"GET","path":"/a/{{other}}"}`,
		`"name":"named","draft":{"method":"GET","path":"/b","headers":[{"on":true,"key":"X","value":"{{site}}"}]}`} {
		d.send(1, "POST /requests", `{"collectionId":1,`+body+`}`)
	}
	d.send(2, "POST /requests", `{"collectionId":2,`+used+`}`)
	d.send(1, "POST /extractors", `{"path":"$.id","variable":"site"}`)
	d.send(1, "POST /extractors", `{"path":"$.id","variable":"site.x"}`)
	d.send(1, "POST /variables", `{"name":"place"}`)
	all := func() string {
		return d.send(1, "GET /requests", "") + d.send(1, "GET /extractors", "") + d.send(2, "GET /requests", "")
	}
	before := all()

	d.expect(1, "GET /variables/uses", ``, `{"items":[{"name":"site","requests":[{"id":1,`+
		`"name":"POST /a/{{ site }}/{{site.x}}"},{"id":3,"name":"named"}],"count":2,"extractors":1,"sentAt":0},`+
		`{"name":"site.x","requests":[{"id":1,"name":"POST /a/{{ site }}/{{site.x}}"}],"count":1,"extractors":1,`+
		`"sentAt":0},{"name":"place","requests":[{"id":1,"name":"POST /a/{{ site }}/{{site.x}}"}],"count":1,`+
		`"extractors":0,"sentAt":0},`+
		`{"name":"other","requests":[{"id":2,"name":"GET /a/{{other}}"}],"count":1,"extractors":0,"sentAt":0}]}`)
	d.expect(2, "POST /variables/1/follow", `{"from":"site"}`, `unknown : this variable no longer exists`)
	d.changes = nil
	d.expect(1, "POST /variables/1/follow", `{"from":"site"}`, `{"extractors":1,"requests":2}`)
	if got := strings.Join(d.changes, ", "); got != "1 collections, 1 extractors" {
		t.Errorf("received %s", got)
	}
	now := all()
	for _, want := range []string{`"path":"/a/{{place}}/{{site.x}}"`, `"key":"{{place}}","value":"site"`,
		`{\"x\":\"{{place}}{{place}}\"}`, `"variable":"place"`, `"variable":"site.x"`} {
		if !strings.Contains(now, want) {
			t.Errorf("%s\nhas no %s", now, want)
		}
	}
	d.send(1, "PATCH /requests/3", `{"doc":"edited since"}`)
	d.expect(1, "DELETE /variables/1/follow", ``, `{"extractors":1,"requests":1}`)
	d.expect(1, "DELETE /variables/1/follow", ``, `unknown : renaming this variable can no longer be undone`)
	d.send(1, "PATCH /requests/3", `{"doc":"","draft":{"method":"GET","path":"/b","headers":[{"on":true,"key":"X",`+
		`"value":"{{site}}"}]}}`)
	if after := all(); after != before {
		t.Errorf("it is\n%s\nwas\n%s", after, before)
	}
}
