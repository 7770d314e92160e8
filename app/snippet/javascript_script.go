package snippet

import (
	"fmt"
	"strings"
)

const jsSend = `
function pause(headers) {
  const told = ["Retry-After", "X-Rate-Limit-Window"].map((name) => headers.get(name))
  return Number(told.find((text) => /^\d+$/.test(text)) ?? 5)
}

async function send(title, expected, method, url, headers, body) {
  headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString("latin1")]))
  let response, text
  for (let tries = 1; ; tries++) {
    response = await fetch(url, { method, headers: { Authorization: "Bearer " + process.env.SPYGLASS_TOKEN, ...headers }, body })
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
  for (;;) {
    const page = JSON.parse(await send(title + " from " + offset, expected, method, url + offset, headers))
    offset += size
    if (!page.items.length || (page.total >= 0 && page.total <= offset)) return
  }
}
`

func jsScript(s *script) string {
	var b strings.Builder
	if s.uses(Environment) {
		b.WriteString("function environment(name) {\n  if (process.env[name] === undefined) throw new Error(\"set \" " +
			"+ name)\n  return process.env[name]\n}\n\n")
	}
	if len(s.variables) > 0 {
		b.WriteString("const variables = {\n")
		for _, v := range s.variables {
			value := map[Source]string{
				Plain: jsText(v.Value), Environment: "environment(" + jsText(v.Value) + ")",
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
	b.WriteString("\nasync function main() {\n")
	for i, st := range s.steps {
		if i > 0 {
			b.WriteString("\n")
		}
		send, more := st.call("send(", "sendPages(", "%d, %d, ")
		b.WriteString("  await " + send + jsText(st.title) + fmt.Sprintf(", %d, %s", st.expect, more) +
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
	}
	b.WriteString("}\n\nmain()\n")
	return b.String()
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
