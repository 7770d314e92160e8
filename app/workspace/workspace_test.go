package workspace_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"spyglass/app/workspace"
	"spyglass/backend/fault"
	"spyglass/backend/resource"
)

const emptyDraft = `{"method":"GET","path":"","template":"","pathParams":[],"query":[],"headers":[],"body":"",` +
	`"mode":"form"}`

func TestTabRoundTrips(t *testing.T) {
	d := open(t)
	d.expect(1, "POST /tabs", `{}`, `{"id":1,"position":0,"name":"","pinned":false,"draft":`+emptyDraft+
		`,"saved":null,"historyId":0,"view":{},"requestId":0,"version":1,"closed":0}`)
	draft := `{"method":"PATCH","path":"/device/devices/{id}?q={{x}}","template":"/device/devices/{id}",` +
		`"pathParams":[{"on":true,"key":"id","value":"42"}],` +
		`"query":[{"on":false,"key":"a","value":""},{"on":true,"key":"a","value":"ü \"'","doc":"twice"}],` +
		`"headers":[],"body":"{ \"a\" : 1.0,\n\"a\":2 }","mode":"raw"}`
	want := `{"id":1,"position":3,"name":"Mine","pinned":true,"draft":` + draft + `,"saved":` + draft +
		`,"historyId":9,"view":{"tab":"Raw"},"requestId":0,"version":2,"closed":0}`
	d.expect(1, "PATCH /tabs/1", `{"position":3,"name":"Mine","pinned":true,"draft":`+draft+`,"saved":`+draft+
		`,"historyId":9,"view":{"tab":"Raw"}}`, want)
	_ = d.Close()
	d.open(0)
	d.expect(1, "GET /tabs/1", "", want)
	d.expect(1, "PATCH /tabs/1", `{"saved":null}`, strings.NewReplacer(`"saved":`+draft, `"saved":null`, `"version":2`,
		`"version":3`).Replace(want))
}

func TestInvalidTabNamesTheError(t *testing.T) {
	d := open(t)
	for _, tt := range []struct{ body, want string }{
		{`{"draft":{"method":"FETCH"}}`,
			`invalid draft.method: the method must be one of GET, POST, PUT, PATCH, DELETE`},
		{`{"saved":{"mode":"table"}}`, `invalid saved.mode: the mode must be form or raw`},
		{`{"draft":{"Method":"GET"}}`, `invalid draft.Method: draft has no field "Method"; did you mean method?`},
		{`{"draft":null}`, `invalid draft: draft must not be null; leave it out instead`},
		{`{"userId":2}`, `{"id":1,"position":0,"name":"","pinned":false,"draft":` + emptyDraft +
			`,"saved":null,"historyId":0,"view":{},"requestId":0,"version":1,"closed":0}`},
	} {
		d.expect(1, "POST /tabs", tt.body, tt.want)
	}
	d.expect(2, "GET /tabs", "", `{"total":0,"searchId":null,"items":[],"data":null}`)
}

func TestUsersSeeOnlyTheirOwnWorkspace(t *testing.T) {
	d := open(t)
	for _, user := range []int64{1, 2} {
		d.send(user, "POST /tabs", `{}`)
		d.send(user, "POST /variables", `{"name":"x","value":"of `+fmt.Sprint(user)+`"}`)
		d.send(user, "PATCH /settings", `{"of":`+fmt.Sprint(user)+`}`)
		if err := d.AddToHistory(t.Context(), &workspace.History{UserID: user, Method: "GET", Path: "/x"},
			&workspace.Reply{Zipped: []byte("x")}, 0); err != nil {
			t.Fatal(err)
		}
	}
	d.expect(1, "GET /variables", "", `{"total":1,"searchId":null,"items":[{"id":1,"name":"x","value":"of 1",`+
		`"secret":false,"scope":"portal","environmentId":0,"changedOn":1790000000000}],"data":null}`)
	d.expect(1, "GET /tabs?fields=id", "", `{"total":1,"searchId":null,"items":[{"id":1}],"data":null}`)
	d.expect(1, "GET /history?fields=id", "", `{"total":1,"searchId":null,"items":[{"id":1}],"data":null}`)
	d.expect(1, "GET /settings", "", `{"of":1}`)
	for _, do := range []string{"GET /tabs/2", "PATCH /tabs/2", "PUT /tabs/2", "DELETE /tabs/2"} {
		d.expect(1, do, `{}`, `unknown : there is no tab 2`)
	}
	d.expect(1, "PATCH /variables/2", `{"secret":true}`, `unknown : there is no variable 2`)
	d.expect(1, "PATCH /history/2", `{"pinned":true}`, `unknown : there is no request 2`)
	if _, _, err := d.Recall(t.Context(), 1, 2); !fault.Is(err, fault.Unknown) {
		t.Errorf("recalled another's request: %v", err)
	}
	for _, do := range []string{"DELETE /tabs", "DELETE /variables", "DELETE /history"} {
		d.expect(1, do, "", `{}`)
	}
	d.expect(2, "GET /tabs?fields=id", "", `{"total":1,"searchId":null,"items":[{"id":2}],"data":null}`)
	d.expect(2, "GET /variables", "", `{"total":1,"searchId":null,"items":[{"id":2,"name":"x","value":"of 2",`+
		`"secret":false,"scope":"portal","environmentId":0,"changedOn":1790000000000}],"data":null}`)
	if _, r, err := d.Recall(t.Context(), 2, 2); err != nil || string(r.Zipped) != "x" {
		t.Errorf("the other's response is %v, %v", r, err)
	}
}

