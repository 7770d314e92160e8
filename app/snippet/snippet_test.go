package snippet_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"spyglass/app/snippet"
)

// nasty is text that is hard to quote.
const nasty = "\"double\" 'single' ''' \"\"\" \\ \\\\ \\n \\u0041 $HOME ${x} $(id) `id` %s %d %% !! # & | ; < > * ? " +
	"[a-z] {1,2} ~ ünï 😀 ‘curly’ \u2028 end\\"

func TestSnippetSendsTheRequest(t *testing.T) {
	cases := []struct {
		name        string
		request     snippet.Request // URL without the host
		uri         string          // if it differs from the request's
		header      http.Header     // headers that the request must have
		body        string          // if it differs from the request's
		contentType string
	}{
		{
			name: "a list",
			request: snippet.Request{
				Method: "GET", URL: `/api/device/devices?filter=displayName~%22web%22&sort=%2Bid`}},
		{name: "characters that a URL may not have",
			request: snippet.Request{Method: "GET", URL: `/a b/ü?x=[1]{2}"3"'4'$5%` + "`|^\\<>&y=*!~()%41"},
			uri:     `/a%20b/%C3%BC?x=%5B1%5D%7B2%7D%223%22%274%27$5%25%60%7C%5E%5C%3C%3E&y=*!~()%41`},
		{name: "nasty headers",
			request: snippet.Request{Method: "DELETE", URL: `/x`,
				Headers: []snippet.Header{{"X-Nasty", nasty}, {"X-Empty", ""}, {"X-Two", "a"}, {"x-two", "b\r\nc"}}},
			header: http.Header{"X-Nasty": {nasty}, "X-Empty": {""}, "X-Two": {"a, b  c"}}},
		{name: "the session stays here",
			request: snippet.Request{Method: "GET", URL: `/x`,
				Headers: []snippet.Header{{"Cookie", "sid=1"}, {"authorization", "Bearer mine"}, {"X-CSRF-Token", "c"},
					{"bad name", "x"}}},
			header: http.Header{"Cookie": nil, "X-Csrf-Token": nil}},
		{name: "a JSON body", contentType: "application/json",
			request: snippet.Request{Method: "PATCH", URL: `/x`, Body: "{\n  \"a\": true,\n  \"b\": null," +
				"\n  \"c\": 12345678901234567890,\n  \"d\": \"\\u00e9\\\\\"\n}\n"}},
		{name: "a nasty body", contentType: "text/plain; charset=utf-8",
			request: snippet.Request{Method: "PUT", URL: `/x`,
				Headers: []snippet.Header{{"content-type", "text/plain; charset=utf-8"}}, Body: nasty + "\r\n\t\x01" +
					nasty + "\n'EOF'\n'@\nEOF\n"}},
		{name: "a body that looks like a file name", contentType: "application/json",
			request: snippet.Request{Method: "POST", URL: `/x`, Body: `@/etc/hostname`}},
		{name: "a body that is no UTF-8", contentType: "application/json",
			request: snippet.Request{Method: "POST", URL: `/x`, Body: "\xff\x00"}, body: "\ufffd\ufffd"},
		{name: "a body longer than an argument may be", contentType: "application/json",
			request: snippet.Request{Method: "POST", URL: `/x`, Body: `"` +
				strings.Repeat(`it's 100 % "quoted" \n`, 10_000) + `"`}},
	}
	for _, id := range []string{"curl", "python", "javascript", "go", "groovy"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			url, arrived := listen(t, http.StatusOK)
			l, _ := snippet.Find(id)
			programs := make([]string, len(cases))
			for i, tt := range cases {
				r := tt.request
				r.URL = fmt.Sprintf("%s/%d%s", url, i, r.URL)
				if id == "groovy" { // the JDK refuses non-ASCII characters
					r.Headers = slices.DeleteFunc(slices.Clone(r.Headers),
						func(h snippet.Header) bool { return h.Value == nasty })
				}
				programs[i] = l.Write(r)
			}
			printed := run(t, id, programs)
			for i, tt := range cases {
				got, ok := arrived(i)
				if !ok {
					t.Errorf("%s: nothing arrived; it printed %.2000s", tt.name, printed[i])
					continue
				}
				uri, body := cmp.Or(tt.uri, tt.request.URL), cmp.Or(tt.body, tt.request.Body)
				if got.method != tt.request.Method || got.uri != uri || got.body != body {
					t.Errorf("%s: arrived %s %s\n%.2000q\nwant %s %s\n%.2000q", tt.name, got.method, got.uri, got.body,
						tt.request.Method, uri, body)
				}
				if auth := got.header.Values("Authorization"); !slices.Equal(auth, []string{"Bearer s3cret"}) {
					t.Errorf("%s: Authorization is %q", tt.name, auth)
				}
				if tt.request.Body != "" && got.header.Get("Content-Type") != tt.contentType {
					t.Errorf("%s: Content-Type is %q, want %q", tt.name, got.header.Get("Content-Type"), tt.contentType)
				}
				want := maps.Clone(tt.header)
				if id == "groovy" {
					delete(want, "X-Nasty")
				}
				checkHeaders(t, got.header, want)
			}
		})
	}
}

