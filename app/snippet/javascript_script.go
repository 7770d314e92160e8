package snippet

import (
	"fmt"
	"strings"
)

const jsSend = `
function pause(headers) {
  const found = ["Retry-After", "X-Rate-Limit-Window"].map((name) => headers.get(name))
  return Number(found.find((text) => /^\d+$/.test(text)) ?? 5)
}

async function send(title, expected, method, url, headers, body) {
  headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString("latin1")]))
  let response, text
  for (let tries = 1; ; tries++) {
    response = await fetch(url, { method, headers: { Authorization: "Bearer " + process.env.SPYGLASS_TOKEN, ...headers }, body, signal: AbortSignal.timeout(60000) })
    text = await response.text()
    console.error(title + ": " + response.status)
    const seconds = pause(response.headers)
    if (response.status !== 429 || expected === 429 || tries === 5 || seconds > 3600) break
    console.error(title + ": waiting " + seconds + " s")
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }
  console.log(text)
  if (expected ? response.status !== expected : !response.ok) {
    console.error("Stopped: " + title + " returned " + response.status + ", expected " + (expected || "2xx"))
    process.exit(1)
  }
  return text
}
`

const jsPages = `
async function sendPages(title, expected, offset, size, method, url, headers) {
  let first
  for (;;) {
    const text = await send(title + " from " + offset, expected, method, url + offset, headers)
    first ??= text
    const page = JSON.parse(text)
    offset += size
    if (!page.items.length || (page.total >= 0 && page.total <= offset)) return first
  }
}
`

const jsField = `
function field(title, text, path, ...keys) {
  const value = keys.reduce((found, key) => found?.[key], JSON.parse(text))
  if (value === undefined || value === null) throw new Error("the response to " + title + " has no " + path)
  return typeof value === "string" ? value : JSON.stringify(value)
}
`

func jsScript(s *script) string {
	var b strings.Builder
	if s.from(Environment) {
		b.WriteString("function environment(name) {\n  if (process.env[name] === undefined) throw new Error(\"set \" " +
			"+ name)\n  return process.env[name]\n}\n\n")
	}
	if len(s.variables) > 0 {
		b.WriteString("const variables = {\n")
		for _, v := range s.variables {
			value := map[Source]string{
				Plain: jsPlain(&v), Environment: "environment(" + jsText(v.Value) + ")",
				Clock: "String(Math.floor(Date.now() / 1000)" + v.seconds() +
					")", Random: "globalThis.crypto?.randomUUID() ?? require(\"crypto\").randomUUID()",
			}[v.Source]
			b.WriteString("  " + jsText(v.Name) + ": " + value + ",\n")
		}
		b.WriteString("}\n")
	}
	if s.has(inURL) {
		b.WriteString("const inURL = (name) => encodeURIComponent(variables[name])\n")
	}
	if s.has(inJSON) {
		b.WriteString("const inJSON = (name) => JSON.stringify(variables[name]).slice(1, -1)\n")
	}
	b.WriteString(jsSend)
	if s.paged() {
		b.WriteString(jsPages)
	}
	if s.extracting() {
		b.WriteString(jsField)
	}
	b.WriteString("\nasync function main() {\n")
	if s.extracting() {
		b.WriteString("  let text\n")
	}
	for i, st := range s.steps {
		if i > 0 {
			b.WriteString("\n")
		}
		send, more := st.call("send(", "sendPages(", "%d, %d, ")
		if len(st.extract) > 0 {
			b.WriteString("  text = await ")
		} else {
			b.WriteString("  await ")
		}
		b.WriteString(send + jsText(st.title) + fmt.Sprintf(", %d, %s", st.expect, more) +
			jsText(st.method) + ", " + jsPieces(st.url, jsText) + ", {")
		for k, h := range st.headers {
			if k > 0 {
				b.WriteString(",")
			}
			b.WriteString(" " + jsText(h.name) + ": " + jsPieces(h.value, jsText))
		}
		b.WriteString(" }")
		if len(st.body) > 0 {
			b.WriteString(", " + jsPieces(st.body, jsBody))
		}
		b.WriteString(")\n")
		for _, x := range st.extract {
			b.WriteString("  variables[" + jsText(x.Variable) + "] = field(" + jsText(st.title) + ", text, " +
				strings.Join(x.arguments(jsText), ", ") + ")\n")
		}
	}
	b.WriteString("}\n\nmain().catch((error) => {\n  console.error(\"Stopped: \" + (error.cause?.message || " +
		"error.message))\n  process.exit(1)\n})\n")
	return b.String()
}

// jsPlain returns the value of a variable that the environment may override.
func jsPlain(v *Variable) string {
	if v.Override == "" {
		return jsText(v.Value)
	}
	return "process.env." + v.Override + " ?? " + jsText(v.Value)
}

func jsPieces(t text, literal func(string) string) string {
	return t.join(" + ", `""`, literal, func(p piece) string {
		switch p.as {
		case inURL:
			return "inURL(" + jsText(p.name) + ")"
		case inJSON:
			return "inJSON(" + jsText(p.name) + ")"
		}
		return "variables[" + jsText(p.name) + "]"
	})
}
