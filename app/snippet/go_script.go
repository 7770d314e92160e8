package snippet

import (
	"fmt"
	"strconv"
	"strings"
)

const goSend = `
var client = &http.Client{Timeout: time.Minute}

// fetch sends one request.
func fetch(method, url string, headers [][2]string, body string) (*http.Response, []byte) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("SPYGLASS_TOKEN"))
	for _, h := range headers {
		request.Header.Set(h[0], h[1])
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	return response, text
}

// pause returns the wait that a 429 requests.
func pause(headers http.Header) time.Duration {
	for _, name := range []string{"Retry-After", "X-Rate-Limit-Window"} {
		if seconds, err := strconv.ParseUint(headers.Get(name), 10, 32); err == nil {
			return time.Duration(seconds) * time.Second
		}
	}
	return 5 * time.Second
}

// send sends one request, after a 429 again; any other status than expected ends the program.
func send(title string, expected int, method, url string, headers [][2]string, body string) []byte {
	var response *http.Response
	var text []byte
	for try := 1; ; try++ {
		response, text = fetch(method, url, headers, body)
		fmt.Fprintf(os.Stderr, "%s: %d\n", title, response.StatusCode)
		wait := pause(response.Header)
		if response.StatusCode != 429 || expected == 429 || try == 5 || wait > time.Hour {
			break
		}
		fmt.Fprintf(os.Stderr, "%s: waiting %v\n", title, wait)
		time.Sleep(wait)
	}
	fmt.Println(string(text))
	if expected == 0 && response.StatusCode/100 != 2 || expected != 0 && response.StatusCode != expected {
		log.Fatalf("Stopped: %s returned %d, expected %d", title, response.StatusCode, expected)
	}
	return text
}
`

const goPages = `
// sendPages gets a list, page by page, and returns the first page.
func sendPages(title string, expected, offset, size int, method, url string, headers [][2]string, body string) []byte {
	var first []byte
	for {
		var page struct {
			Items []json.RawMessage
			Total *int
		}
		text := send(fmt.Sprint(title, " from ", offset), expected, method, fmt.Sprint(url, offset), headers, body)
		if err := json.Unmarshal(text, &page); err != nil {
			log.Fatal(err)
		}
		if first == nil {
			first = text
		}
		offset += size
		if len(page.Items) == 0 || page.Total != nil && *page.Total >= 0 && *page.Total <= offset {
			return first
		}
	}
}
`

const goField = `
// field returns a value of a response, which ends the program if it has none.
func field(title string, text []byte, path string, keys ...any) string {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		log.Fatal(err)
	}
	for _, key := range keys {
		object, _ := value.(map[string]any)
		list, _ := value.([]any)
		value = nil
		switch key := key.(type) {
		case string:
			value = object[key]
		case int:
			if key < len(list) {
				value = list[key]
			}
		}
	}
	if value == nil {
		log.Fatalf("Stopped: the response to %s has no %s", title, path)
	}
	if plain, ok := value.(string); ok {
		return plain
	}
	out, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return string(out)
}
`

const goSetting = `
func setting(name, value string) string {
	if other, ok := os.LookupEnv(name); ok {
		return other
	}
	return value
}
`

const goEnvironment = `
func environment(name string) string {
	value, ok := os.LookupEnv(name)
	if !ok {
		log.Fatal("set ", name)
	}
	return value
}
`

const goJSON = `
func inJSON(name string) string {
	text, err := json.Marshal(variables[name])
	if err != nil {
		log.Fatal(err)
	}
	return string(text[1 : len(text)-1])
}
`

const goURL = `
func inURL(name string) string {
	return strings.ReplaceAll(url.QueryEscape(variables[name]), "+", "%20")
}
`

const goRandom = `
func newUUID() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		log.Fatal(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
`

func goScript(s *script) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, p := range []struct {
		path string
		need bool
	}{
		{"crypto/rand", s.from(Random)}, {"encoding/json", s.has(inJSON) || s.paged() || s.extracting()},
		{"fmt", true}, {"io", true},
		{"log", true}, {"net/http", true},
		{"net/url", s.has(inURL)}, {"os", true}, {"strconv", true}, {"strings", true}, {"time", true},
	} {
		if p.need {
			b.WriteString("\t" + strconv.Quote(p.path) + "\n")
		}
	}
	b.WriteString(")\n")
	if len(s.variables) > 0 {
		b.WriteString("\nvar variables = map[string]string{\n")
		for _, v := range s.variables {
			value := map[Source]string{
				Plain: goPlain(&v), Environment: "environment(" + strconv.Quote(v.Value) + ")",
				Clock: "strconv.FormatInt(time.Now().Unix()" + v.seconds() + ", 10)", Random: "newUUID()",
			}[v.Source]
			b.WriteString("\t" + strconv.Quote(v.Name) + ": " + value + ",\n")
		}
		b.WriteString("}\n")
	}
	for _, part := range []struct {
		code string
		need bool
	}{{goEnvironment, s.from(Environment)}, {goSetting, s.overridden()},
		{goRandom, s.from(Random)}, {goURL, s.has(inURL)}, {goJSON, s.has(inJSON)},
		{goSend, true}, {goPages, s.paged()}, {goField, s.extracting()}} {
		if part.need {
			b.WriteString(part.code)
		}
	}
	b.WriteString("\nfunc main() {\n")
	if s.extracting() {
		b.WriteString("\tvar text []byte\n")
	}
	for _, st := range s.steps {
		send, more := st.call("send(", "sendPages(", "%d, %d, ")
		if len(st.extract) > 0 {
			send = "text = " + send
		}
		b.WriteString("\t" + send + strconv.Quote(st.title) + fmt.Sprintf(", %d, %s", st.expect, more) +
			strconv.Quote(st.method) + ", " + goPieces(st.url, strconv.Quote) + ", [][2]string{")
		for i, h := range st.headers {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString("{" + strconv.Quote(h.name) + ", " + goPieces(h.value, strconv.Quote) + "}")
		}
		b.WriteString("}, " + goPieces(st.body, goBody) + ")\n")
		for _, x := range st.extract {
			b.WriteString("\tvariables[" + strconv.Quote(x.Variable) + "] = field(" + strconv.Quote(st.title) +
				", text, " + strings.Join(x.arguments(strconv.Quote), ", ") + ")\n")
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// goPlain returns the value of a variable that the environment may override.
func goPlain(v *Variable) string {
	if v.Override == "" {
		return strconv.Quote(v.Value)
	}
	return "setting(" + strconv.Quote(v.Override) + ", " + strconv.Quote(v.Value) + ")"
}

func goPieces(t text, literal func(string) string) string {
	return t.join(" + ", `""`, literal, func(p piece) string {
		switch p.as {
		case inURL:
			return "inURL(" + strconv.Quote(p.name) + ")"
		case inJSON:
			return "inJSON(" + strconv.Quote(p.name) + ")"
		}
		return "variables[" + strconv.Quote(p.name) + "]"
	})
}