func checkHeaders(t *testing.T, got, want http.Header) {
	t.Helper()
	for name, values := range want {
		if !slices.Equal(got[name], values) {
			t.Errorf("%s is %q, want %q", name, got[name], values)
		}
	}
}

func TestSnippetPrintsTheBodyOfAnError(t *testing.T) {
	for _, l := range snippet.Languages {
		if l.ID == "powershell" {
			continue
		}
		url, _ := listen(t, http.StatusNotFound)
		out := run(t, l.ID, []string{l.Write(snippet.Request{Method: "GET", URL: url + "/0/x"})})
		if !strings.Contains(out[0], `{"ok":true}`) {
			t.Errorf("%s prints %q", l.Label, out[0])
		}
	}
}

var sample = snippet.Request{
	Method: "PATCH", URL: "http://127.0.0.1:8443/api/device/devices/7?fields=id,$x",
	Headers: []snippet.Header{{"X-Version", "3"}, {"X-Note", `it's $5 "\n" ‘q’`}, {"Cookie", "sid=1"}},
	Body:    "{\n  \"name\": \"it's\\n $HOME `x` ‘q’\",\n  \"up\": null\n}",
}

func TestSnippetsMatchExactly(t *testing.T) {
	for _, tt := range []struct {
		language snippet.Language
		want     string
	}{
		{snippet.Curl, `curl --globoff -X PATCH 'http://127.0.0.1:8443/api/device/devices/7?fields=id,$x' \
  -H "Authorization: Bearer $SPYGLASS_TOKEN" \
  -H 'X-Version: 3' \
  -H 'X-Note: it'\''s $5 "\n" ‘q’' \
  -H 'Content-Type: application/json' \
  --data-raw '{
  "name": "it'\''s\n $HOME ` + "`x`" + ` ‘q’",
  "up": null
}'
`},
		{snippet.Python, `import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:8443/api/device/devices/7?fields=id,$x",
    method="PATCH",
    headers={
        "Authorization": "Bearer " + os.environ["SPYGLASS_TOKEN"],
        "X-Version": "3",
        "X-Note": "it's $5 \"\\n\" ‘q’".encode(),
        "Content-Type": "application/json",
    },
    data=r'''{
  "name": "it's\n $HOME ` + "`x`" + ` ‘q’",
  "up": null
}'''.encode(),
)

try:
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
`},
		{snippet.JavaScript, `async function main() {
  const response = await fetch("http://127.0.0.1:8443/api/device/devices/7?fields=id,$x", {
    method: "PATCH",
    headers: {
      "Authorization": "Bearer " + process.env.SPYGLASS_TOKEN,
      "X-Version": "3",
      "X-Note": Buffer.from("it's $5 \"\\n\" ‘q’").toString("latin1"),
      "Content-Type": "application/json",
    },
    body: ` + "`" + `{
  "name": "it's\\n \$HOME ` + "\\`x\\`" + ` ‘q’",
  "up": null
}` + "`" + `,
  })
  console.log(response.status, await response.text())
}

main()
`},
		{snippet.Go, `package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	request, err := http.NewRequest("PATCH", "http://127.0.0.1:8443/api/device/devices/7?fields=id,$x", strings.NewReader("{\n  \"name\": \"it's\\n $HOME ` + "`x`" + ` ‘q’\",\n  \"up\": null\n}"))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SPYGLASS_TOKEN"))
	request.Header.Set("X-Version", "3")
	request.Header.Set("X-Note", "it's $5 \"\\n\" ‘q’")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.StatusCode, string(body))
}
`},
		{snippet.PowerShell, `$headers = @{
  'Authorization' = "Bearer $env:SPYGLASS_TOKEN"
  'X-Version' = '3'
  'X-Note' = 'it''s $5 "\n" ‘‘q’’'
}
$body = [Text.Encoding]::UTF8.GetBytes('{
  "name": "it''s\n $HOME ` + "`x`" + ` ‘‘q’’",
  "up": null
}')
Invoke-RestMethod -Method 'PATCH' ` + "`" + `
  -Uri 'http://127.0.0.1:8443/api/device/devices/7?fields=id,$x' ` + "`" + `
  -Headers $headers ` + "`" + `
  -ContentType 'application/json' ` + "`" + `
  -Body $body |
  ConvertTo-Json -Depth 100
`},
		{snippet.Groovy, `import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse

def request = HttpRequest.newBuilder(URI.create('http://127.0.0.1:8443/api/device/devices/7?fields=id,$x'))
    .header('Authorization', 'Bearer ' + System.getenv('SPYGLASS_TOKEN'))
    .header('X-Version', '3')
    .header('X-Note', 'it\'s $5 "\\n" ‘q’')
    .header('Content-Type', 'application/json')
    .method('PATCH', HttpRequest.BodyPublishers.ofString('''{
  "name": "it\'s\\n $HOME ` + "`x`" + ` ‘q’",
  "up": null
}'''))
    .build()

def response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString())
println response.statusCode()
println response.body()
`},
	} {
		if got := tt.language.Write(sample); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.language.Label, got, tt.want)
		}
	}
}

