package snippet

import (
	"fmt"
	"strings"
)

const pythonSend = `

def fetch(request):
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()
    except OSError as error:
        sys.exit(f"Stopped: {error}")


def pause(headers):
    values = (headers.get(name, "") for name in ("Retry-After", "X-Rate-Limit-Window"))
    return next((int(text) for text in values if text.isdecimal()), 5)


def send(title, expected, method, url, headers, body=None):
    headers = {name: value.encode() for name, value in headers.items()}
    headers["Authorization"] = "Bearer " + os.environ["SPYGLASS_TOKEN"]
    request = urllib.request.Request(url, method=method, headers=headers, data=body and body.encode())
    for tries in range(1, 6):
        status, received, text = fetch(request)
        print(f"{title}: {status}", file=sys.stderr)
        seconds = pause(received)
        if status != 429 or expected == 429 or tries == 5 or seconds > 3600:
            break
        print(f"{title}: waiting {seconds} s", file=sys.stderr)
        time.sleep(seconds)
    print(text, flush=True)
    if status != expected if expected else not 200 <= status <= 299:
        sys.exit(f"Stopped: {title} returned {status}, expected {expected or '2xx'}")
    return text

`

const pythonPages = `
def send_pages(title, expected, offset, size, method, url, headers):
    first = None
    while True:
        text = send(f"{title} from {offset}", expected, method, url + str(offset), headers)
        first = first or text
        page = json.loads(text)
        offset += size
        total = page.get("total")
        if not page["items"] or total is not None and 0 <= total <= offset:
            return first

`

const pythonField = `
def field(title, text, path, *keys):
    value = json.loads(text)
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            value = None
    if value is None:
        sys.exit(f"Stopped: the response to {title} has no {path}")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))

`

func pythonScript(s *script) string {
	var b strings.Builder
	imports := []string{"os", "sys", "time", "urllib.error", "urllib.request"}
	for _, more := range []struct {
		name string
		need bool
	}{
		{"json", s.has(inJSON) || s.paged() || s.extracting()},
		{"urllib.parse", s.has(inURL)}, {"uuid", s.from(Random)},
	} {
		if more.need {
			imports = append(imports, more.name)
		}
	}
	for _, name := range imports {
		b.WriteString("import " + name + "\n")
	}
	if len(s.variables) > 0 {
		b.WriteString("\nvariables = {\n")
		for _, v := range s.variables {
			value := map[Source]string{
				Plain: pythonPlain(&v), Environment: "os.environ[" + pythonText(v.Value) + "]",
				Clock: "str(int(time.time())" + v.seconds() + ")", Random: "str(uuid.uuid4())",
			}[v.Source]
			b.WriteString("    " + pythonText(v.Name) + ": " + value + ",\n")
		}
		b.WriteString("}\n")
	}
	if s.has(inURL) {
		b.WriteString("\n\ndef in_url(name):\n    return urllib.parse.quote(variables[name], safe=\"\")\n")
	}
	if s.has(inJSON) {
		b.WriteString("\n\ndef in_json(name):\n    return json.dumps(variables[name], ensure_ascii=False)[1:-1]\n")
	}
	b.WriteString(pythonSend)
	if s.paged() {
		b.WriteString(pythonPages)
	}
	if s.extracting() {
		b.WriteString(pythonField)
	}
	for _, st := range s.steps {
		send, more := st.call("send", "send_pages", " %d, %d,")
		if len(st.extract) > 0 {
			send = "text = " + send
		}
		b.WriteString("\n" + send + "(\n    " + pythonText(st.title) + fmt.Sprintf(", %d,%s\n    ", st.expect, more) +
			pythonText(st.method) + ", " + pythonPieces(st.url, pythonText) + ",\n    {")
		for i, h := range st.headers {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(pythonText(h.name) + ": " + pythonPieces(h.value, pythonText))
		}
		b.WriteString("},\n")
		if len(st.body) > 0 {
			b.WriteString("    " + pythonPieces(st.body, pythonBody) + ",\n")
		}
		b.WriteString(")\n")
		for _, x := range st.extract {
			b.WriteString("variables[" + pythonText(x.Variable) + "] = field(" + pythonText(st.title) + ", text, " +
				strings.Join(x.arguments(pythonText), ", ") + ")\n")
		}
	}
	return b.String()
}

// pythonPlain returns the value of a variable that the environment may override.
func pythonPlain(v *Variable) string {
	if v.Override == "" {
		return pythonText(v.Value)
	}
	return "os.environ.get(" + pythonText(v.Override) + ", " + pythonText(v.Value) + ")"
}

func pythonPieces(t text, literal func(string) string) string {
	return t.join(" + ", `""`, literal, func(p piece) string {
		return map[place]string{asIs: "variables[", inURL: "in_url(", inJSON: "in_json("}[p.as] + pythonText(p.name) +
			map[place]string{asIs: "]", inURL: ")", inJSON: ")"}[p.as]
	})
}
