package snippet

import (
	"fmt"
	"strings"
)

const groovySend = `
long pause(HttpResponse response) {
    def headers = ['Retry-After', 'X-Rate-Limit-Window'].collect { response.headers().firstValue(it).orElse('') }
    (headers.find { it ==~ /\d{1,9}/ } ?: '5').toLong()
}

String send(String title, int expected, String method, String url, Map headers, String body) {
    def builder = HttpRequest.newBuilder(URI.create(url)).header('Authorization', 'Bearer ' + System.getenv('SPYGLASS_TOKEN'))
    builder.timeout(java.time.Duration.ofSeconds(60))
    headers.each { name, value -> builder.header(name, value) }
    builder.method(method, body ? HttpRequest.BodyPublishers.ofString(body) : HttpRequest.BodyPublishers.noBody())
    def response
    for (int tries = 1; ; tries++) {
        response = HttpClient.newHttpClient().send(builder.build(), HttpResponse.BodyHandlers.ofString())
        System.err.println(title + ': ' + response.statusCode())
        def seconds = pause(response)
        if (response.statusCode() != 429 || expected == 429 || tries == 5 || seconds > 3600) break
        System.err.println(title + ': waiting ' + seconds + ' s')
        sleep(seconds * 1000)
    }
    println response.body()
    if (expected ? response.statusCode() != expected : response.statusCode().intdiv(100) != 2) {
        throw new IllegalStateException('Stopped: ' + title + ' returned ' + response.statusCode() + ', expected ' + (expected ?: '2xx'))
    }
    response.body()
}
`

const groovyPages = `
String sendPages(String title, int expected, long offset, long size, String method, String url, Map headers, String body) {
    String first = null
    while (true) {
        def text = send(title + ' from ' + offset, expected, method, url + offset, headers, body)
        first = first ?: text
        def page = new groovy.json.JsonSlurper().parseText(text)
        offset += size
        if (!page.items || page.total != null && page.total >= 0 && page.total <= offset) return first
    }
}
`

const groovyField = `
String field(String title, String text, String path, Object... keys) {
    def value = new groovy.json.JsonSlurper().parseText(text)
    keys.each { key -> value = value instanceof Map || value instanceof List && key instanceof Integer ? value[key] : null }
    if (value == null) throw new IllegalStateException('Stopped: the response to ' + title + ' has no ' + path)
    value instanceof CharSequence ? value.toString() : groovy.json.JsonOutput.toJson(value)
}
`

func groovyScript(s *script) string {
	var b strings.Builder
	b.WriteString("import groovy.transform.Field\nimport java.net.http.HttpClient\nimport java.net.http.HttpRequest\n" +
		"import java.net.http.HttpResponse\n")
	if len(s.variables) > 0 {
		b.WriteString("\n@Field Map variables = [\n")
		for _, v := range s.variables {
			value := map[Source]string{
				Plain: groovyPlain(&v), Environment: "environment(" + groovyText(v.Value) + ")",
				Clock: "String.valueOf(System.currentTimeMillis().intdiv(1000)" + v.seconds() +
					")", Random: "UUID.randomUUID().toString()",
			}[v.Source]
			b.WriteString("    (" + groovyText(v.Name) + "): " + value + ",\n")
		}
		b.WriteString("]\n")
	}
	if s.from(Environment) {
		b.WriteString("\nString environment(String name) {\n    def value = System.getenv(name)\n" +
			"    if (value == null) throw new IllegalStateException('set ' + name)\n    value\n}\n")
	}
	if s.has(inURL) {
		b.WriteString("\nString inURL(String name) {\n    URLEncoder.encode(variables[name], 'UTF-8').replace('+', " +
			"'%20')\n}\n")
	}
	if s.has(inJSON) {
		b.WriteString("\nString inJSON(String name) {\n    def text = " +
			"groovy.json.JsonOutput.toJson(variables[name])\n    text.substring(1, text.length() - 1)\n}\n")
	}
	b.WriteString(groovySend)
	if s.paged() {
		b.WriteString(groovyPages)
	}
	if s.extracting() {
		b.WriteString(groovyField + "\nString text\n")
	}
	for _, st := range s.steps {
		headers := make([]string, len(st.headers))
		for i, h := range st.headers {
			headers[i] = "(" + groovyText(h.name) + "): " + groovyPieces(h.value, groovyText)
		}
		all := strings.Join(headers, ", ")
		if all == "" {
			all = ":"
		}
		send, more := st.call("send(", "sendPages(", "%d, %d, ")
		if len(st.extract) > 0 {
			send = "text = " + send
		}
		b.WriteString("\n" + send + groovyText(st.title) + fmt.Sprintf(", %d, %s", st.expect, more) +
			groovyText(st.method) + ", " + groovyPieces(st.url, groovyText) + ", [" + all + "], " +
			groovyPieces(st.body, groovyBody) + ")\n")
		for _, x := range st.extract {
			b.WriteString("variables[" + groovyText(x.Variable) + "] = field(" + groovyText(st.title) + ", text, " +
				strings.Join(x.arguments(groovyText), ", ") + ")\n")
		}
	}
	return b.String()
}

// groovyPlain returns the value of a variable that the environment may override.
func groovyPlain(v *Variable) string {
	if v.Override == "" {
		return groovyText(v.Value)
	}
	return "System.getenv().getOrDefault(" + groovyText(v.Override) + ", " + groovyText(v.Value) + ")"
}

func groovyPieces(t text, literal func(string) string) string {
	return t.join(" + ", "''", literal, func(p piece) string {
		switch p.as {
		case inURL:
			return "inURL(" + groovyText(p.name) + ")"
		case inJSON:
			return "inJSON(" + groovyText(p.name) + ")"
		}
		return "variables[" + groovyText(p.name) + "]"
	})
}