func TestSettingsMergeByTopLevelKey(t *testing.T) {
	d := open(t)
	for _, tt := range []struct{ do, body, want string }{
		{"GET /settings", ``, `{}`},
		{"PATCH /settings", `{"theme":"dark","layout":{"left":240,"right":300}}`,
			`{"layout":{"left":240,"right":300},"theme":"dark"}`},
		{"PATCH /settings", `{"layout":{"left":9007199254740993},"activeTab":3}`,
			`{"activeTab":3,"layout":{"left":9007199254740993},"theme":"dark"}`},
		{"PATCH /settings", `{"theme":null,"never":null}`, `{"activeTab":3,"layout":{"left":9007199254740993}}`},
		{"PATCH /settings", `[1]`, `invalid : settings must be a JSON object`},
		{"PATCH /settings", `{"a":1,"a":2}`,
			`invalid : the body is not valid JSON at byte 10: the key "a" is there twice`},
		{"PATCH /settings", `{"big":"` + strings.Repeat("x", 256<<10) + `"}`, `too_large : the settings would be ` +
			`larger than 262144 bytes`},
		{"GET /settings", ``, `{"activeTab":3,"layout":{"left":9007199254740993}}`},
	} {
		d.expect(1, tt.do, tt.body, tt.want)
	}
}

const planted = "pLaNtEd-53cr3t"