func TestSpecialCharactersStayInOneLiteral(t *testing.T) {
	for _, text := range []string{nasty, "'", "''", `\`, `'\`, "\n'''\n", "\r\n\t\x01", "’", "‘'’", "$", `\u0041`,
		strings.Repeat("ä'\n", 30_000)} {
		r := snippet.Request{Method: "POST", URL: "http://h/", Body: text}
		powerShell := snippet.PowerShell.Write(r)
		if got := literals(powerShell, powerShellLiteral); !slices.Contains(got, text) {
			t.Errorf("PowerShell reads %.200q, want %.200q", got, text)
		}
		got := literals(snippet.Groovy.Write(r), groovyLiteral)
		if joined := strings.Join(got[4:], ""); !strings.HasSuffix(joined, text) {
			t.Errorf("Groovy reads %.200q, want %.200q", joined, text)
		}
	}
}

// literals returns the single-quoted strings of a program; read parses a string.
func literals(code string, read func(string) (text string, used int)) (found []string) {
	for i := 0; i < len(code); {
		if code[i] == '\'' {
			text, used := read(code[i:])
			found = append(found, text)
			i += used
			continue
		}
		i++
	}
	return found
}

func powerShellLiteral(code string) (string, int) {
	var b strings.Builder
	quote := func(r rune) bool { return strings.ContainsRune("'‘’‚‛", r) }
	runes, used := []rune(code), 1
	for i := 1; i < len(runes); i++ {
		r := runes[i]
		used += len(string(r))
		if quote(r) {
			if i+1 == len(runes) || !quote(runes[i+1]) {
				break
			}
			i++
			used += len(string(runes[i]))
			r = runes[i]
		}
		b.WriteRune(r)
	}
	return b.String(), used
}

func groovyLiteral(code string) (string, int) {
	end := "'"
	if strings.HasPrefix(code, "'''") {
		end = "'''"
	}
	var b strings.Builder
	i := len(end)
	for i < len(code) && !strings.HasPrefix(code[i:], end) {
		if code[i] != '\\' {
			b.WriteByte(code[i])
			i++
			continue
		}
		switch c := code[i+1]; c {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			r := rune(0)
			for _, h := range code[i+2 : i+6] {
				r = r<<4 | rune(strings.IndexRune("0123456789abcdef", h))
			}
			b.WriteRune(r)
			i += 4
		default:
			b.WriteByte(c)
		}
		i += 2
	}
	return b.String(), i + len(end)
}