func TestSecretIsStoredInTheKeyringOnly(t *testing.T) {
	d := open(t)
	shown := `{"id":1,"name":"token","value":"********","secret":true,"scope":"portal",` +
		`"environmentId":0,"changedOn":1790000000000}`
	d.expect(1, "POST /variables", `{"name":"token","value":"`+planted+`","secret":true}`, shown)
	d.expect(1, "PATCH /variables/1", `{"value":"********","name":"token"}`, shown)
	d.expect(1, "PUT /variables/1", `{"name":"token","value":"********","secret":true}`, shown)
	if got := d.secret(1, "token"); got != planted {
		t.Fatalf("the secret is %q", got)
	}
	d.expect(1, "PATCH /variables/1", `{"value":"`+planted+`2"}`, shown)
	if got := d.secret(1, "token"); got != planted+"2" {
		t.Errorf("the secret is %q", got)
	}
	d.expect(1, "POST /variables", `{"name":"TOKEN","value":"`+planted+`3","secret":true}`,
		`conflict name: there is already a variable with the scope "portal" and the name "TOKEN"`)
	d.expect(1, `GET /variables?filter=value~"pLaN"`, "", `{"total":0,"searchId":null,"items":[],"data":null}`)
	_ = d.Close()
	files, err := filepath.Glob(filepath.Join(d.dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil || bytes.Contains(text, []byte("pLaNtEd")) {
			t.Errorf("%s holds the secret (%v)", name, err)
		}
	}
	d.open(0)
	if got := d.secret(1, "token"); got != planted+"2" {
		t.Errorf("after a restart the secret is %q", got)
	}
	d.expect(1, "PATCH /variables/1", `{"secret":false}`, `{"id":1,"name":"token","value":"","secret":false,`+
		`"scope":"portal","environmentId":0,"changedOn":1790000000000}`)
	if len(d.secrets.values) != 0 {
		t.Errorf("the keyring still holds %d secrets", len(d.secrets.values))
	}
}

func TestPlainVariableBecomesSecret(t *testing.T) {
	d := open(t)
	d.send(1, "POST /variables", `{"name":"x","value":"was plain"}`)
	d.expect(1, "PATCH /variables/1", `{"secret":true}`, `{"id":1,"name":"x","value":"********","secret":true,`+
		`"scope":"portal","environmentId":0,"changedOn":1790000000000}`)
	if got := d.secret(1, "x"); got != "was plain" {
		t.Errorf("the secret is %q", got)
	}
	for _, do := range []string{"DELETE /variables/1", "DELETE /variables"} {
		d.expect(1, do, "", `{}`)
		if len(d.secrets.values) != 0 {
			t.Errorf("after %s the keyring still holds a secret", do)
		}
		d.send(1, "POST /variables", `{"name":"x","value":"another","secret":true}`)
	}
}

func (d *desk) secret(user int64, name string) string {
	d.t.Helper()
	list, err := d.VariablesOf(context.Background(), user)
	if err != nil {
		d.t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(v workspace.Variable) bool { return v.Name == name })
	value, err := d.Secret(&list[i])
	if err != nil {
		d.t.Fatal(err)
	}
	return value
}

func TestMissingKeyringIsReported(t *testing.T) {
	inFiles(t)
	d := open(t)
	if got := d.Notice(1); got != "" {
		t.Errorf("the notice is %q before there is a secret", got)
	}
	d.secrets.lasts = false
	d.send(1, "POST /variables", `{"name":"x","value":"y","secret":true}`)
	if got, want := d.Notice(1),
		"No system keyring found: secret variables are kept for this session only"; got != want {
		t.Errorf("the notice is %q, want %q", got, want)
	}
	d.send(1, "POST /variables", `{"name":"none","value":"","secret":true}`)
	d.expect(1, "GET /variables/missing", "", `{"ids":[]}`)
	clear(d.secrets.values) // as when the program ends
	d.expect(1, "GET /variables/missing", "", `{"ids":[1]}`)
	d.expect(2, "GET /variables/missing", "", `{"ids":[]}`)
	d.send(1, "PATCH /variables/1", `{"value":"again"}`)
	d.expect(1, "GET /variables/missing", "", `{"ids":[]}`)
}

func TestVariableNamesAreValidated(t *testing.T) {
	d := open(t)
	for _, name := range []string{"1a", "$now", "a b", "a}}", "ü"} {
		if got := d.send(1, "POST /variables", `{"name":"`+name+`"}`); !strings.HasPrefix(
			got, "invalid name: a variable's name must begin with a letter") {
			t.Errorf("%q: %s", name, got)
		}
	}
}

func TestHistoryKeepsTheNewestAndThePinned(t *testing.T) {
	d := open(t)
	_ = d.Close()
	d.open(5)
	send := func(user int64) {
		t.Helper()
		if err := d.AddToHistory(t.Context(), &workspace.History{UserID: user, Method: "GET"},
			&workspace.Reply{Zipped: []byte("x")}, 0); err != nil {
			t.Fatal(err)
		}
	}
	ids := func(user int64) string { return d.send(user, "GET /history?fields=id&size=100", "") }
	send(1) // 1
	send(2) // 2
	d.send(1, "PATCH /history/1", `{"pinned":true}`)
	for range 7 {
		send(1) // 3 to 9
	}
	if got, want := ids(1), `{"total":6,"searchId":null,"items":[{"id":1},{"id":5},{"id":6},{"id":7},{"id":8},`+
		`{"id":9}],"data":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	d.send(1, "DELETE /history/8", "")
	d.send(1, "PATCH /history/1", `{"pinned":false}`)
	send(1) // 10
	if got, want := ids(1), `{"total":5,"searchId":null,"items":[{"id":5},{"id":6},{"id":7},{"id":9},{"id":10}],`+
		`"data":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, id := range []int64{1, 3, 4, 8} {
		if _, _, err := d.Recall(t.Context(), 1, id); !fault.Is(err, fault.Unknown) {
			t.Errorf("request %d is still there: %v", id, err)
		}
	}
	if got, want := ids(2), `{"total":1,"searchId":null,"items":[{"id":2}],"data":null}`; got != want {
		t.Errorf("another's history is %s", got)
	}
	d.send(1, "DELETE /history", "")
	send(1) // 11
	if got, want := ids(1), `{"total":1,"searchId":null,"items":[{"id":11}],"data":null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHistoryStaysLimitedUnderConcurrentWrites(t *testing.T) {
	d := open(t)
	_ = d.Close()
	d.open(10)
	d.Watch(func(int64, workspace.Kind) {})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if err := d.AddToHistory(context.Background(), &workspace.History{UserID: 1, Method: "GET"}, nil,
					0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if err := d.AddToHistory(t.Context(), &workspace.History{UserID: 1, Method: "GET"}, nil, 0); err != nil {
		t.Fatal(err)
	}
	if got := d.send(1, "GET /history?fields=id&size=1", ""); !strings.HasPrefix(got, `{"total":10,`) {
		t.Errorf("got %s, want a total of 10", got)
	}
}

func TestResponseIsShownInItsOwnTabOnly(t *testing.T) {
	d := open(t)
	d.send(1, "POST /tabs", `{"name":"mine"}`)
	d.send(2, "POST /tabs", `{"name":"other"}`)
	for _, tab := range []int64{1, 2, 99} {
		if err := d.AddToHistory(t.Context(), &workspace.History{UserID: 1, Method: "GET"}, nil, tab); err != nil {
			t.Fatal(err)
		}
	}
	d.expect(1, "GET /tabs/1?fields=name,historyId", "", `{"name":"mine","historyId":1}`)
	d.expect(2, "GET /tabs/2?fields=name,historyId", "", `{"name":"other","historyId":0}`)
}

func TestEveryWriteNotifiesWatchers(t *testing.T) {
	d := open(t)
	d.send(1, "POST /tabs", `{}`)
	d.send(2, "POST /variables", `{"name":"x"}`)
	d.send(2, "POST /variables", `{"name":""}`)
	d.send(1, "PATCH /settings", `{"a":1}`)
	d.send(1, "DELETE /history", ``)
	d.send(1, "GET /tabs", ``)
	if want := []string{"1 tabs", "2 variables", "1 settings", "1 history"}; !slices.Equal(d.changes, want) {
		t.Errorf("received %v, want %v", d.changes, want)
	}
}

func TestZipperKeepsWhatFitsAndDropsTheRest(t *testing.T) {
	for _, tt := range []struct {
		name  string
		size  int
		alike bool
		kept  bool
	}{
		{"nothing", 0, true, true}, {"much that is alike", 5 << 20, true, true},
		{"much that is not", 2 << 20, false, false}, {"too much to try", workspace.MaxPlain + 1, true, false},
	} {
		body := make([]byte, tt.size)
		if !tt.alike {
			for i, n := 0, uint32(1); i < len(body); i++ {
				n = n*1664525 + 1013904223
				body[i] = byte(n >> 24)
			}
		}
		z := workspace.NewZipper()
		for piece := range slices.Chunk(body, 1000) {
			if n, err := z.Write(piece); n != len(piece) || err != nil {
				t.Fatalf("%s: %d bytes were taken, %v", tt.name, n, err)
			}
		}
		zipped := z.Zipped()
		if (zipped != nil) != tt.kept {
			t.Errorf("%s: %d bytes kept", tt.name, len(zipped))
			continue
		}
		var back bytes.Buffer
		if tt.kept {
			if err := workspace.Unzip(zipped, &back); err != nil || !bytes.Equal(back.Bytes(), body) {
				t.Errorf("%s: %d bytes came back, %v", tt.name, back.Len(), err)
			}
		}
	}
}

func TestResponseZippedByAnOlderVersionIsRead(t *testing.T) {
	var old, back bytes.Buffer
	z := gzip.NewWriter(&old)
	_, err := z.Write([]byte(`{"id":7}`))
	if err := errors.Join(err, z.Close(), workspace.Unzip(old.Bytes(), &back)); err != nil ||
		back.String() != `{"id":7}` {
		t.Errorf("%s came back, %v", &back, err)
	}
}

func TestPlainVariableCanBecomeSecretAgain(t *testing.T) {
	d := open(t)
	d.send(1, "POST /variables", `{"name":"token","value":"`+planted+`","secret":true}`)
	if got := d.send(1, "PATCH /variables/1", `{"secret":false}`); strings.Contains(got, planted) ||
		!strings.Contains(got, `"value":""`) || len(d.secrets.values) != 0 {
		t.Errorf("it is %s, and the keyring holds %d secrets", got, len(d.secrets.values))
	}
	d.expect(2, "POST /variables/1/restore", "", "unknown : variable 1 can no longer be restored")
	d.expect(1, "POST /variables/1/restore", "", `{}`)
	if got := d.secret(1, "token"); got != planted {
		t.Errorf("the secret is %q", got)
	}
}

func TestDeletedVariableIsRestoredWithItsSecret(t *testing.T) {
	d := open(t)
	d.send(1, "POST /variables", `{"name":"token","value":"`+planted+`","secret":true}`)
	d.send(1, "POST /variables", `{"name":"size","value":"5"}`)
	d.expect(1, "DELETE /variables/1", "", `{}`)
	d.expect(1, "DELETE /variables/2", "", `{}`)
	if len(d.secrets.values) != 0 {
		t.Errorf("the keyring holds %d secrets of deleted rows", len(d.secrets.values))
	}
	d.expect(2, "POST /variables/1/restore", "", "unknown : variable 1 can no longer be restored")
	d.expect(1, "POST /variables/1/restore", "", `{}`)
	d.expect(1, "POST /variables/1/restore", "", "unknown : variable 1 can no longer be restored")
	if got := d.secret(1, "token"); got != planted {
		t.Errorf("the secret is %q", got)
	}
	d.send(1, "POST /variables", `{"name":"size","value":"7"}`)
	d.expect(1, "POST /variables/2/restore", "", `conflict name: there is already a variable with the scope "portal" `+
		`and the name "size"`)
	d.expect(1, "GET /variables", "", `{"total":2,"searchId":null,"items":[{"id":1,"name":"token","value":"********",`+
		`"secret":true,"scope":"portal","environmentId":0,"changedOn":1790000000000},{"id":3,"name":"size",`+
		`"value":"7","secret":false,`+
		`"scope":"portal","environmentId":0,"changedOn":1790000000000}],"data":null}`)
}

func TestUsagesOfVariablesAreFound(t *testing.T) {
	d := open(t)
	d.send(1, "POST /collections", `{"name":"Mine"}`)
	d.send(1, "POST /requests", `{"name":"One","collectionId":1,"draft":{"path":"/a/{{x}}",`+
		`"body":"{{ x }} {{y}} {{$now}}"}}`)
	d.send(1, "POST /requests", `{"collectionId":1,"draft":{"method":"PUT","path":"/b","query":[{"on":true,`+
		`"key":"{{y}}","value":""}]}}`)
	d.send(1, "POST /requests", `{"name":"Gone","collectionId":1,"trashed":5,"draft":{"path":"/{{z}}"}}`)
	const now = 1_790_000_000_000
	for i, path := range []string{"/{{x}}", "/{{old}}", "/{{sent}}"} {
		at := resource.Millis(now - int64(i%2)*8*86_400_000)
		if err := d.AddToHistory(t.Context(), &workspace.History{UserID: 1, At: at, Draft: workspace.Draft{Path: path}},
			nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	one, two := `{"id":1,"name":"One"}`, `{"id":2,"name":"PUT /b"}`
	d.expect(1, "GET /variables/uses", "", `{"items":[{"name":"x","requests":[`+one+
		`],"count":1,"extractors":0,"sentAt":0},{"name":"y","requests":[`+one+`,`+two+
		`],"count":2,"extractors":0,"sentAt":0}]}`)
	d.expect(1, "GET /variables/uses?sent=1", "", `{"items":[{"name":"x","requests":[`+one+
		`],"count":1,"extractors":0,"sentAt":1790000000000},{"name":"y","requests":[`+one+`,`+two+
		`],"count":2,"extractors":0,"sentAt":0},{"name":"sent","requests":[],"count":0,"extractors":0,`+
		`"sentAt":1790000000000}]}`)
	d.expect(2, "GET /variables/uses?sent=1", "", `{"items":[]}`)
	d.expect(2, "GET /variables/uses?sent=when", "", "invalid sent: sent must be true or false")
}

func TestEditIsSavedAfterThePageCloses(t *testing.T) {
	d := open(t)
	tab := d.send(1, "POST /tabs", `{"draft":{"method":"GET","path":"/a"}}`)
	if !strings.HasPrefix(tab, `{"id":1,`) {
		t.Fatal(tab)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, tt := range []struct{ do, body string }{
		{"PATCH /settings", `{"activePortal":7}`},
		{"PATCH /tabs/1", `{"draft":{"method":"GET","path":"/typed/last"}}`},
		{"POST /variables", `{"name":"last","value":"kept"}`},
	} {
		if got := d.callIn(gone, 1, tt.do, tt.body); strings.HasPrefix(got, "internal") {
			t.Errorf("%s: %s", tt.do, got)
		}
	}
	d.expect(1, "GET /settings", ``, `{"activePortal":7}`)
	for do, want := range map[string]string{"GET /tabs/1": `"path":"/typed/last"`, "GET /variables": `"name":"last"`} {
		if got := d.send(1, do, ``); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", do, got, want)
		}
	}
}
